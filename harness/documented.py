#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Public functions and structures without a kernel-doc comment.

Usage: documented.py LIST FILE...

Public is what a FILE below an include/ declares, or defines inline, and what any FILE
exports to modules; the comment may be in any of them. LIST has those that do without,
one a line with the reason: NAME : REASON. What it lists needlessly is printed, too.
"""
import re
import sys

from layers import functions, strip

DOC = re.compile(r"^/\*\*\n \* (?:(?:struct|union|enum) )?(\w+)(?:\(\))? - ", re.M)
EXPORT = re.compile(r"^EXPORT_SYMBOL(?:_GPL)?\((\w+)\);", re.M)
MACRO = re.compile(r"^#(.*\\\n)*.*$", re.M)
# From the first column to the semicolon; what is before the name is its type.
DECLARATION = re.compile(r"^(?!static)[a-z_][\w\s*]*?\b(\w+)\([^;{]*\)[^;{()]*;", re.M)
TYPE = re.compile(r"^(?:struct|union|enum) (\w+) \{", re.M)


def declared(code):
    """What a header declares or defines."""
    code = MACRO.sub("", code)
    return {*DECLARATION.findall(code), *TYPE.findall(code), *(f[0] for f in functions(code))}


def public(path, text):
    code = strip(text)
    header = "include/" in path
    return set(EXPORT.findall(code)) | (declared(code) if header else set())


def listed(path):
    with open(path, encoding="utf-8") as f:
        lines = [line for line in f.read().splitlines() if line and not line.startswith("#")]
    for line in lines:
        if not re.fullmatch(r"\w+\s*: .+", line):
            sys.exit(f"{path}: not NAME : REASON: {line}")
    return {line.split()[0] for line in lines}


def main():
    known, described, names = listed(sys.argv[1]), set(), {}
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as f:
            text = f.read()
        described |= set(DOC.findall(text))
        names |= {name: path for name in public(path, text)}
    if not names:
        print("nothing is public")
    missing = names.keys() - described
    for name in sorted(missing - known):
        print(f"{names[name]}: {name} is public and has no kernel-doc comment")
    for name in sorted(known - missing):
        print(f"{sys.argv[1]}: {name} has a kernel-doc comment, or is not public")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: GPL-2.0
"""What a line of a file names must be there when the line comes: the header of an
#include, the source of an object in a Makefile, the file that a Kconfig includes."""
import pathlib
import re


# Below these a Makefile is kbuild's, or, as that of the selftests' modules, reads like one.
BUILT = ("arch", "kernel", "lib", "samples", "tools")


def joined(directory, name):
    """DIRECTORY/NAME, without the ".." in it."""
    out = []
    for part in (directory / name).parts:
        if part == "..":
            out.pop()
        else:
            out.append(part)
    return "/".join(out)


def of_include(directory, text):
    """Each result is a list of files, one of which has to be there."""
    m = re.match(r'\s*#\s*include\s+(["<])([\w./-]+)[">]', text)
    if not m:
        return
    if m[1] == '"':
        # Tests look at the core by way of -I.
        yield [joined(directory, m[2]), "kernel/" + m[2]]
    elif m[2].startswith("asm/"):
        yield ["arch/x86/include/" + m[2]]
    else:
        yield ["include/" + m[2]]


def words_of(text):
    """The words of a Makefile's value, and what $(addprefix) makes of its words, up to
    the first that is a variable."""
    for prefix, words in re.findall(r"\$\(addprefix ([\w./-]+), *((?:[\w.-]+ *)*)", text):
        yield from (prefix + word for word in words.split())
    yield from re.sub(r"\$\(addprefix .*", "", text).split()


def of_makefile(directory, text, whole):
    m = re.match(r"[\w-]+(?:-y|-m|-\$\([^=]*\))\s*[+:]?=(.*)", text)
    for word in words_of(m[1]) if m else ():
        if re.search(rf"^{re.escape(word.removesuffix('.o'))}-(y|objs)\b", whole, re.M):
            continue
        if re.fullmatch(r"[\w./-]+\.o", word):
            yield [joined(directory, word[:-1] + suffix) for suffix in "cS"]
        elif re.fullmatch(r"[\w-]+/", word):
            yield [joined(directory, word + "Makefile")]


def of_kconfig(text):
    m = re.match(r'source "([\w./-]+)"', text)
    if m:
        yield [m[1]]


def named(path, text, whole):
    """What a line of that file names."""
    path = pathlib.PurePosixPath(path)
    if path.suffix in (".c", ".h", ".S"):
        yield from of_include(path.parent, text)
    elif path.name == "Makefile" and path.parts[0] in BUILT:
        yield from of_makefile(path.parent, text, whole)
    elif path.name.startswith("Kconfig"):
        yield from of_kconfig(text)


def missing(files, base):
    """Of each line that names what is not there: its file, its patch, what it names.

    A file that is neither in the base nor ours is somebody else's: made by the build, or
    of another architecture."""
    ours = {f.path: f for f in files}

    def there(path, number):
        if path in ours:
            return ours[path].text(number) is not None
        return (base / path).exists()

    for f in files:
        whole = f.text(max(f.steps, default=0)) or ""
        for line in f.lines:
            if not line.tree or not line.enters:
                continue
            for paths in named(f.path, line.text, whole):
                known = [p for p in paths if p in ours or (base / p).exists()]
                if known and not any(there(p, line.enters) for p in known):
                    yield f.path, line.enters, known[0]

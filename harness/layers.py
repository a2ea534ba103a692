#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Which of our files calls which, and whether the layers hold.

Usage: layers.py [--order] [--list FILE] TREE

Read from the sources, so that what one configuration leaves out is seen, too.
The files are kernel/kprobes.c, kernel/kprobes/*.c and arch/*/kernel/kprobes/*.c.
One calls another if a function in it calls a function of the other, directly or
through an inline function or a macro of our headers. What is called through a
pointer does not count. Of a function that has a weak default, that of the
architecture is called.

A violation is
  - a ring: files that call each other in a circle;
  - a file of an architecture that knows what the core keeps: that includes a
    header of kernel/kprobes/, names a struct or a variable of internal.h, or
    walks the subscribers of a point;
  - a file of the core that names an architecture.

FILE has what is known, one call a line, its reason after " : ":

  up CALLER CALLEE

CALLER is above CALLEE elsewhere, so this call goes up and closes a ring. What is
in FILE and closes no ring any more is an error. File names are as in the report:
without their directories, with the architecture's name before those of its files.

--order prints the layers, the lowest first.
"""
import argparse
import collections
import pathlib
import re
import sys

KEYWORDS = {"if", "while", "for", "switch", "return", "sizeof", "typeof", "defined"}


def strip(text):
    """No comments, and no strings: what is in them calls nothing."""
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m[0].count("\n"), text, flags=re.S)
    text = re.sub(r"//[^\n]*", "", text)
    return re.sub(r'"(\\.|[^"\\\n])*"', '""', text)


def calls(body):
    found = re.findall(r"(?<![\w.>])(\w+)\s*\(", body)
    return {name for name in found if name not in KEYWORDS}


def macros(text):
    """Those with arguments: name and body."""
    for m in re.finditer(r"^#\s*define\s+(\w+)\([^)]*\)((?:.*\\\n)*.*)$", text, re.M):
        yield m[1], m[2]


def header_of(lines, brace):
    """What is before the opening brace of a function, back to what ends before."""
    first = brace
    while first and lines[first - 1].strip() and not re.search(r"[;}]\s*$|^#|^\w+:$", lines[first - 1]):
        first -= 1
    return " ".join(lines[first:brace])


def function_name(header):
    for name in re.findall(r"(\w+)\s*\(", header):
        if name not in KEYWORDS and not re.match(r"__(aligned|printf|section|acquires|releases|must_hold|attribute__)$", name):
            return name
    return None


def functions(text):
    """Of a file without comments: name, header and body of each function."""
    lines = text.split("\n")
    for i, line in enumerate(lines):
        if line.startswith("{"):
            end = next((j for j in range(i, len(lines)) if lines[j].startswith("}")), len(lines))
            header = header_of(lines, i)
            name = function_name(header)
            if name and "=" not in header:
                yield name, header, "\n".join(lines[i:end])
        # An empty stub, on a line of its own or behind its arguments.
        elif re.search(r"\)\s*\{.*\}\s*$", line):
            header = header_of(lines, i) + " " + line[:line.rindex("{")]
            name = function_name(header)
            if name and "inline" in header:
                yield name, header, line[line.rindex("{"):]


class File:
    def __init__(self, path, label):
        self.path, self.label = path, label
        self.text = strip(path.read_text())
        self.arch = "/" in label
        self.defined, self.weak, self.static = set(), set(), set()
        self.calls = collections.defaultdict(set)
        code = re.sub(r"^#\s*define(.*\\\n)*.*$", "", self.text, flags=re.M)
        for name, header, body in functions(code):
            kind = self.static if re.search(r"\bstatic\b", header) else \
                self.weak if "__weak" in header else self.defined
            kind.add(name)
            self.calls[name] |= calls(body)
        for name, body in macros(self.text):
            self.static.add(name)
            self.calls[name] |= calls(body)


class Tree:
    def __init__(self, top):
        self.top = pathlib.Path(top)
        self.files = [File(p, p.name) for p in self.glob("kernel/kprobes.c", "kernel/kprobes/*.c")]
        self.files += [File(p, p.relative_to(self.top).parts[1] + "/" + p.name)
                       for p in self.glob("arch/*/kernel/kprobes/*.c")]
        self.inlines = collections.defaultdict(set)
        for p in self.glob("kernel/kprobes/*.h", "arch/*/kernel/kprobes/*.h", "include/linux/kprobes*.h",
                           "include/linux/rethook*.h", "include/asm-generic/kprobes.h",
                           "arch/*/include/asm/kprobes.h"):
            text = strip(p.read_text())
            for name, header, body in functions(text):
                self.inlines[name] |= calls(body)
            for name, body in macros(text):
                self.inlines[name] |= calls(body)
        self.strong, self.weak = self.owners("defined"), self.owners("weak")
        self.edges = self.find_edges()

    def glob(self, *patterns):
        return sorted(p for pattern in patterns for p in self.top.glob(pattern))

    def owners(self, kind):
        """Of each function the files that define it: several, if they are alternatives."""
        owners = collections.defaultdict(set)
        for f in self.files:
            for name in getattr(f, kind):
                owners[name].add(f.label)
        return owners

    def called(self, f):
        """What a file calls; a weak default calls nothing if there is another one."""
        names = set()
        for name, found in f.calls.items():
            if name not in f.weak or name not in self.strong:
                names |= found
        return names - f.static - f.defined - f.weak

    def expand(self, names):
        """With what the inline functions and macros of our headers call."""
        todo, seen = list(names), set()
        while todo:
            name = todo.pop()
            if name not in seen:
                seen.add(name)
                todo += self.inlines.get(name, ())
        return seen

    def find_edges(self):
        edges = collections.defaultdict(set)
        for f in self.files:
            for name in self.expand(self.called(f)):
                for to in self.strong.get(name) or self.weak.get(name) or ():
                    if to != f.label:
                        edges[f.label, to].add(name)
        return edges


def components(nodes, edges):
    """Tarjan's strongly connected components, those below others first."""
    below = collections.defaultdict(list)
    for a, b in sorted(edges):
        below[a].append(b)
    index, low, stack, found = {}, {}, [], []

    def visit(v):
        index[v] = low[v] = len(index)
        stack.append(v)
        for w in below[v]:
            if w not in index:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in stack:
                low[v] = min(low[v], index[w])
        if low[v] == index[v]:
            at = stack.index(v)
            found.append(sorted(stack[at:]))
            del stack[at:]

    for v in sorted(nodes):
        if v not in index:
            visit(v)
    return found


def rings(nodes, edges):
    return [c for c in components(nodes, edges) if len(c) > 1]


def read_list(path):
    known = {}
    for n, line in enumerate(open(path), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        what, _, reason = line.partition(" : ")
        words = what.split()
        if len(words) != 3 or words[0] != "up" or not reason.strip():
            raise SystemExit(f"{path}:{n}: not 'up CALLER CALLEE : REASON'")
        known[words[1], words[2]] = reason.strip()
    return known


def check_rings(tree, known):
    nodes = [f.label for f in tree.files]
    edges = set(tree.edges)
    rest = edges - set(known)
    for ring in rings(nodes, rest):
        yield f"ring of {len(ring)} files: {' '.join(ring)}"
        for a, b in sorted(rest):
            if a in ring and b in ring:
                yield f"    {a} -> {b}: {' '.join(sorted(tree.edges[a, b]))}"
    if not rings(nodes, rest):
        for edge in known:
            if edge not in edges:
                yield f"listed, but there is no such call: {edge[0]} -> {edge[1]}"
            elif not rings(nodes, rest | {edge}):
                yield f"listed, but closes no ring: {edge[0]} -> {edge[1]}"


def core_names(tree):
    """The structs and variables that internal.h declares."""
    path = tree.top / "kernel/kprobes/internal.h"
    text = strip(path.read_text()) if path.exists() else ""
    names = set(re.findall(r"^struct (\w+) \{", text, re.M))
    names |= set(re.findall(r"^extern [^(;]*?\b(\w+)(?:\[\])*;", text, re.M))
    # And the subscribers of a point, which are in the user's header.
    return {n for n in names if n.startswith("kprobe")} | {"subs"}


def check_arch(tree):
    names = core_names(tree)
    for f in tree.files:
        for n, line in enumerate(f.path.read_text().split("\n"), 1):
            where = f"{f.path.relative_to(tree.top)}:{n}"
            if f.arch and re.match(r'#\s*include ".*\bkernel/kprobes/|#\s*include ".*internal\.h"', line):
                yield f"{where}: an architecture includes a header of the core"
        words = set(re.findall(r"\w+", f.text))
        if f.arch and names & words:
            yield f"{f.label}: an architecture uses what the core keeps: {' '.join(sorted(names & words))}"
        if not f.arch and re.search(r"\b(CONFIG_)?(X86|ARM|ARM64|RISCV|PPC|SPARC|S390)(_\w+)?\b", f.text):
            yield f"{f.label}: the core names an architecture"


def print_order(tree, known):
    edges = set(tree.edges) - set(known)
    height = {}
    for part in components([f.label for f in tree.files], edges):
        top = 1 + max((height[b] for a, b in edges if a in part and b not in part), default=-1)
        height.update((v, top) for v in part)
    for level in range(max(height.values()) + 1):
        print(f"{level}: {' '.join(sorted(v for v in height if height[v] == level))}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--order", action="store_true")
    parser.add_argument("--list", default=pathlib.Path(__file__).with_name("layers.list"))
    parser.add_argument("tree")
    args = parser.parse_args()
    tree = Tree(args.tree)
    known = read_list(args.list)
    if args.order:
        print_order(tree, known)
        return 0
    found = list(check_rings(tree, known)) + list(check_arch(tree))
    print("\n".join(found + [f"{len(tree.files)} files, {len(tree.edges)} pairs that call, "
                             f"{len(known)} of them known to go up"]))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())

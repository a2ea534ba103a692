#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Flatten KTAP into one line a test case: RESULT<TAB>NAME.

Usage: ktap.py [--kselftest] PREFIX FILE...

RESULT is ok, "not ok" or skip. Only leaves are printed: a parent's line says
again what its children said, so it is printed when it has none, or when it
failed although none of them did. Of every plan (1..N) it is checked that as
many tests as planned have reported; a kernel or script that stopped half-way
is a failure, as is a stream without a plan. In the output of the kernel's
kselftest runner (--kselftest) the test's own lines are comments of the
runner's, and each test that reports has a plan. The cases of a KUnit case with
parameters have none.
"""
import re
import sys

LINE = re.compile(r'^(\s*)(ok|not ok)\s+(\d+)\s*(?:-\s*)?(.*)$')
PLAN = re.compile(r'^(\s*)1\.\.(\d+)')


class Level:
    def __init__(self):
        self.count = 0
        self.failed = 0
        self.planned = None
        self.name = None


def clean(name):
    """The name without KTAP's directive, and the result that it gives."""
    name, _, directive = name.partition('#')
    return name.strip(), directive.strip()


def verdict(word, directive):
    if word == 'not ok':
        return 'not ok'
    return 'skip' if directive.upper().startswith('SKIP') else 'ok'


class Flattener:
    def __init__(self, prefix, out, all_planned):
        self.prefix = prefix
        self.out = out
        self.all_planned = all_planned
        self.levels = {}
        self.leaves = 0

    def level(self, depth):
        return self.levels.setdefault(depth, Level())

    def emit(self, result, name):
        self.out.append((result, f'{self.prefix}{name}'))
        self.leaves += 1

    def close(self, depth, name):
        """Account for the level below a parent that has just reported."""
        child = self.levels.pop(depth, None)
        if child is None:
            return None
        if child.planned is None and (self.all_planned or depth == 0):
            self.emit('not ok', f'{name}: no plan')
            child.failed += 1
        elif child.planned not in (None, child.count):
            self.emit('not ok', f'{name}: {child.planned} planned, '
                      f'{child.count} reported')
            child.failed += 1
        return child

    def result(self, depth, word, text, parents):
        name, directive = clean(text)
        got = verdict(word, directive)
        level = self.level(depth)
        level.count += 1
        below = [d for d in self.levels if d > depth]
        child = None
        for d in sorted(below, reverse=True):
            child = self.close(d, name)
        if got == 'not ok':
            level.failed += 1
        if child is None or child.count == 0:
            self.emit(got, '.'.join(parents + [name]))
        elif got == 'not ok' and child.failed == 0:
            self.emit('not ok', '.'.join(parents + [name]) +
                      (f' ({directive})' if directive else ''))

    def finish(self):
        for depth in sorted(self.levels, reverse=True):
            self.close(depth, 'end of output')
        if self.leaves == 0:
            self.emit('not ok', 'no test reported')


def flatten(prefix, lines, out, all_planned):
    f = Flattener(prefix, out, all_planned)
    names = {}
    for line in lines:
        sub = re.match(r'^(\s*)# Subtest: (.*)$', line)
        if sub:
            names[len(sub.group(1))] = sub.group(2).strip()
        plan = PLAN.match(line)
        if plan:
            f.level(len(plan.group(1))).planned = int(plan.group(2))
        m = LINE.match(line)
        if m:
            depth = len(m.group(1))
            parents = [names[d] for d in sorted(names) if d <= depth]
            for d in [d for d in names if d > depth]:
                del names[d]
            f.result(depth, m.group(2), m.group(4), parents)
    f.finish()


def unwrap(lines):
    """The runner's format as nested KTAP: its comments are one level down."""
    name = '?'
    for line in lines:
        head = re.match(r'^# selftests: [^:]+: (\S+)', line)
        if head:
            name = head.group(1)
        elif re.match(r'^# \s*(ok|not ok) \d', line):
            inner = LINE.match(line[2:])
            yield f'    {inner.group(2)} {inner.group(3)} {name}: {inner.group(4)}'
        elif re.match(r'^# \s*1\.\.\d', line):
            yield '    ' + line[2:].strip()
        elif not line.startswith('#'):
            yield re.sub(r'selftests: [^:]+: ', '', line)


def main():
    args = sys.argv[1:]
    kselftest = args[0] == '--kselftest'
    if kselftest:
        args = args[1:]
    prefix, out = args[0], []
    for path in args[1:]:
        with open(path, errors='replace') as file:
            lines = [line.rstrip('\r\n') for line in file]
        flatten(prefix, unwrap(lines) if kselftest else lines, out, kselftest)
    for result, name in out:
        print(f'{result}\t{name}')


main()

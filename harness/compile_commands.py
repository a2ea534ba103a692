#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""compile_commands.json for clangd and its like: how each file of a built kernel
was compiled. The kernel's own script says it of the copy in build/linux; here
our files are named where they are edited, and find our headers there.

Usage: compile_commands.py TOP OBJECT-DIRECTORY JSON
  JSON  what gen_compile_commands.py has made; it is written anew"""
import json
import os
import shlex
import sys

# What says how a file is read. The rest says how code is generated, and clang
# does not know all of it.
KEEP = ('-I', '-D', '-U', '-std=', '-nostdinc', '-fshort-wchar', '-m64', '-ffreestanding')
WITH_NEXT = ('-include', '-isystem', '-iquote')


def moved(path, top, obj):
    """Where a file of the copy is edited, or None."""
    tree = os.path.dirname(obj)
    selftests = os.path.join(obj, 'kselftest')
    if path.startswith(selftests + os.sep):
        inner = os.path.join('tools/testing/selftests', os.path.relpath(path, selftests))
    else:
        inner = os.path.relpath(path, tree)
    ours = os.path.join(top, inner)
    return ours if not inner.startswith('..') and os.path.isfile(ours) else None


def includes(path, top, tree):
    """To search a directory: ours of that name comes before the copy."""
    inner = os.path.relpath(path, tree)
    ours = os.path.join(top, inner)
    if inner.startswith(('..', 'obj-')) or not os.path.isdir(ours):
        return [f'-I{path}']
    return [f'-I{ours}', f'-I{path}']


def arguments(command, directory, top, tree):
    """What of a command says how a file is read, less the file itself."""
    words, kept = shlex.split(command), []
    while words:
        word = words.pop(0)
        if word in WITH_NEXT:
            kept += [word, os.path.normpath(os.path.join(directory, words.pop(0)))]
        elif word.startswith('-I'):
            kept += includes(os.path.normpath(os.path.join(directory, word[2:])), top, tree)
        elif word.startswith(KEEP):
            kept.append(word)
    return kept


def entry(old, top, obj):
    """One file: as it was, or as a file of ours."""
    path = os.path.realpath(os.path.join(old['directory'], old['file']))
    path = moved(path, top, obj) or path
    return {'directory': obj, 'file': path,
            'arguments': ['gcc', *arguments(old['command'], old['directory'], top,
                                            os.path.dirname(obj)), '-c', path]}


def main():
    """Write it anew."""
    top, obj, name = (os.path.realpath(a) for a in sys.argv[1:4])
    with open(name, encoding='utf-8') as f:
        old = json.load(f)
    new = [entry(e, top, obj) for e in old]
    ours = sum(e['file'].startswith(top + os.sep)
               and not e['file'].startswith(os.path.join(top, 'build') + os.sep) for e in new)
    with open(name, 'w', encoding='utf-8') as f:
        json.dump(new, f, indent=1)
    print(f'{len(new)} files, {ours} of them ours')


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Can this be probed, and shown by make demo? Told by the symbols of a built
kernel and of its modules, before it is booted.

Usage: func.py OBJECT-DIRECTORY [MODULE:]FUNCTION[+OFFSET]
Without a word when it can; else why it cannot, or which names are near."""
import difflib
import os
import re
import subprocess
import sys

FORM = re.compile(r'^(?:([\w-]+):)?([A-Za-z_][\w.]*)(?:\+(0x[0-9a-fA-F]+|\d+))?$')
# Text between these symbols is not to be probed, and why.
RANGES = (('__entry_text_start', '__entry_text_end', 'it is part of the kernel entry'),
          ('__noinstr_text_start', '__noinstr_text_end', 'it is noinstr: it runs where '
           'the kernel cannot yet, or no longer, take a breakpoint'),
          ('__kprobes_text_start', '__kprobes_text_end', 'it is marked __kprobes'))
SECTIONS = {'.init.text': 'it is gone after the boot, as all __init functions are',
            '.exit.text': 'it is not kept, as all __exit functions of what is built in',
            '.entry.text': RANGES[0][2], '.noinstr.text': RANGES[1][2],
            '.kprobes.text': RANGES[2][2]}


def out(*command):
    """What a command prints."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Symbols:
    """Those of a vmlinux or a module."""

    def __init__(self, path):
        self.path, self.all = path, {}
        for line in out('nm', '-f', 'sysv', path).splitlines():
            part = [p.strip() for p in line.split('|')]
            if len(part) == 7 and part[1] and not part[0].startswith(('__pfx_', '.L')):
                size = int(part[4] or '0', 16)
                self.all.setdefault(part[0], []).append((int(part[1], 16), part[3], size, part[6]))

    def functions(self):
        """The names of all, less the parts that the compiler has split off."""
        return [n for n, all_of in self.all.items()
                if any(s[1] == 'FUNC' for s in all_of) and '.cold' not in n]

    def inside(self, addr, start, end):
        """Is it between two symbols?"""
        return start in self.all and self.all[start][0][0] <= addr < self.all[end][0][0]

    def boundaries(self, name):
        """The offsets of the instructions of a function."""
        text = out('objdump', '-d', '--no-show-raw-insn', f'--disassemble={name}', self.path)
        at = [int(m.group(1), 16) for m in re.finditer(r'^ *([0-9a-f]+):\t', text, re.M)]
        return [a - self.all[name][0][0] for a in at]

    def traced(self, name):
        """Does it begin with the call that ftrace patches?"""
        start = self.all[name][0][0]
        text = out('objdump', '-dr', f'--disassemble={name}', self.path)
        return any(start <= int(m.group(1), 16) < start + 16
                   for m in re.finditer(r'^\s*([0-9a-f]+):.*__fentry__', text, re.M))

    def returns(self, name):
        """Is there a return in it, or a jump to another function? A module's jumps
        lead nowhere before it is loaded."""
        if self.path.endswith('.ko'):
            return True
        text = out('objdump', '-d', '--no-show-raw-insn', f'--disassemble={name}', self.path)
        leaves = re.findall(r'\tret|\tjmp +[0-9a-f]+ <([^+>.]*)', text)
        return any(to != name for to in leaves)


def near(name, names):
    """Names that may be meant: copies the compiler made, longer names, similar ones."""
    found = [n for n in names if n.startswith(name + '.')]
    if len(name) > 3:
        found += sorted((n for n in names if name in n), key=len)[:6]
    found += difflib.get_close_matches(name, names, 8, 0.75)
    return list(dict.fromkeys(found))[:10]


def modules(obj):
    """Path of each by its name."""
    found = {}
    for top, dirs, files in os.walk(obj):
        dirs[:] = [d for d in dirs if d not in ('initramfs', 'modroot', 'kselftest')]
        found.update((f[:-3].replace('-', '_'), os.path.join(top, f))
                     for f in files if f.endswith('.ko'))
    return found


def missing(name, where, names):
    """There is no such function."""
    hint = near(name, names)
    text = f'there is no function {name} in {where}: it is inlined, or not in this configuration'
    return text + ('; near are ' + ' '.join(hint) if hint else '')


def forbidden(symbols, name):
    """Why there can be no probe, or None."""
    addr, _, _, section = symbols.all[name][0]
    if section in SECTIONS:
        return SECTIONS[section]
    if f'_kbl_addr_{name}' in symbols.all:
        return 'it is marked NOKPROBE_SYMBOL: a probe itself needs it'
    for start, end, why in RANGES:
        if symbols.inside(addr, start, end):
            return why
    if not symbols.traced(name):
        return 'the function tracer, which counts its calls here, does not know it (notrace)'
    return None


def misplaced(symbols, name, offset):
    """Why not at this offset, or None."""
    size = symbols.all[name][0][2]
    if offset >= size:
        return f'it has {size:#x} bytes only'
    at = symbols.boundaries(name)
    if offset in at:
        return None
    close = sorted(sorted(at, key=lambda a: abs(a - offset))[:6])
    return 'no instruction begins there; near are ' + ' '.join(f'+{a:#x}' for a in close)


def complaint(obj, func):
    """What is wrong with it, or None."""
    m = FORM.match(func)
    if not m:
        return 'give a function, module:function or function+offset'
    module, name, offset = m.groups()
    path, where = os.path.join(obj, 'vmlinux'), 'this kernel'
    if module:
        known = modules(obj)
        path, where = known.get(module.replace('-', '_')), f'module {module}'
        if not path:
            return f'there is no {where}; there are ' + ' '.join(sorted(known))
    symbols = Symbols(path)
    if name not in symbols.all:
        return missing(name, where, symbols.functions())
    if not any(s[1] == 'FUNC' for s in symbols.all[name]):
        return f'{name} is no function'
    if len(symbols.all[name]) > 1:
        return f'{len(symbols.all[name])} functions have this name'
    why = forbidden(symbols, name)
    if not why and not symbols.returns(name):
        why = 'it never returns, and return probes are shown, too'
    return why or (misplaced(symbols, name, int(offset, 0)) if offset else None)


def main():
    """The complaint on stderr."""
    text = complaint(*sys.argv[1:3])
    if text:
        print(f'error: FUNC={sys.argv[2]}: {text}', file=sys.stderr)
    return 1 if text else 0


sys.exit(main())

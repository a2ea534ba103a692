# SPDX-License-Identifier: GPL-2.0
"""A linked kernel (or a toy that looks like one) for reach.py: its symbols,
its bytes, what can be patched into its text, and its instructions."""
import bisect
import os
import re
import struct
import subprocess
import tempfile

SHT_NOBITS, SHT_SYMTAB = 8, 2
SHF_ALLOC, SHF_EXECINSTR = 2, 4
STT_NOTYPE, STT_FUNC = 0, 2
# Prefixes that objdump prints as words of their own.
PREFIX = re.compile(r'^(?:(?:cs|ds|es|ss|fs|gs|bnd|notrack|data16|addr32|lock'
                    r'|repz?|repnz|rex(?:\.[A-Z]+)?)\s+)+')
DIRECT = re.compile(r'^0x([0-9a-f]+)(?:\s|$)')
# What fills gaps; on 32 bit, LEA of a register into itself does.
FILLER = re.compile(r'^(?:nop|int3|xchg|lea\s+(?:%cs:)?0x0\(%(\w+)(?:,%eiz,1)?\),%\1$)')
# Nothing runs on behind these.
ENDS = ('ret', 'jmp', 'iret', 'ud2', 'int3', 'hlt', 'ud1', 'sysret', 'sysexit', '(bad)')


class Layout:
    """What differs between 32 and 64 bit: structures of ELF, and of the kernel."""

    def __init__(self, wide):
        self.offset, self.counts = ('<Q', 40), 58
        self.section, self.symbol = '<IIQQQQIIQQ', '<IBBHQQ'
        self.word, self.jump, self.machine = 'Q', 16, 'i386:x86-64'
        if not wide:
            self.offset, self.counts = ('<I', 32), 46
            self.section, self.symbol = '<IIIIIIIIII', '<IIIBBH'
            self.word, self.jump, self.machine = 'I', 12, 'i386'

        self.size = struct.calcsize(self.word)

    def unpack_symbol(self, data, off):
        """Name, info, section, value and size."""
        s = struct.unpack_from(self.symbol, data, off)
        if self.word == 'Q':
            return s[0], s[1], s[3], s[4], s[5]
        return s[0], s[3], s[5], s[1], s[2]


class Insn:
    """One instruction: where, how long, and where it may go."""

    def __init__(self, addr, line):
        text, _, operand = (part.strip() for part in line.partition('#'))
        self.addr, self.text = addr, text
        # What an operand relative to the instruction pointer comes to.
        self.operand = int(operand.split()[0], 16) if operand.startswith('0x') else None
        words = PREFIX.sub('', text).split(None, 1)
        self.op = words[0] if words else '(bad)'
        self.args = words[1] if len(words) > 1 else ''
        m = DIRECT.match(self.args)
        branch = self.op[0] == 'j' or self.op.startswith(('call', 'loop', 'xbegin'))
        self.call = self.op.startswith('call')
        self.target = int(m.group(1), 16) if branch and m else None
        self.indirect = branch and self.args.startswith('*')
        self.ends = self.op.startswith(ENDS)
        self.filler = FILLER.match(PREFIX.sub('', text)) is not None


class Kernel:
    """A vmlinux."""

    def __init__(self, path):
        with open(path, 'rb') as f:
            self.data = f.read()
        if self.data[:4] != b'\x7fELF' or self.data[4] not in (1, 2) or self.data[5] != 1:
            raise SystemExit(f'{path}: not a little-endian ELF file')
        self.layout = Layout(self.data[4] == 2)
        self._sections()
        self._symbols()
        self._code = {}
        self.alternatives = self._alternatives()
        self.jumps = self._pairs('__start___jump_table', '__stop___jump_table',
                                 self.layout.jump)
        self.fixups = self._pairs('__start___ex_table', '__stop___ex_table', 12)

    def _sections(self):
        form, at = self.layout.offset
        off, = struct.unpack_from(form, self.data, at)
        size, num, strndx = struct.unpack_from('<HHH', self.data, self.layout.counts)
        raw = [struct.unpack_from(self.layout.section, self.data, off + i * size)
               for i in range(num)]
        self.sections = [(self._str(raw[strndx][4] + s[0]),) + s[1:] for s in raw]

    def _str(self, at):
        return self.data[at:self.data.index(b'\0', at)].decode()

    def _symbols(self):
        self.addr_of, self.length, self.names, kinds, ends = {}, {}, {}, {}, {}
        tab = next(s for s in self.sections if s[1] == SHT_SYMTAB)
        strings = self.sections[tab[6]][4]
        for off in range(tab[4], tab[4] + tab[5], struct.calcsize(self.layout.symbol)):
            name, info, shndx, value, size = self.layout.unpack_symbol(self.data, off)
            name = self._str(strings + name)
            if not name or info & 15 > STT_FUNC or name.startswith(('.L', '$')):
                continue
            self.addr_of.setdefault(name, value)
            self.length.setdefault(name, size)
            if 0 < shndx < len(self.sections) and self.sections[shndx][2] & SHF_EXECINSTR:
                self.names.setdefault(value, []).append(name)
                kinds.setdefault(value, []).append((info & 15 == STT_FUNC, size))
                section = self.sections[shndx]
                ends[value] = section[3] + section[5]
        # As kallsyms sees them: every symbol ends where the next begins.
        self.starts = sorted(self.names)
        # As the compiler sees them: with the sizes of functions.
        self.funcs, self.size = [], {}
        end = 0
        for a in self.starts:
            size = max((s for f, s in kinds[a]), default=0)
            if a < end:
                continue
            if not size:
                i = bisect.bisect_right(self.starts, a)
                size = min(self.starts[i:i + 1] + [ends[a]]) - a
            if not size:
                continue
            self.funcs.append(a)
            self.size[a] = size
            end = a + size

    def read(self, addr, size):
        for name, kind, flags, start, off, length, *_ in self.sections:
            if flags & SHF_ALLOC and kind != SHT_NOBITS and start and \
                    start <= addr and addr + size <= start + length:
                return self.data[off + addr - start:off + addr - start + size]
        raise KeyError(f'nothing is linked at {addr:#x}')

    def words(self, start, stop=None):
        """The words of an object, or between two symbols."""
        a = self.addr_of.get(start, 0)
        size = self.addr_of.get(stop, 0) - a if stop else self.length.get(start, 0)
        num = size // self.layout.size
        return struct.unpack(f'<{num}{self.layout.word}',
                             self.read(a, num * self.layout.size)) if num > 0 else ()

    def string(self, addr):
        out = b''
        while not out.endswith(b'\0'):
            out += self.read(addr + len(out), 1)
        return out[:-1].decode()

    def symbol(self, addr):
        """The range that kallsyms would name for an address."""
        i = bisect.bisect_right(self.starts, addr)
        if not i:
            return None
        end = self.starts[i] if i < len(self.starts) else addr + 1
        return self.starts[i - 1], end

    def func(self, addr):
        """The function that an address lies in, by its first byte."""
        i = bisect.bisect_right(self.funcs, addr)
        if i and addr < self.funcs[i - 1] + self.size[self.funcs[i - 1]]:
            return self.funcs[i - 1]
        return None

    def next_func(self, addr):
        """The function that execution comes to through padding, if any."""
        i = bisect.bisect_left(self.funcs, addr)
        if i == len(self.funcs) or self.funcs[i] - addr >= 64:
            return None
        return self.funcs[i] if b'\xcc' not in self.read(addr, self.funcs[i] - addr) else None

    def name(self, addr):
        start = self.symbol(addr)[0]
        name = min(self.names[start], key=lambda n: (n.endswith(('_start', '_end')), len(n)))
        return name if addr == start else f'{name}+{addr - start:#x}'

    def within(self, addr, name):
        """Whether an address lies in a section."""
        s = self._section(name)
        return s is not None and s[3] <= addr < s[3] + s[5]

    def _section(self, name):
        return next((s for s in self.sections if s[0] == name), None)

    def _alternatives(self):
        """Site -> [(replacement's address, length)]."""
        s, out = self._section('.altinstructions'), {}
        if not s:
            return out
        for i in range(0, s[5], 14):
            site, repl, _, _, length = struct.unpack_from('<iiIBB', self.data, s[4] + i)
            at = s[3] + i
            if length:
                out.setdefault(at + site, []).append((at + 4 + repl, length))
        return out

    def _pairs(self, start, stop, size):
        """Tables of two relative addresses: where from -> [where to]."""
        a, b = self.addr_of.get(start, 0), self.addr_of.get(stop, 0)
        out = {}
        raw = self.read(a, b - a) if b > a else b''
        for off in range(0, len(raw), size):
            x, y = struct.unpack_from('<ii', raw, off)
            out.setdefault(a + off + x, []).append(a + off + 4 + y)
        return out

    def disassemble(self, ranges):
        """Have the instructions of [(address, length)] at hand for code()."""
        todo = [r for r in ranges if r not in self._code]
        for start, length in todo:
            with tempfile.NamedTemporaryFile() as f:
                f.write(self.read(start, length))
                f.flush()
                out = subprocess.run(
                    ['objdump', '-D', '-w', '--no-show-raw-insn', '-b', 'binary',
                     '-m', self.layout.machine, f'--adjust-vma={start:#x}', f.name],
                    check=True, capture_output=True, text=True,
                    env={**os.environ, 'LC_ALL': 'C'}).stdout
            self._code[start, length] = [
                Insn(int(m.group(1), 16), m.group(2).strip())
                for m in re.finditer(r'^\s*([0-9a-f]+):\t(.*)$', out, re.M)]

    def code(self, start, length):
        self.disassemble([(start, length)])
        return self._code[start, length]

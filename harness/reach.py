#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Can the way from a breakpoint to the recursion guard be probed?

Follows the calls and jumps of a linked kernel from the entries of kprobes, and
fails if any instruction that it comes to can carry a probe: a hit there would
come back to itself. The facts that no disassembly tells (where an indirect call
goes, where the walk may stop) are in a list, each with its reason; see there.

What is followed: calls, jumps, what alternatives, static keys and the exception
table may put in their place, falling into the next symbol. What is known:
whether the probe would be refused, by the rules of kernel/kprobes/ and
arch/x86/kernel/kprobes/prepare.c; whether ftrace has a site there.

Usage: reach.py [--list FILE] [--verbose] [--plant FUNCTION|all] VMLINUX
  --plant  forget that FUNCTION was marked by NOKPROBE_SYMBOL(); all: one after
           the other. Succeeds if each is found, and nothing else is
  --verbose  tell how each function is reached
"""
import argparse
import os
import re
import sys
from collections import deque

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from elf import Kernel  # noqa: E402

# kind -> how many names
KINDS = {'entry': (1, 1), 'leads': (2, 99), 'indirect': (2, 99), 'cut': (2, 2),
         'dead': (1, 1), 'guard': (1, 1), 'inner': (1, 1), 'held': (1, 1), 'traced': (1, 1),
         'pushes': (1, 1)}
SPLIT = re.compile(r'\.(?:cold|part|isra|constprop|lto_priv)\b.*')


class Fact:
    """A line of the list."""

    def __init__(self, line, where):
        words, colon, reason = line.partition(' : ')
        self.words = words.split()
        self.optional = self.words[0] == '?'
        self.words = self.words[self.optional:]
        self.where, self.used = where, False
        low, high = KINDS.get(self.words[0], (1, 0))
        if not colon or not reason.strip() or not low < len(self.words) <= high + 1:
            raise SystemExit(f'{where}: not a fact with a reason: {line}')

    @property
    def kind(self):
        return self.words[0]

    @property
    def args(self):
        return self.words[1:]


def read_list(path):
    """A line that begins with a blank goes on with the one before."""
    lines = []
    with open(path, encoding='utf-8') as f:
        for n, line in enumerate(f, 1):
            line = line.rstrip()
            if not line or line.startswith('#'):
                continue
            if line[0].isspace():
                lines[-1][0] += ' ' + line.strip()
            else:
                lines.append([line, f'{path}:{n}'])
    return [Fact(*line) for line in lines]


class Blacklist:
    """What register_kprobe() refuses: kernel/kprobes/blacklist.c, check.c."""

    AREAS = ('kprobes_text', 'noinstr_text', 'entry_text')

    def __init__(self, k):
        self.k = k
        self.areas = [(k.addr_of[f'__{a}_start'], k.addr_of[f'__{a}_end'])
                      for a in self.AREAS if f'__{a}_start' in k.addr_of]
        marks = k.words('__start_kprobe_blacklist', '__stop_kprobe_blacklist')
        self.marked = {k.symbol(a)[0] for a in marks if k.symbol(a)}
        # What the architecture forbids by name.
        names = {k.string(a) for a in k.words('kprobe_forbidden_names')}
        self.named = {k.addr_of[n] for n in names if n in k.addr_of}
        self.forgotten = None

    def _has(self, addr):
        if any(a <= addr < b for a, b in self.areas):
            return True
        start = self.k.symbol(addr)[0]
        return start != self.forgotten and \
            (start in self.marked or start in self.named)

    def refuses(self, addr):
        names = self.k.names[self.k.symbol(addr)[0]]
        if self._has(addr) or any(n.startswith(('__SCT__', '__pfx_', '__cfi_')) for n in names):
            return True
        # A copy or a part that the compiler made.
        whole = {self.k.addr_of.get(n.partition('.')[0]) for n in names if '.' in n[1:]}
        return any(a and self._has(a) for a in whole)


class Walk:
    """The functions reached from the entries."""

    def __init__(self, k, facts):
        self.k, self.facts = k, facts
        self.came = {}          # function -> (from where, how)
        self.findings = []      # (function, text)
        self.traceable = set()
        self.states = {}
        self.ctlblk = k.addr_of.get('kprobe_ctlblk', 0)
        # As an operand; on 32 bit it may be a negative displacement.
        negative = (1 << 8 * k.layout.size) - self.ctlblk
        self.depth = re.compile(rf'(?:^|,)(?:%[fg]s:)?(?:{self.ctlblk:#x}|-{negative:#x})'
                                r'(?:\([^)]*\))?$')

    def facts_of(self, kind, func, *more):
        """The facts of a kind about a function, by any of its names."""
        names = {SPLIT.sub('', n) for n in self.k.names[func]} | set(self.k.names[func])
        for f in self.facts:
            if f.kind == kind and f.args[0] in names and \
                    all(self._is(t, n) for t, n in zip(more, f.args[1:])):
                f.used = True
                yield f

    def _is(self, func, name):
        return any(name in (n, SPLIT.sub('', n)) for n in self.k.names[func])

    def body(self, func):
        """Its instructions, and what may stand in their place."""
        out = []
        for i in self.k.code(func, self.k.size[func]):
            out.append((i.addr, i))
            for start, size in self.k.alternatives.get(i.addr, ()):
                out += [(i.addr, r) for r in self.k.code(start, size)
                        if r.target is None or not start <= r.target <= start + size]
        return out

    def inside(self, func, addr):
        return func <= addr < func + self.k.size[func]

    def thunk(self, addr):
        return any(n.startswith('__x86_indirect_') for n in self.k.names.get(addr, ()))

    # From here: is a frame held at this instruction? Counted are the stores
    # to the frames' depth on the way: 1 when a frame was pushed, 2 when it was
    # dropped again. A handler may only be called when it is 1 on all ways.

    def depths(self, func):
        if func in self.states:
            return self.states[func]
        code = {i.addr: i for i in self.k.code(func, self.k.size[func])}
        order = sorted(code)
        after = dict(zip(order, order[1:]))
        first = 1 if any(True for kind in ('held', 'inner')
                         for _ in self.facts_of(kind, func)) else 0
        seen, todo = {(func, first)}, [(func, first)]
        while todo:
            addr, depth = todo.pop()
            if addr not in code:
                continue
            out = min(depth + self.moves_depth(func, code[addr]), 2)
            for s in self.successors(func, code[addr], after):
                if (s, out) not in seen:
                    seen.add((s, out))
                    todo.append((s, out))
        self.states[func] = {}
        for addr, depth in seen:
            self.states[func].setdefault(addr, set()).add(depth)
        return self.states[func]

    def moves_depth(self, func, insn):
        """A store to the depth, the first member of the per-CPU frames."""
        if insn.call and insn.target and not self.inside(func, insn.target):
            return int(any(self.facts_of('pushes', self.k.func(insn.target))))
        if not insn.op.startswith(('mov', 'add', 'sub', 'inc', 'dec')):
            return 0
        if insn.args.endswith('(%rip)'):
            return int(insn.operand == self.ctlblk)
        return int(self.depth.search(insn.args) is not None)

    def successors(self, func, insn, after):
        out = [insn.target] if insn.target and not insn.call else []
        if insn.call and insn.target and self.inside(func, insn.target):
            out.append(insn.target)
        out += self.k.jumps.get(insn.addr, []) + self.k.fixups.get(insn.addr, [])
        for repl in self.k.alternatives.get(insn.addr, ()):
            out += [r.target for r in self.k.code(*repl) if r.target and not r.call]
        if not insn.ends and insn.addr in after:
            out.append(after[insn.addr])
        return [a for a in out if self.inside(func, a)]

    def guarded(self, func, site):
        return self.depths(func).get(site, {0}) == {1}

    # The walk itself.

    def go(self):
        todo = deque()
        for f in self.facts:
            if f.kind != 'entry':
                continue
            addr = self.k.addr_of.get(f.args[0])
            if addr is None:
                continue
            f.used = True
            addr = self.k.func(addr)
            self.came.setdefault(addr, None)
            todo.append(addr)
        while todo:
            func = todo.popleft()
            for to, site in self.edges(func):
                if to not in self.came:
                    self.came[to] = (func, site)
                    todo.append(to)

    def edges(self, func):
        indirect = []
        for site, insn in self.body(func):
            for to in self.targets(func, site, insn):
                if to is not None:
                    yield to, site
            if insn.indirect or (insn.target and self.thunk(insn.target)):
                if site not in indirect and not self.thunk(func):
                    indirect.append(site)
        yield from self.patched(func)
        yield from self.behind(func)
        yield from self.indirect(func, indirect)

    def targets(self, func, site, insn):
        """Where an instruction goes outside of its function."""
        t = insn.target
        if t is None or self.inside(func, t):
            return
        to = self.k.func(t)
        if to is None:
            # Where a feature of the CPU is asked for before there are alternatives: a test
            # of a bit, and back.
            if not self.k.within(t, '.altinstr_aux'):
                self.findings.append((func, f'{self.k.name(site)}: goes to no function: {insn.text}'))
            return
        if '__fentry__' in self.k.names[to]:
            self.traceable.add(func)
            return
        # Stands for a call through a pointer in alternatives.
        if 'BUG_func' in self.k.names[to] or self.stops(func, to):
            return
        if any(self.facts_of('inner', to)) and not self.guarded(func, site):
            self.findings.append((func, f'{self.k.name(site)}: calls {self.k.name(to)}'
                                        ' where no frame is certain to be held'))
        yield to

    def stops(self, func, to):
        """Does the list say that the walk does not go from one to the other?"""
        return any(self.facts_of('dead', to)) or any(self.facts_of('cut', func, to))

    def patched(self, func):
        """Static keys and fixups that lead elsewhere, and facts of the list."""
        for i in self.k.code(func, self.k.size[func]):
            for t in self.k.jumps.get(i.addr, []) + self.k.fixups.get(i.addr, []):
                to = None if self.inside(func, t) else self.k.func(t)
                if to is not None and not self.stops(func, to):
                    yield to, i.addr
        for f in self.facts_of('leads', func):
            yield from self.listed(f, func, f.args[1:], func)

    def listed(self, fact, func, names, site):
        for n in names:
            optional, n = n.startswith('?'), n.lstrip('?')
            if n.startswith('@'):
                # Every function that a table points to.
                yield from ((a, site) for a in self.k.words(n[1:]) if a in self.k.size)
            elif n in self.k.addr_of:
                yield self.k.func(self.k.addr_of[n]), site
            elif not optional and not fact.optional:
                self.findings.append((func, f'{fact.where}: there is no {n}'))

    def behind(self, func):
        """The next symbol, where execution may run on into it."""
        code = self.k.code(func, self.k.size[func])
        real = [i for i in code if not i.filler]
        if not real or real[-1].ends or real[-1].call:
            return
        to = self.k.next_func(func + self.k.size[func])
        if to is not None and not self.stops(func, to):
            yield to, real[-1].addr

    def indirect(self, func, sites):
        """Each must call a handler under the guard, or be listed."""
        open_sites = [s for s in sites if not self.guarded(func, s)]
        if len(open_sites) < len(sites) and not any(
                True for kind in ('guard', 'inner', 'held') for _ in self.facts_of(kind, func)):
            open_sites = sites
        known = list(self.facts_of('indirect', func))
        for f in known:
            yield from self.listed(f, func, [n for n in f.args[2:] if n != '-'], func)
        room = sum(int(f.args[1]) for f in known)
        if len(open_sites) != room:
            at = ', '.join(self.k.name(s) for s in open_sites) or 'none'
            self.findings.append((func, f'{len(open_sites)} indirect calls outside of the guard,'
                                        f' {room} are listed: {at}'))

    def chain(self, func):
        names = [self.k.name(func)]
        while self.came.get(func):
            func = self.came[func][0]
            names.append(self.k.name(func))
        return ' -> '.join(reversed(names))


def probeable(walk, black):
    """Function -> the instructions of it that a probe could sit on."""
    out = {}
    for func in walk.came:
        open_at = [i.addr for i in walk.k.code(func, walk.k.size[func])
                   if not black.refuses(i.addr)]
        if open_at:
            out[func] = open_at
    return out


def judge(walk, black):
    """All that is wrong, as (function, text)."""
    out = list(walk.findings)
    k = walk.k
    for func, addrs in probeable(walk, black).items():
        whole = len(addrs) == len(k.code(func, k.size[func]))
        out.append((func, 'can be probed' if whole else
                    'can be probed at ' + ', '.join(k.name(a) for a in addrs[:8])))
    for func in sorted(walk.traceable):
        if func in walk.came and not any(walk.facts_of('traced', func)):
            out.append((func, 'can be traced by ftrace'))
    for f in walk.facts:
        if f.kind == 'guard' and not f.optional:
            check_guard(walk, f, out)
        if not f.used and not f.optional:
            out.append((None, f'{f.where}: says nothing about this kernel: {" ".join(f.words)}'))
    return out


def check_guard(walk, fact, out):
    k = walk.k
    func = k.func(k.addr_of.get(fact.args[0], 0))
    if func not in walk.came:
        out.append((None, f'{fact.where}: {fact.args[0]} is not reached'))
        return
    fact.used = True
    if not any(1 in d for d in walk.depths(func).values()):
        out.append((func, 'is said to hold the guard, and does not'))


def tell(walk, findings):
    for func, text in findings:
        print(f'{walk.k.name(func) if func else "the list"}: {text}')
        if func:
            print(f'    {walk.chain(func)}')


def plant(walk, black, which):
    """Each mark in turn: without it, just its function must be found."""
    k = walk.k
    marks = sorted(black.marked) if which == 'all' else [k.addr_of[which]]
    before = set(probeable(walk, black))
    tried = missed = 0
    for m in marks:
        black.forgotten = m
        func = k.func(m)
        # Not on the way, or forbidden for another reason as well.
        if func not in walk.came or black.refuses(m):
            continue
        tried += 1
        # With a function, the parts that the compiler made of it.
        found = {f for f in set(probeable(walk, black)) - before
                 if f == func or SPLIT.sub('', k.name(f)) not in k.names[m]}
        if which != 'all':
            tell(walk, [(f, 'can be probed') for f in found])
        if found != {func}:
            print(f'planted: {k.name(m)}, found: {sorted(map(k.name, found))}')
            missed += 1
    print(f'{tried} violations planted, {tried - missed} found')
    return 0 if tried and not missed else 1


def main():
    p = argparse.ArgumentParser()
    p.add_argument('vmlinux')
    p.add_argument('--list', default=os.path.splitext(os.path.abspath(__file__))[0] + '.list')
    p.add_argument('--plant')
    p.add_argument('--verbose', action='store_true')
    args = p.parse_args()
    walk = Walk(Kernel(args.vmlinux), read_list(args.list))
    walk.go()
    black = Blacklist(walk.k)
    if args.plant:
        return plant(walk, black, args.plant)
    findings = judge(walk, black)
    if args.verbose:
        for func in sorted(walk.came):
            print('# ' + walk.chain(func))
    tell(walk, findings)
    entries = sum(f.kind == 'entry' and f.used for f in walk.facts)
    print(f'{entries} entries, {len(walk.came)} functions reached, {len(findings)} findings')
    return 1 if findings or not entries else 0


if __name__ == '__main__':
    sys.exit(main())

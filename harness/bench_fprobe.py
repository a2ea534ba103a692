#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The part of bench.py's table that is about fprobes and the events on them.

  bench_fprobe.py DIR STOCK OURS [X86-64.csv]
      reads DIR/{STOCK,OURS}-{fprobe,fprobe-smp,fprobe-cpus-all}, see bench.sh;
      writes DIR/bench_fprobe.csv
"""
import sys

from bench_table import LEAST, MEDIAN, MS, Table, finish, read_ratios

# figure, what it is, at most how many times stock's. The design wanted 0.8 and 0.2 at
# entries, 0.67 and 0.2 at exits, and 0.92 of an event without arguments: fprobe.rst says
# where the instructions go.
HITS = (
    ('fe', 'fprobe, entry, all registers (fe)', 1.3),
    ('fe.args', 'fprobe, entry, arguments (fe)', 1.1),
    ('fe2', 'two fprobes, entry', None),
    ('fe2.others', 'two, and 1,000 on other functions (fe2+1000)', 0.004),
    ('fe2.all', 'two, and one on all other functions', None),
    ('fe10', 'ten fprobes, entry (fe10)', 0.28),
    ('fx', 'fprobe, exit, all registers (fx)', 1.02),
    ('fx.args', 'fprobe, exit, arguments', 0.95),
    ('fx.data', 'fprobe, both, 32 bytes of data (fx.data)', 1),
    ('fx10', 'ten fprobes, exit (fx10)', 0.32),
    ('ev0', 'event at an entry, no arguments (ev0)', 1.02),
    ('ev4', 'event with four arguments of BTF (ev4)', 0.81),
    ('evs', 'event with a string of 39 bytes (evs)', 0.36),
    ('evx', 'event at an exit with the result', 0.95),
)

# On i386, instead of x86-64's ratio and a tenth. Of what stock takes for a string, most is
# by the byte, and as much on both. What 32 bit adds to an event without one, to ours less
# than to stock's, is more than that tenth already.
HITS_32BIT = {'evs': 0.46}

# figure, which of its values, how many events, what it is, limit
REST = (
    ('def', MEDIAN, 0, 'define an event (def)', 300000),
    ('def.args', MEDIAN, 0, 'define one with all its arguments', 400000),
    ('on1', MEDIAN, 0, 'enable it (on1)', 8000000),
    ('off1', MEDIAN, 0, 'disable it', None),
    ('events.def', 0, 20, 'define 20 events, each', None),
    ('events.on', 0, 20, 'enable 20, each', None),
    ('events.off', 0, 20, 'disable 20, each', None),
    ('events.gone', 0, 20, 'remove 20, each', None),
    ('events.def', 0, 1000, 'define 1,000 events, each', 300000),
    ('events.on', 0, 1000, 'enable 1,000, each (on1000)', 45000),
    ('events.off', 0, 1000, 'disable 1,000, each (off1000)', MS),
    ('events.gone', 0, 1000, 'remove 1,000, each', MS),
    ('events.life', 0, 1000, 'define, enable, disable and remove 1,000, all', 2000 * MS),
    ('fprobe.register', 0, 0, 'register 1,000 fprobes one by one, each', None),
    ('fprobe.unregister', 0, 0, 'unregister them, each', None),
    ('fprobe.all.register', 0, 0, 'register an exit of all functions', None),
    ('fprobe.all.unregister', 0, 0, 'unregister it', None),
    ('fprobe.misses', 0, 0, 'fprobe misses with 200 tasks asleep (miss)', 0),
)

# figure, beyond that of a definition without types, which of its values, what it is, limit.
# That there is none is known when kallsyms has been searched for a module of that function.
TYPES = (
    ('types.found', 0, 'find the first type, 50 modules', None),
    ('types.found', MEDIAN, "find a function's type, 50 modules (btf)", 20000),
    ('types.module', MEDIAN, "find a module's function's type, 50 modules", None),
    ('types.missing', MEDIAN, 'find that there is none, 50 modules (btf)', 30000),
)

# System calls that fprobe_bpf.c makes while its program is on all functions.
BPF_CALLS = 3000

# Ways to put a BPF program on all functions: in the figures, and in words. The kernels
# have not as many functions, so the time is that for one.
BPF = (
    ('entry', 'entries'),
    ('return', 'exits'),
    ('session', 'both, as a session'),
)

# Of the boot with four CPUs; likewise.
SMP = (
    ('fprobe.misses', 'fprobe misses with 200 tasks asleep, 4 CPUs', 0),
    ('mem.event', 'bytes of memory an event, entry (mem.ev)', 1900),
    ('mem.exit', 'bytes of memory an event, exit (mem.exit)', 1400),
    ('mem.all', 'bytes for an exit of all functions (mem.all)', 3000000),
)


class Fprobes(Table):
    KINDS = 'fprobe', 'fprobe-smp', 'fprobe-cpus-all'

    def make(self):
        self.hits()
        self.flat()
        self.rest()
        self.types()
        self.bpf()
        self.parallel()
        self.all_lost('fprobes')

    def hits(self):
        for figure, name, ratio in HITS:
            both = [self.hit(k, figure) for k in self.kernels]
            if self.ratios is not None:
                ratio = HITS_32BIT.get(figure, self.ratios.get(name))
            self.row(name, *both, None, beside=ratio)

    def flat(self):
        """What an event costs that is off; and what others cost, in percent."""
        off = [self.hit(k, 'off') for k in self.kernels]
        self.row('event that is not enabled (off)', *off, 0)
        for figure, name in (('fe2.others', 'two with 1,000 others'),
                             ('fe2.all', 'two with all others')):
            grown = [self.growth(k, figure) for k in self.kernels]
            self.row(f'{name}, percent of two', *grown, 110)

    def growth(self, kernel, figure):
        one, many = self.hit(kernel, 'fe2'), self.hit(kernel, figure)
        return 100 * many / one if one and many else None

    def rest(self):
        for figure, which, events, name, limit in REST:
            both = [self.value(k, figure, which, events) for k in self.kernels]
            self.row(name, *both, limit if self.ratios is None else None)

    def types(self):
        for figure, which, name, limit in TYPES:
            pairs = [(self.value(k, figure, which, 0),
                      self.value(k, f'{figure}.without', MEDIAN, 0)) for k in self.kernels]
            both = [None if None in p else p[0] - p[1] for p in pairs]
            self.row(name, *both, limit if self.ratios is None else None)

    def bpf(self):
        nr = [self.value(k, 'bpf.functions', 0, 0) for k in self.kernels]
        self.row('functions that a BPF program is put on', *nr, None)
        for kind, name in BPF:
            for act in 'attach', 'detach':
                both = [self.value(k, f'bpf.{kind}.{act}', 0, 0) for k in self.kernels]
                each = [t and n and t / n for t, n in zip(both, nr)]
                self.row(f'{act} it to {name}, each', *each, None)
            calls = [self.value(k, f'bpf.{kind}.exercise', 0, 0) for k in self.kernels]
            self.row(f'a system call with it at {name}',
                     *(t and t / BPF_CALLS for t in calls), None)

    def parallel(self):
        for figure, name, limit in SMP:
            both = [self.choose(self.smp[k].get((figure, 0), []), LEAST)
                    for k in self.kernels]
            self.row(name, *both, limit)
        self.all_scalings('fprobe.cpus', 'fprobe, exit')


def main():
    directory, stock, ours, *ratios = sys.argv[1:]
    t = Fprobes(directory, stock, ours, *map(read_ratios, ratios))
    t.make()
    finish([t], [f'{directory}/bench_fprobe.csv'])


if __name__ == '__main__':
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The table of make bench: figure, stock, ours, ratio, target.

  bench.py DIR STOCK OURS [X86-64.csv]
      reads DIR/{STOCK,OURS}-{icount,smp,cpus-all}, see bench.sh; writes DIR/bench.csv
      and DIR/bench.svg

The figures of fprobes follow, see bench_fprobe.py. Each target is a test. With
the figures of x86-64, as an earlier run left them in bench.csv, the targets of
hits are not the numbers here but those ratios to stock plus 10 percent, and other
figures have none.
"""
import subprocess
import sys

from bench_fprobe import Fprobes
from bench_table import LEAST, MEDIAN, MS, Table, finish, read_ratios

GROWTH = 1.05       # of a hit's cost, with other probes

# figure, what it is, limit in instructions
HITS = (
    ('b', 'boosted hit', 215),
    ('b4', 'boosted hit, 4 subscribers', None),
    ('k', 'hit with post handler', 350),
    ('k4', 'hit with post handler, 4 subscribers', None),
    ('b.path', 'hit that changes the path', 200),
    ('k.path', 'hit that changes the path, with post handler', 200),
    ('o', 'optimized hit', 80),
    ('o4', 'optimized hit, 4 subscribers', 140),
    ('o.post', 'optimized hit with post handler', None),
    ('o.path', 'optimized hit that changes the path', 100),
    ('f', 'ftrace-based hit', 130),
    ('f4', 'ftrace-based hit, 4 subscribers', 215),
    ('f.post', 'ftrace-based hit with post handler', 160),
    ('f.path', 'ftrace-based hit that changes the path', 125),
    ('jmp', 'emulated jmp', 260),
    ('jcc', 'emulated jcc', 260),
    ('call', 'emulated call', 260),
    ('ret', 'emulated ret', 260),
    ('r', 'return probe, slow entry (r)', 365),
    ('r.data', 'r with entry handler and data', None),
    ('rb', 'return probe on a breakpoint (rb)', 365),
    ('rb.data', 'rb with entry handler and data', None),
    ('rb.kprobe', 'rb and a kprobe on one function', None),
    ('ro', 'return probe, optimized (ro)', 230),
    ('ro.data', 'ro with entry handler and data', None),
    ('ro.kprobe', 'ro and a kprobe on one function', None),
    ('rf', 'return probe through ftrace (rf)', 300),
    ('rf.data', 'rf with entry handler and data', None),
    ('rf.kprobe', 'rf and a kprobe on one function', None),
)

# figure, which of its values, others, what it is, limit; 'stock': no more
REST = (
    ('loop.ns', 0, 0, 'a loop of a million instructions', 1010000),
    ('register.one', 0, 100, 'register a probe, 100 others', 120000),
    ('register.one', 0, 1000, 'register a probe, 1,000 others', 120000),
    ('register.one', 0, 10000, 'register a probe, 10,000 others', 120000),
    ('register.one', 0, 50000, 'register a probe, 50,000 others', 120000),
    ('register.module', 0, 0, 'register a probe in a module with 1,600 symbols', None),
    ('register.entry', 0, 0, 'register a probe at an ftrace site', None),
    ('register.wide', 0, 0, 'register 10,000 at once, each', 80000),
    ('unregister.wide', 0, 0, 'unregister 10,000 at once, each', None),
    ('register.mixed', 0, 0, 'register 1,000 at once, in mixed order, each', None),
    ('register.wide', 1, 0, 'register 10,000 at once, to be optimized, each', None),
    ('unregister.wide', 1, 0, 'unregister them, each', None),
    ('register.cold', 0, 0, 'register 10,000, each in another function', 80000),
    ('unregister.cold', 0, 0, 'unregister them, each', None),
    ('register.entries', 0, 0, 'register 1,000 ftrace sites, each', 100000),
    ('unregister.entries', 0, 0, 'unregister 1,000 ftrace sites, each', 100000),
    ('register.returns', 0, 0, 'register 1,000 kretprobes, each', None),
    ('unregister.returns', 0, 0, 'unregister 1,000 kretprobes, each', None),
    ('disable', 0, 0, 'disable_kprobe()', None),
    ('enable', 0, 0, 'enable_kprobe()', None),
    ('unload.bare', 0, 0, 'unload a module', None),
    ('unload', 0, 0, 'unload it with 2,000 probes, half ftrace-based', None),
    ('unregister.gone', 0, 0, 'unregister 1,000 when it is gone, each', None),
    ('optimized.ns', 0, 0, 'register 10,000, until all are optimized', 5000 * MS),
    ('optimized.not', 0, 0, 'how many of them are not', 0),
    ('unregister.one', 0, 0, 'unregister_kprobe(), breakpoint, elapsed', 6 * MS),
    ('unregister.entry', 0, 0, 'unregister_kprobe(), ftrace, elapsed', 8 * MS),
    ('sysctl.off', MEDIAN, 0, 'sysctl off, 10,000 probes', 'stock'),
    ('sysctl.on', MEDIAN, 0, 'sysctl on, 10,000 probes', 'stock'),
    ('sysctl.again', LEAST, 0, 'sysctl on, all optimized again, at best', 'stock'),
    ('patch.worst', 0, 0, 'worst wait of a static key meanwhile', 1 * MS),
    ('knob.off', 0, 0, 'enabled off, 10,000 probes', None),
    ('knob.on', 0, 0, 'enabled on, 10,000 probes', None),
    ('list', 0, 0, 'reading the list, 10,000 probes', 60 * MS),
    ('list.unsorted', 0, 0, 'lines of it that are out of order', 0),
    ('memory', 0, 0, 'bytes of memory a probe', 400),
    ('memory.jumps', 0, 0, 'the same, optimized', None),
    ('misses', 0, 0, 'misses with 200 tasks asleep', 0),
    ('misses.deep', 0, 0, 'misses with 20,000 calls under way', 0),
    ('memory.calls', 0, 0, 'bytes of memory a call under way', 70),
    ('memory.calls.later', 0, 0, 'the same, a minute after they have returned', None),
    ('memory.calls.kept', 0, 0, 'of it in return hooks, then', 0),
    ('memory.calls.max', 0, 0, 'bytes of memory a call, with a maxactive', None),
)


class Kprobes(Table):
    KINDS = 'icount', 'smp', 'cpus-all'

    def make(self):
        self.hits()
        self.growth()
        self.rest()
        self.parallel()
        self.all_lost('handlers')

    def hits(self):
        for figure, name, limit in HITS:
            both = [self.hit(k, figure) for k in self.kernels]
            if self.ratios is None:
                self.row(name, *both, limit)
            else:
                self.row(name, *both, None, beside=self.ratios.get(name))

    def others(self):
        return sorted({n for k in self.kernels for f, n in self.icount[k] if f == 'k' and n})

    def growth(self):
        """The worst of all hits, in percent of its cost with no others."""
        for n in self.others():
            worst = {}
            for k in self.kernels:
                ratios = [self.hit(k, f, n) / self.hit(k, f) for f, _, _ in HITS
                          if self.hit(k, f, n) and self.hit(k, f)]
                worst[k] = 100 * max(ratios) if ratios else None
            self.row(f'worst hit with {n:,} others, percent', *worst.values(),
                     100 * GROWTH)

    def rest(self):
        for figure, which, others, name, limit in REST:
            stock, ours = (self.value(k, figure, which, others) for k in self.kernels)
            if self.ratios is not None:
                self.row(name, stock, ours, None)
            elif limit == 'stock':
                self.row(name, stock, ours, None, beside=1)
            else:
                self.row(name, stock, ours, limit)

    def parallel(self):
        syncs = [self.smp[k].get(('syncs', 0), [None])[0] for k in self.kernels]
        self.row('syncs to arm 1,000 at once, 4 CPUs', *syncs, 16)
        misses = [self.smp[k].get(('misses', 0), [None])[0] for k in self.kernels]
        self.row('misses with 200 tasks asleep, 4 CPUs', *misses, 0)
        memory = [self.smp[k].get(('memory.returns', 0), [None])[0] for k in self.kernels]
        self.row('bytes of memory a kretprobe, 4 CPUs', *memory, 4096)
        self.all_scalings('return.cpus', 'return probe')

    def write_data(self):
        """A line for each number of others: what the plot shows, both kernels."""
        with open(f'{self.dir}/bench.dat', 'w') as f:
            for n in [0] + self.others():
                cells = [self.hit(k, h, n) for h in ('k', 'o', 'f', 'rb') for k in self.kernels]
                cells += [self.value(k, 'register.one', 0, n) for k in self.kernels]
                print(max(n, 10), *('NaN' if c is None else f'{c:.1f}' for c in cells), file=f)

    def plot(self):
        self.write_data()
        lines = []
        for i, hit in enumerate(('k', 'o', 'f', 'rb')):
            for j, kernel in enumerate(('stock', 'ours')):
                lines.append(f'"{self.dir}/bench.dat" using 1:{2 + 2 * i + j} with linespoints '
                             f'dashtype {2 - j} linecolor {i + 1} title "{hit}, {kernel}"')
        script = f'''set terminal svg size 900,900
set output "{self.dir}/bench.svg"
set multiplot layout 2,1
set logscale xy
set key outside
set xlabel "other probes (10: none)"
set ylabel "instructions a hit"
plot {', '.join(lines)}
set ylabel "instructions to register a probe"
plot "{self.dir}/bench.dat" using 1:10 with linespoints dashtype 2 title "stock", \\
     "{self.dir}/bench.dat" using 1:11 with linespoints dashtype 1 title "ours"
'''
        subprocess.run(['gnuplot'], input=script, text=True, check=True)


def main():
    directory, stock, ours, *ratios = sys.argv[1:]
    tables = [kind(directory, stock, ours, *map(read_ratios, ratios))
              for kind in (Kprobes, Fprobes)]
    for t in tables:
        t.make()
    tables[0].plot()
    finish(tables, [f'{directory}/bench.csv', f'{directory}/bench.svg'])


if __name__ == '__main__':
    main()

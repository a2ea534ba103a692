#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The table of make bench: figure, stock, ours, ratio, target.

  bench.py DIR STOCK OURS [X86-64.csv]
      reads DIR/{STOCK,OURS}-{icount,smp,cpus}, see bench.sh; writes DIR/bench.csv
      and DIR/bench.svg

Each target is a test. A target that cannot be judged, because a figure is
missing, has failed. With the figures of x86-64, as an earlier run left them in
bench.csv, the targets of hits are not the numbers here but those ratios to stock
plus 10 percent, and other figures have none.
"""
import csv
import os
import subprocess
import sys
from collections import defaultdict

SLACK = 1.1         # to x86-64's ratio, on other word sizes
GROWTH = 1.05       # of a hit's cost, with other probes
SCALING = 1.1       # of ours to stock's; the host's CPUs are shared

# figure, what it is, limit in instructions
HITS = (
    ('b', 'boosted hit', 340),
    ('b4', 'boosted hit, 4 subscribers', None),
    ('k', 'hit with post handler', 480),
    ('k4', 'hit with post handler, 4 subscribers', None),
    ('b.path', 'hit that changes the path', None),
    ('k.path', 'hit that changes the path, with post handler', 200),
    ('o', 'optimized hit', 80),
    ('o4', 'optimized hit, 4 subscribers', 140),
    ('o.post', 'optimized hit with post handler', None),
    ('o.path', 'optimized hit that changes the path', None),
    ('f', 'ftrace-based hit', 130),
    ('f4', 'ftrace-based hit, 4 subscribers', 215),
    ('f.post', 'ftrace-based hit with post handler', 160),
    ('f.path', 'ftrace-based hit that changes the path', None),
    ('jmp', 'emulated jmp', 310),
    ('jcc', 'emulated jcc', 310),
    ('call', 'emulated call', 310),
    ('ret', 'emulated ret', 310),
    ('r', 'return probe, slow entry (r)', 520),
    ('r.data', 'r with entry handler and data', None),
    ('rb', 'return probe on a breakpoint (rb)', 520),
    ('rb.data', 'rb with entry handler and data', None),
    ('rb.kprobe', 'rb and a kprobe on one function', None),
    ('ro', 'return probe, optimized (ro)', 230),
    ('ro.data', 'ro with entry handler and data', None),
    ('ro.kprobe', 'ro and a kprobe on one function', None),
    ('rf', 'return probe through ftrace (rf)', 300),
    ('rf.data', 'rf with entry handler and data', None),
    ('rf.kprobe', 'rf and a kprobe on one function', None),
)
MS = 1000 * 1000
MEDIAN, LEAST = 'median', 'least'

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
    ('patch.worst', 0, 0, 'worst wait of a static key meanwhile', 'stock'),
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


def read(path):
    """(figure, others) -> the values, in the order in which they came."""
    figures = defaultdict(list)
    if os.path.exists(path):
        for line in open(path):
            figure, others, value = line.split()
            figures[figure, int(others)].append(int(value))
    return figures


class Table:
    def __init__(self, directory, stock, ours, ratios=None):
        self.dir = directory
        self.kernels = stock, ours
        self.ratios = ratios
        self.icount = {k: read(f'{directory}/{k}-icount') for k in self.kernels}
        self.smp = {k: read(f'{directory}/{k}-smp') for k in self.kernels}
        self.cpus = {k: read(f'{directory}/{k}-cpus') for k in self.kernels}
        self.rows = []
        self.passed = self.failed = 0

    def hit(self, kernel, figure, others=0):
        """Instructions of a hit; a cycle is one of them, or nearly."""
        values = self.icount[kernel].get((figure, others))
        loop = self.icount[kernel].get(('loop.cycles', 0))
        return min(values) / 10 * 1e6 / loop[0] if values and loop else None

    def value(self, kernel, figure, which, others):
        values = self.icount[kernel].get((figure, others), [])
        if which == LEAST:
            return min(values, default=None)
        if which == MEDIAN:
            return sorted(values)[len(values) // 2] if values else None
        return values[which] if which < len(values) else None

    def row(self, name, stock, ours, limit, beside=None):
        """
        One line. With a limit it is a test, and with @beside as well: then the
        limit is so many times stock's figure.
        """
        verdict = ''
        if beside:
            limit = stock * beside if stock is not None else None
        if beside or limit is not None:
            known = ours is not None and limit is not None
            good = known and ours <= limit
            verdict = 'ok' if good else 'over' if known else 'missing'
            self.passed += good
            self.failed += not good
        ratio = ours / stock if ours is not None and stock else None
        self.rows.append((name, stock, ours, ratio, limit, verdict))

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

    def scaling(self, kernel, cpus):
        one = self.cpus[kernel].get(('return.cpus.1', 0))
        many = self.cpus[kernel].get((f'return.cpus.{cpus}', 0))
        return 100 * min(many) / min(one) if one and many else None

    def lost(self, kernel, figures):
        """Calls of handlers that were one too few, or one too many."""
        return sum(sum(v) for (f, _), v in figures[kernel].items() if f == 'lost') \
            if figures[kernel] else None

    def all_lost(self):
        for name, figures in (('1 CPU', self.icount), ('4 CPUs', self.smp),
                              ('CPUs at a time', self.cpus)):
            self.row(f'lost calls of handlers, {name}',
                     *(self.lost(k, figures) for k in self.kernels), 0)

    def parallel(self):
        syncs = [self.smp[k].get(('syncs', 0), [None])[0] for k in self.kernels]
        self.row('syncs to arm 1,000 at once, 4 CPUs', *syncs, 16)
        misses = [self.smp[k].get(('misses', 0), [None])[0] for k in self.kernels]
        self.row('misses with 200 tasks asleep, 4 CPUs', *misses, 0)
        memory = [self.smp[k].get(('memory.returns', 0), [None])[0] for k in self.kernels]
        self.row('bytes of memory a kretprobe, 4 CPUs', *memory, 4096)
        for cpus in (2, 4):
            stock, ours = (self.scaling(k, cpus) for k in self.kernels)
            self.row(f'return probe on {cpus} CPUs, percent of 1', stock, ours,
                     None, beside=SCALING)

    def write_csv(self):
        with open(f'{self.dir}/bench.csv', 'w', newline='') as f:
            out = csv.writer(f)
            out.writerow(('figure', 'stock', 'ours', 'ratio', 'target', 'verdict'))
            out.writerows(self.rows)

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

    def show(self):
        def cell(v):
            if v is None:
                return '-'
            return f'{v:,.0f}' if v >= 1000 or v == int(v) else f'{v:.1f}'

        print(f'{"figure":<42} {"stock":>15} {"ours":>15} {"ratio":>7} {"at most":>13}')
        for name, stock, ours, ratio, limit, verdict in self.rows:
            print(f'{name:<42} {cell(stock):>15} {cell(ours):>15} '
                  f'{"-" if ratio is None else f"{ratio:.2f}":>7} '
                  f'{cell(limit) if verdict else "":>13} {verdict}')


def read_ratios(path):
    """What a hit is called -> how many times stock's it may be."""
    with open(path, newline='') as f:
        return {r['figure']: SLACK * float(r['ratio']) for r in csv.DictReader(f) if r['ratio']}


def main():
    directory, stock, ours, *ratios = sys.argv[1:]
    t = Table(directory, stock, ours, *map(read_ratios, ratios))
    t.hits()
    t.growth()
    t.rest()
    t.parallel()
    t.all_lost()
    t.write_csv()
    t.plot()
    t.show()
    print('hits in instructions, all else in nanoseconds: of the clock that counts instructions')
    print(f'{t.dir}/bench.csv {t.dir}/bench.svg')
    print(f'{t.passed} passed, {t.failed} failed')
    sys.exit(1 if t.failed else 0)


if __name__ == '__main__':
    main()

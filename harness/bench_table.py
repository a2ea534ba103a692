# SPDX-License-Identifier: GPL-2.0
"""What the tables of make bench have in common: bench.py's and bench_fprobe.py's.

A row is a figure, stock, ours, the ratio, a target and whether it is met. Each
target is a test. A target that cannot be judged, because a figure is missing, has
failed.
"""
import csv
import os
import sys
from collections import defaultdict

SLACK = 1.1         # to x86-64's ratio, on other word sizes
SCALING = 1.1       # of ours to stock's; the host's CPUs are shared
MS = 1000 * 1000
MEDIAN, QUARTILE, LEAST = 'median', 'lower quartile', 'least'


def read(path):
    """(figure, others) -> the values, in the order in which they came."""
    figures = defaultdict(list)
    if os.path.exists(path):
        for line in open(path):
            figure, others, value = line.split()
            figures[figure, int(others)].append(int(value))
    return figures


class Table:
    """
    KINDS are the boots whose figures it has: with a clock that counts instructions,
    with four CPUs, with four at a time.
    """
    KINDS = ()

    def __init__(self, directory, stock, ours, ratios=None):
        self.dir = directory
        self.kernels = stock, ours
        self.ratios = ratios
        self.icount, self.smp, self.cpus = (
            {k: read(f'{directory}/{k}-{kind}') for k in self.kernels}
            for kind in self.KINDS)
        self.rows = []
        self.passed = self.failed = 0

    def hit(self, kernel, figure, others=0):
        """Instructions of a hit; a cycle is one of them, or nearly."""
        values = self.icount[kernel].get((figure, others))
        loop = self.icount[kernel].get(('loop.cycles', 0))
        return min(values) / 10 * 1e6 / loop[0] if values and loop else None

    def value(self, kernel, figure, which, others):
        return self.choose(self.icount[kernel].get((figure, others), []), which)

    @staticmethod
    def choose(values, which):
        if which == LEAST:
            return min(values, default=None)
        if which in (MEDIAN, QUARTILE):
            share = 2 if which == MEDIAN else 4
            return sorted(values)[len(values) // share] if values else None
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

    def scaling(self, kernel, figure, cpus):
        """
        Of lower quartiles: other work of the host distorts the median, and one run
        while it had none the least.
        """
        one, many = (self.choose(self.cpus[kernel].get((f'{figure}.{n}', 0), []), QUARTILE)
                     for n in (1, cpus))
        return 100 * many / one if one and many else None

    def lost(self, kernel, figures):
        """Calls of handlers that were one too few, or one too many."""
        return sum(sum(v) for (f, _), v in figures[kernel].items() if f == 'lost') \
            if figures[kernel] else None

    def all_scalings(self, figure, name):
        for cpus in (2, 4):
            stock, ours = (self.scaling(k, figure, cpus) for k in self.kernels)
            self.row(f'{name} on {cpus} CPUs, percent of 1', stock, ours,
                     None, beside=SCALING)

    def all_lost(self, what):
        for name, figures in (('1 CPU', self.icount), ('4 CPUs', self.smp),
                              ('CPUs at a time', self.cpus)):
            self.row(f'lost calls of {what}, {name}',
                     *(self.lost(k, figures) for k in self.kernels), 0)


def write_csv(path, rows):
    with open(path, 'w', newline='') as f:
        out = csv.writer(f)
        out.writerow(('figure', 'stock', 'ours', 'ratio', 'target', 'verdict'))
        out.writerows(rows)


def read_ratios(path):
    """What a hit is called -> how many times stock's it may be."""
    with open(path, newline='') as f:
        return {r['figure']: SLACK * float(r['ratio']) for r in csv.DictReader(f) if r['ratio']}


def cell(v):
    if v is None:
        return '-'
    return f'{v:,.0f}' if v >= 1000 or v == int(v) else f'{v:.1f}'


def show(rows):
    print(f'{"figure":<48} {"stock":>15} {"ours":>15} {"ratio":>7} {"at most":>13}')
    for name, stock, ours, ratio, limit, verdict in rows:
        print(f'{name:<48} {cell(stock):>15} {cell(ours):>15} '
              f'{"-" if ratio is None else f"{ratio:.2f}":>7} '
              f'{cell(limit) if verdict else "":>13} {verdict}')


def finish(tables, made):
    """Print all, what was @made, and the sum. The first file gets the rows."""
    rows = [r for t in tables for r in t.rows]
    passed, failed = (sum(getattr(t, n) for t in tables) for n in ('passed', 'failed'))
    write_csv(made[0], rows)
    show(rows)
    print('hits in instructions, all else in nanoseconds: of the clock that counts instructions')
    print(*made)
    print(f'{passed} passed, {failed} failed')
    sys.exit(1 if failed else 0)

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Which instruction boundaries can be probed, and which without a trap?

  coverage.py plan COUNT DIR OURS STOCK
      Choose COUNT functions that both kernels (vmlinux) have alike and neither
      forbids, and write all instruction boundaries of them into DIR/batch-*.
      Probes of one batch keep away from each other: none lies in the region
      that another one's jump would replace.
  coverage.py table OURS-RUN STOCK-RUN OURS
      What came out in two runs (see guest/coverage.sh): shares, differences,
      reasons. Fails when ours refuses what stock accepts without a reason in
      coverage.list, or is less than --ahead percentage points ahead, or has less than
      --least percent of the places optimized.
"""
import argparse
import errno
import glob
import os
import sys
from collections import Counter, defaultdict

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from elf import Kernel  # noqa: E402
from reach import Blacklist  # noqa: E402

BATCH = 4096
APART = 32      # bytes; a region is shorter than 5 + 15
LIST = os.path.splitext(os.path.abspath(__file__))[0] + '.list'


def functions(k):
    """Name -> first byte, of the functions that a name stands for alone."""
    start, end = k.addr_of['_stext'], k.addr_of['_etext']
    count = Counter(n for names in k.names.values() for n in names)
    return {n: a for a in k.funcs if start <= a < end and k.size[a] >= 8
            for n in k.names[a] if count[n] == 1 and k.length[n] == k.size[a] and
            not n.startswith(('__SCT__', '__pfx_', '__cfi_'))}


def boundaries(k, func):
    return [i.addr - func for i in k.code(func, k.size[func])]


def places(k, func):
    """Offsets to probe. A landing pad is stepped over by all kernels."""
    code = k.code(func, k.size[func])
    return [i.addr - func for i in code if not i.op.startswith('endbr')]


def plan(args):
    ours, stock = Kernel(args.ours), Kernel(args.stock)
    names, theirs = functions(ours), functions(stock)
    black = Blacklist(ours), Blacklist(stock)
    both = sorted(n for n in names if n in theirs and
                  ours.size[names[n]] == stock.size[theirs[n]] and
                  not black[0].refuses(names[n]) and not black[1].refuses(theirs[n]))
    rows, chosen = defaultdict(list), 0
    for i in range(args.count):
        name = both[i * len(both) // args.count]
        if boundaries(ours, names[name]) != boundaries(stock, theirs[name]):
            continue
        chosen += 1
        last = []
        for off in places(ours, names[name]):
            row = next((r for r, b in enumerate(last) if off - b >= APART), len(last))
            last[row:row + 1] = [off]
            rows[row].append(f'{name} {off}\n')
    n = 0
    for row in rows.values():
        for i in range(0, len(row), BATCH):
            with open(f'{args.dir}/batch-{n:03}', 'w', encoding='utf-8') as f:
                f.writelines(row[i:i + BATCH])
            n += 1
    total = sum(map(len, rows.values()))
    print(f'{chosen} functions of {len(both)}, {total} boundaries, {n} batches')


def stats(path):
    """Address -> (mode, reason), where the kernel has that file."""
    out = {}
    if os.path.exists(path):
        with open(path, encoding='utf-8') as f:
            columns = f.readline().split()
            for line in f:
                row = dict(zip(columns, line.split(None, len(columns) - 1)))
                out[int(row['address'], 16)] = row['mode'], row['reason'].strip()
    return out


def listed(path):
    """Address -> the marks behind it."""
    with open(path, encoding='utf-8') as f:
        return {int(line.split()[0], 16): line for line in f}


def reached(err, mode, marks):
    """How. A mark stands for [OPTIMIZED] in the future, too; a mode does not."""
    if err:
        return 'refused'
    if mode == 'optimized' or not mode and '[OPTIMIZED]' in marks:
        return 'jump'
    return 'ftrace' if '[FTRACE]' in marks else 'trap'


def outcomes(run):
    """(function, offset) -> (errno, how the place is reached, reason)."""
    out = {}
    for path in sorted(glob.glob(f'{run}/out/places-*')):
        n = path.rsplit('-', 1)[1]
        marks, modes = listed(f'{run}/out/list-{n}'), stats(f'{run}/out/stats-{n}')
        with open(path, encoding='utf-8') as f:
            for line in f:
                name, off, err, addr = line.split()
                mode, reason = modes.get(int(addr, 16), ('', ''))
                how = reached(int(err), mode, marks.get(int(addr, 16), ''))
                out[name, int(off)] = (-int(err), how, reason)
    return out


def instruction(k, cache, place):
    name, off = place
    func = k.addr_of[name]
    if name not in cache:
        cache[name] = {i.addr - func: i for i in k.code(func, k.size[func])}
    i = cache[name][off]
    return i.op + (' *' if i.indirect else '')


def written_reasons():
    """Lines "ERRNO INSTRUCTION : reason"; * stands for any instruction."""
    out = {}
    with open(LIST, encoding='utf-8') as f:
        for line in f:
            if line.strip() and not line.startswith('#'):
                words, colon, reason = line.partition(' : ')
                if not colon or not reason.strip():
                    raise SystemExit(f'{LIST}: no reason: {line}')
                err, op = words.split(None, 1)
                out[getattr(errno, err), op.strip()] = reason.strip()
    return out


def share(n, total):
    return f'{n:8} {100 * n / total:6.2f} %'


def table(args):
    ours, stock = outcomes(args.ours), outcomes(args.stock)
    k, cache = Kernel(args.vmlinux), {}
    common = sorted(set(ours) & set(stock))
    # Boot-time patching has moved the boundary: it is none in either kernel.
    moved = [p for p in common if ours[p][0] == stock[p][0] == errno.EILSEQ]
    common = [p for p in common if not ours[p][0] == stock[p][0] == errno.EILSEQ]
    total = len(common)
    if not total:
        raise SystemExit('no place in both runs')
    print(f'{len({p[0] for p in common})} functions, {total} instruction boundaries'
          f' ({len(moved)} more were patched away at boot)')
    print(f'{"":22}{"ours":>19}{"stock":>19}')
    count = [Counter(o[p][1] for p in common) for o in (ours, stock)]
    ok = [total - c['refused'] for c in count]
    print(f'{"registered":22}' + ''.join(f'{share(n, total):>19}' for n in ok))
    for how, text in (('jump', '  [OPTIMIZED]'), ('ftrace', '  [FTRACE]'),
                      ('trap', '  breakpoint'), ('refused', 'refused')):
        print(f'{text:22}' + ''.join(f'{share(c[how], total):>19}' for c in count))
    ahead = 100 * (count[0]['jump'] - count[1]['jump']) / total
    print(f'[OPTIMIZED]: ours is {ahead:+.2f} percentage points from stock')

    def reasons(title, rows):
        print(f'\n{title}')
        for text, n in Counter(rows).most_common(25):
            print(f'{n:8}  {text}')

    def err(o, p):
        return errno.errorcode.get(o[p][0], str(o[p][0]))

    reasons('ours, not optimized, by what kprobes/stats says and the instruction there:',
            (f'{ours[p][2] or "no reason given"} [{instruction(k, cache, p)}]' if args.by_insn
             else ours[p][2] or 'no reason given'
             for p in common if ours[p][1] == 'trap'))
    for title, o in (('ours', ours), ('stock', stock)):
        reasons(f'{title}, refused:', (f'{err(o, p)} {instruction(k, cache, p)}'
                                      for p in common if o[p][1] == 'refused'))
    lost = [p for p in common if stock[p][1] == 'jump' and ours[p][1] == 'trap']
    reasons('optimized by stock and not by ours:',
            (f'{ours[p][2] or "no reason given"} [{instruction(k, cache, p)}]' for p in lost))
    known, bad = written_reasons(), []
    worse = [p for p in common if ours[p][0] and not stock[p][0]]
    rows = []
    for p in worse:
        op = instruction(k, cache, p)
        why = known.get((ours[p][0], op)) or known.get((ours[p][0], '*'))
        if not why:
            bad.append(p)
        rows.append(f'{err(ours, p)} {op}: {why or "NO REASON WRITTEN"}')
    reasons('accepted by stock and refused by ours:', rows)
    for p in bad[:20]:
        print(f'# {p[0]}+{p[1]:#x}: {err(ours, p)}')
    percent = 100 * count[0]['jump'] / total
    few = len({p[0] for p in common}) < args.functions
    for fail, text in ((bad, f'{len(bad)} boundaries refused without a written reason'),
                       (few, f'at least {args.functions} functions measured'),
                       (ahead < args.ahead, f'at least {args.ahead} percentage points ahead'),
                       (percent < args.least, f'at least {args.least} percent optimized')):
        print(('not ok' if fail else 'ok') + f' - {text}')
    return 1 if bad or few or ahead < args.ahead or percent < args.least else 0


def main():
    p = argparse.ArgumentParser()
    sub = p.add_subparsers(required=True)
    q = sub.add_parser('plan')
    q.add_argument('count', type=int)
    for a in ('dir', 'ours', 'stock'):
        q.add_argument(a)
    q.set_defaults(func=plan)
    q = sub.add_parser('table')
    for a in ('ours', 'stock', 'vmlinux'):
        q.add_argument(a)
    q.add_argument('--ahead', type=float, default=15)
    q.add_argument('--least', type=float, default=0)
    q.add_argument('--functions', type=int, default=2000)
    q.add_argument('--by-insn', action='store_true')
    q.set_defaults(func=table)
    args = p.parse_args()
    return args.func(args)


if __name__ == '__main__':
    sys.exit(main())

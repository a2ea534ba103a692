#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What a kernel exports to modules, beside what another one does.

Usage: exports.py OURS STOCK

Both are files Module.symvers. Printed is what OURS is of, as the .config beside it says;
what stock exports and ours does not, or in another way (GPL or not, namespace); then what
ours exports in addition. Which module a symbol is in does not matter. Exit code 1: modules that use stock's would not load.
"""
import pathlib
import re
import sys


def read(path):
    """From a symbol to how it is exported: module, and kind with the namespace."""
    out = {}
    with open(path, encoding="ascii") as f:
        for line in f:
            _, name, module, kind, space = (line.rstrip("\n") + "\t").split("\t")[:5]
            out[name] = module, f"{kind} {space}".strip()
    return out


def counted_on(path):
    """Version, architecture, and whether what is optional is in."""
    config = pathlib.Path(path).with_name(".config")
    text = config.read_text() if config.is_file() else ""
    m = re.search(r"^# Linux/(\S+) (\S+) Kernel Configuration$", text, re.M)
    with_it = "with" if re.search("^CONFIG_JPROBES=y$", text, re.M) else "without"
    return f"Linux {m[2]}, {m[1]}, {with_it} CONFIG_JPROBES=y:\n" if m else ""


def main():
    ours, stock = (read(path) for path in sys.argv[1:3])
    kinds = {name: kind for name, (_, kind) in ours.items()}
    bad = [f"- {name} ({kind}): not exported"
           for name, (_, kind) in stock.items() if name not in kinds]
    bad += [f"- {name}: {kind}, here {kinds[name]}"
            for name, (_, kind) in stock.items() if kinds.get(name, kind) != kind]
    more = [(module, f"+ {name} ({kind})")
            for name, (module, kind) in ours.items() if name not in stock]
    # A module that our configuration has and stock's has not: it is no difference.
    known = {module for module, _ in stock.values()}
    other = sorted({module for module, _ in more if module not in known})
    more = [text for module, text in more if module in known]
    print(end=counted_on(sys.argv[1]))
    print(f"{len(stock) - len(bad)} of the {len(stock)} symbols that the base exports are "
          f"exported alike, {len(more)} are new.")
    if other:
        print(f"Not compared, for the base is configured without: {' '.join(other)}")
    print("\n".join(sorted(bad) + sorted(more)))
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Make the patch series of series/list: from the pristine base to the tree.

Usage: series.py --top DIR --build DIR [--out DIR]
       series.py --top DIR --build DIR --state N --to TREE
       series.py --top DIR --build DIR --follow TREE

SIGNER="NAME <ADDRESS>" in the environment takes the place of the author of series/list.

Reads BUILD/base, BUILD/linux with its manifest, TOP/harness/replaced.list and
TOP/series/: list, cover.txt, exports.txt, and messages/NAME.txt for each patch. Writes to OUT
(default BUILD/series): 0000-cover-letter.patch, the numbered patches, "series" for
quilt, combined.diff, and the files that it changes, with their checksums: "touched" those
of the base, "after" those of the tree. "patched" names those of them that the base has,
and that are not written anew.

--state: make TREE, which has the base's files, what it is after patch N. Only what
differs is written, beside and renamed over. --follow: apply the patches in BUILD/series
to TREE, which has the base's files, with patch -p1 -F0; each must leave what the plan says.

An error is: a file that no patch has, or a line in two; a rule that matches nothing;
a patch with nothing in it, without a message, or above the limit; a line that names a
file of ours that comes later, see series_names.py.
"""
import argparse
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap

import series_base as base_of
import series_mail as mail
import series_names as names
import series_plan as plan

LIMIT = 1500


class Series:
    """The plan, laid on what there is."""

    def __init__(self, top, build):
        self.top, self.base, self.tree = top, build / "base", build / "linux"
        self.build, self.errors = build, []
        self.plan = plan.Plan(top / "series" / "list")
        self.plan.sign(os.environ.get("SIGNER"))
        self.replaced = self.names(top / "harness" / "replaced.list")
        self.files = [f for f in map(self.load, self.candidates()) if f]
        for f in self.files:
            self.errors += f.errors
        self.errors += self.plan.unused()

    @staticmethod
    def names(path):
        lines = (line.split("#")[0].strip() for line in path.read_text().splitlines())
        return [line for line in lines if line]

    def candidates(self):
        """What may differ: what was laid over the base, and what was deleted from it."""
        found = set((self.build / "linux.manifest").read_text().split())
        for name in self.replaced:
            path = self.base / name
            inside = path.rglob("*") if path.is_dir() else [path]
            found |= {str(p.relative_to(self.base)) for p in inside if p.is_file()}
        return sorted(found)

    @staticmethod
    def read(path):
        if not path.is_file():
            return None
        return str(path), path.read_bytes(), path.stat().st_mode & 0o111

    def load(self, name):
        base, tree = self.read(self.base / name), self.read(self.tree / name)
        if (base and base[1]) == (tree and tree[1]):
            return None
        anew = any(name == r or name.startswith(r + "/") for r in self.replaced)
        return plan.File(self.plan, name, base, tree, anew)

    def sums(self, number):
        """The files that are changed, with their checksums after that patch."""
        out = []
        for f in self.files:
            text = f.text(number)
            sha = hashlib.sha256(mail.encode(text)).hexdigest() if text else "-" * 64
            out.append(f"{sha}  {f.path}\n")
        return "".join(out)

    def message(self, p):
        path = self.top / "series" / "messages" / f"{p.name}.txt"
        if path.is_file():
            return path.read_text()
        self.errors.append(f"{path.relative_to(self.top)}: is not there")
        return p.name

    def parts(self, number):
        """Of one patch: file by file, its diff and its size."""
        for f in self.files:
            if number in f.steps:
                yield f, self.part(f, number - 1, number)

    @staticmethod
    def part(f, before, after):
        whole = before == 0 and f.rewritten or f.replaced_by(after)
        return mail.file_diff(f.path, f.text(before), f.text(after), f.mode, whole)

    def write_patch(self, out, p):
        sizes, diffs, weight = {}, [], 0
        for f, diff in self.parts(p.number):
            added, removed = sizes[f.path] = mail.added_removed(diff)
            diffs.append(diff)
            weight += added + (0 if f.rewritten else removed)
        if not sizes:
            self.errors.append(f"{p.name}: has nothing")
            return 0
        if p.kind == "code" and weight > LIMIT:
            self.errors.append(f"{p.name}: {weight} lines, more than {LIMIT}")
        text = mail.mail(self.plan.facts, p.number, len(self.plan.patches), self.message(p),
                         mail.stat(sizes) + "\n" + "".join(diffs))
        (out / p.file).write_bytes(mail.encode(text))
        return weight

    def write_cover(self, out, weights):
        total = sum(weights.values())
        rows = "".join(f"  {p.number:2d} {weights[p.name]:5d}  {self.subject(p)}\n"
                       for p in self.plan.patches)
        text = (self.top / "series" / "cover.txt").read_text()
        text = text.replace("@BASE@", self.plan.facts["base"]
                            .removeprefix("base: ").replace("\n", "\n  "))
        text = text.replace("@STAT@", mail.stat_by_directory(self.sizes()).rstrip())
        text = text.replace("@PATCHES@", rows.rstrip()).replace("@TOTAL@", f"{total:,}")
        text = "\n\n".join(map(self.numbered, text.split("\n\n")))
        text = text.replace("@EXPORTS@", self.indented("exports.txt"))
        text = mail.mail(self.plan.facts, 0, len(self.plan.patches), text, "")
        (out / "0000-cover-letter.patch").write_bytes(mail.encode(text))

    def numbered(self, paragraph):
        """With the numbers of the patches that it names. They are shorter than the names:
        so it is filled again."""
        text = paragraph
        for p in self.plan.patches:
            text = text.replace(f"@{p.name}@", str(p.number))
        if text == paragraph:
            return text
        return textwrap.fill(text, 75, break_on_hyphens=False)

    def sizes(self):
        """Of each file: what all of the series adds to it, and takes away."""
        last = len(self.plan.patches)
        return {f.path: mail.added_removed(self.part(f, 0, last)) for f in self.files}

    def indented(self, name):
        lines = (self.top / "series" / name).read_text().splitlines()
        return "\n".join("  " + line for line in lines)

    def subject(self, p):
        return self.message(p).partition("\n")[0]

    def write(self, out):
        """All of it, in one move."""
        new = out.with_name(out.name + ".new")
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir(parents=True)
        self.plan.facts["base"] = base_of.described(self.build, self.sums(0))
        weights = {p.name: self.write_patch(new, p) for p in self.plan.patches}
        self.write_cover(new, weights)
        (new / "series").write_text("".join(p.file + "\n" for p in self.plan.patches))
        (new / "touched").write_text(self.sums(0))
        last = len(self.plan.patches)
        (new / "after").write_text(self.sums(last))
        (new / "patched").write_text("".join(
            f.path + "\n" for f in self.files if f.text(0) is not None and not f.rewritten))
        # What is before the first file is not looked at by patch, nor by git apply.
        (new / "combined.diff").write_bytes(mail.encode(
            self.plan.facts["base"] + "\n\n" + "".join(self.part(f, 0, last) for f in self.files)))
        self.check_end(last)
        self.check_names()
        if not self.errors:
            shutil.rmtree(out, ignore_errors=True)
            new.rename(out)
        return weights

    def make_state(self, number, tree):
        """Write what differs; say how many files that is."""
        changed = 0
        for f in self.files:
            path, text = tree / f.path, f.text(number)
            if text is None:
                changed += path.is_file()
                path.unlink(missing_ok=True)
                continue
            data = mail.encode(text)
            if path.is_file() and path.read_bytes() == data:
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            new = path.with_name(path.name + ".series-new")
            new.write_bytes(data)
            new.chmod(f.mode & 0o777)
            new.rename(path)
            changed += 1
        return changed

    def follow(self, tree):
        """Apply patch after patch; an error ends it."""
        for p in self.plan.patches:
            subprocess.run(["patch", "-d", tree, "-p1", "-F0", "-s", "-f", "-i",
                            self.build.resolve() / "series" / p.file], check=True)
            for f in self.files:
                path, text = tree / f.path, f.text(p.number) if p.number in f.steps else None
                if p.number in f.steps and \
                        (path.read_bytes() if path.is_file() else b"") != mail.encode(text or ""):
                    sys.exit(f"error: {p.file}: {f.path} is not what the plan says")

    def check_end(self, last):
        for f in self.files:
            path = self.tree / f.path
            want = path.read_bytes() if path.is_file() else b""
            if mail.encode(f.text(last) or "") != want:
                self.errors.append(f"{f.path}: not that of the tree in the end")

    def check_names(self):
        for path, number, what in names.missing(self.files, self.base):
            self.errors.append(f"{path}: comes with {self.name(number)}, and names "
                               f"{what}, which is not there")

    def name(self, number):
        return self.plan.patches[number - 1].name if number else "the base"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--top", type=pathlib.Path, required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--state", type=int)
    parser.add_argument("--to", type=pathlib.Path)
    parser.add_argument("--follow", type=pathlib.Path)
    args = parser.parse_args()
    try:
        series = Series(args.top, args.build)
        if args.to:
            print(f"{series.make_state(args.state, args.to)} files changed")
            return
        if args.follow:
            series.follow(args.follow)
            return
        weights = series.write(args.out or args.build / "series")
    except plan.PlanError as e:
        sys.exit(f"error: {e}")
    for error in series.errors:
        print(f"error: {error}", file=sys.stderr)
    print(f"{len(weights)} patches, {len(series.files)} files, {sum(weights.values())} lines, "
          f"the largest of code {max(weights[p.name] for p in series.plan.patches if p.kind == 'code')}")
    sys.exit(bool(series.errors))


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: GPL-2.0
"""The plan of the patch series: which patch has which file, and which lines of it.

Read from series/list, whose head describes the words. A line of a changed file is
in the base, in the tree, or in both; for each it is known with which patch it
leaves and with which it enters. The text of a file after any patch follows.
"""
import pathlib
import re
import subprocess

from series_mail import lines_of

KINDS = {"code", "tests", "data", "removal"}


class PlanError(Exception):
    """The plan and the tree do not agree; the text says where."""


class Patch:
    """One patch of the plan."""

    def __init__(self, number, name, kind):
        self.number, self.name, self.kind = number, name, kind
        self.file = f"{number:04d}-{name}.patch"


class Rule:
    """What a line of the plan says of a file or of lines in it."""

    def __init__(self, patch, word, where, glob, span=None):
        self.patch, self.where, self.glob, self.span = patch, where, glob, span
        self.out = word.startswith("out")
        # A name wins over a glob, and that over what takes the rest.
        self.rank = 2 if word == "rest" else int(bool(set(glob) & set("*{?")))
        self.regex = re.compile(translate(glob) + r"\Z")
        self.used = False

    def matches(self, path):
        return bool(self.regex.match(path))


def translate(glob):
    """A glob with * (in one directory), ** (in several) and {a,b}, as a regular expression."""
    out = []
    for word in re.findall(r"\*\*|\*|\?|\{|\}|,|[^*?{},]+", glob):
        out.append({"**": ".*", "*": "[^/]*", "?": "[^/]", "{": "(?:", "}": ")",
                    ",": "|"}.get(word) or re.escape(word))
    return "".join(out)


def read_span(text, where):
    """/FROM/ or /FROM/../TO/: what a line must match, and what the line behind the last."""
    m = re.fullmatch(r"/(.+?)/(?:\.\./(.+)/)?", text)
    if not m:
        raise PlanError(f"{where}: no /FROM/ or /FROM/../TO/: {text}")
    return re.compile(m[1]), re.compile(m[2]) if m[2] else None


class Plan:
    """series/list, read."""

    def __init__(self, path):
        self.patches, self.rules, self.facts = [], [], {}
        for n, line in enumerate(pathlib.Path(path).read_text().splitlines(), 1):
            line = line.strip()
            if line and not line.startswith("#"):
                self.take(line, f"{path}:{n}")

    def sign(self, signer):
        """Who sends the patches takes the place of the author."""
        if signer and not re.fullmatch(r"[^<>]*[^<> ] <[^<>@ ]+@[^<>@ ]+>", signer):
            raise PlanError(f"SIGNER={signer}: give Name <address>")
        self.facts["author"] = signer or self.facts["author"]

    def take(self, line, where):
        word, _, rest = line.partition(" ")
        if word in ("author", "date"):
            self.facts[word] = rest.strip()
        elif word == "patch":
            self.take_patch(rest.split(), where)
        elif word in ("has", "rest", "out"):
            for glob in rest.split():
                self.add_rule(word, where, glob)
        elif word in ("lines", "out-lines"):
            glob, _, span = rest.strip().partition(" ")
            self.add_rule(word, where, glob, read_span(span.strip(), where))
        else:
            raise PlanError(f"{where}: no word {word}")

    def take_patch(self, words, where):
        kind = words[1] if len(words) > 1 else "code"
        if kind not in KINDS or words[0] in {p.name for p in self.patches}:
            raise PlanError(f"{where}: a kind that there is not, or a name twice")
        self.patches.append(Patch(len(self.patches) + 1, words[0], kind))

    def add_rule(self, word, where, glob, span=None):
        if not self.patches:
            raise PlanError(f"{where}: before the first patch")
        self.rules.append(Rule(self.patches[-1].number, word, where, glob, span))

    def whole(self, path, out):
        """The patch that has the file."""
        rules = [r for r in self.rules if not r.span and r.out == out and r.matches(path)]
        if not rules:
            return None
        best = min(r.rank for r in rules)
        rules = [r for r in rules if r.rank == best]
        if len({r.patch for r in rules}) > 1:
            raise PlanError(f"{path}: in two patches: {rules[0].where}, {rules[1].where}")
        rules[0].used = True
        return rules[0].patch

    def spans(self, path, out):
        return [r for r in self.rules if r.span and r.out == out and r.matches(path)]

    def unused(self):
        return [f"{r.where}: matches nothing: {r.glob}" for r in self.rules if not r.used]


class Line:
    """A line of a file: where it is, and with which patch it leaves and enters."""

    def __init__(self, text, base, tree):
        self.text, self.base, self.tree = text, base, tree
        self.leaves = self.enters = None
        self.single = False

    def there(self, number):
        if self.base and (self.leaves is None or number < self.leaves):
            return True
        return self.tree and self.enters is not None and number >= self.enters


def split(data):
    return lines_of(data.decode("utf-8", "surrogateescape")) if data else []


def aligned(base, tree, rewritten):
    """The lines of both, in order. Of a file that is written anew, none are common."""
    old, new = split(base[1]), split(tree[1])
    if rewritten or not old or not new:
        return [Line(t, True, False) for t in old] + [Line(t, False, True) for t in new]
    out, at = [], 0
    hunks = subprocess.run(["diff", base[0], tree[0]], stdout=subprocess.PIPE,
                           check=False).stdout.decode("utf-8", "surrogateescape")
    for m in re.finditer(r"^(\d+)(?:,(\d+))?([acd])(\d+)(?:,(\d+))?$", hunks, re.M):
        a, b = int(m[1]), int(m[2] or m[1])
        c, d = int(m[4]), int(m[5] or m[4])
        first = a if m[3] == "a" else a - 1
        out += [Line(t, True, True) for t in old[at:first]]
        at = first
        if m[3] != "a":
            out += [Line(t, True, False) for t in old[a - 1:b]]
            at = b
        if m[3] != "d":
            out += [Line(t, False, True) for t in new[c - 1:d]]
    return out + [Line(t, True, True) for t in old[at:]]


def in_span(lines, span):
    """Those from a match of the first to before the next match of the second."""
    start, stop = span
    inside = False
    for line in lines:
        if inside and stop.search(line.text):
            inside = False
        if start.search(line.text):
            inside = True
        if inside:
            yield line
        if stop is None:
            inside = False


class File:
    """A file that the series changes."""

    def __init__(self, plan, path, base, tree, rewritten):
        self.path, self.errors = path, []
        self.mode = 0o100755 if (tree or base)[2] else 0o100644
        self.lines = aligned(base or ("", b""), tree or ("", b""), rewritten)
        self.rewritten = rewritten
        self.deal(plan)
        self.steps = sorted({x.leaves for x in self.lines if x.base and x.leaves} |
                            {x.enters for x in self.lines if x.tree and x.enters})

    def deal(self, plan):
        """Every line that leaves or enters gets its patch."""
        self.deal_spans(plan, True)
        self.deal_spans(plan, False)
        goes, comes = plan.whole(self.path, True), plan.whole(self.path, False)
        lost = 0
        for line in self.lines:
            if line.base and not line.tree and line.leaves is None:
                line.leaves = goes or line.enters or comes
                lost += line.leaves is None
            elif not line.base and line.enters is None:
                line.enters = comes
                lost += comes is None
            elif line.base and line.tree and line.leaves is not None and line.enters is None:
                line.enters = comes
                lost += comes is None
        if lost:
            self.errors.append(f"{self.path}: no patch has {lost} of its lines")

    def deal_spans(self, plan, out):
        """A rule for single lines wins over one for a range."""
        for rule in sorted(plan.spans(self.path, out), key=lambda r: r.span[1] is None):
            for line in in_span(self.lines, rule.span):
                self.deal_line(rule, line, out)

    def deal_line(self, rule, line, out):
        if out:
            if line.base:
                rule.used = True
                line.leaves = rule.patch
            return
        if line.base and line.tree and line.leaves is None:
            return
        single = rule.span[1] is None
        if single < line.single:
            return
        if single == line.single and line.enters not in (None, rule.patch):
            self.errors.append(f"{self.path}: in two patches, {rule.where}: {line.text.rstrip()}")
        rule.used = True
        line.enters, line.single = rule.patch, single

    def text(self, number):
        """What it is after that patch; None where it is not there. A blank line of ours
        waits for the lines that it parts from those above it."""
        out, below, waits = [], "\n", False
        for line in reversed(self.lines):
            if not line.there(number):
                waits = waits or line.tree
            elif not (waits and not line.base and line.text == below == "\n"):
                out.append(line.text)
                below, waits = line.text, False
        return "".join(reversed(out)) or None

    def replaced_by(self, number):
        """All that was there goes with this patch."""
        before = [x for x in self.lines if x.there(number - 1)]
        return self.rewritten and not any(x.there(number) for x in before)

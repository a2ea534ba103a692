# SPDX-License-Identifier: GPL-2.0
"""Patches as git and quilt read them: the same input gives the same bytes."""
import collections
import datetime
import email.utils
import hashlib
import itertools
import pathlib
import re
import subprocess
import tempfile

MAGIC = "From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001\n"


def encode(text):
    return text.encode("utf-8", "surrogateescape")


def blob(text):
    """The name that git gives to a file's content, in short."""
    if text is None:
        return "0" * 12
    data = encode(text)
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()[:12]


def lines_of(text):
    """With their ends. A form feed ends no line, but for str.splitlines()."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def marked(sign, text):
    out = "".join(sign + line for line in lines_of(text))
    return out if out.endswith("\n") else out + "\n\\ No newline at end of file\n"


def count(text):
    return len(lines_of(text))


def span(text):
    n = count(text) if text else 0
    return f"{1 if n else 0},{n}" if n != 1 else "1"


def whole_hunk(before, after):
    """All of the old text, then all of the new."""
    return f"@@ -{span(before)} +{span(after)} @@\n" + \
        (marked("-", before) if before else "") + (marked("+", after) if after else "")


def hunks(before, after):
    with tempfile.TemporaryDirectory() as tmp:
        old, new = pathlib.Path(tmp, "old"), pathlib.Path(tmp, "new")
        old.write_bytes(encode(before))
        new.write_bytes(encode(after))
        out = subprocess.run(["diff", "-U3", "-p", old, new], stdout=subprocess.PIPE,
                             check=False).stdout.decode("utf-8", "surrogateescape")
    return "".join(lines_of(out)[2:])


def file_diff(path, before, after, mode, replaced):
    """One file's part of a patch. The old text of one that is written anew stands
    in one piece, and not in between the lines of the new one."""
    a = f"a/{path}" if before is not None else "/dev/null"
    b = f"b/{path}" if after is not None else "/dev/null"
    head = f"diff --git a/{path} b/{path}\n"
    ids = f"index {blob(before)}..{blob(after)}"
    if before is None:
        head += f"new file mode {mode:o}\n{ids}\n"
    elif after is None:
        head += f"deleted file mode {mode:o}\n{ids}\n"
    else:
        head += f"{ids} {mode:o}\n"
    whole = before is None or after is None or replaced
    body = whole_hunk(before, after) if whole else hunks(before, after)
    return head + f"--- {a}\n+++ {b}\n" + body


def added_removed(diff):
    """How many lines a file's part adds, and takes away. Its head ends where the first
    hunk begins: below that, "--- " is a removed line that itself begins with "-- "."""
    body = itertools.dropwhile(lambda line: not line.startswith("@@"), lines_of(diff))
    signs = collections.Counter(line[0] for line in body)
    return signs["+"], signs["-"]


def stat(sizes):
    """PATH | added removed, as git has it below the message."""
    width = max(len(path) for path in sizes)
    out = "".join(f" {path:{width}} | +{a} -{r}\n" for path, (a, r) in sorted(sizes.items()))
    return out + stat_sum(sizes)


def counted(n, noun):
    return f"{n} {noun}{'s' * (n != 1)}"


def stat_sum(sizes):
    """What is zero is left out, unless both are."""
    added = sum(a for a, _ in sizes.values())
    removed = sum(r for _, r in sizes.values())
    parts = [counted(len(sizes), "file") + " changed"]
    if added or not removed:
        parts.append(counted(added, "insertion") + "(+)")
    if removed or not added:
        parts.append(counted(removed, "deletion") + "(-)")
    return f" {', '.join(parts)}\n"


def stat_by_directory(sizes):
    """Likewise, of hundreds of files: what each directory has."""
    found = collections.defaultdict(list)
    for path, (a, r) in sizes.items():
        found[str(pathlib.PurePosixPath(path).parent)].append((a, r))
    width = max(len(d) for d in found)
    return "".join(f" {d:{width}} | {counted(len(n), 'file')}, "
                   f"+{sum(a for a, _ in n)} -{sum(r for _, r in n)}\n"
                   for d, n in sorted(found.items())) + stat_sum(sizes)


def dated(date, number):
    """Each a second later than the one before: some programs sort mails by that."""
    at = email.utils.parsedate_to_datetime(date) + datetime.timedelta(seconds=number)
    return email.utils.format_datetime(at)


def mail(facts, number, total, message, rest):
    """A mail: its head, its message, and what follows the line of three dashes."""
    subject, _, body = message.strip().partition("\n")
    width = len(str(total))
    text = MAGIC + f"From: {facts['author']}\n" \
        f"Date: {dated(facts['date'], number)}\n" \
        f"Subject: [PATCH {number:0{width}d}/{total}] {subject}\n" \
        "MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\n" \
        "Content-Transfer-Encoding: 8bit\n\n" + body.strip() + "\n"
    # Trailers stand together.
    if not number or not text.splitlines()[-1].startswith("Fixes: "):
        text += "\n"
    if number:
        text += f"Signed-off-by: {facts['author']}\n---\n"
    return text + rest + "-- \n" + facts["base"] + "\n\n"

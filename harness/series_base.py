# SPDX-License-Identifier: GPL-2.0
"""What the base of the series is, in words that tell it from another of its version."""
import hashlib
import re
import subprocess


def version(base):
    text = (base / "Makefile").read_text()
    numbers = [re.search(rf"^{w} = (\d*)$", text, re.M)[1]
               for w in ("VERSION", "PATCHLEVEL", "SUBLEVEL")]
    return ".".join(n for n in numbers if n)


def said(*command):
    """What a command prints; nothing where it fails, or is not there."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""


def package(stamp):
    """The package of Debian that the base was unpacked from. A distributor's kernel of
    a version has patches that kernel.org's of that version has not."""
    path = stamp.read_text().rsplit(" ", 2)[0] if stamp.is_file() else ""
    name = said("dpkg-query", "-S", path).partition(":")[0] if path.startswith("/usr/src/") else ""
    installed = said("dpkg-query", "-W", name).split() if name else []
    return f", from Debian's package {name}, version {installed[1]}" if installed[1:] else ""


def described(build, sums):
    """SUMS is the text of the file "touched"."""
    return f"base: Linux {version(build / 'base')}{package(build / 'base.stamp')}\n" \
        f'sha256 of the file "touched": {hashlib.sha256(sums.encode()).hexdigest()}'

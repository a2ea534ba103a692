#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The user at the console when the guest enters the kernel debugger.

Usage: kdb.py SOCKET

Waits for kdb's prompt, asks it with TAB for the symbols that begin like the names
of kprobes' pages, which makes it walk all symbols with the machine stopped, then
for a stack trace, and lets the machine go on. Prints what has come.
"""
import socket
import sys
import time

PROMPT = b'kdb> '
# What is typed, and what is there to be waited for after it.
TYPED = [
    (b'set DTABCOUNT 1000\n', PROMPT),
    (b'set LINES 10000\n', PROMPT),
    (b'md kprobe_\t\t', b'kprobe_insn_page'),
    (b'\x03\n', PROMPT),
    (b'bt\n', PROMPT),
    (b'go\n', None),
]


def connect(path):
    for _ in range(600):
        try:
            con = socket.socket(socket.AF_UNIX)
            con.connect(path)
            return con
        except OSError:
            time.sleep(0.5)
    sys.exit(f'{path}: nobody listens')


def wait_for(con, what):
    """What has come up to the end of @what."""
    seen = b''
    while what not in seen:
        data = con.recv(4096)
        if not data:
            sys.exit(f'the guest ended before {what}: {seen[-500:]}')
        seen += data
    return seen


def main():
    con = connect(sys.argv[1])
    wait_for(con, PROMPT)
    for keys, answer in TYPED:
        # A serial port has room for few characters.
        for key in keys:
            con.send(bytes([key]))
            time.sleep(0.05)
        if answer:
            sys.stdout.write(wait_for(con, answer).decode(errors='replace'))
    while con.recv(4096):
        pass


main()

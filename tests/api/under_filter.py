"""Runs a command under the filter of system calls that a systemd unit asks for: `under_filter.py UNIT COMMAND...`,
with `--without NAME,NAME` in front to leave calls out of it. What is not allowed fails with EPERM."""

import ctypes
import os
import re
import struct
import subprocess
import sys
from pathlib import Path

PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 22, 38, 2
LOAD_NUMBER, JUMP_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, FAIL_EPERM = 0x7FFF0000, 0x00050001


def expand(words):
    """Names of calls; a word with @ is a set that systemd knows."""
    names, waiting = set(), list(words)
    while waiting:
        word = waiting.pop()
        if word.startswith("@"):
            listed = subprocess.run(["systemd-analyze", "syscall-filter", "--no-pager", word], capture_output=True, text=True,
                                    check=True).stdout.splitlines()[1:]
            waiting += [line.strip() for line in listed if line.strip() and not line.strip().startswith("#")]
        else:
            names.add(word)
    return names


def numbers_of(names):
    """Their numbers here; not every call is there on every processor."""
    defined = subprocess.run(["gcc", "-dM", "-E", "-"], input="#include <sys/syscall.h>", capture_output=True, text=True,
                             check=True).stdout
    numbers = dict(re.findall(r"^#define __NR_(\w+) (\d+)$", defined, re.M))
    return sorted(int(numbers[name]) for name in names if name in numbers)


def confine(numbers):
    code = [(LOAD_NUMBER, 0, 0, 0)]
    for number in numbers:
        code += [(JUMP_EQUAL, 0, 1, number), (RETURN, 0, 0, ALLOW)]
    code.append((RETURN, 0, 0, FAIL_EPERM))
    packed = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in code))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(code), ctypes.addressof(packed)))
    libc = ctypes.CDLL(None, use_errno=True)
    for call in ((PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(program), 0, 0)):
        if libc.prctl(*(ctypes.c_ulong(each) for each in call)) != 0:
            sys.exit(f"prctl: {os.strerror(ctypes.get_errno())}")


def main(arguments):
    without = set()
    if arguments[0] == "--without":
        without, arguments = set(arguments[1].split(",")), arguments[2:]
    unit = Path(arguments[0]).read_text()
    words = [word for line in re.findall(r"^SystemCallFilter=(.*)$", unit, re.M) for word in line.split()]
    confine(numbers_of(expand(words) - without))
    os.execvp(arguments[1], arguments[1:])


main(sys.argv[1:])

"""Write a command line and its conditions as a script, which is itself an executable test."""

from __future__ import annotations

from collections.abc import Iterator

from nubbin.oracles.commands.command_line import with_argument
from nubbin.oracles.failures.conditions import Conditions, signal_number
from nubbin.oracles.failures.messages import other_error
from nubbin.oracles.isolation.candidate_files import Candidate

_HEAD = '''\
#!/usr/bin/env python3
"""Exits with status 0 as long as the input misbehaves. Written by nubbin init."""

import re
import signal
import subprocess
import sys
import tempfile


def run(line, seconds=None):
    """Run a command line, whose argument is the input, for at most the given number of seconds.

    Return its exit status (-N for signal N), its standard output, its standard error, and whether
    it ended in time.
    """
    with (
        open({stdin!r}, "rb") as stdin,
        tempfile.TemporaryFile() as stdout,
        tempfile.TemporaryFile() as stderr,
    ):
        shell = ["/bin/sh", "-c", line, "/bin/sh", {path!r}]
        process = subprocess.Popen(shell, stdin=stdin, stdout=stdout, stderr=stderr)
        try:
            process.wait(seconds)
            in_time = True
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            in_time = False
        stdout.seek(0)
        stderr.seek(0)
        return process.returncode, stdout.read(), stderr.read(), in_time


def matches(regex, *streams):
    """Tell whether a regular expression matches some part of a stream, or of it without colours."""
    colours = rb"\\x1b(\\[[0-?]*[ -/]*[@-~]|\\][^\\x07\\x1b]*(\\x07|\\x1b\\\\))"
    streams += tuple(re.sub(colours, b"", stream) for stream in streams)
    return any(re.search(regex, stream, re.MULTILINE) for stream in streams)

'''


def script_of(line: str, conditions: Conditions, name: str, *, is_file: bool) -> str:
    """Return a Python script that accepts the same candidates as the test of a command line.

    `name` is the name of the input, which each candidate has in the folder of its query.
    """

    def placed(command: str) -> str:
        return repr(with_argument(command))

    path = Candidate("/", f"/{name}", is_file).relative
    used = _HEAD if conditions.exits == "signal" else _HEAD.replace("import signal\n", "")
    head = used.replace("{stdin!r}", repr(name if is_file else "/dev/null"))
    head = head.replace("{path!r}", repr(path))
    limit = "" if conditions.hangs is None else f", seconds={conditions.hangs!r}"
    body = [f"status, stdout, stderr, in_time = run({placed(line)}{limit})"]
    for test, why in _refusals(conditions):
        body += [f"if {test}:", f"    sys.exit({why!r})"]
    for valid in conditions.valid:
        body += [f"if run({placed(valid)})[0] != 0:", '    sys.exit("it is not valid")']
    if conditions.differs is not None:
        body += [
            f"if run({placed(conditions.differs)})[:2] == (status, stdout):",
            '    sys.exit("it does not differ")',
        ]
    return head + "\n" + "\n".join(body) + "\n"


def _refusals(conditions: Conditions) -> Iterator[tuple[str, str]]:
    """Yield an expression that is true if a condition fails, with a message, for each condition."""
    if conditions.hangs is not None:
        yield "in_time", "it does not hang"
    if conditions.exits is not None:
        yield _exits_otherwise(conditions.exits), f"it does not end with {conditions.exits}"
    if (known := conditions.known_errors) is not None:
        yield f"matches({_literal(other_error(known))}, stdout, stderr)", "it prints another error"
    for regex, streams, wanted in conditions.expressions:
        matches = f"matches({_literal(regex.text)}, {', '.join(streams)})"
        if wanted:
            yield f"not {matches}", "its output does not match"
        else:
            yield matches, "its output matches"


def _exits_otherwise(exits: str) -> str:
    if exits == "nonzero":
        return "status == 0"
    if exits == "signal":
        return "(-status if status < 0 else status - 128) not in set(signal.Signals)"
    if exits.isdigit():
        return f"status != {int(exits)}"
    number = signal_number(exits)
    return f"status not in (-{number}, {128 + number})"


def _literal(regex: str) -> str:
    """Return a regular expression as a literal of bytes, without escapes if possible."""
    if regex.isprintable() and not regex.endswith("\\"):
        for quote in ('"', "'"):
            if quote not in regex:
                raw = f"{quote}{regex}{quote}"
                return f"rb{raw}" if regex.isascii() else f"r{raw}.encode()"
    return repr(regex.encode(errors="surrogateescape"))

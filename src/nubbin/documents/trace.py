"""Trace: the files and lines of an input that one run of the test used."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Trace:
    """The files and lines that one run of the test used: a guess of what the failure needs.

    It decides only which queries come first. `opened` are the paths of opened files; others were
    only `looked_up`, for instance because a program listed a folder. `ran` has the numbers of the
    lines that ran, from 1 and in order, for the files that were traced. `released` are the files
    that an installed package contains as well, which the test can import instead.
    """

    opened: frozenset[str]
    looked_up: frozenset[str]
    ran: dict[str, tuple[int, ...]] = field(default_factory=dict)
    released: frozenset[str] = frozenset()

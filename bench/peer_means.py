"""nubbin against its peers, in geometric means, and what was aimed at."""

from __future__ import annotations

from collections.abc import Container, Mapping

from nubbin_bench.markdown import table
from nubbin_bench.means import geometric
from peer_inputs import GROUPS, Input
from peer_records import Record
from peer_runs import Row
from peer_tools import NAMES, TOOLS

ENDS = {"done": "done", "time": "stopped"}

#: The most that nubbin's figure may be of a peer's, in the geometric mean.
GOALS = {
    ("tokens", "shrinkray"): 0.4,
    ("tokens", "cvise"): 0.8,
    ("queries", "shrinkray"): 1 / 10,
    ("queries", "cvise"): 1 / 6,
}


def handled(row: Row) -> bool:
    """Tell whether a run finished or was stopped, with a result that passed the test."""
    return row.checked and row.end in ENDS


def grouped(inputs: Mapping[str, Input]) -> dict[str, set[str]]:
    """Return the names of the inputs of every group that has any."""
    groups = {
        name: {case for case, about in inputs.items() if about.seen in times}
        for name, times in GROUPS.items()
    }
    return {name: cases for name, cases in groups.items() if cases}


def pairs(record: Record, peer: str, cases: Container[str]) -> list[tuple[Row, Row]]:
    """Return nubbin's row and the peer's, for each of `cases` that both handled."""
    found = []
    for (case, tool), row in record.rows.items():
        ours = record.rows.get((case, "nubbin"))
        if tool == peer and case in cases and ours and handled(ours) and handled(row):
            found.append((ours, row))
    return found


def ratio(pairs: list[tuple[Row, Row]], name: str) -> float:
    """Return the ratio of the geometric means of a figure."""
    ours, theirs = ([getattr(row, name) for row in rows] for rows in zip(*pairs, strict=True))
    return geometric(ours) / geometric(theirs)


def means(record: Record, inputs: Mapping[str, Input]) -> str:
    """Return geometric means of nubbin's figures over each peer's; under 1, nubbin's is less."""
    rows = []
    for peer in TOOLS[1:]:
        for group, cases in grouped(inputs).items():
            both = pairs(record, peer, cases)
            done = [pair for pair in both if all(row.end == "done" for row in pair)]
            for label, chosen in [("", both), (", where both finished", done)]:
                if chosen:
                    figures = [
                        f"{ratio(chosen, name):.3f}"
                        for name in ("bytes", "tokens", "queries", "seconds", "cpu")
                    ]
                    rows.append([NAMES[peer], group + label, f"{len(chosen)}", *figures])
    head = ["nubbin over", "inputs", "number", "bytes", "tokens", "queries", "seconds", "CPU"]
    return table(head, rows, align="llr")


def verdicts(record: Record, inputs: Mapping[str, Input]) -> str:
    """Return for each goal and group of inputs what was reached, and whether that is enough."""
    groups = grouped(inputs)
    rows = []
    for (name, peer), most in GOALS.items():
        reached = [judged(pairs(record, peer, cases), name, most) for cases in groups.values()]
        rows.append([f"{name}, of {NAMES[peer]}'s", f"at most {most:.3f}", *reached])
    counts = [more_tokens(record, cases) for cases in groups.values()]
    rows.append(["inputs on which a peer has fewer tokens", "none", *counts])
    return table(["", "goal", *groups], rows, align="ll")


def judged(pairs: list[tuple[Row, Row]], name: str, most: float) -> str:
    """Return the ratio of a figure, and whether it is `most` or less."""
    if not pairs:
        return ""
    reached = ratio(pairs, name)
    return f"{reached:.3f}, {'met' if reached <= most else 'missed'}"


def more_tokens(record: Record, cases: set[str]) -> str:
    """Return on how many of `cases` a peer's result has fewer tokens than nubbin's."""
    ours = {case: record.rows.get((case, "nubbin")) for case in cases}
    known = {case: row for case, row in ours.items() if row and handled(row)}
    if not known:
        return ""
    fewer = {
        case
        for (case, _), row in record.rows.items()
        if case in known and handled(row) and row.tokens < known[case].tokens
    }
    return f"{len(fewer)} of {len(known)}, {'missed' if fewer else 'met'}"

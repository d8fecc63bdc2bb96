"""nubbin against its peers, in geometric means, and what was aimed at."""

from __future__ import annotations

from collections.abc import Callable, Container

from harness.experiment import Table
from nubbin_bench.comparisons import Comparison, log_ratio
from nubbin_bench.means import geometric
from peers.records import Record
from peers.runs import Row
from peers.tools import NAMES, TOOLS

ENDS = {"done": "done", "time": "stopped"}

#: What those who wrote the code knew of an input, and how the page says it.
SEEN = {
    "first": "since the first comparison",
    "later": "while the code was written",
    "never": "never",
}
#: The groups of inputs whose figures the page has, by what was known of them.
GROUPS = {"all": set(SEEN), "last sitting": {"later", "never"}, "unseen": {"never"}}

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


def grouped(record: Record) -> dict[str, set[str]]:
    """Return the names of the inputs of every group that has any."""
    groups = {
        name: {case for case, about in record.inputs.items() if about.seen in times}
        for name, times in GROUPS.items()
    }
    return {name: cases for name, cases in groups.items() if cases}


def pairs(record: Record, peer: str, cases: Container[str]) -> list[tuple[Row, Row]]:
    """Return nubbin's row and the peer's, for each of `cases` that both handled."""
    return [
        both
        for both in record.pairs
        if both[1].tool == peer and both[1].case in cases and all(map(handled, both))
    ]


def ratio(pairs: list[tuple[Row, Row]], name: str) -> float:
    """Return the ratio of the geometric means of a figure."""
    ours, theirs = ([getattr(row, name) for row in rows] for rows in zip(*pairs, strict=True))
    return geometric(ours) / geometric(theirs)


def means(record: Record) -> Table:
    """Return geometric means of nubbin's figures over each peer's; under 1, nubbin's is less."""
    rows = []
    for peer in TOOLS[1:]:
        for group, cases in grouped(record).items():
            both = pairs(record, peer, cases)
            done = [pair for pair in both if all(row.end == "done" for row in pair)]
            for label, chosen in [("", both), (", where both finished", done)]:
                if chosen:
                    figures = [
                        f"{ratio(chosen, name):.3f}"
                        for name in ("bytes", "tokens", "queries", "seconds", "cpu")
                    ]
                    rows.append([NAMES[peer], group + label, f"{len(chosen)}", *figures])
    columns = "nubbin over | inputs | number | bytes | tokens | queries | seconds | CPU"
    return Table(columns, rows, "llr")


def verdicts(record: Record) -> Table:
    """Return for each goal and group of inputs what was reached, and whether that is enough."""
    groups = grouped(record)
    rows = []
    for (name, peer), most in GOALS.items():
        reached = [judged(pairs(record, peer, cases), name, most) for cases in groups.values()]
        rows.append([f"{name}, of {NAMES[peer]}'s", f"at most {most:.3f}", *reached])
    counts = [more_tokens(record, cases) for cases in groups.values()]
    rows.append(["inputs where a peer has fewer tokens", "none", *counts])
    return Table(" | ".join(["", "goal", *groups]), rows, "ll")


def judged(pairs: list[tuple[Row, Row]], name: str, most: float) -> str:
    """Return the ratio of a figure, its interval, and whether all of that is `most` or less."""
    if not pairs:
        return ""
    found = compared(pairs, lambda row: getattr(row, name))
    if found.interval is None:
        return f"{found.ratio:.3f}, too few inputs"
    low, high = found.interval
    verdict = "met" if high <= most else "missed" if low > most else "not shown"
    return f"{found.ratio:.3f} [{low:.2f}, {high:.2f}], {verdict}"


def compared(pairs: list[tuple[Row, Row]], figure: Callable[[Row], float]) -> Comparison:
    """Return the comparison of nubbin's figure with the peer's."""
    logs = tuple(log_ratio(figure(ours), figure(theirs)) for ours, theirs in pairs)
    return Comparison("nubbin", pairs[0][1].tool, "", "", (logs,), len(logs))


def to_the_same_size(record: Record, peer: str) -> str:
    """Return the ratio of the queries that both need to the larger of their final sizes."""
    found = pairs(record, peer, {case for case, _ in record.rows})
    known = [pair for pair in found if all((row.case, row.tool) in record.curves for row in pair)]
    if not known:
        return ""
    logs = tuple(log_ratio(*record.queries_of_both(*pair)) for pair in known)
    ratio = Comparison("nubbin", peer, "queries", "", (logs,), len(logs))
    interval = " [{:.3f}, {:.3f}]".format(*ratio.interval) if ratio.interval else ""
    return f"{NAMES[peer]} {ratio.ratio:.3f}{interval}, n {len(known)}"


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

"""record/peers.md and its plots, from the record of the runs."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from harness.experiment import Table
from nubbin_bench.plots import drawing
from nubbin_bench.templates import fill
from peers.means import ENDS, SEEN, handled, means, to_the_same_size
from peers.records import Record
from peers.tools import NAMES, TOOLS

COLOURS = dict(
    zip(TOOLS, ["#111111", "#d1495b", "#2e86ab", "#6a994e", "#b07d2b", "#8d6cab"], strict=True)
)
COLUMNS = 3
TEMPLATE = Path(__file__).resolve().parent / "page.md.in"


def write_page(record: Record, folder: Path) -> None:
    """Write peers.md into `folder`, and plots beside the record; nothing if that is empty."""
    if not (cases := record.cases):
        return
    draw(record, cases, record.folder / "curves.svg")
    limits = sorted({row.limit for row in record.rows.values()})
    # Remarks on these runs lie beside the record, because another record would need others.
    remarks = record.folder / "remarks.md"
    parts = {
        "remarks": remarks.read_text().strip() if remarks.exists() else "",
        "limit": " or ".join(f"{limit:g}" for limit in limits),
        "cases": str(len(cases)),
        "inputs": listed(record),
        "same-size": "; ".join(
            filter(None, (to_the_same_size(record, peer) for peer in TOOLS[1:]))
        ),
        "means": means(record),
        "losses": losses(record, cases),
        "tables": "\n\n".join(by_case(record, case) for case in cases),
    }
    text = fill(TEMPLATE, {name: partial(str, part) for name, part in parts.items()})
    (folder / "peers.md").write_text(text, encoding="utf-8")


def listed(record: Record) -> Table:
    """Return language, size, tool and fault of every input, and since when it was known."""
    rows = []
    for case, about in sorted(record.inputs.items()):
        row = next((row for (name, _), row in record.rows.items() if name == case), None)
        if row:
            told = about.tool, about.fault, SEEN[about.seen]
            rows.append([case, row.format, row.bytes_before, *told])
    return Table("input | language | bytes | tool | what the test asks for | seen", rows, "llrl")


def losses(record: Record, cases: list[str]) -> str:
    """Return a list of all cases and figures in which a peer was better than nubbin."""
    lines = []
    for case in cases:
        ours = record.rows.get((case, "nubbin"))
        if ours is None or not handled(ours):
            continue
        better = [
            f"{NAMES[peer]} ({getattr(row, name):,} {name} against {getattr(ours, name):,})"
            for name in ("tokens", "bytes", "queries")
            for peer in TOOLS[1:]
            if (row := record.rows.get((case, peer))) and handled(row)
            if getattr(row, name) < getattr(ours, name)
        ]
        if better:
            lines.append(f"- {case}: {', '.join(better)}")
    return "\n".join(lines) or "Nowhere, on these cases."


def by_case(record: Record, case: str) -> str:
    """Return the section of a case: a row for each reducer."""
    runs = [record.rows[case, tool] for tool in TOOLS if (case, tool) in record.rows]
    of = f"{runs[0].format}, {runs[0].bytes_before:,} bytes, {runs[0].tokens_before:,} tokens."
    rows = []
    for row in runs:
        counts = row.bytes, row.tokens, row.queries, row.ninety
        figures = [*counts, f"{row.seconds:.0f}", f"{row.cpu:.0f}"]
        end = ENDS.get(row.end, row.end) + ("" if row.checked else ", result rejected")
        rows.append([NAMES[row.tool], row.version, *figures, end])
    columns = " | version | bytes | tokens | queries | to 90 % | seconds | CPU | end"
    return f"### {case}\n\n{of}\n\n{Table(columns, rows, 'llrrrrrrl')}"


def draw(record: Record, cases: list[str], path: Path) -> None:
    """Draw a plot for each case: bytes of the smallest interesting candidate against queries."""
    height = -(-len(cases) // COLUMNS)
    with drawing(path, 9, 2.3 * height + 0.4, salt="peers") as figure:
        grid = figure.subplots(height, COLUMNS, squeeze=False).flat
        for axes, case in zip(grid, cases, strict=False):
            axes.set(title=case, xscale="log", yscale="log")
            axes.grid(alpha=0.3, linewidth=0.5)
            axes.spines[["top", "right"]].set_visible(False)
            for tool in reversed(TOOLS):
                curve = record.curves.get((case, tool))
                row = record.rows.get((case, tool))
                if curve and row and handled(row):
                    queries = [*(query for query, _ in curve), max(row.queries, curve[-1][0])]
                    sizes = [*(size for _, size in curve), curve[-1][1]]
                    width = 1.8 if tool == "nubbin" else 1.0
                    look = {"color": COLOURS[tool], "linewidth": width, "label": NAMES[tool]}
                    axes.step(queries, sizes, where="post", **look)
                    if row.end == "done":
                        axes.plot(queries[-1], sizes[-1], "o", color=COLOURS[tool], markersize=3)
        for axes in grid:
            axes.set_axis_off()
        labelled = {
            label: line
            for axes in figure.axes
            for line, label in zip(*axes.get_legend_handles_labels(), strict=True)
        }
        order = [NAMES[tool] for tool in TOOLS if NAMES[tool] in labelled]
        lines = [labelled[name] for name in order]
        figure.legend(lines, order, loc="outside upper center", ncols=len(order), frameon=False)
        figure.supxlabel("queries")
        figure.supylabel("bytes left")

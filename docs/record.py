"""Records the progress display of the demo's run as a moving picture, progress.svg.

Run script/demo once, then: .venv/bin/python docs/record.py
"""

from __future__ import annotations

import io
import os
import re
import sys
import threading
from collections.abc import Sequence
from html import escape
from pathlib import Path

from rich.console import Console
from rich.style import Style
from rich.text import Text

from nubbin.reduction.reduce import reduce
from nubbin.report.live import frame
from nubbin.report.progress import Progress
from nubbin.report.summary import print_summary

ROOT = Path(__file__).parents[1]
TEST, SOURCE = Path("demo/refused"), Path(".demo/fleet.toml")
PROMPT = Text.assemble(("$ ", "green"), f"nubbin reduce {TEST} {SOURCE}")

COLUMNS, ROWS = 80, 24
MAX_FRAMES = 40
CELL, LINE, EDGE = 8.4, 19, 16  # width of a character, height of a row, margin: pixels, font 14
COLOURS = {1: "#f85149", 2: "#3fb950", 3: "#d29922", 6: "#39c5cf"}  # by ANSI number
PLAIN, DIM, BOLD, GROUND = "#c9d1d9", "#7d8590", "#f0f6fc", "#0d1117"
PERIOD_S = 1 / 5  # of a frame
REST_S = 5.0  # of the last frame

_PIECE = re.compile(r"\S+(?: \S+)*")  # text without gaps, because viewers may close them
_BLANK = "\u2800"  # the empty braille cell, the first in Unicode

Frame = Sequence[Text]


def main() -> None:
    """Reduce the demo's input, and write the picture of the display."""
    os.chdir(ROOT)
    if not SOURCE.exists():
        sys.exit("record: run script/demo first")
    tools = next(Path(".demo").glob("tomlkit==*")).resolve()
    os.environ["PYTHONPATH"] = str(tools)
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    frames = record()
    Path("docs/progress.svg").write_text(animate(frames), encoding="utf-8")
    print(f"docs/progress.svg: {len(frames)} frames")


def record() -> list[Frame]:
    """Return what a terminal would have shown, frame by frame, with the summary last."""
    progress, frames, over = Progress(), [], threading.Event()

    def sample() -> None:
        before = 0
        while not over.wait(PERIOD_S):
            pace, before = (progress.queries - before) / PERIOD_S, progress.queries
            frames.append(
                frame(
                    progress,
                    name=SOURCE.name,
                    columns=COLUMNS,
                    rows=ROWS,
                    per_second=pace,
                    braille=True,
                )
            )

    sampler = threading.Thread(target=sample)
    sampler.start()
    result = reduce(TEST, SOURCE, observers=[progress])
    over.set()
    sampler.join()
    out = io.StringIO()
    console = Console(file=out, width=COLUMNS, force_terminal=True, _environ={})
    print_summary(console, progress, result)
    shown = frames[:: -(-len(frames) // MAX_FRAMES)]  # a slow machine takes hundreds
    summary = out.getvalue().replace(f"{ROOT}/", "")
    last = [Text.from_ansi(line) for line in summary.splitlines()]
    for line in last:
        line.truncate(COLUMNS, overflow="ellipsis")
    return [*shown, last]


def animate(frames: Sequence[Frame]) -> str:
    """Return an SVG that shows the frames in a loop, or only the last if motion is unwanted.

    The loop begins with the last frame, so that a still picture shows the result.
    """
    total = PERIOD_S * (len(frames) - 1) + REST_S
    rows = max(map(len, frames)) + 2  # below the prompt and an empty row
    width, height = COLUMNS * CELL + 2 * EDGE, rows * LINE + 2 * EDGE
    shown, rest = 100 * PERIOD_S / total, 100 * REST_S / total
    drawn = [
        f'<g class="f" style="animation-delay:{REST_S + PERIOD_S * number:.3f}s">{draw(lines)}</g>'
        for number, lines in enumerate(frames[:-1])
    ]
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}">
<style>
text {{ font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }}
.c {{ stroke: {COLOURS[6]}; stroke-width: 2.6; stroke-dasharray: 3 {LINE / 4 - 3} }}
.f {{ visibility: hidden; animation: show {total:.3f}s infinite }}
.l {{ animation: rest {total:.3f}s infinite }}
@keyframes show {{ 0%, {shown:.3f}% {{ visibility: visible }}
  {shown + 0.001:.3f}%, 100% {{ visibility: hidden }} }}
@keyframes rest {{ 0%, {rest:.3f}% {{ visibility: visible }}
  {rest + 0.001:.3f}%, 100% {{ visibility: hidden }} }}
@media (prefers-reduced-motion) {{ .f, .l {{ animation: none }} }}
</style>
<rect width="100%" height="100%" rx="8" fill="{GROUND}"/>
{draw([PROMPT], 0)}
{chr(10).join(drawn)}
<g class="l">{draw(frames[-1])}</g>
</svg>
"""


def draw(lines: Frame, first_row: int = 2) -> str:
    """Return lines of text as SVG, and their curve as dots."""
    console = Console(width=COLUMNS, legacy_windows=False)
    pieces, dots = [], set()
    for row, line in enumerate(lines, first_row):
        column = 0
        for segment in line.render(console):
            for piece in _PIECE.finditer(segment.text):
                at = column + piece.start()
                if piece[0][0] >= _BLANK:
                    dots |= _dots(piece[0], at, row)
                else:
                    pieces.append(_text(piece[0], at, row, segment.style))
            column += segment.cell_length
    return "".join(pieces) + _area(dots)


def _text(text: str, column: int, row: int, style: Style | None) -> str:
    x, y = EDGE + column * CELL, EDGE + LINE * (row + 0.7)
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" textLength="{len(text) * CELL:.1f}" '
        f"{_look(style)}>{escape(text)}</text>"
    )


def _dots(cells: str, column: int, row: int) -> set[tuple[int, int]]:
    """Return the dots of braille cells, on a grid of two by four per character."""
    bits = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
    return {
        (2 * (column + number) + x, 4 * row + y)
        for number, cell in enumerate(cells)
        for y in range(4)
        for x in range(2)
        if ord(cell) & bits[y][x]
    }


def _area(dots: set[tuple[int, int]]) -> str:
    """Return dots as a dotted line for each column of the grid."""
    tops: dict[int, int] = {}
    for x, y in dots:
        tops[x] = min(y, tops.get(x, y))
    foot = EDGE + LINE * (max(y for _, y in dots) + 1) / 4 if dots else 0
    lines = "".join(
        f"M{EDGE + (x + 0.5) * CELL / 2:.1f} {foot:.0f}V{EDGE + LINE * top / 4:.0f}"
        for x, top in sorted(tops.items())
    )
    return f'<path class="c" d="{lines}"/>' if lines else ""


def _look(style: Style | None) -> str:
    colour = style.color.number if style and style.color else None
    fill = PLAIN if colour is None else COLOURS.get(colour, PLAIN)
    if style and style.dim:
        fill = DIM
    elif style and style.bold and colour is None:
        fill = BOLD
    return f'fill="{fill}"' + (' font-weight="bold"' if style and style.bold else "")


if __name__ == "__main__":
    main()

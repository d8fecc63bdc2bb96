"""Write the report of a recording as Markdown: 40 lines, or everything in folded sections."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from nubbin.journal.run_facts import DifferentFailure
from nubbin.reduction.recorded.inspection import Removal
from nubbin.report.lines import step_line
from nubbin.report.page.recording import Recording, outcome_of, titled
from nubbin.report.page.weave import kept_lines
from nubbin.report.runs_table import (
    KIND_COLUMNS,
    PASS_COLUMNS,
    kind_rows,
    pass_rows,
    sessions_in_words,
)
from nubbin.text.figures import count, counted, duration, printable, readable

#: The limit of GitHub and GitLab.com in characters, minus the mark of the page.
_MAX_CHARACTERS = 65_536 - 100
_MAX_TEXT = 12_000  # characters of the result
_MAX_OTHER_TEXT = 2_000  # of any other text
_MAX_REMOVED = 60  # bytes of what a removal removes
_MAX_FILES = 20
_MAX_FAILURES = 8
_MAX_LINES = 200  # of a list
#: The most lines of the result, with its fences, and of the test script, in a short report.
_MAX_RESULT_ROWS, _MAX_SCRIPT_ROWS = 11, 6

_LEFT_OUT = "\n_Left out because it would be too long here: {}. The HTML report has it._\n"


def markdown(recording: Recording, *, full: bool = False) -> str:
    """Return the report of a recording as Markdown, with its mark at most 65,536 characters.

    Unless `full`, it has at most 40 lines: the failure, the result, the command and the versions.
    """
    if not full:
        return "".join(_issue(recording))
    page = "".join(_head(recording))
    left_out: list[str] = []
    for title, body in _sections(recording):
        section = f"\n<details><summary>{title}</summary>\n\n{body}\n</details>\n"
        rest = len(_LEFT_OUT) + len(", ".join([*left_out, title]))
        if len(page) + len(section) + rest < _MAX_CHARACTERS:
            page += section
        else:
            left_out.append(title)
    return page + (_LEFT_OUT.format(", ".join(left_out)) if left_out else "")


def _issue(recording: Recording) -> Iterator[str]:
    yield from _title(recording)
    before, after = recording.original.sizes, recording.result.sizes
    yield f"Reduced from {counted(before.bytes, 'byte')} to {count(after.bytes)}.\n\n"
    files, rows = recording.result.files, _MAX_RESULT_ROWS
    for file in files:
        named = 0 if recording.result.is_single else 2
        if rows < named + 3:
            yield "The result has more files: `nubbin show -o PATH` writes them.\n\n"
            break
        if named:
            yield f"{_code(titled(file.path, file.data))}\n\n"
        shown = _some(readable(file.data, _MAX_TEXT).splitlines(), rows - named - 2, 0)
        rows -= len(shown) + named + 2
        yield _fenced(*shown) + "\n"
    if script := recording.script:
        shown = _some(script.splitlines(), _MAX_SCRIPT_ROWS, 0)
        yield "The test:\n\n" + _fenced(*shown) + "\n"
    (_, line), *_ = recording.again
    yield _fenced(line) + "\n"
    for _, versions in [*sessions_in_words(recording.run.facts)][-1:]:
        yield f"{versions}\n"


def _title(recording: Recording) -> Iterator[str]:
    yield f"### {_code(recording.title)}, reduced by nubbin\n\n"
    if failure := recording.failure:
        yield f"{_code(failure)}\n\n"
    yield f"Looking for: {_code(recording.looking_for)}\n\n"
    yield f"**{recording.outcome}** {recording.cost}.\n\n"


def _head(recording: Recording) -> Iterator[str]:
    yield from _title(recording)
    yield _table(("", "input", "result", "removed"), recording.sizes)
    files = recording.result.files
    for file in files[:_MAX_FILES]:
        if not recording.result.is_single:
            yield f"\n{_code(titled(file.path, file.data))}\n"
        yield "\n" + _fenced(readable(file.data, _MAX_TEXT // min(len(files), _MAX_FILES)))
    if len(files) > _MAX_FILES:
        yield f"\nand {counted(len(files) - _MAX_FILES, 'more file')}\n"


def _sections(recording: Recording) -> Iterator[tuple[str, str]]:
    yield "Run it again", "\n".join(_again(recording))
    yield "Circumstances", _facts(recording.circumstances)
    yield "Answers of the test", _facts(recording.answers)
    yield "Passes", _table(PASS_COLUMNS, pass_rows(recording.run))
    yield "Kinds of queries", _table(KIND_COLUMNS, kind_rows(recording.run.tally))
    if lines := list(kept_lines(recording.texts)):
        yield "Lines of the input with text that remains", _fenced(*_some(lines))
    steps = [f"{step_line(each)}, {duration(each.seconds)}" for each in recording.run.steps]
    yield "Steps", _fenced(*_some(steps))
    removals = _fenced(*_some(list(_removals(recording))))
    yield "Proof", f"{recording.proof_in_words}\n\n{removals}"
    if recording.different_failures:
        title = f"Different failures: {count(len(recording.different_failures))}"
        yield title, "\n".join(_different_failures(recording.different_failures))


def _different_failures(failures: Sequence[DifferentFailure]) -> Iterator[str]:
    for each in failures[:_MAX_FAILURES]:
        yield f"- {_code(printable(each.line))}\n"
        for path, data in list(each.files.items())[:_MAX_FILES]:
            yield _named(path, data)
        yield _named("what the test printed", each.output)
    if len(failures) > _MAX_FAILURES:
        yield f"and {count(len(failures) - _MAX_FAILURES)} more\n"


def _again(recording: Recording) -> Iterator[str]:
    yield recording.contract(_code) + "\n"
    if script := recording.script:
        yield "The test:\n\n" + _fenced(script[:_MAX_OTHER_TEXT])
    for words, line in recording.again:
        yield f"{words}:\n\n" + _fenced(line)


def _removals(recording: Recording) -> Iterator[str]:
    lines = Counter(
        f"{_removed(recording, each)}: {outcome_of(each)}"
        for each in (recording.proof.removals if recording.proof else ())
    )
    for line, number in lines.items():
        yield line + (f" ({count(number)} times)" if number > 1 else "")


def _removed(recording: Recording, removal: Removal) -> str:
    if removal.is_whole:
        return f"without all of {printable(removal.path)}"
    start, stop, _ = removal.part
    data = recording.result.data.get(removal.path, b"")[start:stop]
    where = "" if recording.result.is_single else f" in {printable(removal.path)}"
    text = printable(data[:_MAX_REMOVED].decode(errors="surrogateescape"))
    return f'without "{text}"{where}'


def _named(name: str, data: bytes) -> str:
    return f"{_code(titled(name, data))}\n\n{_fenced(readable(data, _MAX_OTHER_TEXT))}"


def _some(lines: Sequence[str], most: int = _MAX_LINES, last: int = _MAX_LINES // 2) -> list[str]:
    """Return at most so many lines: of more, the first and the last ones, with a note between."""
    if len(lines) <= most:
        return list(lines)
    first = most - last - 1
    note = f"... {count(len(lines) - first - last)} more lines"
    return [*lines[:first], note, *lines[len(lines) - last :]]


def _facts(rows: Iterable[tuple[str, str]]) -> str:
    return _table(("", ""), [(name, _code(value)) for name, value in rows])


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    cells = ([cell.replace("|", r"\|") for cell in line] for line in lines)
    return "".join(f"| {' | '.join(line)} |\n" for line in cells)


def _fenced(*lines: str) -> str:
    text = "\n".join(lines)
    fence = "`" * max(3, _longest_ticks(text) + 1)
    return f"{fence}text\n{text}\n{fence}\n"


def _code(text: str) -> str:
    """Return a line as a code span, in which Markdown interprets nothing."""
    ticks = "`" * (_longest_ticks(text) + 1)
    return f"{ticks} {text} {ticks}" if "`" in text else f"{ticks}{text or ' '}{ticks}"


def _longest_ticks(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)

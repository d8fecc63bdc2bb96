"""Texts that crash tree-sitter grammars, or make them hang or eat memory.

    bench/run.py reliability/grammars [--number N] [--seed N] [--jobs N] [GRAMMAR ...]

The process that parses is given hostile texts for each grammar. It parses each text from scratch,
and then with random parts replaced, as candidates are. Prints a row for each grammar and each way
in which the process ended: the number of texts, and the smallest of them, found by bisection if a
part is repeated. The last line says how many texts were tried, and on how many the parser gave up.
The same seed gives the same texts.
"""

from __future__ import annotations

import random
import signal
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import Any, get_args

from tree_sitter_language_pack import SupportedLanguage

from harness.experiment import BENCH, Table
from nubbin.documents.parsing.grammars import grammar
from nubbin.documents.parsing.trees import ParserProcess
from nubbin.documents.spans import Replacement

sys.path.append(str(BENCH.parent / "tests"))
from snippets import SNIPPETS

_REPETITIONS = 1200  # more than the 1,024 bytes in which a scanner keeps what is open
_STEPS = 300
_EDITS_PER_TEXT = 4
_MAX_CPU_S = 1.0  # for one question to the parser
_MAX_SLOW_TEXTS = 3  # after these, the remaining texts are not tried

GIVES_UP = "gives up"
SLOW = "takes too long"

#: Brackets, quotes, and beginnings of lines, in many languages.
_PARTS = [
    *b"( [ { < ) ] } > #[ [[ {{ ${ $( #{ %{ %( ~( <a> </a> <a <% {% (* /* /** -- -> --[[".split(),
    *b"\" ' ` \"\"\" ''' ``` | || #| \\ \\( \\{ @ # $ % & * + - ; : = ? ^ _ ~ {- $$ <<A".split(),
    *b"if( a( a[ a{ a: a= a, a. !( -( <![CDATA[ <!-- <?php =begin \\begin{a} $\"{ `${ f'{".split(),
    *b'begin do then else case end function(){ () ({[ [( [=[ #if "#{ r#"'.split(),
    *(b"- ", b"> ", b"? ", b"* ", b"+ ", b"1. ", b": ", b"- - ", b"> - ", b"if x {", b"a ? "),
    *(b"a -> ", b"let a = ", b"if a then ", b"\\x -> ", b"<a><b>", b"- a\n", b"a\n\n", b"---\n"),
    *(b"begin\n", b"if x:\n", b"#if 1\n", b"cat <<A\n", b"<<-A ", b"x <<'A'\n", b"\\\n", b"```\n"),
    *(b" ", b"\t", b"\n", b"\r", b"\r\n", b" \t\n \r\n", b'"\n', b"\0", b"\xff", b"\xff\xfe"),
    *(b"\xef\xbb\xbf", b"\xc3\xa9", b'"${'),
]
_HEADS = (b"a:\n", b"- a\n", b"a\n", b"> a\n", b"a:\r", b"do\n", b"* a\n", b"1. a\n", b"{\n")
_MARKS = b"(){}[]<>\"'`#$%&*/\\|-+=:;,.!?@^~_ \n\t\rax0"
_ENDS = (b"", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\r")


@dataclass(frozen=True)
class Text:
    """A part that is repeated, each time one step further to the right if it `climbs`."""

    kind: str
    part: bytes
    times: int = 1
    climbs: bool = False

    @property
    def data(self) -> bytes:
        """The text itself."""
        if self.climbs:
            return b"".join(b" " * i + self.part for i in range(self.times))
        return self.part * self.times


def texts(language: str, seed: int, number: int) -> Iterator[Text]:
    """Yield the texts for a grammar; `number` of each random sort."""
    rng, own = random.Random(f"{seed} {language}"), words(language)
    for part in _PARTS:
        yield Text(f"`{shown(part)}` repeated", part, _REPETITIONS)
    for part in rng.sample(own, min(len(own), number)):
        yield Text(f"`{shown(part)}` repeated", part + b" ", _REPETITIONS)
    for part in _HEADS:
        yield Text(f"`{shown(part)}`, each further to the right", part, _STEPS, climbs=True)
    for name, sample in SNIPPETS.items():
        yield Text(f"{name}, repeated", sample, 500 if name == language else 50)
    yield Text("one long line", bytes(rng.choices(b"ab ,", k=20_000)))
    for _ in range(number):
        yield from random_texts(rng, language, own)


def random_texts(rng: random.Random, language: str, own: list[bytes]) -> Iterator[Text]:
    """Yield a text of each random sort."""
    size = rng.choice([1, 10, 100, 1000, 10_000])
    yield Text("random bytes", rng.randbytes(size))
    yield Text("random letters and marks", bytes(rng.choices(range(32, 127), k=size)))
    yield Text("random marks", bytes(rng.choices(_MARKS, k=size)))
    yield Text("random UTF-8", "".join(map(chr, rng.choices(range(32, 0xD7FF), k=size))).encode())
    samples = list(SNIPPETS.values())
    cut = SNIPPETS.get(language) or rng.choice(samples)
    cut = cut[: rng.randrange(len(cut))] + rng.choice(_ENDS) + rng.choice(samples)
    yield Text("samples, cut and joined", cut)
    yield Text("odd ends of lines", cut.replace(b"\n", rng.choice([b"\r\n", b"\r", b"\n\r"])))
    if own:
        gaps = rng.choice([[b" "], [b"", b" "], [b" ", b"\n", b"\n  "], [b"\r\n", b"\t", b""]])
        mixed = rng.choices([*own, b"a", b"1", b'"', b"x_y"], k=rng.choice([5, 50, 500, 3000]))
        yield Text("its words at random", b"".join(word + rng.choice(gaps) for word in mixed))
        few = b" ".join(rng.choices(own, k=rng.randint(2, 4))) + rng.choice([b" ", b"\n"])
        yield Text(f"`{shown(few)}` repeated", few, _REPETITIONS)


def words(language: str) -> list[bytes]:
    """Return the keywords and marks of a grammar."""
    table = grammar(language)
    assert table is not None
    marks = (
        table.node_kind_for_id(i) or ""
        for i in range(table.node_kind_count)
        if table.node_kind_is_visible(i) and not table.node_kind_is_named(i)
    )
    return sorted({mark.encode() for mark in marks} - {b""})


def shown(part: bytes) -> str:
    """Return bytes in ASCII, escaped for a table."""
    return ascii(part.decode("latin-1"))[1:-1].replace("|", "\\|")


def some_spans(rng: random.Random, size: int) -> list[Replacement]:
    """Return a few replacements in a text of this size, in order and disjoint."""
    most = 2 * rng.choice([1, 1, 2, 5, 40])
    cuts = sorted(rng.sample(range(size + 1), min(most, size + 1)))
    pairs = zip(cuts[::2], cuts[1::2], strict=False)
    return [Replacement(start, stop, rng.choice([b"", b"", b"0", b"["])) for start, stop in pairs]


class Victim(ParserProcess):
    """The process that parses, which also tells how a text has ended it."""

    def __init__(self, language: str, seed: int):
        super().__init__()
        self._language, self._seed = language, seed
        self._numbers = count()
        self._code: int | None = None

    def __call__(self, data: bytes) -> str | None:
        """Parse and edit a text; return what goes wrong, or None."""
        self._code = None
        self._overtime.clear()  # what one text takes is not the fault of the next
        ask = partial(self.ask, number := next(self._numbers), data, self._language)
        rng = random.Random(self._seed)
        is_parsed = ask("facts") is not None
        edits = (("allows_edit", some_spans(rng, len(data))) for _ in range(_EDITS_PER_TEXT))
        questions: Iterable[tuple[Any, ...]] = (("rows",), *edits) if is_parsed else ()
        for question in questions:
            if self._code is None:
                ask(*question)
        self.drop(number)
        if self._code is None:
            return None if is_parsed else GIVES_UP
        if self._code == -signal.SIGPROF:
            return SLOW
        return signal.Signals(-self._code).name if self._code < 0 else "eats memory"

    def _response(self, seconds: float, *question: Any) -> tuple[Any, float]:
        answer = super()._response(_MAX_CPU_S, *question)
        self._code = None  # it is asked again, in case an earlier text has damaged it
        return answer

    def _end(self) -> int | None:
        self._code = super()._end()
        return self._code


def tried(language: str, seed: int, number: int) -> tuple[int, dict[str, list[Text]]]:
    """Return the number of texts a grammar was given, and those that went wrong, by how."""
    victim, found, given = Victim(language, seed), defaultdict[str, list[Text]](list), 0
    for text in texts(language, seed, number):
        given += 1
        if wrong := victim(text.data):
            found[wrong].append(text)
            if len(found[SLOW]) == _MAX_SLOW_TEXTS:
                break
    for wrong, those in found.items():
        if wrong.startswith("SIG"):
            those[:] = [fewest(victim, text) for text in those]
    victim.end()
    return given, found


def fewest(victim: Victim, text: Text) -> Text:
    """Return the text with the fewest repetitions that kill the process."""
    low, high = 0, text.times
    while high - low > 1:
        middle = (low + high) // 2
        ends = (victim(replace(text, times=middle).data) or "").startswith("SIG")
        low, high = (low, middle) if ends else (middle, high)
    return replace(text, times=high)


def experiment(
    grammars: Sequence[str] = (), *, number: int = 10, seed: int = 1, jobs: int = 2
) -> Iterator[Table | str]:
    names = grammars or sorted(n for n in get_args(SupportedLanguage) if grammar(n))
    given = given_up = 0

    def rows() -> Iterator[list[object]]:
        nonlocal given, given_up
        each = partial(tried, seed=seed, number=number)
        with ThreadPoolExecutor(jobs) as pool:
            for name, (tries, found) in zip(names, pool.map(each, names), strict=True):
                given += tries
                given_up += len(found.pop(GIVES_UP, ()))
                for wrong, those in sorted(found.items()):
                    if those:
                        text = min(those, key=lambda text: len(text.data))
                        yield [name, wrong, len(those), text.kind, len(text.data)]

    yield Table("grammar | what | texts | the smallest | bytes", rows(), "llrlr")
    yield f"{len(names)} grammars, {given:,} texts; the parser gave up on {given_up:,}."

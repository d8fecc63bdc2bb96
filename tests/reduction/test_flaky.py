"""Tests that answer differently from run to run, and what nubbin makes of them."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import pytest

from examples import mostly_nightly
from faults import PATIENCE_S
from nubbin.documents.document import Document
from nubbin.executors.threads import Threads
from nubbin.oracles.isolation.candidate_files import Files
from nubbin.oracles.oracle import Oracle
from nubbin.oracles.servers.python_test import PythonTest
from nubbin.reduction.events import Event, FoundFlaky, Improved, RolledBack
from nubbin.reduction.pass_problem import PassProblem, Plan, single_removals
from nubbin.reduction.pipeline import passes_for
from nubbin.reduction.recorded.resume import resume
from nubbin.reduction.reduce import reduce
from nubbin.reduction.reducer import Reducer, ReductionEnd
from nubbin_core.errors import NubbinError
from nubbin_core.minimizers import ALGORITHMS
from nubbin_core.pool import Pool
from nubbin_core.search import confirmation, flaky_aware_test
from nubbin_core.search.confirmation import confirm
from nubbin_core.search.flaky_aware_test import FlakyAwareTest, FlakyDetected
from nubbin_core.search.problem import Answered, CachedVerdict, Count, VerdictCache
from nubbin_core.search.search import Search
from nubbin_core.search.trials import Trials
from nubbin_core.verdict import Answer, Verdict

Script = Callable[..., Path]

TEXT = b"".join(b"line %d\n" % number for number in range(200))
NEEDED = (b"line 17\n", b"line 120\n", b"line 121\n")


@dataclass
class Flaky:
    """Interesting at a rate where it should be, and at another where it should not."""

    rate: float
    false: float = 0.0
    seed: int = 0
    runs: int = 0
    asked: dict[bytes, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._rng = random.Random(self.seed)

    @staticmethod
    def genuine(document: Document) -> bool:
        return all(line in document.files[0].data for line in NEEDED)

    def __call__(self, document: Document) -> Answer:
        self.runs += 1
        self.asked[document.key] = self.asked.get(document.key, 0) + 1
        yes = self._rng.random() < (self.rate if self.genuine(document) else self.false)
        return Answer(Verdict.INTERESTING if yes else Verdict.UNINTERESTING, 0.0, None, False)


@dataclass
class Ran:
    run: ReductionEnd
    test: Flaky
    events: list[Event]
    kept: list[Document]
    minimal: bool


def run(test: Flaky, *, sampled: bool = True) -> Ran:
    document = Document.single("input.txt", TEXT)
    events: list[Event] = []
    kept: list[Document] = []
    asked = FlakyAwareTest(test, document, {}, sampled=sampled)
    kept.append(document)

    def tell(event: Event) -> None:
        events.append(event)
        if isinstance(event, Improved | RolledBack):
            kept.append(event.document)

    plan = Plan(passes_for(document, "lines", None))
    ended = Reducer(plan, Search(asked), asked, tell).run()
    assert kept[-1] == ended.document
    return Ran(ended, test, events, kept, ended.minimal)


@pytest.mark.parametrize(
    ("rate", "false"), [(0.9, 0.0), (0.5, 0.0), (0.2, 0.0), (1.0, 0.01), (1.0, 0.05), (0.5, 0.05)]
)
@pytest.mark.parametrize("seed", mostly_nightly(range(3), [0]))
def test_the_result_is_genuine(rate: float, false: float, seed: int) -> None:
    ran = run(Flaky(rate, false, seed))
    assert Flaky.genuine(ran.run.document)
    assert len(ran.run.document.files[0].data) < len(TEXT) / 10


def test_a_reliable_test_is_hardly_asked_twice() -> None:
    ran = run(Flaky(1.0))
    assert not any(isinstance(event, FoundFlaky) for event in ran.events)
    assert ran.run.document.files[0].data == b"".join(NEEDED)
    proof = list(single_removals(passes_for(ran.run.document, "lines"), ran.run.document))
    assert [ran.test.asked[removal.key] for removal in proof] == [2] * len(NEEDED)
    twice = ran.test.runs - len(ran.test.asked) - len(proof)
    assert ran.run.reproduced == (12, 12)
    assert 0 <= twice - 12 <= 0.1 * ran.test.runs


@pytest.mark.nightly
def test_a_short_run_with_a_wrong_rejection_is_hardly_ever_called_minimal() -> None:
    """Before the proof was asked for again, 20 of these 200 runs were, without a word."""
    wrong = 0
    for seed in range(200):
        ran = run(Flaky(0.9, seed=seed))
        told = any(isinstance(event, FoundFlaky) for event in ran.events)
        wrong += ran.minimal and not told and ran.run.document.files[0].data != b"".join(NEEDED)
    assert wrong <= 4


#: Read before `time_enough` changes them.
_LIMITS = {
    (confirmation, "_MAX_RESULT_S"): confirmation._MAX_RESULT_S,
    (flaky_aware_test, "_MAX_PROOF_S"): flaky_aware_test._MAX_PROOF_S,
}


@pytest.fixture
def usual_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    for (module, name), seconds in _LIMITS.items():
        monkeypatch.setattr(module, name, seconds)


@pytest.mark.usefixtures("usual_limits")
@pytest.mark.parametrize(
    ("lines", "seconds", "again"), [(100, 0.0, 100), (101, 0.0, 0), (20, 0.9, 20), (20, 1.1, 0)]
)
@pytest.mark.parametrize("sampled", [True, False])
def test_only_a_short_and_quick_proof_is_asked_for_again(
    lines: int, seconds: float, again: int, sampled: bool
) -> None:
    document = Document.single("input.txt", b"".join(b"%d\n" % n for n in range(lines)))
    passes = passes_for(document, "lines")
    proof = [removal.key for removal in single_removals(passes, document)]
    answered = VerdictCache()
    for key in proof:
        answered[key] = CachedVerdict(Verdict.UNINTERESTING, seconds)
    asked: Counter[bytes] = Counter()

    def ask(candidate: Document) -> Answer:
        asked[candidate.key] += 1
        whole = candidate == document
        verdict = Verdict.INTERESTING if whole else Verdict.UNINTERESTING
        return Answer(verdict, 0.0, None, False)

    test = FlakyAwareTest(ask, document, dict.fromkeys(proof, Trials(0, 1)), sampled=sampled)
    plan = Plan(passes, partial(PassProblem, start_on=ALGORITHMS["linear"]))
    ended = Reducer(plan, Search(test, verdicts=answered), test, lambda event: None).run()
    assert (ended.reason, ended.minimal) == ("fixpoint", True)
    on_the_way = sum(count <= lines for count in (16, 64))
    assert sum(asked[key] for key in proof) == (0 if not sampled else again or on_the_way)


def test_its_rate_is_measured_at_the_end() -> None:
    ran = run(Flaky(0.5, seed=0))
    (doubtful,) = [event for event in ran.events if isinstance(event, FoundFlaky)]
    assert doubtful.trials.runs >= 20
    assert ran.run.reproduced is not None
    low, high = ran.run.reproduced.interval()
    assert low <= 0.5 <= high


def test_a_best_that_does_not_hold_is_rolled_back() -> None:
    """Found by the dry spell after it, or at the end."""
    for seed in range(20):
        ran = run(Flaky(1.0, 0.05, seed))
        back = [event for event in ran.events if isinstance(event, RolledBack)]
        if any(not Flaky.genuine(document) for document in ran.kept):
            assert back
            return
    pytest.fail("no false answer came to be the best")


def test_not_sampled_it_is_taken_at_its_word() -> None:
    ran = run(Flaky(1.0), sampled=False)
    assert ran.test.runs == len(ran.test.asked) + 1  # the result, again


def test_not_sampled_a_result_that_does_not_hold_is_told() -> None:
    document = Document.single("input.txt", TEXT)
    test = Flaky(0.0)
    with pytest.raises(NubbinError, match="rejected it 3 times at the end"):
        confirm(FlakyAwareTest(test, document, {}, sampled=False), document)
    assert test.runs == 3


def test_too_seldom_to_go_on() -> None:
    test = Flaky(0.01)
    with pytest.raises(NubbinError, match="too seldom"):
        FlakyAwareTest(test, Document.single("input.txt", TEXT), {}).measure_rate()
    assert test.runs == 60


def test_runs_are_repeated_until_one_is_interesting() -> None:
    answers = iter([False, False, True, False, False, False])
    asked = 0

    class Scripted(Oracle):
        def ask(self, files: Files, limit: float | None, *, explain: bool = False) -> Answer:
            nonlocal asked
            asked += 1
            yes = next(answers)
            return Answer(Verdict.INTERESTING if yes else Verdict.UNINTERESTING, 0.0, 0, False)

    oracle = Scripted(None, runs=3)
    assert oracle({}).verdict is Verdict.INTERESTING
    assert oracle.explain({}).verdict is Verdict.UNINTERESTING
    assert asked == 6


def test_doubted_at_the_end() -> None:
    document = Document.single("input.txt", TEXT)
    test = FlakyAwareTest(Flaky(0.0), document, {})
    with pytest.raises(FlakyDetected):
        confirm(test, document)


@pytest.mark.parametrize("false", [0.1, 0.3, 0.5])
@pytest.mark.parametrize("seed", mostly_nightly(range(10), [0]))
def test_no_wrong_yes_makes_a_result(false: float, seed: int) -> None:
    """Of these runs, a third ended in a wrong result that was called 1-minimal."""
    ran = run(Flaky(1.0, false, seed))
    assert ran.run.document.files[0].data == b"".join(NEEDED)
    assert ran.minimal
    assert ran.run.reproduced is not None
    assert ran.run.reproduced.rate == 1.0


@pytest.mark.usefixtures("usual_limits")
@pytest.mark.parametrize(
    ("seconds", "before", "jobs", "runs"),
    [
        *((0.0, 0, 1, 12), (0.15, 0, 1, 7), (0.5, 0, 1, 6), (60.0, 0, 1, 6), (0.5, 80, 1, 8)),
        *((60.0, 400, 1, 12), (60.0, 0, 4, 6), (60.0, 0, 8, 8), (60.0, 0, 16, 12)),
    ],
)
def test_a_slow_result_is_run_for_a_tenth_of_what_the_queries_took(
    monkeypatch: pytest.MonkeyPatch, seconds: float, before: int, jobs: int, runs: int
) -> None:
    """Or once by each worker, if these are more."""
    document = Document.single("input.txt", TEXT)
    test, smaller = Flaky(1.0), Document.single("input.txt", b"".join(NEEDED))
    clock = SimpleNamespace(monotonic=lambda: test.runs * seconds)
    monkeypatch.setattr(confirmation, "time", clock)
    asked = FlakyAwareTest(test, document, {}, pool=Pool(jobs))
    for _ in range(before):
        query = Answered("any", 1, Verdict.UNRESOLVED, seconds, Count())
        asked.sample(query, lambda: smaller, smaller)
    assert confirm(asked, smaller) == (runs, runs)
    assert test.runs == runs


@pytest.mark.parametrize("sampled", [True, False])
def test_what_the_check_has_rejected_is_never_accepted(sampled: bool) -> None:
    document = Document.single("input.txt", TEXT)
    nothing, test = document.emptied(), Flaky(1.0, 1.0)
    noted: list[tuple[bytes, Verdict]] = []
    asked = FlakyAwareTest(
        test,
        document,
        {nothing.key: Trials(0, 1)},
        nothing=nothing,
        note=lambda candidate, answer, _: noted.append((candidate.key, answer.verdict)),
        sampled=sampled,
    )
    assert asked(nothing) is Verdict.UNINTERESTING
    assert test.runs == 0
    assert noted == [(nothing.key, Verdict.UNINTERESTING)], "the journal has it as a proof"


@pytest.mark.parametrize("rate", [0.0, 0.4])
def test_a_result_that_is_interesting_less_often_is_not_accepted(rate: float) -> None:
    """It is believed no more, and what is as bad is rejected from then on."""
    document = Document.single("input.txt", TEXT)
    worse = Document.single("input.txt", b"line 17\n")
    asked = FlakyAwareTest(Flaky(1.0, rate), document, {worse.key: Trials(40, 40)})
    asked.measure_rate()
    with pytest.raises(FlakyDetected):
        confirm(asked, worse)
    assert asked(worse) is Verdict.UNINTERESTING


def test_the_original_is_as_good_as_the_original() -> None:
    document = Document.single("input.txt", TEXT)
    asked = FlakyAwareTest(Flaky(0.5), document, {})
    asked.measure_rate()
    assert confirm(asked, document).runs == 20


def test_too_often_to_tell() -> None:
    document = Document.single("input.txt", TEXT)
    nothing, test = document.emptied(), Flaky(0.9, 0.9)
    asked = FlakyAwareTest(test, document, {nothing.key: Trials(0, 1)}, nothing=nothing)
    with pytest.raises(NubbinError, match=r"and an empty one in .* runs: too often"):
        asked.measure_rate()
    assert test.runs < 300


def _proof(asked: FlakyAwareTest[Document], removals: list[Document]) -> None:
    answered = VerdictCache()
    for each in removals:
        answered[each.key] = CachedVerdict(Verdict.UNINTERESTING, 0.0)
    asked.ask_again(removals, answered)


@pytest.mark.parametrize(
    "repeat",
    [
        lambda asked, removals: confirm(asked, asked.original),
        lambda asked, removals: asked.measure_rate(),
        _proof,
    ],
)
def test_repeated_runs_are_made_at_the_same_time(
    repeat: Callable[[FlakyAwareTest[Document], list[Document]], None],
) -> None:
    document = Document.single("input.txt", TEXT)
    removals = [Document.single("input.txt", b"%d" % number) for number in range(3)]
    together, first = threading.Barrier(3, timeout=PATIENCE_S), iter(range(3))

    def ask(candidate: Document) -> Answer:
        if next(first, None) is not None:
            together.wait()  # returns only when three runs are under way at once
        verdict = Verdict.UNINTERESTING if candidate in removals else Verdict.INTERESTING
        return Answer(verdict, 0.0, None, False)

    with Threads(3) as pool:
        repeat(
            FlakyAwareTest(ask, document, {each.key: Trials(0, 1) for each in removals}, pool=pool),
            removals,
        )


def test_what_is_asked_again_runs_beside_the_next_question() -> None:
    document = Document.single("input.txt", TEXT)
    goes_on = threading.Event()

    def ask(candidate: Document) -> Answer:
        assert goes_on.wait(PATIENCE_S)
        return Answer(Verdict.UNINTERESTING, 0.0, None, False)

    with Threads(2) as pool:
        asked = FlakyAwareTest(ask, document, {document.key: Trials(1, 1)}, pool=pool)
        for number in range(16):
            query = Answered("any", 1, Verdict.INTERESTING, 0.0, Count(number + 1, number + 1))
            asked.sample(query, lambda: document, document)
        goes_on.set()  # nobody has waited for the run of the sixteenth
        with pytest.raises(FlakyDetected):
            confirm(asked, document)


def test_a_removal_that_was_rejected_wrongly_is_found_by_the_proof() -> None:
    """Two runs reject a candidate at a rate of 0.9, of which each hundredth is as good."""
    document = Document.single("input.txt", TEXT)
    removal = Document.single("input.txt", b"".join(NEEDED))
    asked = FlakyAwareTest(Flaky(0.9), document, {removal.key: Trials(0, 2)})
    asked.measure_rate()
    assert asked(removal) is Verdict.UNINTERESTING
    answered = VerdictCache()
    answered[removal.key] = CachedVerdict(Verdict.UNINTERESTING, 0.0)
    with pytest.raises(FlakyDetected):
        asked.ask_again([removal], answered)
    assert asked(removal) is Verdict.INTERESTING


#: Says no to every third run, counted in a file.
EVERY_THIRD = """
n=$(cat {count} 2>/dev/null || echo 0); echo $((n + 1)) >{count}
[ $((n % 3)) = 2 ] && exit 1
grep -q '^line 17$' input.txt && grep -q '^line 120$' input.txt"""


@pytest.mark.parametrize("runs", mostly_nightly([None, 3], [3]))
def test_a_flaky_command(script: Script, tmp_path: Path, runs: int | None) -> None:
    (tmp_path / "input.txt").write_bytes(TEXT)
    test = script(EVERY_THIRD.format(count=tmp_path / "count"))
    result = reduce(test, tmp_path / "input.txt", jobs=1, smallest="lines", runs=runs)
    assert result.data == b"line 17\nline 120\n"
    assert result.flaky == (runs is None)
    assert result.reproduced is not None
    assert result.reproduced.runs == (1 if runs else 20)


#: Interesting with some chance whatever is in the file; finds the lines 17 and 120.
SOMETIMES_YES = """
import random

def holds(path):
    lines = set(path.read_text().splitlines())
    return {{"line 17", "line 120"}} <= lines or random.random() < {rate}
"""


@pytest.mark.parametrize(
    ("rate", "seed"), mostly_nightly(product([0.1, 0.3], range(3)), [(0.3, 0)])
)
def test_a_function_that_says_yes_wrongly(tmp_path: Path, rate: float, seed: int) -> None:
    """The empty file was a result, called 1-minimal, without a word."""
    (tmp_path / "input.txt").write_bytes(TEXT)
    (tmp_path / "test.py").write_text(SOMETIMES_YES.format(rate=rate))
    try:
        result = reduce(
            PythonTest.of(f"{tmp_path / 'test.py'}:holds"),
            tmp_path / "input.txt",
            seed=seed,
            jobs=1,
            smallest="lines",
            record=False,
        )
    except NubbinError as error:
        assert "even an empty input.txt" in str(error)
    else:
        assert result.data == b"line 17\nline 120\n"
        assert result.reproduced is not None
        assert result.reproduced.rate > 0.8


def test_a_flaky_run_goes_on(script: Script, tmp_path: Path) -> None:
    (tmp_path / "input.txt").write_bytes(TEXT)
    test = script(EVERY_THIRD.format(count=tmp_path / "count"))
    part = reduce(
        test,
        tmp_path / "input.txt",
        jobs=1,
        smallest="lines",
        record=tmp_path / "run",
        max_queries=30,
    )
    assert part.flaky
    whole = resume(tmp_path / "run", jobs=1)
    assert whole.flaky
    assert whole.data == b"line 17\nline 120\n"
    assert whole.before.bytes == part.after.bytes

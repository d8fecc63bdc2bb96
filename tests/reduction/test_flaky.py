"""Tests that answer differently from run to run, and what nubbin makes of them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest

from nubbin.documents.document import Document
from nubbin.minimizers import ALGORITHMS
from nubbin.oracles.candidate_files import Files
from nubbin.oracles.errors import NubbinError
from nubbin.oracles.oracle import Answer
from nubbin.oracles.repeated_oracle import RepeatedOracle
from nubbin.oracles.verdict import Verdict
from nubbin.reduction.events import Event, FoundFlaky, RolledBack
from nubbin.reduction.pass_problem import PassProblem
from nubbin.reduction.pipeline import passes_for
from nubbin.reduction.reduce import reduce
from nubbin.reduction.reducer import Reducer
from nubbin.reduction.removals import single_removals
from nubbin.reduction.resume import resume
from nubbin.search.flaky_aware_test import FlakyAwareTest, FlakyDetected
from nubbin.search.trials import Trials
from nubbin.search.verdict_cache import CachedVerdict, VerdictCache

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
    run: Reducer
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
    made = Reducer(
        document, asked, PassProblem, kept.append, kept.append, observers=[events.append]
    )
    _, minimal = made.until_done(passes_for(document, "lines", None))
    assert kept[-1] == made.document
    return Ran(made, test, events, kept, minimal)


@pytest.mark.parametrize(
    ("rate", "false"), [(0.9, 0.0), (0.5, 0.0), (0.2, 0.0), (1.0, 0.01), (1.0, 0.05), (0.5, 0.05)]
)
@pytest.mark.parametrize("seed", range(3))
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


def test_a_short_run_with_a_wrong_refusal_is_hardly_ever_called_minimal() -> None:
    """Before the proof was asked for again, 20 of these 200 runs were, without a word."""
    wrong = 0
    for seed in range(200):
        ran = run(Flaky(0.9, seed=seed))
        told = any(isinstance(event, FoundFlaky) for event in ran.events)
        wrong += ran.minimal and not told and ran.run.document.files[0].data != b"".join(NEEDED)
    assert wrong <= 4


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
        answered.add(key, CachedVerdict(Verdict.UNINTERESTING, seconds))
    asked: Counter[bytes] = Counter()

    def ask(candidate: Document) -> Answer:
        asked[candidate.key] += 1
        whole = candidate == document
        verdict = Verdict.INTERESTING if whole else Verdict.UNINTERESTING
        return Answer(verdict, 0.0, None, False)

    made = Reducer(
        document,
        FlakyAwareTest(ask, document, dict.fromkeys(proof, Trials(0, 1)), sampled=sampled),
        partial(PassProblem, minimizer=ALGORITHMS["linear"]),
        lambda document: None,
        lambda document: None,
        verdicts=answered,
    )
    assert made.until_done(passes) == ("fixpoint", True)
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
    with pytest.raises(NubbinError, match="refused it 3 times at the end"):
        FlakyAwareTest(test, document, {}, sampled=False).confirm(document)
    assert test.runs == 3


def test_too_seldom_to_go_on() -> None:
    test = Flaky(0.01)
    with pytest.raises(NubbinError, match="too seldom"):
        FlakyAwareTest(test, Document.single("input.txt", TEXT), {}).measure_rate()
    assert test.runs == 60


def test_runs_are_repeated_until_one_is_interesting() -> None:
    answers = iter([False, False, True, False, False, False])
    asked = 0

    class Scripted:
        def __call__(self, files: Files) -> Answer:
            nonlocal asked
            asked += 1
            yes = next(answers)
            return Answer(Verdict.INTERESTING if yes else Verdict.UNINTERESTING, 0.0, 0, False)

        explain = __call__

    oracle = RepeatedOracle(Scripted(), 3)
    assert oracle({}).verdict is Verdict.INTERESTING
    assert oracle.explain({}).verdict is Verdict.UNINTERESTING
    assert asked == 6


def test_doubted_at_the_end() -> None:
    document = Document.single("input.txt", TEXT)
    test = FlakyAwareTest(Flaky(0.0), document, {})
    with pytest.raises(FlakyDetected):
        test.confirm(document)


#: Says no to every third run, counted in a file.
EVERY_THIRD = """
n=$(cat {count} 2>/dev/null || echo 0); echo $((n + 1)) >{count}
[ $((n % 3)) = 2 ] && exit 1
grep -q '^line 17$' input.txt && grep -q '^line 120$' input.txt"""


@pytest.mark.parametrize("runs", [None, 3])
def test_a_flaky_command(script: Script, tmp_path: Path, runs: int | None) -> None:
    (tmp_path / "input.txt").write_bytes(TEXT)
    test = script(EVERY_THIRD.format(count=tmp_path / "count"))
    result = reduce(test, tmp_path / "input.txt", jobs=1, atom="lines", runs=runs)
    assert result.data == b"line 17\nline 120\n"
    assert result.flaky == (runs is None)
    assert result.reproduced is not None
    assert result.reproduced.runs == (1 if runs else 20)


def test_a_flaky_run_goes_on(script: Script, tmp_path: Path) -> None:
    (tmp_path / "input.txt").write_bytes(TEXT)
    test = script(EVERY_THIRD.format(count=tmp_path / "count"))
    part = reduce(
        test, tmp_path / "input.txt", jobs=1, atom="lines", record=tmp_path / "run", max_queries=30
    )
    assert part.flaky
    whole = resume(tmp_path / "run", jobs=1)
    assert whole.flaky
    assert whole.data == b"line 17\nline 120\n"
    assert whole.before.bytes == part.after.bytes

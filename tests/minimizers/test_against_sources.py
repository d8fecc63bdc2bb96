"""Each algorithm asks exactly what its source's listing, run on plain lists, would ask.

The references below are the sources' loops with no regard for cost or immutability.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from math import e

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from nubbin_bench.studied import PROGRAMS, STUDIED
from nubbin_core.minimizers import Settings, Subset
from problems import Needs, Noise, Problem, drive, problems

Test = Callable[[list[int]], bool]
Reference = Callable[[list[int], Test], list[int]]


def greedy(kept: list[int], test: Test) -> list[int]:
    while True:
        for i in range(len(kept)):
            if test(kept[:i] + kept[i + 1 :]):
                kept = kept[:i] + kept[i + 1 :]
                break
        else:
            return kept


def linear(kept: list[int], test: Test) -> list[int]:
    before = None
    while kept != before:
        before, i = kept, 0
        while i < len(kept):
            if test(kept[:i] + kept[i + 1 :]):
                kept = kept[:i] + kept[i + 1 :]
            else:
                i += 1
    return kept


def adaptive(kept: list[int], test: Test) -> list[int]:
    def change_point(goes: Callable[[int], bool], most: int) -> int:
        cap = min(most + 1, 6)
        for length in range(1, cap):
            if not goes(length):
                return length - 1
        low, step = cap - 1, 1
        while low < most:
            high = min(low + step, most)
            if not goes(high):
                break
            low, step = high, 2 * step
        else:
            return most
        while high > low + 1:
            middle = (low + high) // 2
            low, high = (middle, high) if goes(middle) else (low, middle)
        return low

    before = None
    while kept != before:
        before, i = kept, 0
        while i < len(kept):

            def goes(length: int, kept: list[int] = kept, at: int = i) -> bool:
                return test(kept[:at] + kept[at + length :])

            length = change_point(goes, len(kept) - i)
            kept = kept[:i] + kept[i + length :]
            i += 1
    return kept


def ddmin(kept: list[int], test: Test) -> list[int]:
    size = len(kept) // 2
    while size:
        parts = chunks(kept, size)
        alone = next((part for part in parts if test(part)), None)
        if alone is not None:
            kept, size = alone, len(alone) // 2
            continue
        restart = True
        while restart and len(parts) > 2:
            restart = False
            for part in parts:
                rest = [i for i in kept if i not in part]
                if test(rest):
                    kept, parts, restart = rest, [p for p in parts if p != part], True
                    break
        size //= 2
    return kept


def lithium(kept: list[int], test: Test) -> list[int]:
    size = 1
    while 2 * size < len(kept):
        size *= 2
    while size > 1:
        for chunk in sorted({i // size for i in kept}):
            if len({i // size for i in kept}) == 1:
                break
            rest = [i for i in kept if i // size != chunk]
            kept = rest if test(rest) else kept
        size //= 2
    circle, failures = list(kept), 0
    while failures < len(circle) > 1:
        first, *others = circle
        if test(sorted(others)):
            circle, failures = others, 0
        else:
            circle, failures = [*others, first], failures + 1
    return sorted(circle)


def bisect(kept: list[int], test: Test) -> list[int]:
    found = 0
    while found < len(kept):
        # Everything but nothing at all may go first; later everything may.
        fewest, most = 0, len(kept) - found - (found == 0)
        start = kept
        while fewest < most:
            middle = (fewest + most + 1) // 2
            if test(start[:found] + start[found + middle :]):
                fewest = middle
            else:
                most = middle - 1
        kept = start[:found] + start[found + fewest :]
        found += 1
    return kept


def quickxplain(kept: list[int], test: Test) -> list[int]:
    def conflict(background: list[int], added: list[int], part: list[int]) -> list[int]:
        if added and test(sorted(background)):
            return []
        if len(part) == 1:
            return part
        half = len(part) // 2
        first, second = part[:half], part[half:]
        of_second = conflict(background + first, first, second)
        of_first = conflict(background + of_second, of_second, first)
        return of_first + of_second

    return sorted(conflict([], [], kept))


def progression(kept: list[int], test: Test) -> list[int]:
    unknown, size = list(kept), 1
    found: list[int] = []
    while unknown:
        target = len(unknown) - min(size, len(unknown))
        if test(unknown[:target] + found):
            unknown, size = unknown[:target], 2 * size
            continue
        while target < len(unknown) - 1:
            middle = target + (len(unknown) - target) // 2
            if test(unknown[:middle] + found):
                unknown = unknown[:middle]
            else:
                target = middle
        found, size = [unknown.pop(), *found], 1
    return found


def opdd(kept: list[int], test: Test) -> list[int]:
    size = len(kept) // 2
    while size:
        for part in chunks(kept, size):
            rest = [i for i in kept if i not in part]
            if rest and test(rest):
                kept = rest
        size //= 2
    return kept


def cdd(p0: Fraction) -> Reference:
    def reference(kept: list[int], test: Test) -> list[int]:
        size, round_ = 0, 0
        while size != 1:
            chance = p0 * Fraction(1582, 1000) ** round_
            gain: dict[int, Fraction] = {
                s: s * (1 - min(chance, Fraction(1))) ** s for s in range(1, 200)
            }
            size = max(gain, key=lambda s: (gain[s], s)) if chance < 1 else 1
            for part in chunks(kept, size):
                rest = [i for i in kept if i not in part]
                kept = rest if test(rest) else kept
            round_ += 1
        return kept

    return reference


def cdd_artifact(p0: Fraction) -> Reference:
    def reference(kept: list[int], test: Test) -> list[int]:
        if not kept or test([]):
            return []
        counts = dict.fromkeys(kept, 0)
        while counts:
            chance = p0 / (1 - Fraction(1 / e)) ** min(counts.values())
            gain = {s: s * (1 - chance) ** s for s in range(1, 200)} if chance < 1 else {1: chance}
            size = max(gain, key=lambda s: (gain[s], s))
            chosen = sorted(counts, key=lambda i: (counts[i], i))[:size]
            rest = [i for i in kept if i not in chosen]
            if rest and test(rest):
                kept = rest
                counts = {i: count for i, count in counts.items() if i in rest}
            elif len(chosen) == 1:
                del counts[chosen[0]]
            else:
                counts |= {i: counts[i] + 1 for i in chosen}
        return kept

    return reference


def probdd_artifact(p0: float, seed: int) -> Reference:
    """In floating-point numbers, because the program cuts at 0.8 in them."""

    def reference(kept: list[int], test: Test) -> list[int]:
        if not kept or test([]):
            return []
        shuffled, p = random.Random(seed), dict.fromkeys(kept, p0)
        while p:
            order = list(p)
            shuffled.shuffle(order)
            order.sort(key=lambda i: p[i])
            none, gains = 1.0, []
            for at, i in enumerate(order):
                none *= 1 - p[i]
                gains.append(none * (at + 1))
                if at and gains[at] < gains[at - 1]:
                    break
            falls = len(gains) > 1 and gains[-1] < gains[-2]
            chosen = order[: len(gains) - falls]
            rest = [i for i in kept if i not in chosen]
            if rest and test(rest):
                kept = rest
                p = {i: value for i, value in p.items() if i in rest}
                continue
            none = 1.0
            for i in chosen:
                none *= 1 - p[i]
            p |= {i: p[i] * (1 / (1 - none)) for i in chosen}
            p = {i: v for i, v in p.items() if v <= 0.8 and (i not in chosen or len(chosen) > 1)}
        return kept

    return reference


def ddmin_program(from_the_start: bool) -> Reference:
    def parts_of(kept: list[int], number: int) -> list[list[int]]:
        parts: list[list[int]] = []
        for left in range(min(number, len(kept)), 0, -1):
            at = sum(map(len, parts))
            parts.append(kept[at : at + (len(kept) - at) // left])
        return parts

    def reference(kept: list[int], test: Test) -> list[int]:
        parts, first = [kept], 0.0
        while len(kept) > 1:
            parts = parts_of(kept, 2) if len(parts) == 1 else parts
            alone = next((part for part in parts if test(part)), None)
            if alone is not None:
                kept, parts, first = alone, [alone], 0.0
                continue
            for turn in range(len(parts)):
                at = int((turn + first) % len(parts))
                rest = [i for part in parts[:at] + parts[at + 1 :] for i in part]
                if test(rest):
                    kept, parts = rest, parts[:at] + parts[at + 1 :]
                    first = 0.0 if from_the_start else at
                    break
            else:
                if len(parts) == len(kept):
                    return kept
                finer = parts_of(kept, 2 * len(parts))
                first, parts = first * len(finer) / len(parts), finer
        return kept

    return reference


def probdd(p0: Fraction) -> Reference:
    def reference(kept: list[int], test: Test) -> list[int]:
        p = dict.fromkeys(kept, p0)
        while any(p[i] < 1 for i in kept):
            chosen: list[int] = []
            best, keep = Fraction(0), Fraction(1)
            for i in sorted(kept, key=lambda i: p[i]):
                keep *= 1 - p[i]
                if (len(chosen) + 1) * keep < best or p[i] == 1:
                    break
                chosen.append(i)
                best = len(chosen) * keep
            rest = [i for i in kept if i not in chosen]
            if test(rest):
                kept = rest
            else:
                none = Fraction(1)
                for i in chosen:
                    none *= 1 - p[i]
                p |= {i: p[i] / (1 - none) for i in chosen}
        return kept

    return reference


def wdd(weights: list[int]) -> Reference:
    def halves(part: list[int]) -> list[list[int]]:
        half = Fraction(sum(weights[i] for i in part), 2)
        cut, left = 1, weights[part[0]]
        while cut < len(part) and left + weights[part[cut]] <= half:
            left += weights[part[cut]]
            cut += 1
        if cut < len(part) - 1 and half - left >= left + weights[part[cut]] - half:
            cut += 1
        cut = min(cut, len(part) - 1)
        return [part[:cut], part[cut:]]

    def reference(kept: list[int], test: Test) -> list[int]:
        parts = [kept]
        while parts := [half for part in parts if len(part) > 1 for half in halves(part)]:
            alone = next((part for part in parts if test(part)), None)
            if alone is not None:
                kept, parts = alone, [alone]
                continue
            restart = True
            while restart and not (len(parts) <= 2 and sum(map(len, parts)) == len(kept)):
                restart = False
                for part in parts:
                    rest = [i for i in kept if i not in part]
                    if test(rest):
                        kept, parts, restart = rest, [p for p in parts if p != part], True
                        break
        return greedy(kept, test)

    return reference


def chunks(kept: list[int], size: int) -> list[list[int]]:
    return [kept[i : i + size] for i in range(0, len(kept), size)]


def assert_same(name: str, problem: Problem, options: Settings, reference: Reference) -> None:
    """Run both on the problem and compare results and questions."""
    size, interesting = problem
    asked: list[list[int]] = []

    def test(kept: list[int]) -> bool:
        asked.append(kept)
        return interesting(Subset.of(kept))

    expected = reference(list(range(size)), test)
    trace = drive({**STUDIED, **PROGRAMS}[name](Subset.full(size), options), interesting)
    assert trace.asked == asked
    assert list(trace.kept) == expected


@pytest.mark.parametrize(
    "reference",
    [greedy, linear, adaptive, ddmin, lithium, bisect, opdd, quickxplain, progression],
    ids=lambda f: f.__name__,
)
@given(problem=problems)
@examples(150)
def test_asks_what_the_listing_asks(reference: Reference, problem: Problem) -> None:
    assert_same(reference.__name__, problem, Settings(), reference)


@given(problem=problems, p0=st.fractions("1/30", "9/10", max_denominator=30))
@examples(100)
def test_cdd_asks_what_the_listing_asks(problem: Problem, p0: Fraction) -> None:
    assert_same("cdd", problem, Settings(p0=float(p0)), cdd(p0))


@given(problem=problems, p0=st.fractions("1/30", "9/10", max_denominator=30), empty=st.booleans())
@examples(40)
def test_cdd_artifact_asks_what_its_program_asks(
    problem: Problem, p0: Fraction, empty: bool
) -> None:
    size, interesting = problem

    def with_empty(kept: Subset) -> bool:
        return interesting(kept) if kept else empty

    assert_same("cdd-artifact", (size, with_empty), Settings(p0=float(p0)), cdd_artifact(p0))


@given(
    problem=problems,
    p0=st.sampled_from([0.03, 0.1, 0.3, 0.7]),
    seed=st.integers(0, 9),
    empty=st.booleans(),
)
@examples(100)
def test_the_artifacts_probdd_asks_what_its_program_asks(
    problem: Problem, p0: float, seed: int, empty: bool
) -> None:
    size, interesting = problem

    def with_empty(kept: Subset) -> bool:
        return interesting(kept) if kept else empty

    reference = probdd_artifact(p0, seed)
    assert_same("probdd-artifact", (size, with_empty), Settings(p0, seed), reference)


@given(problem=problems)
@examples(100)
def test_picires_ddmin_and_the_artifacts_ask_what_their_programs_ask(problem: Problem) -> None:
    assert_same("ddmin-picire", problem, Settings(), ddmin_program(from_the_start=False))
    assert_same("ddmin-artifact", problem, Settings(), ddmin_program(from_the_start=True))


def test_only_the_artifacts_ddmin_starts_again_after_a_success() -> None:
    """Of four pairs the middle two can go; then the artifact asks for the first pair again."""
    needs = Needs((frozenset({0, 1, 6, 7}),))
    asked = {
        name: [
            sorted(set(range(8)) - set(kept))
            for kept in drive(PROGRAMS[name](Subset.full(8), Settings()), needs).asked
        ]
        for name in ("ddmin-picire", "ddmin-artifact")
    }
    assert asked["ddmin-picire"].count([0, 1, 2, 3]) == 2  # the halves
    assert asked["ddmin-artifact"].count([0, 1, 2, 3]) == 3


def test_cdd_artifact_fills_a_short_remainder_and_cdd_does_not() -> None:
    """Five elements in threes: the second deletion takes one of the first three again."""
    needs = Needs((frozenset(range(5)),))
    gone = {
        name: [
            sorted(set(range(5)) - set(kept))
            for kept in drive(
                {**STUDIED, **PROGRAMS}[name](Subset.full(5), Settings(p0=0.3)), needs
            ).asked
        ]
        for name in ("cdd", "cdd-artifact")
    }
    assert gone["cdd"][:3] == [[0, 1, 2], [3, 4], [0, 1]]
    assert gone["cdd-artifact"][:4] == [[0, 1, 2, 3, 4], [0, 1, 2], [0, 3, 4], [1, 2]]


@given(problem=problems, p0=st.fractions("1/30", "9/10", max_denominator=30))
@examples(100)
def test_probdd_asks_what_the_listing_asks(problem: Problem, p0: Fraction) -> None:
    assert_same("probdd-no-random", problem, Settings(p0=float(p0)), probdd(p0))


@given(problem=problems, weights=st.lists(st.integers(0, 9), min_size=14, max_size=14))
@examples(150)
def test_wdd_asks_what_its_source_asks(problem: Problem, weights: list[int]) -> None:
    assert_same("wdd", problem, Settings(weights=weights), wdd(weights))


@given(problem=problems)
@examples(100)
def test_wdd_without_weights_takes_all_for_equal(problem: Problem) -> None:
    assert_same("wdd", problem, Settings(), wdd([1] * 14))


@pytest.mark.parametrize("name", ["greedy", "ddmin"])
@given(problem=problems)
@examples(100)
def test_a_revisit_is_a_removal_rejected_before(name: str, problem: Problem) -> None:
    """Refused for the same elements, and in ddmin at the same size."""
    size, interesting = problem
    trace = drive(STUDIED[name](Subset.full(size), Settings()), interesting)
    kept, rejected = Subset.full(size), set[Subset]()
    for query, answer in zip(trace.queries, trace.answers, strict=True):
        gone = kept - query.kept
        if query.kind in {"half", "subset"}:
            rejected.clear()
        else:
            assert (query.kind == "revisit") == (gone in rejected)
            rejected.add(gone)
        kept = query.kept if answer else kept


@given(
    size=st.sampled_from([2, 4, 8, 16]),
    least=st.integers(0, 12),
    odds=st.integers(2, 6),
    seed=st.integers(0, 2**32),
)
@examples(200)
def test_wdd_of_equals_is_ddmin_on_powers_of_two(
    size: int, least: int, odds: int, seed: int
) -> None:
    noise = Noise(size, odds, seed)

    def interesting(kept: Subset) -> bool:
        return len(kept) >= least and noise(kept)

    wdd, ddmin = (
        drive(STUDIED[name](Subset.full(size), Settings()), interesting)
        for name in ("wdd", "ddmin")
    )
    assert wdd.queries[: len(ddmin.queries)] == ddmin.queries
    assert wdd.kept == ddmin.kept or len(ddmin.kept) == 1

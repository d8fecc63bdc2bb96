"""reliability/attacks: a scene finds each kind of fault, and knows what is interesting."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reliability.scene import STANDARD, Puzzle, Scene, puzzle, scene


def damage_neighbour(made: Scene) -> None:
    (made.work / "notes.txt").write_text("yours")


def damage_input(made: Scene) -> None:
    made.input.unlink()


def remove_decoy(made: Scene) -> None:
    (made.tmp / "nubbin-main" / "1" / "kept").unlink()


def kill_bystander(made: Scene) -> None:
    made.bystander.kill()
    made.bystander.wait()


def leave_a_file(made: Scene) -> None:
    (made.tmp / "nubbin-left").touch()


def leave_a_hidden_file(made: Scene) -> None:
    (made.work / ".input.reduced.c.part").touch()


def write_another_result(made: Scene) -> None:
    made.target.write_text("another")


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (damage_neighbour, "notes.txt of the user"),
        (damage_input, "input.c of the user"),
        (remove_decoy, "nubbin-main was changed"),
        (kill_bystander, "process of the user"),
        (leave_a_file, "nubbin-left"),
        (leave_a_hidden_file, "input.reduced.c.part"),
        (write_another_result, "another result"),
    ],
)
def test_each_fault_is_found(damage: Callable[[Scene], None], words: str) -> None:
    with scene(STANDARD, "command", []) as made:
        made.target.write_bytes(b"result")
        made.check({"input.c": b"result"})
        assert made.faults == []
        damage(made)
        made.check({"input.c": b"result"})
        assert len(made.faults) == 1
        assert words in made.faults[0]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("echo 'Traceback (most recent call last):' >&2; exit 1", "traceback"),
        (r"printf 'nubbin: \033[2J' >&2; exit 1", "control characters"),
    ],
)
def test_the_messages_of_a_run_are_checked(line: str, words: str) -> None:
    with scene(STANDARD, "command", []) as made:
        made.end(subprocess.Popen(["sh", "-c", line], stderr=subprocess.PIPE))
        assert len(made.faults) == 1
        assert words in made.faults[0]


def says(puzzle: Puzzle, kind: str, files: dict[str, bytes]) -> bool:
    """Run a puzzle's test on a candidate, without nubbin."""
    with scene(Puzzle(puzzle.name, files, puzzle.needs, puzzle.pair), kind, []) as made:
        if kind == "command":
            line = [str(made.script), puzzle.name]
        else:
            told = (
                "import sys, check, pathlib; sys.exit(not check.check(pathlib.Path(sys.argv[1])))"
            )
            line = ["python3", "-c", told, str(made.input)]
        env = {**made.environment, "PYTHONPATH": str(made.root)}
        return subprocess.run(line, cwd=made.work, env=env, check=False).returncode == 0


@pytest.mark.nightly
@settings(max_examples=15)
@given(st.integers(0, 1 << 32), st.sampled_from(["command", "python"]))
def test_puzzles_are_judged_alike(seed: int, kind: str) -> None:
    rng = random.Random(seed)
    drawn = puzzle(rng)
    assert drawn.interesting(drawn.files)
    assert says(drawn, kind, drawn.files)
    less = {
        path: data[: rng.randrange(len(data) + 1)] + data[rng.randrange(len(data) + 1) :]
        for path, data in drawn.files.items()
    }
    assert says(drawn, kind, less) == drawn.interesting(less)


def test_a_result_that_is_not_minimal_is_seen() -> None:
    with scene(Puzzle("x", {"x": b"zap"}, (b"zap",), (b"open", b"shut")), "command", []) as made:
        assert made.minimal({"x": b"zap"})
        assert not made.minimal({"x": b"zap "})

"""Why a run ended, or that it has not, in words."""

from __future__ import annotations

from collections.abc import Sequence

from nubbin.text.figures import listed
from nubbin.text.visible import printable

_STATES = {
    "running": "under way",
    "died": "killed",
    "fixpoint": "done",
    "max-queries": "stopped by --max-queries",
    "max-time": "stopped by --max-time",
    "target-size": "stopped by --target-size",
    "stopped": "stopped by a command",
    "interrupted": "interrupted",
    "target-changed": "stopped because another process wrote to the result",
    "workers-lost": "broken off because the workers were lost",
    "other-version": "of another version of nubbin",
}
#: The states of runs that could have removed more in more time.
_LIMITED = frozenset({"max-queries", "max-time", "target-size", "stopped"})


def state_in_words(state: str) -> str:
    """Return the state of a recorded run, or the reason for its end, in words."""
    return printable(_STATES.get(state, state))


def outcome_in_words(state: str, pieces: Sequence[str] | None, cause: str | None = None) -> str:
    """Return a sentence that says whether a result is 1-minimal, or why not.

    `pieces` are the units of the removals that prove it; None if it is not proven. `cause` says
    what became of the workers.
    """
    if pieces is not None:
        one = listed([piece.removeprefix("a ") for piece in pieces], last="or")
        return f"1-minimal: the test rejects the result with any single {one} removed."
    if state == "fixpoint":
        return "Not proven 1-minimal: this algorithm does not try every single removal."
    if state not in _STATES:
        return "It ended in a way that this version of nubbin does not know."
    then = "a longer run may remove more" if state in _LIMITED else "this is the best so far"
    why = f" ({cause})" if cause else ""
    return f"{_STATES[state].capitalize()}{why}: {then}."

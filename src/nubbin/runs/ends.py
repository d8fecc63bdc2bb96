"""How a run can end: the reasons, and what each means for whoever comes after the run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from nubbin.text.visible import printable


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnd:
    """What the reason for an end means, or that a run has no end yet.

    `is_done`: there is nothing more to do. `is_enough`: the user has what was asked for.
    `is_limited`: a longer run may remove more. `is_broken_off`: the test does not run on the result
    again. `is_hurried`: nobody waits for a copy of the result. `can_continue`: `nubbin resume`
    accepts the run.
    """

    words: str
    is_known: bool = True
    is_under_way: bool = False
    is_done: bool = False
    is_enough: bool = False
    is_limited: bool = False
    is_broken_off: bool = False
    is_hurried: bool = False
    can_continue: bool = True


#: The end of each reason that `BudgetSpent`, `ReductionEnd` or a journal can have, and of each
#: other state of a recorded run.
ENDS: Final = {
    "running": RunEnd(words="under way", is_under_way=True, can_continue=False),
    "died": RunEnd(words="killed"),
    "fixpoint": RunEnd(words="done", is_done=True, is_enough=True, can_continue=False),
    "max-queries": RunEnd(words="stopped by --max-queries", is_limited=True),
    "max-time": RunEnd(words="stopped by --max-time", is_limited=True, is_hurried=True),
    "target-size": RunEnd(words="stopped by --target-size", is_limited=True, is_enough=True),
    "stopped": RunEnd(words="stopped by a command", is_limited=True),
    "interrupted": RunEnd(words="interrupted", is_broken_off=True, is_hurried=True),
    "target-changed": RunEnd(words="stopped because another process wrote to the result"),
    "workers-lost": RunEnd(words="broken off because the workers were lost", is_broken_off=True),
    "damaged": RunEnd(words="damaged"),
    "other-version": RunEnd(words="of another version of nubbin", can_continue=False),
}


def end_of(state: str) -> RunEnd:
    """Return the end of a run with this reason, or in this state; "" is no end."""
    return ENDS.get(state) or RunEnd(words=printable(state), is_known=False)

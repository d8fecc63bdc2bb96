"""Show the groups of a campaign as a table."""

from __future__ import annotations

from collections.abc import Iterator

from nubbin.campaigns.campaign import Campaign
from nubbin.campaigns.failure_groups import FailureGroup
from nubbin.report.runs_table import aligned, state_in_words
from nubbin.text.figures import count, listed
from nubbin.text.visible import printable

_HEADER = ("", "inputs", "before", "after", "queries", "", "failure")
_MAX_NAMES = 5  # of inputs without a failure that are shown


def campaign_lines(campaign: Campaign) -> Iterator[str]:
    """Yield the table, and what there is to say of the inputs that are in no group."""
    numbers = {group.name: f"{at}" for at, group in enumerate(campaign.groups, 1)}
    rows = [_row(group, numbers) for group in campaign.groups]
    yield from aligned([_HEADER, *rows], right={0, 1, 2, 3, 4})
    yield ""
    if campaign.passed:
        yield f"no failure: {listed([*map(printable, campaign.passed)], _MAX_NAMES)}"
    for path in campaign.stopped:
        yield printable(f"took too long or too much: {path}")
    if campaign.stopped:
        yield "if it hangs, and that is the failure: nubbin reduce --run CMD --hangs TIME INPUT"
    yield f"results: {printable(campaign.output)}"


def _row(group: FailureGroup, numbers: dict[str, str]) -> tuple[str, ...]:
    state = "1-minimal" if group.minimal else state_in_words(group.state)
    state += ", flaky" if group.flaky else ""
    sizes = ("", "") if group.result is None else (count(group.after), count(group.queries))
    place = f" (in {group.frame})" if group.frame else ""
    return (
        numbers[group.name],
        count(len(group.inputs)),
        count(group.before),
        *sizes,
        f"same as {numbers[group.same_as]}" if group.same_as else state,
        printable(f"{group.failure or 'nothing is printed'}{place} {group.error}".strip()),
    )

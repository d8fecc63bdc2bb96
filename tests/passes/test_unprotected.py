"""What is protected is on no list, and what the lists leave holds by the definition on texts."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from unittest.mock import ANY

from hypothesis import example, given
from hypothesis import strategies as st

from examples import examples
from nubbin.documents.document import Document
from nubbin.passes.proposal import next_proposal
from nubbin.reduction.pipeline import passes_for
from nubbin.reduction.protection import Protection
from nubbin_core.errors import OptionError
from runs import run

_EXPRESSIONS = st.sampled_from([r"\d+", "b.", r"(?s)c.*", r"^.*a", "[ab]+$", r"\w+\(", "x"])
_TEXTS = st.lists(
    st.sampled_from(["a1", "b(2)", "c", "x;", "{", "}", "\n", " ", "ab // nubbin: keep\n"]),
    min_size=2,
    max_size=12,
).map("".join)


@given(_TEXTS, _EXPRESSIONS, st.booleans(), st.text("abcx123({;", max_size=2))
@example("ab // nubbin: keep\n", r"\d+", False, "")
@examples(60)
def test_results_have_all_that_must_stay(
    text: str, expression: str, only: bool, needed: str
) -> None:
    data = f"x a1 b2 c {text}".encode()
    document = Document.single("input.c", data)
    option = {"keep": None, "only": None, ("only" if only else "keep"): expression}
    try:
        protection = Protection.of(document, option["keep"], option["only"])
    except OptionError:  # it matches nothing
        return
    allowed = protection.is_allowed
    passes = protection.passes(passes_for(document))

    def interesting(candidate: bytes) -> bool:
        single = Document.single("input.c", candidate)
        return allowed(single) and (needed.encode() in candidate or needed not in text)

    with tempfile.TemporaryDirectory() as folder:
        result = run(Path(folder), "input.c", data, interesting, passes=passes).data
    assert allowed(Document.single("input.c", result))
    assert interesting(result)
    # A single byte that could go would be on a list: all others are protected.
    starts, stops = protection._parts(result)
    inside = {at for span in zip(starts, stops, strict=True) for at in range(*span)}
    for at in set(range(len(result))) - inside:
        assert not interesting(result[:at] + result[at + 1 :])


def test_protected_parts_are_on_no_list() -> None:
    data = b"int a(int x) { return x; }\n" * 200 + b"int b(int y) { return y + 17; }\n"
    document = Document.single("input.c", data)
    protection = Protection.of(document, None, r"int b\(.*")
    free = passes_for(document)
    assert protection.passes(free) == tuple(replace(each, propose=ANY) for each in free)
    for each in protection.passes(free):
        proposal = next_proposal(each.propose(document))
        assert proposal is None or proposal.size < 40

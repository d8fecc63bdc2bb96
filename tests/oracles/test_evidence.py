"""What stands below a message is a part of what is asked for, if it tells more."""

from __future__ import annotations

import re

import pytest

from nubbin.oracles.failures.messages import telling
from nubbin.oracles.failures.transcript import Transcript

RUSTC = """\
error[E0308]: mismatched types
 --> a.rs:3:18
  |
3 |     let a: u32 = b.clone();
  |            ---   ^^^^^^^^^ expected `{}`, found `String`
  |            |
  |            expected due to this
"""
GCC = """\
a.c:4:5: error: conflicting types for 'f'; have 'int(int)'
    4 | int f(int a)
      |     ^
a.c:1:{}: note: previous declaration of 'f' with type '{}(int)'
    1 | double f(int a);
"""
PRETTIER = """\
[error] a.ts: prettier(input) !== prettier(prettier(input))
[error] --- \t
[error] +++ \t
[error] @@ -1,3 +1,3 @@
[error]  const b = 1;
[error] -const a = b {}(d, {});
[error] +const a = b({} d, {});
"""
DIFF = """\
error: the files differ
3c3
< foo(a, {})
---
> foo(a, {})
"""


@pytest.mark.parametrize(
    ("form", "here", "smaller", "another"),
    [
        (RUSTC, ("u32",), ("u32",), ("str",)),
        (GCC, (1, "double"), (8, "double"), (1, "float")),
        (PRETTIER, ("/* c */", "e", "/* c */", "e"), ("/**/",) * 4, ("!", "e", "!", "e")),
        (DIFF, ("[b]", "(b)"), ("[]", "()"), ("{b}", "[b]")),
    ],
    ids=["rustc", "gcc", "prettier", "diff"],
)
def test_another_detail_is_another_failure(
    form: str, here: tuple[str, ...], smaller: tuple[str, ...], another: tuple[str, ...]
) -> None:
    said = Transcript.of([form.format(*here).encode()])
    message = next(telling(said, "a.c: double f u32 String"))
    assert re.search(message.pattern, form.format(*smaller), re.MULTILINE)
    assert not re.search(message.pattern, form.format(*another), re.MULTILINE)
    assert re.search(message.loose, form.format(*smaller), re.MULTILINE)
    assert message.line in form.splitlines()[0]


def test_what_is_below_the_next_message_is_not_of_this_one() -> None:
    said = Transcript.of([b"error: odd\n\n" + RUSTC.format("u32").encode()])
    assert next(telling(said, "")).below == ""

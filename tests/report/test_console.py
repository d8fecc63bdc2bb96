from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from nubbin.report.standard_streams import VisibleConsole


def console(*, terminal: bool) -> tuple[VisibleConsole, io.StringIO]:
    out = io.StringIO()
    made = VisibleConsole(
        file=out,
        width=200,
        force_terminal=terminal,
        color_system="standard" if terminal else None,
        _environ={},
    )
    return made, out


@given(st.text(st.characters(codec=None, categories=["Cc", "Cf", "Cs", "Zl"]), min_size=1))
def test_text_is_only_text(text: str) -> None:
    made, out = console(terminal=False)
    made.print(Text(f"a{text}b"), soft_wrap=True)
    assert all(line.isprintable() for line in out.getvalue().replace("\t", "").split("\n"))


def test_colours_are_still_colours() -> None:
    made, out = console(terminal=True)
    made.print(Text("red\x1b[5m", style="red"))
    assert out.getvalue() == "\x1b[31mred\\x1b[5m\x1b[0m\n"

"""Any part of a patch does what it should, whatever the lines: git itself applies them."""

from __future__ import annotations

import subprocess
import tempfile
from itertools import chain
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from nubbin.documents.patch import Patch

_LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"\n", b"-- x\n", b"@@ -1 +1 @@\n", b"c\r\n"]))
_TEXTS = st.builds(lambda lines, last: b"".join(lines) + last, _LINES, st.sampled_from([b"", b"z"]))


def _git(folder: Path, *words: str, fails: bool = False) -> bytes:
    ran = subprocess.run(["git", *words], cwd=folder, capture_output=True, check=False)
    assert fails or not ran.returncode, ran.stderr
    return ran.stdout


def _applied(old: bytes, patch: Patch) -> bytes:
    """Return what a patch of one file makes of it, by the book."""
    lines, done, at = old.splitlines(keepends=True), [], 0
    lines = [each for each in old.replace(b"\n", b"\n\0").split(b"\0") if each]
    for change in chain(*(part.changes for part in patch.parts)):
        done += lines[at : change.after]
        for line in change.new:
            text, _, marked = line[1:].partition(b"\n\\")
            done.append(text if marked else line[1:])
        at = change.stop
    return b"".join((*done, *lines[at:]))


@examples(50)
@given(_TEXTS, _TEXTS, st.data())
def test_any_part_of_a_patch_applies(old: bytes, new: bytes, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        name = data.draw(st.sampled_from(["f", "a file", 'q"uote', "new\nline", "ü"]))
        for side, text in (("a", old), ("b", new)):
            (folder / side).mkdir()
            (folder / side / name).write_bytes(text)
        words = ("diff", "--no-index", "-U0", "--no-prefix", f"a/{name}", f"b/{name}")
        patch = Patch.of(b"commit x\n" + _git(folder, *words, fails=True))
        assert Patch.of(patch.written()).parts == patch.parts
        changes = patch.changes()
        assert [*chain(*patch.hunks())] == [*chain(*patch.files())] == [*chain(*changes)]
        kept = [part for part in changes if data.draw(st.booleans())]
        some = patch.only(chain(*kept))
        (folder / "some.patch").write_bytes(some.written())
        (folder / name).write_bytes(old)
        if kept:
            _git(folder, "apply", "--unidiff-zero", "--whitespace=nowarn", "some.patch")
        assert (folder / name).read_bytes() == _applied(old, some)
        assert _applied(old, patch) == new

"""What entries of a folder use goes before what they lead to."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from nubbin.documents.document import Document
from nubbin.documents.edits import File
from nubbin.passes.folders.entries import entries
from nubbin.passes.folders.named import named_by_failure
from nubbin.passes.proposal import next_proposal
from nubbin.passes.table import FileView
from nubbin_core.minimizers import EMPTY

PARTS = [f"part{each}" for each in "abcdefghijklmnop"]
PROJECT = {
    "app/lib.py": "".join(f"import {each}\n" for each in PARTS).encode(),
    "app/main.py": b"import lib\nimport os\nlib.run()\nos.run()\n",
    "app/readme.txt": b"Run it\n",
    **{f"app/{each}.py": b"a = 1\n" for each in PARTS},
}


def reduced(
    files: dict[str, bytes], accepts: Callable[[dict[str, bytes]], bool], test: str = ""
) -> tuple[dict[str, bytes], list[int]]:
    """Return what is left if each list is taken whole or not at all, and the sizes of the lists."""
    document = Document("app", tuple(File(*each) for each in files.items()))
    views = [FileView(file) for file in document.files]
    structures = {view.file.path: view.structure for view in views}
    sizes = []
    failing = partial(named_by_failure, structures=structures, texts=[test], original=document)
    for each in (failing, partial(entries, structures=structures, test=test)):
        running = each(document)
        proposal = next_proposal(running)
        while proposal is not None:
            sizes.append(proposal.size)
            candidate = proposal.render(EMPTY)
            document = candidate if accepts(candidate.contents) else document
            proposal = next_proposal(running, document)
    return document.contents, sizes


def test_what_an_entry_uses_goes_and_then_all_that_nothing_leads_to() -> None:
    left, sizes = reduced(PROJECT, lambda files: b"os.run()" in files.get("app/main.py", b""))
    assert left == {"app/main.py": b"import os\nos.run()\n", "app/readme.txt": b"Run it\n"}
    assert sizes == [2, 1, 1]


def test_all_goes_at_once_to_which_no_file_that_the_test_names_leads() -> None:
    left, sizes = reduced(PROJECT, lambda files: "app/partc.py" in files, "cd app; run partc.py")
    assert set(left) == {"app/partc.py"}
    assert sizes == [1]


def test_what_a_file_hands_on_goes_at_once_if_no_user_of_it_names_it() -> None:
    index = "".join(f"export {{ {each}2 }} from './{each}';\n" for each in PARTS)
    project = {
        "app/main.js": b"import { partc2, parte2 } from './index.js';\nrun(partc2, parte2);\n",
        "app/index.js": index.encode(),
        **{f"app/{each}.js": b"export const a = 1;\n" for each in PARTS},
    }
    left, sizes = reduced(
        project,
        lambda files: (
            b"run(partc2, parte2)" in files.get("app/main.js", b"")
            and all(b"./part%c'" % each in files.get("app/index.js", b"") for each in b"ce")
            and {"app/partc.js", "app/parte.js"} <= set(files)
        ),
    )
    assert set(left) == {"app/main.js", "app/index.js", "app/partc.js", "app/parte.js"}
    assert left["app/index.js"].count(b"export") == 2
    assert sizes == [1, 1, 1, 1]


def test_what_does_not_go_though_nothing_leads_to_it_is_an_entry() -> None:
    needed = {"app/main.py", "app/partc.py"}
    left, sizes = reduced(PROJECT, lambda files: needed <= set(files))
    assert set(left) == {*needed, "app/readme.txt", *(f"app/{each}.py" for each in PARTS)}
    assert sizes[:4] == [2, 1, 1, 1]


def test_it_ends_if_much_was_in_vain() -> None:
    _, sizes = reduced(PROJECT, lambda files: False)
    assert sizes == [2, 1, 1, 16]
    wide = {f"app/{i}/user.py": b"import a, b, c, d, e\n" for i in range(99)}
    wide |= {f"app/{each}.py": b"" for each in "abcde"}
    assert len(reduced(wide, lambda files: False)[1]) == 1


def test_a_folder_of_few_files_has_no_entries() -> None:
    few = {path: PROJECT[path] for path in list(PROJECT)[:8]}
    assert reduced(few, lambda files: True) == (few, [])

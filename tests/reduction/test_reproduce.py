"""A project in, a reproduction out: real projects in small, real commands."""

from __future__ import annotations

import os
import platform
import shlex
import sys
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from examples import mostly_nightly
from nubbin.journal.recorded_run import RecordedRun
from nubbin.oracles.commands.project_test import ProjectTest
from nubbin.oracles.failures.conditions import Conditions
from nubbin.oracles.tracing import traced_test
from nubbin.reduction.events import Event, ListStarted, Traced, Warmed
from nubbin.reduction.options import Options
from nubbin.reduction.recorded.resume import resume
from nubbin.reduction.reproduce import reproduce
from nubbin.reduction.result.reproduction import portable, run_fresh
from nubbin.reduction.run_job import Reduction
from nubbin.reduction.start import tracing
from nubbin_core.errors import NubbinError
from nubbin_core.search.problem import Answered

PYTHON = shlex.quote(sys.executable)
_SHOP = {
    "main.py": "import sys\nsys.path.insert(0, 'src')\nfrom shop import prices\n"
    "print(prices.total(open('orders.txt').read()))\n",
    "orders.txt": "3 pens\nno pens\n",
    "src/shop/__init__.py": "",
    "src/shop/prices.py": "def total(text):\n"
    "    amounts = [line.split()[0] for line in text.splitlines()]\n"
    "    return sum(int(each) for each in amounts)\n"
    "def other(text):\n    if not text:\n        return 'never'\n",
    ".gitignore": "*.log\n",
    "made.log": "made\n",
    **{f"docs/page{number}.md": f"# {number}\n" * 99 for number in range(9)},
    **{f"src/shop/other{number}.py": "def f():\n    return 1\n" for number in range(9)},
}
_FAILURE = "ValueError: invalid literal"


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "the shop"
    write(folder, _SHOP)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.chdir(folder)
    return folder


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def contents(folder: Path) -> dict[str, bytes]:
    """Return the files in a folder but for records of runs."""
    files = {str(file.relative_to(folder)): file for file in folder.rglob("*") if file.is_file()}
    return {name: file.read_bytes() for name, file in files.items() if ".nubbin" not in name}


def reproduced(
    command: str, max_queries: int | None = None, *, cold: bool = False, **rest: Any
) -> tuple[Reduction, list[Event]]:
    events: list[Event] = []
    options = Options(jobs=1, max_queries=max_queries, cold=cold)
    return reproduce(command, options=options, observers=[events.append], **rest), events


def test_the_first_query_leaves_what_a_run_opens_and_that_is_ready_to_send(shop: Path) -> None:
    before = contents(shop)
    result, events = reproduced(f"{PYTHON} main.py", record=True, max_queries=2)
    first = next(each for each in events if isinstance(each, Answered))
    assert (first.size, first.verdict.value) == (0, "interesting")
    assert [each for each in events if isinstance(each, Traced)] == [Traced(4, 23, (), ())]
    assert result.output == shop.parent / "the shop-repro" / "the shop"
    assert set(result.files) <= {f"the shop/{name}" for name in before}
    lists = [each.name for each in events if isinstance(each, ListStarted)]
    assert lists[:2] == ["unused files", "unexecuted code"]
    assert b"never" not in result.files["the shop/src/shop/prices.py"]
    assert not any("docs" in name or "other" in name for name in result.files)
    assert result.printed is not None
    assert _FAILURE in result.printed.now
    assert result.line is not None
    assert os.system(f"({result.line}) 2>&1 | grep -q '{_FAILURE}'") == 0
    assert contents(shop) == before
    folder = result.output.parent.rename(shop.parent / "sent to somebody")
    readme = (folder / "README.md").read_text()
    assert readme.startswith(f"# {_FAILURE}")
    assert _SHOP["main.py"] in readme
    assert f"Python {platform.python_version()}" in readme
    assert str(shop.parent) not in readme + (folder / "repro.sh").read_text()
    said: list[str] = []
    run_fresh(folder, said.append)
    assert said == ["running repro.sh ..."]
    assert {each.name for each in folder.iterdir()} == {"README.md", "repro.sh", "the shop"}
    (folder / "the shop" / "orders.txt").write_text("3 pens\n")
    with pytest.raises(NubbinError, match=r"does not end as --exits 1 says"):
        run_fresh(folder, said.append)


@pytest.mark.nightly
def test_lines_and_names_stay_for_a_person(shop: Path) -> None:
    result, events = reproduced(f"{PYTHON} main.py", max_queries=60)
    main = result.files["the shop/main.py"].decode()
    assert main.startswith("import sys\nsys.path.insert(0, 'src')\nfrom shop import prices\n")
    lists = {each.name for each in events if isinstance(each, ListStarted)}
    assert not lists & {"white space", "numbers", "neighbours", "arguments", "simplest parts"}


@pytest.mark.nightly
def test_a_second_reproduction_has_another_place(shop: Path) -> None:
    for name in ("the shop-repro", "the shop-repro-2"):
        result, _ = reproduced(f"{PYTHON} main.py", max_queries=1)
        assert result.output.parent.name == name


def test_a_run_that_is_resumed_goes_on_with_its_trace(shop: Path) -> None:
    whole, _ = reproduced(f"{PYTHON} main.py", output="../whole", max_queries=5)
    part, _ = reproduced(f"{PYTHON} main.py", output="../part", record=True, max_queries=2)
    assert part.run is not None
    assert part.run.parent == shop / ".nubbin"
    events: list[Event] = []
    resumed = resume(part.run, observers=[events.append], max_queries=5)
    assert resumed.files == whole.files
    files = [(each.output.parent / "README.md").read_text() for each in (whole, resumed)]
    assert files[0] == files[1]
    assert next(each.name for each in events if isinstance(each, ListStarted)) == "unused files"


def test_what_is_imported_from_the_folder_is_imported_from_the_copy(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As of a package that is installed in editable mode.
    (shop / "main.py").write_text((shop / "main.py").read_text().replace("sys.path", "#"))
    program = f"import sys; sys.path.append({str(shop / 'src')!r}); exec(open('main.py').read())"
    run = f"{PYTHON} -c {shlex.quote(program)}"
    result, events = reproduced(run, max_queries=1)
    assert [each for each in events if isinstance(each, Traced)] == [Traced(4, 23, ("src",), ())]
    assert len(result.files) == 4
    assert result.line is not None
    assert "src" in result.line


def test_what_is_used_of_the_folder_itself_is_told(shop: Path) -> None:
    orders = shop / "orders.txt"
    (shop / "main.py").write_text(
        (shop / "main.py").read_text().replace("'orders.txt'", repr(str(orders)))
    )
    _, events = reproduced(f"{PYTHON} main.py", max_queries=1)
    (traced,) = (each for each in events if isinstance(each, Traced))
    assert traced.outside == (str(orders),)


def test_a_copy_that_does_not_fail_is_told_with_what_to_do(shop: Path) -> None:
    with pytest.raises(NubbinError, match=r"(?s)succeeds.*It ran in a copy.*--all-files"):
        reproduced("! grep made made.log")
    assert not (shop.parent / "the shop-repro").exists()


def test_the_place_may_not_be_in_the_project(shop: Path) -> None:
    with pytest.raises(NubbinError, match="would be part of it"):
        reproduced(f"{PYTHON} main.py", output=shop / "repro")


def test_without_strace_the_programs_note_it_themselves(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(traced_test, "has_strace", lambda: False)
    _, events = reproduced(f"{PYTHON} main.py", max_queries=1)
    assert [each.opened for each in events if isinstance(each, Traced)] == [4]


@pytest.mark.nightly
def test_a_command_that_sets_the_path_of_python_is_traced(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(traced_test, "has_strace", lambda: False)
    _, events = reproduced(f"PYTHONPATH=src {PYTHON} main.py", max_queries=1)
    assert [each.opened for each in events if isinstance(each, Traced)] == [4]


@pytest.mark.nightly
def test_what_node_opens_is_noted(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not any(Path(each, "node").exists() for each in os.environ["PATH"].split(":")):
        pytest.skip("no node here")
    monkeypatch.setattr(traced_test, "has_strace", lambda: False)
    write(
        shop,
        {
            "lib/a.js": "exports.read = name => require('fs').readFileSync(name, 'utf8')\n"
            "exports.other = function () {\n  return 'never'\n}\n",
            "index.js": "if (require('./lib/a').read('orders.txt').includes('no pens'))"
            " throw new TypeError('out of pens')\n",
        },
    )
    result, events = reproduced("node index.js", max_queries=2)
    assert b"never" not in result.files["the shop/lib/a.js"]
    assert [each.opened for each in events if isinstance(each, Traced)] == [3]
    assert set(result.files) <= {
        f"the shop/{name}" for name in ("index.js", "lib/a.js", "orders.txt")
    }


@pytest.mark.nightly
def test_a_question_that_is_rejected_is_asked_in_parts(shop: Path) -> None:
    # The shell's own look is noted by strace alone; nothing here opens what it counts.
    write(
        shop,
        {"main.py": "import glob, sys\nif len(glob.glob('docs/*')) > 2:\n    sys.exit('many')\n"},
    )
    result, events = reproduced(f"{PYTHON} main.py", max_queries=15)
    names = [each.name for each in events if isinstance(each, ListStarted)]
    assert names[:2] == ["unused files"] * 2
    assert len([name for name in result.files if "docs" in name]) == 3


def test_what_is_installed_by_hand_is_not_in_the_fresh_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fails = '# It fails in this way: {"exits": "1"}'
    write(
        tmp_path / "sent",
        {
            "repro.sh": f'{fails}\ncd "$(dirname "$0")"/\'my project\' || exit\ncat npm; exit 1\n',
            "node-packages.txt": "a@1\n",
            "env/pyvenv.cfg": "",
            "my project/node_modules/a/index.js": "",
        },
    )
    write(
        tmp_path,
        {"bin/npm": f"#!/bin/sh\nls -d . ../* * >'{tmp_path}/said'\npwd >>'{tmp_path}/said'"},
    )
    (tmp_path / "bin/npm").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin", prepend=os.pathsep)
    run_fresh(tmp_path / "sent", lambda _: None)
    said = (tmp_path / "said").read_text().split("\n")
    assert said[:-2] == [".", "../my project", "../node-packages.txt", "../repro.sh"]
    assert said[-2].endswith("/sent/my project")


@pytest.mark.parametrize("script", [None, "true\n", "# It fails in this way: {\n"])
def test_what_is_no_reproduction_is_not_run(script: str | None, tmp_path: Path) -> None:
    if script is not None:
        (tmp_path / "repro.sh").write_text(script)
    with pytest.raises(NubbinError, match=r"is not a reproduction|does not say how it fails"):
        run_fresh(tmp_path, print)


def test_a_program_of_an_environment_is_called_by_its_name(tmp_path: Path) -> None:
    write(tmp_path, {"env/pyvenv.cfg": "", "env/bin/tool": "", "bin/own": ""})
    line = f"{tmp_path}/env/bin/tool -x && env/bin/tool && bin/own"
    test = ProjectTest((line,), str(tmp_path))
    assert portable(test) == "tool -x && tool && bin/own"


@pytest.mark.nightly
def test_runs_are_forks_of_a_python_that_has_imported_what_is_not_of_the_project(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The result is that of runs which are no forks, and a resumed run goes on with forks."""
    monkeypatch.setattr(tracing, "_WORTH", float("inf"))
    (shop / "main.py").write_text("import json\nfrom json import tool\n" + _SHOP["main.py"])
    run = f"{PYTHON} main.py"
    result, events = reproduced(run, record=True, max_queries=12)
    (warm,) = (each for each in events if isinstance(each, Warmed))
    assert result.run is not None
    modules = RecordedRun.open(result.run).facts.test["modules"]
    assert {"json", "json.tool"} <= set(modules)
    assert len(modules) == warm.modules
    assert not [each for each in modules if each.startswith(("shop", "sitecustomize"))]
    cold, events = reproduced(run, max_queries=12, cold=True)
    assert not [each for each in events if isinstance(each, Warmed)]
    assert result.files == cold.files
    went_on = resume(result.run, max_queries=24)
    assert (went_on.queries, went_on.reason) == (24, "max-queries")


_KNOWS_IMPORTS = "import sys\ncode = 3 if 'json' in sys.modules else 4\nimport json\nexit(code)\n"


@pytest.mark.parametrize(
    "command",
    mostly_nightly([f"{PYTHON} main.py", f"{PYTHON} main.py | cat"], [f"{PYTHON} main.py"]),
)
def test_runs_are_no_forks_if_that_makes_a_difference(
    shop: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setattr(tracing, "_WORTH", float("inf"))
    (shop / "main.py").write_text(f"print('Error: x')\n{_KNOWS_IMPORTS}")
    _, events = reproduced(command, conditions=Conditions(prints="Error: x"), max_queries=3)
    assert not [each for each in events if isinstance(each, Warmed)]


@pytest.fixture
def with_tests(shop: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Put tests into the package, and return a command that runs one of them.

    pytest runs some dozen times, without the plugins that this suite needs.
    """
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    tests = {
        "test_sum.py": "from ..prices import total\nfrom .. import prices\nfrom .help import text\n"
        "def test_total():\n    assert total(text) == prices.total('')\n",
        "help.py": "text = 'no pens'\n",
        "__init__.py": "",
    }
    write(shop, {f"src/shop/tests/{name}": text for name, text in tests.items()})
    return f"{PYTHON} -m pytest"


@pytest.fixture
def released(shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the project a package, and release it where pip looks."""
    if not any(Path(each, "pip").exists() for each in os.environ["PATH"].split(":")):
        pytest.skip("no pip here")
    write(shop, {"pyproject.toml": '[project]\nname = "Shop"\nversion = "1.2"\n'})
    wheel = tmp_path / "index" / "shop-1.2-py3-none-any.whl"
    own = [str(file.relative_to(shop / "src")) for file in (shop / "src").rglob("*.py")]
    about = "Metadata-Version: 2.1\nName: Shop\nVersion: 1.2\n"
    files = {
        **{name: (shop / "src" / name).read_text() for name in own},
        "shop-1.2.dist-info/METADATA": about,
        "shop-1.2.dist-info/WHEEL": "Wheel-Version: 1.0\nTag: py3-none-any\n",
        "shop-1.2.dist-info/RECORD": "".join(f"{name},,\n" for name in own),
    }
    wheel.parent.mkdir()
    with ZipFile(wheel, "w") as opened:
        for name, text in files.items():
            opened.writestr(name, text)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheel.parent))
    return wheel


@pytest.mark.parametrize("record", mostly_nightly([True, False], [True]))
def test_the_release_stands_in_for_the_package_that_a_project_is(
    shop: Path, released: Path, *, record: bool
) -> None:
    run = f"{PYTHON} main.py"
    result, events = reproduced(run, record=record, max_queries=2)
    assert [each.released for each in events if isinstance(each, Traced)] == ["Shop==1.2"]
    lists = [each.name for each in events if isinstance(each, ListStarted)]
    assert lists[:2] == ["unused files", "released package"]
    assert set(result.files) == {"the shop/main.py", "the shop/orders.txt"}
    assert (result.output.parent / "requirements.txt").read_text() == "Shop==1.2\n"
    assert "site-packages" not in (result.output.parent / "repro.sh").read_text()
    if record:
        assert result.line is not None
        assert os.system(f"({result.line}) 2>&1 | grep -q '{_FAILURE}'") == 0
        assert result.run is not None
        assert (result.run / ".gitignore").read_text() == "*\n"
        assert resume(result.run, max_queries=4).queries > 2


@pytest.mark.nightly
def test_tests_that_lie_in_the_package_stay_and_use_the_release(
    with_tests: str, shop: Path, released: Path
) -> None:
    result, _ = reproduced(f"{with_tests} src/shop/tests/test_sum.py", max_queries=2)
    folder = "the shop/src/shop/tests"
    left = {f"{folder}/{name}.py" for name in ("__init__", "help", "test_sum")}
    assert set(result.files) == left | {"the shop/pyproject.toml"}
    test = result.files[f"{folder}/test_sum.py"].decode()
    assert test.startswith(
        "from shop.prices import total\nfrom shop import prices\nfrom .help import text\n"
    )
    assert "Shop==1.2\n" in (result.output.parent / "requirements.txt").read_text()


@pytest.mark.nightly
def test_a_test_that_is_named_as_a_module_is_not_that_of_the_release(
    with_tests: str, shop: Path, released: Path
) -> None:
    run = f"{with_tests} --pyargs shop.tests.test_sum"
    result, _ = reproduced(f"PYTHONPATH=src {run}", max_queries=5)
    assert "the shop/src/shop/tests/test_sum.py" in result.files


def test_nothing_is_left_of_a_release_for_a_run_that_cannot_begin(
    shop: Path, released: Path
) -> None:
    with pytest.raises(NubbinError, match="succeeds"):
        reproduced("true", record=True)
    assert not list((shop / ".nubbin").iterdir())


@pytest.mark.nightly
def test_a_release_is_found_by_a_command_that_sets_the_path_of_python(
    shop: Path, released: Path
) -> None:
    (shop / "main.py").write_text((shop / "main.py").read_text().replace("sys.path", "#"))
    result, _ = reproduced(f"true && PYTHONPATH=src {PYTHON} main.py", max_queries=2)
    assert set(result.files) == {"the shop/main.py", "the shop/orders.txt"}


def test_no_code_is_run_that_is_not_the_projects_own(shop: Path, released: Path) -> None:
    (shop / "src/shop/other3.py").write_text("changed = True\n")
    result, events = reproduced(f"{PYTHON} main.py", max_queries=2)
    assert [each.released for each in events if isinstance(each, Traced)] == [""]
    assert "the shop/src/shop/prices.py" in result.files
    assert not (result.output.parent / "requirements.txt").exists()

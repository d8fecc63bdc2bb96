"""Command lines that run elsewhere: what becomes absolute, and where the candidate goes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from nubbin.oracles.commands.command_line import (
    as_typed,
    files_in,
    placed,
    with_argument,
    with_path,
    with_path_behind,
)
from nubbin.oracles.commands.run_test import RunTest
from nubbin.oracles.isolation.candidate_files import Candidate
from nubbin_core.errors import OptionError


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("gcc -c", "gcc -c"),
        ("gcc -c {} -o out", "gcc -c {} -o out"),
        ("gcc -c crash.c -o out", "gcc -c {} -o out"),
        ("gcc -c ./crash.c", "gcc -c {}"),
        ("gcc -c HERE/crash.c", "gcc -c {}"),
        ("./tool {} | grep 'a b' && true", "HERE/tool {} | grep 'a b' && true"),
        ("python 'check.py' {}", "python 'HERE/check.py' {}"),
        ("python sub/../check.py {}", "python HERE/check.py {}"),
        ("tool --config=check.py {}", "tool --config=HERE/check.py {}"),
        ("tool {}; cat gone.txt ../.. . -- plain", "tool {}; cat gone.txt ../.. . -- plain"),
        ("/bin/sh {}", "/bin/sh {}"),
    ],
)
def test_a_line_for_another_folder(tmp_path: Path, line: str, expected: str) -> None:
    here = tmp_path.resolve()
    for name in ("crash.c", "tool", "check.py", "plain"):
        (here / name).touch()
    line, expected = (text.replace("HERE", str(here)) for text in (line, expected))
    assert placed(line, here, Path("crash.c")) == expected


@pytest.mark.parametrize(
    ("line", "here", "typed"),
    [
        ("make", ".", "cd {} && make"),
        ("make", "p", "cd {} && make"),
        ("pytest tests/a.py", "p", "cd {} && pytest tests/a.py"),
        ("pytest HERE/tests/a.py", "p", "cd {} && pytest tests/a.py"),
        ("pytest a.py", "p/tests", "cd {}/tests && pytest a.py"),
        ("./configure && make", "p", "cd {} && ./configure && make"),
        ("HERE/configure && make", "p", "cd {} && ./configure && make"),
        ("../configure && make", "p/tests", "cd {}/tests && ../configure && make"),
        ("pytest p/tests/a.py", ".", "pytest {}/tests/a.py"),
        ("make -C p", ".", "make -C {}"),
        ("cd {} && pytest tests/a.py", "p", "cd {} && pytest tests/a.py"),
        ("python tests/a.py {}", "p", "python {}/tests/a.py {}"),
    ],
)
def test_a_line_that_finds_its_folder_by_itself(
    tmp_path: Path, line: str, here: str, typed: str
) -> None:
    folder, source = tmp_path.resolve() / here, tmp_path.resolve() / "p"
    (source / "tests").mkdir(parents=True)
    (source / "tests" / "a.py").touch()
    (source / "configure").touch()
    line = placed(line.replace("HERE", str(source)), folder, source)
    assert as_typed(line, folder, source) == typed


def test_a_path_is_put_behind_a_line_that_has_none() -> None:
    assert with_path_behind("gcc -c") == "gcc -c {}"
    assert with_path_behind("gcc {} -c") == "gcc {} -c"
    for blank in ("", " \n"):
        with pytest.raises(OptionError, match="command line is empty"):
            with_path_behind(blank)


def test_the_input_may_lie_elsewhere(tmp_path: Path) -> None:
    source = Path("sub", "crash.c")
    assert placed("gcc crash.c", tmp_path, source) == "gcc {}"
    (tmp_path / "crash.c").touch()
    assert placed("gcc crash.c", tmp_path, source) == f"gcc {tmp_path}/crash.c"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("cd sub && ./tool crash.c", "HERE/sub/tool {}"),
        ("cd './sub/' && sub/../tool -o out {} ", "HERE/sub/tool -o out {} "),
        ("cd sub && cd more && ./tool", "HERE/sub/more/tool"),
        ("cd gone && ./tool crash.c", "cd gone && ./tool {}"),
        ("cd sub; ./tool {}", "cd sub; ./tool {}"),
    ],
)
def test_a_line_may_go_to_a_folder_first(tmp_path: Path, line: str, expected: str) -> None:
    here = tmp_path.resolve()
    (here / "sub" / "more").mkdir(parents=True)
    for name in ("sub/crash.c", "sub/tool", "sub/more/tool"):
        (here / name).touch()
    assert placed(line, here, Path("sub/crash.c")) == expected.replace("HERE", str(here))


def test_several_inputs_have_no_name(tmp_path: Path) -> None:
    (tmp_path / "a.c").touch()
    assert placed("cc", tmp_path) == "cc"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("./tool crash.c", "'HERE/tool' {}"),
        ("tool --with='my rules.txt' {}", "tool --with='HERE/my rules.txt' {}"),
        ('tool "my crash.c"', 'tool "{}"'),
        ("sh -c './tool \"my rules.txt\"'", 'sh -c \'"HERE/tool" "my rules.txt"\''),
        ('sh -c "./tool x"', "sh -c \"'HERE/tool' x\""),
        ("""python3 -c 'open("./tool")'""", """python3 -c 'open("HERE/tool")'"""),
        (r"tool my\ rules.txt my\ x", r"tool 'HERE/my rules.txt' my\ x"),
        (r"tool \(./tool", r"tool \('HERE/tool'"),
        ("sed 's/a b.c/d/' crash.c", "sed 's/a b.c/d/' {}"),
        (f"sh -c '{'x ' * 200}' crash.c", f"sh -c '{'x ' * 200}' {{}}"),
    ],
)
def test_a_name_with_spaces_is_a_word(tmp_path: Path, line: str, expected: str) -> None:
    here = tmp_path.resolve() / "my files"
    here.mkdir()
    for name in ("tool", "my rules.txt", "crash.c", "my crash.c"):
        (here / name).touch()
    name = "my crash.c" if "my crash" in line else "crash.c"
    line = placed(line, here, Path(name))
    assert line == expected.replace("HERE", str(here))
    assert files_in(line, "") == {
        str(here / each) for each in ("tool", "my rules.txt") if f"{here}/{each}" in line
    }


# As people write the place: bare, in quotes, in commands in quotes, in functions and documents.
_QUOTINGS = [
    "printf %s {}",
    "printf %s '{}'",
    'printf %s "{}"',
    'printf %s "$(printf %s {})"',
    "printf %s \"$(printf %s '{}')\"",
    'printf %s "$(printf %s "{}")"',
    'printf %s "`printf %s {}`"',
    ": $(true) \\' # it's {}\nf() { printf '%s' '{}'; }; set -- no; f other",
    "cat <<E\n{}\nE\n: '{}'",
]
_PIECES = (
    "$(touch pwned)",
    "`touch pwned`",
    "; touch pwned;",
    "{}",
    "b.c",
    *"'\"\\$\n *#-~aé&()|<>!E",
)
_HOSTILE = st.lists(st.sampled_from(_PIECES), min_size=1, max_size=6).map("".join)


@examples(25)
@given(st.sampled_from(_QUOTINGS), _HOSTILE.filter(lambda name: name not in {".", ".."}))
def test_a_path_comes_whole_in_all_quotes_and_runs_no_command(
    tmp_path_factory: pytest.TempPathFactory, line: str, name: str
) -> None:
    folder = tmp_path_factory.mktemp("query")
    path = Candidate(str(folder), str(folder / name), True).relative
    command = ["/bin/sh", "-c", with_argument(line), "/bin/sh", path]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    # A command in a line loses line ends.
    assert ran.stdout.rstrip("\n") == path.rstrip("\n")
    assert not list(folder.iterdir())
    command[2:] = [with_path(line, folder / name)]
    again = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    assert again.stdout.rstrip("\n") == str(folder / name).rstrip("\n")
    assert not list(folder.iterdir())


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("echo \\{} 'it {}", 'echo \\{} \'it "$nubbin_input"'),
        (
            "cat <<'E'; cat <<E\n{}\nE\n{}\nE\n",
            "cat <<'E'; cat <<E\n{}\nE\n$nubbin_input\nE\n",
        ),
        (
            "case {} in a) cat <<<$(({}<<2));; esac # {}",
            'case "$nubbin_input" in a) cat <<<$(("$nubbin_input"<<2));; esac # {}',
        ),
    ],
)
def test_where_the_place_is(line: str, expected: str) -> None:
    assert with_argument(line) == f"nubbin_input=$1; shift; {expected}"


def test_a_line_that_finds_its_input_is_run_where_the_result_has_its_name(tmp_path: Path) -> None:
    source, result = tmp_path / "a.csv", tmp_path / "a.reduced.csv"
    for path in (source, result):
        path.write_text(f"{path.name}\n")
    line = RunTest.of("cat ./a.csv*", source=source).as_typed(source).line_for(result, "a.csv")
    told = subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True, check=True)
    assert told.stdout == "a.reduced.csv\n"
    line = RunTest.of("cat {}", source=source).line_for(result, "a.csv")
    assert line == f"cat {result}"
    assert RunTest(("make",), "/").line_for(tmp_path, ".") == f"cd {tmp_path} && make"


def test_a_line_for_a_person_has_quotes_where_they_are_needed() -> None:
    assert with_path("f {} '{}'", Path("a.b")) == "f a.b 'a.b'"
    assert with_path("f {} # {}", Path("a b")) == "f 'a b' # 'a b'"
    assert with_path("f '{}'", Path("a b")) == "nubbin_input='a b'; f ''\"$nubbin_input\"''"

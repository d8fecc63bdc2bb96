"""Texts that count themselves: few questions to the least, whatever is true of them."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from nubbin.documents.consistency.items import NEUTRAL
from nubbin.documents.document import Document
from nubbin.documents.edits import File
from nubbin.passes.consistent import consistent
from nubbin.passes.proposal import next_proposal
from nubbin.reduction.pass_problem import single_removals
from nubbin.reduction.pipeline import passes_for
from nubbin.reduction.protection import Protection
from nubbin_core.minimizers import EMPTY
from runs import run


def is_strict(reader: Callable[[list[bytes]], bool]) -> Callable[[bytes], bool]:
    """A test that rejects what its reader cannot read."""

    def interesting(data: bytes) -> bool:
        try:
            return reader(data.splitlines())
        except (ValueError, LookupError, TypeError):
            return False

    return interesting


def must(holds: bool) -> None:
    if not holds:
        raise ValueError


def reads_parallel(lines: list[bytes]) -> bool:
    count = int(lines[0])
    names, weights = lines[1 : 1 + count], lines[1 + count].split()
    must(len(lines) == 2 + count and len(names) == len(weights) == count)
    return any(int(weight) > 90 for weight in weights)


def reads_groups(lines: list[bytes]) -> bool:
    words = iter(b" ".join(lines).split())
    groups = []
    for _ in range(int(next(words, b""))):
        group = [int(next(words, b"")) for _ in range(int(next(words, b"")))]
        groups.append(group)
    must(next(words, None) is None)
    return any(3 in group and 5 in group for group in groups)


def reads_numbered(lines: list[bytes]) -> bool:
    parts = [part.split(b"\n") for part in b"\n".join(lines).strip(b"\n").split(b"\n\n")]
    must([int(part[0]) for part in parts] == list(range(1, len(parts) + 1)))
    return any(b"BUG" in part[1:] for part in parts)


def reads_last_count(lines: list[bytes]) -> bool:
    must(lines[-1] == b"END+%d" % len(lines))
    return b"QTY+-7" in lines


def reads_strings(lines: list[bytes]) -> bool:
    at, found, (text,) = 0, False, lines
    while at < len(text):
        begin = text.index(b":", at) + 1
        at = begin + int(text[at : begin - 1]) + 1
        must(text[at - 1 : at] == b",")
        found |= b"BUG" in text[begin:at]
    return found


def reads_body(lines: list[bytes]) -> bool:
    blank = lines.index(b"")
    (head,) = (line for line in lines[:blank] if line.startswith(b"Length: "))
    must(int(head[8:]) == sum(len(line) + 1 for line in lines[blank + 1 :]))
    return b"BUG" in lines[blank + 1 :]


def reads_grid(lines: list[bytes]) -> bool:
    width, height = map(int, lines[0].split())
    must(len(lines) == 1 + height and all(len(line) == width for line in lines[1:]))
    return any(b"?" in line for line in lines)


def reads_arrays(lines: list[bytes]) -> bool:
    read = json.loads(b"".join(lines))
    must(all(0 <= user["city"] < len(read["cities"]) for user in read["users"]))
    must(read["total"] == len(read["users"]))
    return any(read["cities"][user["city"]] == "BUG" for user in read["users"])


def reads_gates(lines: list[bytes]) -> bool:
    most, *sizes = map(int, lines[0].split()[1:])
    rows = [list(map(int, line.split())) for line in lines[1:]]
    inputs, outputs = sizes[0], sizes[0] + sizes[1]
    defined = [row[0] for row in rows[:inputs] + rows[outputs:]]
    must(len(rows) == sum(sizes) and len(set(defined)) == len(defined) <= most)
    must(all(len(row) == 3 for row in rows[outputs:]))
    must({value // 2 * 2 for row in rows for value in row} <= {0, *defined})
    return any(row[1] % 2 and row[2] % 2 for row in rows[outputs:])


def reads_graph(lines: list[bytes]) -> bool:
    nodes, edges = map(int, lines[0].split())
    near = [set(map(int, line.split())) for line in lines[1:]]
    must(len(near) == nodes and sum(map(len, near)) == 2 * edges)
    must(all(at + 1 in near[other - 1] for at, row in enumerate(near) for other in row))
    return any(row & near[other - 1] for row in near for other in row)


def reads_glyphs(lines: list[bytes]) -> bool:
    parts = b"\n".join(lines[1:-1]).split(b"begin")[1:]
    must(int(lines[0].split()[1]) == len(parts) and lines[-1] == b"done")
    for part in parts:
        _, size, *rows = part.strip().split(b"\n")
        must(rows.pop() == b"end" and len(rows) == int(size.split()[1]))
    return any(b"FF" in part for part in parts)


def reads_clauses(lines: list[bytes]) -> bool:
    _, _, variables, clauses = lines[0].split()
    values = [int(word) for line in lines[1:] for word in line.split()]
    must(values.count(0) == int(clauses) and values[-1:] == [0])
    must(max(map(abs, values)) <= int(variables))
    return any(b"0" not in line.split() for line in lines[1:])


def reads_triples(lines: list[bytes]) -> bool:
    found = re.fullmatch(rb'a="(\d+)">([^<]*)<b="(\d+)" c="(\d+)">([^<]*)<', b" ".join(lines))
    must(found is not None)
    assert found is not None
    points, corners = found[2].split(), list(map(int, found[5].split()))
    must(len(points) == int(found[1]) == 3 * int(found[3]))
    must(len(corners) == 2 * int(found[4]) and all(0 <= at < int(found[3]) for at in corners))
    return any(points[3 * at] == b"nan" for at in corners)


def reads_letters(lines: list[bytes]) -> bool:
    text = b"\n".join(lines)

    def read(at: int) -> int:
        if text[at : at + 1] == b"L":
            at += 1
            while text[at : at + 1] != b"e":
                at = read(at)
            return at + 1
        colon = text.index(b":", at)
        return colon + 1 + int(text[at:colon])

    must(read(0) == len(text))
    return b"3:BUG" in text


def reads_palette(lines: list[bytes]) -> bool:
    width, colours, rows = map(int, lines[0].split())
    names = {line.split()[0]: line.split()[1] for line in lines[1 : 1 + colours]}
    must(len(names) == colours and len(lines) == 1 + colours + rows)
    must(all(len(line) == width for line in lines[1 + colours :]))
    used = b"".join(lines[1 + colours :])
    must(all(bytes([each]) in names for each in used))
    return any(names[bytes([each])] == b"BUG" for each in used)


GRID = [
    ["?" if (row, at) == (20, 31) else "ACGT"[row * at % 4] for at in range(50)]
    for row in range(30)
]
CITIES = ["BUG" if n == 13 else f"c{n}" for n in range(20)]
USERS = [{"city": n * 7 % 20, "age": n} for n in range(30)]
BODY = "".join(f"line {n} of {n * n}\n" for n in range(40)) + "BUG\nafter\n"
STRINGS = ["x" * (n * 7 % 23 + 1) + str(n) for n in range(40)]
STRINGS[23] = "aBUGb"


GATES = [(22 + 2 * n, 20 + 2 * n - n % 3, 2 + n * 7 % (n + 20)) for n in range(40)]
EDGES = {(n, m) for n in range(40) for m in (n * 7 % 40, (n + 1) % 40) if n != m}
NEAR = [
    sorted({b for a, b in EDGES if a == n} | {a for a, b in EDGES if b == n}) for n in range(40)
]
CLAUSES = [[(n * k * 7 + k) % 30 + 1 for k in range(1, n % 5 + 2)] for n in range(60)]


def lines(*parts: object) -> str:
    return "".join(f"{part}\n" for part in parts)


GROUPS = [[n + k for k in range(n % 4 + 1)] for n in range(50)]
CASES = {
    "parallel": (
        lines(60, *(f"n{chr(97 + n % 26)}" for n in range(60)))
        + " ".join(str(n * 37 % 89 if n != 41 else 97) for n in range(60)),
        reads_parallel,
        b"1\na\n97",
        120,
    ),
    "groups": (
        lines(50, *(f"{len(group)}\n{' '.join(map(str, group))}" for group in GROUPS)),
        reads_groups,
        b"1 2 3 5",
        80,
    ),
    "numbered": (
        lines(*(f"{n}\nat {n % 7}\n{'BUG' if n == 50 else 'text'}\n" for n in range(1, 80))),
        reads_numbered,
        b"1\nBUG",
        60,
    ),
    "last count": (
        lines("UNH+1", *(f"QTY+{-7 if n == 40 else n}" for n in range(90)), "END+92"),
        reads_last_count,
        b"QTY+-7\nEND+2",
        60,
    ),
    "strings": (
        "".join(f"{len(each)}:{each}," for each in STRINGS),
        reads_strings,
        b"3:BUG,",
        60,
    ),
    "grid": (lines("50 30", *map("".join, GRID)), reads_grid, b"1 1\n?", 70),
    "arrays": (
        json.dumps({"total": 30, "users": USERS, "cities": CITIES}),
        reads_arrays,
        b'{"total":1,"users":[{"city":0}],"cities":["BUG"]}',
        250,
    ),
    "gates": (
        lines("aig 50 10 2 40", *range(2, 21, 2), 100, 61)
        + lines(*(" ".join(map(str, gate)) for gate in GATES)),
        reads_gates,
        b"aig 1 0 0 1\n2 3 3",
        120,
    ),
    "graph": (
        lines(f"40 {len({tuple(sorted(each)) for each in EDGES})}")
        + lines(*(" ".join(str(other + 1) for other in row) for row in NEAR)),
        reads_graph,
        b"3 3\n2 3\n1 3\n1 2\n",
        80,
    ),
    "glyphs": (
        lines("glyphs 14")
        + "".join(
            lines(f"begin {n}", f"rows {n % 5 + 2}", *range(10, 12 + n % 5), "end")
            for n in range(7)
        )
        + lines("begin x", "rows 3", 10, "FF", 12, "end")
        + "".join(
            lines(f"begin {n}", f"rows {n % 5 + 2}", *range(10, 12 + n % 5), "end")
            for n in range(6)
        )
        + "done\n",
        reads_glyphs,
        b"x 1\nbegin x\nx 1\nFF\nend\ndone",
        120,
    ),
    "clauses": (
        lines("p cnf 30 60", *("\n".join(map(str, clause)) + " 0" for clause in CLAUSES)),
        reads_clauses,
        b"p cnf 1 1\n1\n1 0",
        150,
    ),
    "triples": (
        'a="60">'
        + " ".join("nan" if n == 33 else f"{n % 7}.5" for n in range(60))
        + '<b="20" c="30">'
        + " ".join(str(n * 7 % 20) for n in range(60))
        + "<",
        reads_triples,
        b'a="3">nan 0 0<b="1" c="1">0 0<',
        140,
    ),
    "letters": (
        f"L{''.join(f'L{len(each)}:{each}1:xe' for each in STRINGS)}L3:BUGee",
        reads_letters,
        b"LL3:BUGee",
        60,
    ),
    "palette": (
        lines("8 12 30", *(f"{chr(97 + n)} {'BUG' if n == 5 else n}" for n in range(12)))
        + lines(*("".join(chr(97 + n * k % 12) for k in range(1, 9)) for n in range(30))),
        reads_palette,
        b"1 1 1\nf BUG\nf",
        60,
    ),
    "body": (f"From: me\nLength: {len(BODY)}\n\n{BODY}", reads_body, b"Length: 4\n\nBUG\n", 90),
}


@pytest.mark.parametrize("case", CASES)
def test_a_text_that_counts_itself_comes_to_the_least(case: str, tmp_path: Path) -> None:
    text, reader, least, most = CASES[case]
    ran = run(tmp_path, "input", text.encode(), is_strict(reader))
    assert ran.minimal
    assert len(ran.data) <= len(least)
    assert ran.queries <= most


def numbered(write: Callable[[int], str]) -> str:
    return lines(60, *map(write, range(1, 61)))


@pytest.mark.parametrize(
    ("text", "needed", "least"),
    [
        (numbered(str), r"36\n", b"1\n36"),
        (numbered(lambda n: f"a {n * 37 % 60 + 1}"), r"\w+ 36\n", b"1\na 36"),
        (numbered(lambda n: f"{n}: t"), r"36:.*\n", b"1\n36:"),
        (numbered(lambda n: f"v{n} t"), r"v36\b.*\n", b"1\nv36"),
    ],
)
def test_a_number_that_the_test_needs_is_no_position(
    text: str, needed: str, least: bytes, tmp_path: Path
) -> None:
    def reads(lines: list[bytes]) -> bool:
        must(int(lines[0]) == len(lines) - 1)
        return any(re.fullmatch(needed.encode(), line + b"\n") for line in lines[1:])

    ran = run(tmp_path, "input", text.encode(), is_strict(reads))
    assert (ran.data, ran.minimal) == (least, True)
    assert ran.queries <= 90


@pytest.mark.parametrize("seed", [3, 4])
def test_a_node_that_two_edges_need_by_its_number_is_not_renamed(seed: int, tmp_path: Path) -> None:
    def reads(lines: list[bytes]) -> bool:
        nodes, count = map(int, lines[0].split())
        edges = [tuple(map(int, line.split())) for line in lines[1:]]
        must(count == len(edges) and all(1 <= a <= nodes and 1 <= b <= nodes for a, b in edges))
        return sum(36 in edge for edge in edges) > 1

    draw = random.Random(seed)
    edges = [f"{draw.randint(1, 60)} {draw.randint(1, 60)}" for _ in range(120)]
    ran = run(tmp_path, "input", lines("60 120", *edges).encode(), is_strict(reads))
    assert ran.minimal
    assert len(ran.data) <= len("36 2\n36 1\n36 1")  # 95 bytes after 648 queries by halves alone
    assert ran.queries <= 160


ABC = [b"a", b"b", b"c"]


def first_questions(text: bytes, *answers: bool) -> list[bytes]:
    """What is asked, one list after the other, if all of each is rejected or accepted."""
    running = consistent(file := File("a", text))
    proposal, asked = next_proposal(running), []
    for accepted in answers:
        assert proposal is not None
        asked.append(proposal.render(EMPTY).data)
        file = proposal.render(EMPTY) if accepted else file
        proposal = next_proposal(running, file)
    assert proposal is None
    return asked


def test_what_need_not_be_right_is_left_alone() -> None:
    assert first_questions(b"5\na\nb\nc\nd\ne\n", True) == [b"5\na\nb\nd\ne\n"]


def test_nothing_is_asked_of_a_text_that_counts_nothing() -> None:
    assert first_questions(b"int main() { return 4; }\n") == []


def test_false_hypotheses_cost_three_questions() -> None:
    text = b"5\na\nb\nc\nd\ne\n"
    assert first_questions(text, False, False, False) == [
        b"5\na\nb\nd\ne\n",
        b"4\na\nb\nd\ne\n",
        b"4\na\nc\nd\ne\n",
    ]


VALUES = b"".join(b"%%%d = add %%%d, 1\n" % (n, n // 2) for n in range(9))
CONSTANTS = b"".join(b"@%s%s = global i8* @%s\n" % (a, b, b) for a in ABC for b in ABC)


def test_what_stands_in_is_learned_by_deleting_what_is_used() -> None:
    asked = first_questions(VALUES, False, True, True)
    assert [each.count(b"undef") for each in asked] == [0, 0, 1]
    assert [each.count(b"=") for each in asked] == [8, 8, 7]
    asked = first_questions(VALUES, False, True, *[False] * len(NEUTRAL))
    assert asked[2].count(b"undef") == asked[4].count(b"null") == 1
    used = b"".join(b"%%%d = add %%%d, 1\n" % (n, (n + 1) % 9) for n in range(9))
    asked = first_questions(used, *[False] * 3, True)
    assert asked[3].count(b"undef") == 1


@given(st.booleans(), st.lists(st.booleans(), max_size=40))
@examples(20)
def test_to_learn_what_stands_in_costs_so_many_questions_for_each_mark(
    has_symbols: bool, answers: list[bool]
) -> None:
    file = File("a", VALUES + (CONSTANTS if has_symbols else b""))
    running, asked = consistent(file), 0
    proposal = next_proposal(running)
    while proposal is not None:
        accepted = answers.pop() if answers else asked == 1
        asked += proposal.size == 1
        file = proposal.render(EMPTY) if accepted else file
        proposal = next_proposal(running, file)
    assert asked <= 3 + len(NEUTRAL) * (2 if has_symbols else 1)


def test_lists_of_one_length_are_tried_apart_and_then_together() -> None:
    text = b"5\na\nb\nc\nd\ne\nx 5\n9 8 7 6 5\n"
    asked = first_questions(text, False, False, True, False, False)
    assert asked == [
        b"5\na\nb\nd\ne\nx 5\n9 8 7 6 5\n",
        b"4\na\nb\nd\ne\nx 5\n9 8 7 6 5\n",
        b"4\na\nb\nd\ne\nx 4\n9 8 6 5\n",
        b"0\nx 0\n",
        b"0\nx 0\n",
    ]


def test_what_turns_out_to_be_false_is_dropped_and_the_proof_is_of_the_plain_text(
    tmp_path: Path,
) -> None:
    """The count must be right as long as it is not 7: then the text must be what it is."""

    def interesting(data: bytes) -> bool:
        head, _, rest = data.partition(b"\n")
        if head == b"7":
            return rest.count(b"a") >= 3
        return head.isdigit() and int(head) == len(rest.splitlines()) > 7

    ran = run(tmp_path, "input", b"20\n" + b"a\n" * 20, interesting)
    assert ran.minimal
    left = (ran.data[:at] + ran.data[at + 1 :] for at in range(len(ran.data)))
    assert not any(map(interesting, left))


def test_the_proof_asks_for_each_single_removal_as_it_is_too() -> None:
    text = b"5\na\nb\nc\nd\ne\n"
    document = Document.single("a", text)
    running = consistent(document.files[0])
    first = next_proposal(running)
    assert first is not None
    second = next_proposal(running, document.files[0])
    assert second is not None
    known = Document("a", (second.render(EMPTY),))
    removals = {each.files[0].data for each in single_removals(passes_for(known), known)}
    data = known.files[0].data
    assert removals >= {data[:at] + data[at + 1 :] for at in range(len(data))}
    assert b"3\n\nb\nd\ne\n" in removals
    protection = Protection.of(known, "d", None)
    allowed = single_removals(protection.passes(passes_for(known)), known)
    assert all(b"d" in each.files[0].data for each in allowed)

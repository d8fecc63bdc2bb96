"""Counted texts, records of several lines, logs, tables and expressions."""

from __future__ import annotations

import ast
import csv
import json
import operator
import re
from collections.abc import Callable, Iterator
from configparser import ConfigParser, Error
from random import Random
from typing import TypeVar

from ledger.readers import case, nested

Each = TypeVar("Each")


def lines(items: Iterator[str] | list[str]) -> str:
    return "".join(f"{item}\n" for item in items)


def several(items: list[Each], size: int) -> list[list[Each]]:
    """Return the items in groups of a size; raises ValueError if one is too small."""
    if len(items) % size:
        raise ValueError("the last record is cut")
    return [items[i : i + size] for i in range(0, len(items), size)]


# -- texts that count themselves -----------------------------------------------------


def ranges(values: int, pairs: int) -> str:
    random = Random(values)
    items = [str(i * 7 % 5000) for i in range(1, values + 1)]
    items[values // 3] = "3600"
    at = (sorted((random.randint(1, values), random.randint(1, values))) for _ in range(pairs))
    return lines([f"{values} {pairs}", " ".join(items), *(f"{a} {b}" for a, b in at)])


def has_range(data: bytes) -> bool:
    """A position leads to 3600, and all counts and positions are right."""
    values, pairs, *rest = map(int, data.split())
    items, at = rest[:values], several(rest[values:], 2)
    if len(items) != values or len(at) != pairs or not all(1 <= a <= b <= values for a, b in at):
        raise ValueError("a wrong count, or position")
    return any(3600 in items[a - 1 : b] for a, b in at)


def counted(data: bytes) -> bool:
    count, *items = map(int, data.split())
    return count == len(items) and 36 in items


def cnf() -> str:
    random = Random(5)
    some = [[random.choice((-1, 1)) * v for v in random.sample(range(1, 41), 3)] for _ in range(90)]
    some[20:20], some[50:50], some[70:70] = [[-7, 12]], [[7]], [[-12, -7]]
    return lines(["p cnf 40 93", *(" ".join(map(str, [*clause, 0])) for clause in some)])


def unsatisfiable(data: bytes) -> bool:
    """Unit propagation alone meets an empty clause."""
    head, *rest = data.decode().splitlines()
    _, _, variables, count = head.split(" ")
    clauses = [[int(word) for word in line.split()] for line in rest]
    if len(clauses) != int(count) or any(clause.pop() or 0 in clause for clause in clauses):
        raise ValueError("a wrong count, or clause")
    if any(abs(literal) > int(variables) for clause in clauses for literal in clause):
        raise ValueError("no such variable")
    true: set[int] = set()
    while True:
        left = [{lit for lit in each if -lit not in true} for each in clauses if not true & {*each}]
        units = {lit for each in left if len(each) == 1 for lit in each}
        true |= units
        if not units or any(-literal in true for literal in units):
            return bool(units)


def mesh() -> str:
    points = [f"v {i % 7}.5 {i % 5}.25 {i % 3}" for i in range(60)]
    faces = [f"f {i} {i + 1} {i + 2}" for i in range(1, 57)]
    faces[33] = "f 40 12 40"
    return lines(["# a mesh", "o part", *points, *faces])


def degenerate(data: bytes) -> bool:
    """A face has a corner twice, and all corners exist."""
    points, found = 0, False
    for word, *rest in (line.split() for line in data.decode().splitlines()):
        if word == "v":
            points += len([float(each) for each in rest]) == 3 or int("")
        elif word == "f":
            corners = [int(each) for each in rest]
            if len(corners) < 3 or not all(1 <= each <= points for each in corners):
                raise ValueError("no such corner")
            found |= len({*corners}) < len(corners)
        elif word not in {"#", "o"}:
            raise ValueError(word)
    return found


def tap() -> str:
    results = [f"{'not ' if i == 47 else ''}ok {i} - case {i * i}" for i in range(1, 61)]
    return lines(["1..60", *results])


def tap_fails(data: bytes) -> bool:
    plan, *results = data.decode().splitlines()
    found = [re.fullmatch(r"(not )?ok (\d+)( - .*)?", line) for line in results]
    numbers = [int(match[2]) for match in found if match]
    if numbers != [*range(1, len(results) + 1)] or plan != f"1..{len(results)}":
        raise ValueError("a wrong plan")
    return any(match and match[1] for match in found)


def patch() -> str:
    made = []
    for at in range(12):
        old = [f" line {at * 10 + i}" for i in range(6)]
        new = [*old[:3], f"-old {at}", f"+new {at * at}", *old[3:]]
        made += [f"@@ -{at * 10 + 1},7 +{at * 10 + 1},7 @@", *new]
    return lines(["--- a/text", "+++ b/text", *made])


def patch_applies(data: bytes) -> bool:
    """Every hunk has as many lines as it says; one of them writes `new 49`."""
    old, new, *rest = data.decode().splitlines()
    if not (old.startswith("--- ") and new.startswith("+++ ")):
        raise ValueError("no names")
    while rest:
        match = re.fullmatch(r"@@ -(\d+),(\d+) \+(\d+),(\d+) @@", rest.pop(0))
        if match is None:
            raise ValueError("no head")
        body = [
            rest.pop(0)
            for _ in range(next((i for i, x in enumerate(rest) if x[:1] == "@"), len(rest)))
        ]
        sizes = [sum(line[:1] in marks for line in body) for marks in (" -", " +", " -+")]
        if sizes != [int(match[2]), int(match[4]), len(body)]:
            raise ValueError("a wrong size")
    return b"+new 49" in data


# -- records -------------------------------------------------------------------------


def fastq() -> str:
    random = Random(3)
    made = []
    for i in range(40):
        letters = "".join(random.choices("ACGT", k=30 + i % 5))
        letters = letters[:9] + "N" + letters[10:] if i == 23 else letters
        made += [f"@read{i}", letters, "+", "I" * len(letters)]
    return lines(made)


def unknown_base(data: bytes) -> bool:
    found = False
    for name, letters, plus, quality in several(data.decode().splitlines(), 4):
        if name[0] != "@" or plus != "+" or len(letters) != len(quality) or {*letters} - {*"ACGTN"}:
            raise ValueError(name)
        found |= "N" in letters
    return found


def samples() -> str:
    """Records of seven lines, all alike: only the count tells where one begins."""
    random = Random(7)
    return lines(["".join(random.choices("abcdefgh", k=6)) for _ in range(7 * 90)])


def full_sample(data: bytes) -> bool:
    """A record is as it was, and none is cut."""
    whole = several(samples().split(), 7)
    found = several(data.decode().split(), 7)
    if not all(each in whole for each in found):
        raise ValueError("a part of a record")
    return whole[61] in found


def satellites() -> str:
    made = []
    for i in range(60):
        made += [f"SAT {i}", f"1 {10000 + i}U 24{i:03}A", f"2 {10000 + i} {i * 3 % 180}.5 {i}.25"]
    return lines(made)


def steep(data: bytes) -> bool:
    """Three lines a record, whose numbers agree; one is inclined by 111.5."""
    found = False
    for name, first, second in several(data.decode().splitlines(), 3):
        one, two = first.split(), second.split()
        if not name or (one[0], two[0]) != ("1", "2") or one[1][:-1] != two[1] or len(one) != 3:
            raise ValueError(name)
        found |= float(two[2]) == 111.5 and float(two[3]) > 0
    return found


def cards() -> str:
    made = []
    for i in range(40):
        made += ["{", f"name person{i}", f"mail p{i}@example.org", f"age {i % 70 + 18}", "}"]
    return lines(made)


def card(data: bytes) -> bool:
    """Five lines a record; someone is 44."""
    found = False
    for opens, name, mail, age, closes in several(data.decode().splitlines(), 5):
        if (opens, closes, name[:5], mail[:5]) != ("{", "}", "name ", "mail "):
            raise ValueError(name)
        found |= int(age.removeprefix("age ")) == 44
    return found


def calendar() -> str:
    made = ["BEGIN:VCALENDAR", "VERSION:2.0"]
    for i in range(25):
        end = i + 2 if i != 16 else 3
        made += ["BEGIN:VEVENT", f"UID:{i}@example", f"SUMMARY:Meeting {i}"]
        made += [f"DTSTART:202601{i + 1:02}", f"DTEND:202601{end:02}", "END:VEVENT"]
    return lines([*made, "END:VCALENDAR"])


def ends_early(data: bytes) -> bool:
    opened: list[str] = []
    event: dict[str, str] = {}
    found = False
    for line in data.decode().splitlines():
        key, value = line.split(":")
        if key == "BEGIN":
            opened.append(value)
            event = {}
        elif key == "END":
            if opened.pop() != value:
                raise ValueError(value)
            found |= bool(event) and int(event["DTEND"]) < int(event["DTSTART"])
            event = {}
        elif opened:
            event[key] = value
        else:
            raise ValueError("outside")
    return found and not opened


def packages() -> str:
    random = Random(2)
    made = []
    for i in range(50):
        needs = "missing" if i == 31 else f"lib{random.randrange(50)}"
        made += [f"Package: lib{i}", f"Version: 1.{i}", f"Depends: {needs}", f" about lib{i}", ""]
    return "\n".join(made)


def broken_dependency(data: bytes) -> bool:
    """A package depends on another that is nowhere; all have a name and a version."""
    found, names = [], set()
    for stanza in re.split(r"\n\n+", data.decode().strip("\n")):
        fields = dict(line.split(": ") for line in stanza.split("\n") if line[:1] != " ")
        names.add(fields["Package"])
        found.append((fields["Version"], fields.get("Depends", "")))
    return (
        any(version and needs == "missing" for version, needs in found) and "missing" not in names
    )


def log() -> str:
    made = []
    for i in range(160):
        what = f"open id={i}" if i % 4 == 0 else f"read id={i // 4 * 4} bytes={i * 37 % 991}"
        made.append(f"2026-11-27T01:{i // 60:02}:{i % 60:02} worker-{i % 3} INFO {what}")
    made[122] = "2026-11-27T01:02:02 worker-2 ERROR checksum id=64"
    return lines(made)


def error_after_open(data: bytes) -> bool:
    opened = set()
    for line in data.decode().splitlines():
        time, worker, level, *rest = line.split(" ")
        if len(time) != 19 or not worker.startswith("worker-"):
            raise ValueError(line)
        opened |= {rest[1]} if rest[0] == "open" else set()
        if level == "ERROR" and rest[1] in opened:
            return True
    return False


# -- tables and settings -------------------------------------------------------------


def table() -> str:
    rows = [[str(r * 7 % 50), f"n{r}", f"{r}.5", "x y", str(r % 4), '"a,b"'] for r in range(40)]
    rows[27][2] = ""
    return lines([",".join(row) for row in [["id", "name", "price", "note", "rank", "tag"], *rows]])


def empty_price(data: bytes) -> bool:
    head, *rows = csv.reader(data.decode().splitlines(), strict=True)
    if any(len(row) != len(head) for row in rows):
        raise ValueError("a row of another width")
    return any(row[head.index("price")] == "" for row in rows)


def settings() -> str:
    parts = [f"[part{i}]\nsize = {i}\npath = /srv/{i}\nlevel = {i % 3}\n" for i in range(25)]
    parts[14] = "[part14]\nbase = /srv\npath = %(base)s/%(missing)s\n"
    return "\n".join(parts)


def bad_interpolation(data: bytes) -> bool:
    parser = ConfigParser()
    try:
        parser.read_string(data.decode())
        for section in parser.sections():
            parser.items(section)
    except Error as error:
        return all(word in str(error) for word in ("missing", "part14", "base"))
    return False


def recording() -> str:
    random = Random(8)
    events = [[i / 10, "o", "".join(random.choices("abc xyz", k=12))] for i in range(80)]
    events[30][2], events[52][2] = "\x1b[5;1r", "\x1b[?6h"
    return lines([json.dumps(each) for each in [{"version": 2, "width": 80}, *events]])


def origin_mode(data: bytes) -> bool:
    """A terminal has margins when its origin mode is set."""
    head, *events = map(json.loads, data.decode().splitlines())
    text = "".join(what for time, kind, what in events if kind == "o" and time >= 0)
    return head["version"] == 2 and bool(re.search(r"\x1b\[\d+;\d*r.*\x1b\[\?6h", text, re.DOTALL))


# -- expressions ---------------------------------------------------------------------

OPERATORS: dict[type, Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
}


def expression(random: Random, depth: int) -> str:
    if not depth:
        return str(random.randint(1, 99))
    left, right = expression(random, depth - 1), expression(random, depth - 1)
    return f"({left} {random.choice('+-*')} {right})"


def divides_by_zero(data: bytes) -> bool:
    def value(node: ast.AST) -> int:
        if isinstance(node, ast.BinOp):
            return OPERATORS[type(node.op)](value(node.left), value(node.right))
        if isinstance(node, ast.Constant) and type(node.value) is int:
            return node.value
        raise ValueError(node)

    tree = ast.parse(data.decode(), mode="eval").body
    try:
        value(tree)
    except ZeroDivisionError:
        return True
    return False


def stack() -> str:
    """Return a sum in reverse Polish notation, which divides by zero in its middle."""
    random = Random(12)
    made = ["5"]
    for i in range(16):
        made += [str(random.randint(1, 99)), random.choice("+-*")]
        made += ["7", "dup", "-", "/"] if i == 9 else []
    return " ".join(made)


def pops_zero(data: bytes) -> bool:
    """A product is divided by zero; no operator misses an operand, and nothing is left over."""
    held: list[int] = []
    product = found = False
    for word in data.decode().split(" "):
        if word == "dup":
            held.append(held[-1])
        elif word in {*"+-*/"}:
            right, left = held.pop(), held.pop()
            found |= word == "/" and not right and product
            product |= word == "*"
            held.append({"+": left + right, "-": left - right, "*": left * right}.get(word, left))
        else:
            held.append(int(word))
    return found and len(held) == 1


def formulas() -> str:
    random = Random(6)
    names = [f"x{i}" for i in range(25)]
    made = [f"(declare-const {name} Int)" for name in names]
    for i in range(30):
        a, b, c = random.sample(names, 3)
        made.append(f"(assert (or (< (+ {a} {i}) {b}) (and (= {c} {i * 3}) (not (> {a} {c})))))")
    made[40] = "(assert (and (< x3 x9) (= (div x9 (* 2 0)) x3)))"
    return lines(["(set-logic QF_LIA)", *made, "(check-sat)"])


def sexprs(text: str) -> list[object]:
    """Return nested lists of words; raises ValueError if brackets do not nest."""
    stack: list[list[object]] = [[]]
    for word in re.findall(r"[()]|[^\s()]+", nested(text, "()")):
        if word == "(":
            stack.append([])
        elif word == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(word)
    return stack[0]


#: The arguments that each function takes at least and at most.
ARITY = {"+": (2, 9), "*": (2, 9), "<": (2, 9), ">": (2, 9), "=": (2, 9), "div": (2, 2)}
ARITY |= {"and": (1, 9), "or": (1, 9), "not": (1, 1)}


def divides_by_product(data: bytes) -> bool:
    """Something declared is divided by a product, before `check-sat`; all else is well formed."""
    names: set[object] = set()
    found = False

    def check(term: object) -> None:
        nonlocal found
        if isinstance(term, str):
            if term not in names and not term.isdigit():
                raise ValueError(term)
            return
        assert isinstance(term, list)
        least, most = ARITY[term[0]]
        if not least < len(term) <= most + 1:
            raise ValueError(term)
        for each in term[1:]:
            check(each)
        found |= term[0] == "div" and term[2][0] == "*" and "0" in term[2]

    for command in sexprs(data.decode()):
        match command:
            case ["declare-const", str(name), "Int"]:
                names.add(name)
            case ["assert", term]:
                check(term)
            case ["check-sat"]:
                return found
            case ["set-logic", str()]:
                pass
            case _:
                raise ValueError(command)
    return False


CASES = [
    *(
        case(f"ranges-{values}-{pairs}.txt", "counted", ranges(values, pairs), has_range)
        for values, pairs in ((400, 200), (300, 100), (2000, 500), (220, 150))
    ),
    case(
        "counted.txt",
        "counted",
        lines([str(i) for i in [200, *range(1, 201)]]),
        counted,
    ),
    case("clauses.cnf", "counted", cnf(), unsatisfiable),
    case("mesh.obj", "counted", mesh(), degenerate),
    case("results.tap", "counted", tap(), tap_fails),
    case("text.patch", "counted", patch(), patch_applies),
    case("reads.fastq", "records", fastq(), unknown_base),
    case("samples.txt", "records", samples(), full_sample),
    case("satellites.tle", "records", satellites(), steep),
    case("cards.txt", "records", cards(), card),
    case("calendar.ics", "records", calendar(), ends_early),
    case("status", "records", packages(), broken_dependency),
    case("worker.log", "log", log(), error_after_open, "lines of one form"),
    case("table.csv", "table", table(), empty_price),
    case("settings.ini", "table", settings(), bad_interpolation),
    case("terminal.cast", "log", recording(), origin_mode),
    case(
        "sum.txt",
        "expression",
        f"{expression(Random(1), 5)} + (8 // (4 - (2 * 2))) * {expression(Random(2), 5)}",
        divides_by_zero,
    ),
    case("stack.txt", "expression", stack(), pops_zero),
    case("formulas.smt2", "expression", formulas(), divides_by_product),
]

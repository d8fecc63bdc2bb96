"""Graphs, matrices and circuits: lists whose parts refer to each other by position."""

from __future__ import annotations

import re

from formats.format import Format, lines, must, rows, words


def read_aiger(data: bytes) -> bool:
    head, *body = rows(data)
    must(head[0] == "aag")
    most, *sizes = map(int, head[1:])
    must(len(body) == sum(sizes) and most >= sizes[0] + sizes[1] + sizes[3])
    values = [list(map(int, row)) for row in body]
    inputs, latches, outputs, gates = ([values.pop(0) for _ in range(size)] for size in sizes)
    must(all(len(row) == 1 for row in inputs + outputs))
    must(all(len(row) == 2 for row in latches) and all(len(row) == 3 for row in gates))
    defined = [row[0] for row in inputs + latches + gates]
    must(len(set(defined)) == len(defined) and all(value % 2 == 0 for value in defined))
    known = {value // 2 for value in defined} | {0}
    must(max(known) <= most)
    must({value // 2 for row in inputs + latches + outputs + gates for value in row} <= known)
    must(all(row[0] > row[1] >= row[2] for row in gates))
    used = {row[1] // 2 for row in gates}
    odd = any(row[1] % 2 and row[2] % 2 for row in gates)
    return odd and any(row[0] // 2 in used for row in latches)


def read_metis(data: bytes) -> bool:
    head, *body = data.decode().split("\n")
    must(body.pop() == "")
    size, edges = map(int, head.split())
    near = [set(map(int, line.split())) for line in body]
    must(len(near) == size and sum(map(len, near)) == 2 * edges)
    must(all(1 <= b <= size and a in near[b - 1] for a, each in enumerate(near, 1) for b in each))
    return any(a != b and each & near[b - 1] for a, each in enumerate(near, 1) for b in each)


def read_pajek(data: bytes) -> bool:
    head, *body = lines(data)
    must(head.split()[0] == "*Vertices")
    size = int(head.split()[1])
    names = {}
    for n, line in enumerate(body[:size], 1):
        found = re.match(r'(\d+) "(.*?)"', line)
        must(found and int(found[1]) == n)
        names[n] = found[2] if found else ""
    must(body[size] == "*Edges")
    edges = [list(map(int, line.split()))[:2] for line in body[size + 1 :]]
    must(all(a in names and b in names for a, b in edges))
    return any("bad" in (names[a], names[b]) for a, b in edges)


def read_tsplib(data: bytes) -> bool:
    body = lines(data)
    at = body.index("NODE_COORD_SECTION")
    head = dict(re.split(r"\s*:\s*", line, maxsplit=1) for line in body[:at])
    size = int(head["DIMENSION"])
    must(head["TYPE"] == "TSP" and body[-1] == "EOF" and len(body) == at + size + 2)
    nodes = [line.split() for line in body[at + 1 : -1]]
    must([int(node[0]) for node in nodes] == list(range(1, size + 1)))
    must(all(len(node) == 3 for node in nodes))
    return any(int(node[1]) < 0 for node in nodes)


def read_matrix_market(data: bytes) -> bool:
    head, *body = lines(data)
    must(head == "%%MatrixMarket matrix coordinate real general")
    sizes, *entries = [line.split() for line in body if line[0] != "%"]
    height, width, size = map(int, sizes)
    must(len(entries) == size)
    must(all(1 <= int(a) <= height and 1 <= int(b) <= width for a, b, *_ in entries))
    return any(float(entry[2]) == float("-inf") for entry in entries)


def read_blif(data: bytes) -> bool:
    head, *body = lines(data)
    must(head.startswith(".model") and body.pop() == ".end")
    inputs: list[str] = []
    outputs: list[str] = []
    made: dict[str, list[str]] = {}
    size = -1
    for line in body:
        first, *rest = line.split()
        if first == ".inputs":
            inputs += rest
        elif first == ".outputs":
            outputs += rest
        elif first == ".names":
            size = len(rest) - 1
            must(rest[-1] not in made and rest[-1] not in inputs)
            made[rest[-1]] = rest[:-1]
        else:
            must(len(rest) == (1 if size else 0) and (rest or [first])[-1] in "01" and size >= 0)
            must(not size or (len(first) == size and set(first) <= set("01-")))
    known = {*inputs, *made}
    must(outputs and all(known.issuperset(each) for each in (outputs, *made.values())))

    def depth(name: str, seen: set[str]) -> int:
        if name in inputs or name in seen:
            return 0
        seen.add(name)
        return 1 + max((depth(each, seen) for each in made[name]), default=0)

    return any(depth(name, set()) >= 3 for name in outputs)


def read_def(data: bytes) -> bool:
    version, design, *body = lines(data)
    must(version.startswith("VERSION") and design.startswith("DESIGN "))
    must(body.pop() == "END DESIGN")
    found: dict[str, list[list[str]]] = {}
    while body:
        name, size, end = body.pop(0).split()
        found[name] = [body.pop(0).split() for _ in range(int(size))]
        must(end == ";" and body.pop(0) == f"END {name}")
        must(all(part[0] == "-" and part[-1] == ";" for part in found[name]))
    names = {part[1] for part in found.get("COMPONENTS", [])}
    nets = [re.findall(r"\( (\w+) (\w+) \)", words(net)) for net in found["NETS"]]
    must(all(pin[0] in names for net in nets for pin in net))
    return any(len(set(net)) < len(net) for net in nets)


GRAPHS = (
    Format("AIGER", ".aag", read_aiger),
    Format("METIS", ".graph", read_metis),
    Format("Pajek", ".net", read_pajek),
    Format("TSPLIB", ".tsp", read_tsplib),
    Format("MatrixMarket", ".mtx", read_matrix_market),
    Format("BLIF", ".blif", read_blif),
    Format("DEF", ".def", read_def),
)

"""Formats that were written when the code was done, to see what it makes of them."""

from __future__ import annotations

import math
import re

from formats.format import Format, lines, must, rows


def read_off(data: bytes) -> bool:
    kind, sizes, *body = rows(data)
    size, count, _ = map(int, sizes)
    corners, faces = body[:size], [list(map(int, row)) for row in body[size:]]
    must(kind == ["OFF"] and len(faces) == count and all(len(each) == 3 for each in corners))
    must(all(math.isfinite(float(value)) for each in corners for value in each))
    must(all(len(face) == face[0] + 1 and face[0] > 2 for face in faces))
    must(all(0 <= at < size for face in faces for at in face[1:]))
    return any(len(set(face[1:])) < face[0] for face in faces)


def read_obj(data: bytes) -> bool:
    found: dict[str, list[list[str]]] = {"v": [], "vt": [], "vn": [], "f": []}
    for first, *rest in filter(None, rows(data)):
        must(first in found or first in ("o", "s", "#"))
        found.get(first, []).append(rest)
    must(all(len(each) == 3 for each in (*found["v"], *found["vn"])))
    corners = [[list(map(int, at.split("/"))) for at in face] for face in found["f"]]
    must(all(len(face) > 2 for face in corners))
    sizes = [len(found[kind]) for kind in ("v", "vt", "vn")]
    must(
        all(0 < n <= of for face in corners for at in face for n, of in zip(at, sizes, strict=True))
    )
    return any(set(map(float, found["vn"][at[2] - 1])) == {0} for face in corners for at in face)


def read_pdb(data: bytes) -> bool:
    body = lines(data)
    must(body[-1] == "END" and body[-2].startswith("MASTER"))
    atoms = [line for line in body if line[:6] in ("ATOM  ", "HETATM")]
    bonds = [(int(line[6:11]), int(line[11:16])) for line in body if line.startswith("CONECT")]
    sizes = [int(body[-2][at : at + 5]) for at in (50, 55, 60)]
    must(sizes == [len(atoms), sum(line.startswith("TER") for line in body), len(bonds)])
    names = [int(line[6:11]) for line in atoms]
    must(names == list(range(1, len(atoms) + 1)))
    must(all(float(line[at : at + 8]) < 999 for line in atoms for at in (30, 38, 46)))
    must(all(1 <= at <= len(atoms) for bond in bonds for at in bond))
    return any(atoms[at - 1].startswith("HETATM") for bond in bonds for at in bond)


def read_gro(data: bytes) -> bool:
    _, size, *body = lines(data)
    box = body.pop().split()
    must(len(body) == int(size) and len(list(map(float, box))) == 3)
    must([int(line[15:20]) for line in body] == list(range(1, len(body) + 1)))
    must(all(math.isfinite(float(line[at : at + 8])) for line in body for at in (20, 28, 36)))
    return any(line[10:15].strip() == "XX" for line in body)


def read_tecplot(data: bytes) -> bool:
    body = lines(data)
    at = next(n for n, line in enumerate(body) if line.startswith("ZONE"))
    sizes = dict(re.findall(r"\b([NE])=(\d+)", body[at]))
    size, count = int(sizes["N"]), int(sizes["E"])
    must("F=FEPOINT" in body[at] and body[at - 1].startswith("VARIABLES"))
    width = body[at - 1].count('"') // 2
    rest = [line.split() for line in body[at + 1 :]]
    nodes, cells = rest[:size], [list(map(int, row)) for row in rest[size:]]
    must(len(cells) == count and all(len(node) == width > 1 for node in nodes))
    must(all(len(cell) == 4 and all(1 <= n <= size for n in cell) for cell in cells))
    return any(float(nodes[n - 1][1]) < 0 for cell in cells for n in cell)


def read_grid(data: bytes) -> bool:
    body = rows(data)
    head: dict[str, str] = {}
    while body[0][0].replace("_", "").isalpha():
        name, value = body.pop(0)
        head[name] = value
    must(float(head["cellsize"]) > 0 and len(body) == int(head["nrows"]))
    must(all(len(row) == int(head["ncols"]) for row in body))
    values = [float(value) for row in body for value in row]
    return any(value < 0 and value != float(head.get("NODATA_value", 0)) for value in values)


def read_colouring(data: bytes) -> bool:
    body = [row for row in rows(data) if row[0] != "c"]
    first, kind, size, count = body.pop(0)
    edges = {(int(a), int(b)) for _, a, b in body}
    must((first, kind) == ("p", "edge") and len(edges) == len(body) == int(count))
    must(all(row[0] == "e" for row in body))
    must(all(1 <= a < b <= int(size) for a, b in edges))
    near: dict[int, set[int]] = {}
    for a, b in edges:
        near.setdefault(a, set()).add(b)
    return any(near.get(a, set()) & near.get(b, set()) for a, b in edges)


def read_csc(data: bytes) -> bool:
    _, sizes, begins, entries, values = rows(data)
    height, width, size = map(int, sizes)
    must(len(begins) == width + 1 and len(entries) == len(values) == size)
    at = list(map(int, begins))
    must(at[0] == 1 and at == sorted(at) and at[-1] == size + 1)
    must(all(1 <= int(entry) <= height for entry in entries))
    return any(float(value) < 0 for value in values)


SEALED = (
    Format("OFF", ".off", read_off),
    Format("OBJ", ".obj", read_obj),
    Format("PDB", ".pdb", read_pdb),
    Format("GRO", ".gro", read_gro),
    Format("Tecplot", ".tec", read_tecplot),
    Format("ASCII grid", ".asc", read_grid),
    Format("DIMACS graph", ".col", read_colouring),
    Format("matrix by columns", ".csc", read_csc),
)

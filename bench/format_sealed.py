"""Formats that were written when the code was done, to see what it makes of them."""

from __future__ import annotations

import math
import re
from random import Random

from format_meshes import points
from format_tools import Format, lines, must, rows, text, words


def write_off() -> bytes:
    r, size, faces = Random(31), 200, 300
    listed = [[r.randrange(size) for _ in range(r.choice((3, 3, 4)))] for _ in range(faces)]
    listed[150] = [9, 120, 9]
    body = [f"{len(face)} {words(face)}" for face in listed]
    return text("OFF", f"{size} {faces} 0", *points(r, size, -1, 1), *body)


def read_off(data: bytes) -> bool:
    kind, sizes, *body = rows(data)
    size, count, _ = map(int, sizes)
    corners, faces = body[:size], [list(map(int, row)) for row in body[size:]]
    must(kind == ["OFF"] and len(faces) == count and all(len(each) == 3 for each in corners))
    must(all(math.isfinite(float(value)) for each in corners for value in each))
    must(all(len(face) == face[0] + 1 and face[0] > 2 for face in faces))
    must(all(0 <= at < size for face in faces for at in face[1:]))
    return any(len(set(face[1:])) < face[0] for face in faces)


def write_obj() -> bytes:
    r, size, textures, normals = Random(32), 150, 120, 90
    body = [f"v {at}" for at in points(r, size, -1, 1)]
    body += [f"vt {r.random():.3f} {r.random():.3f}" for _ in range(textures)]
    body += [
        f"vn {at}" if n != 40 else "vn 0 0 0" for n, at in enumerate(points(r, normals, -1, 1))
    ]

    def corner() -> str:
        at = (r.randrange(many) + 1 for many in (size, textures, normals))
        return "/".join(map(str, at))

    faces = [f"f {corner()} {corner()} {corner()}" for _ in range(250)]
    faces[99] = "f 3/4/41 80/9/41 120/60/41"
    return text("# a mesh", "o thing", *body, "s off", *faces)


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


def write_pdb() -> bytes:
    r, size = Random(33), 160
    body = ["HEADER    MADE BY HAND"]
    for n in range(1, size + 1):
        name, at = "CNO"[n % 3], (r.uniform(-50, 50) for _ in range(3))
        kind = "HETATM" if n == 77 else "ATOM  "
        place = "".join(f"{value:8.3f}" for value in at)
        body.append(
            f"{kind}{n:5d}  {name}   ALA A{n // 5 + 1:4d}    {place}  1.00{r.uniform(0, 9):6.2f}"
        )
    body.append(f"TER   {size + 1:5d}      ALA A{size // 5 + 1:4d}")
    bonds = [(r.randrange(size) + 1, r.randrange(size) + 1) for _ in range(60)] + [(77, 150)]
    body += [f"CONECT{a:5d}{b:5d}" for a, b in bonds]
    return text(
        *body,
        f"MASTER        0    0    0    0    0    0    0    0{size:5d}    1{len(bonds):5d}    0",
        "END",
    )


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


def write_gro() -> bytes:
    r, size = Random(34), 200
    body = []
    for n in range(size):
        name = "OW" if n % 3 == 0 else f"HW{n % 3}"
        name = "XX" if n == 120 else name
        place = "".join(f"{r.uniform(0, 3):8.3f}" for _ in range(3))
        body.append(f"{n // 3 + 1:5d}SOL  {name:>5s}{n + 1:5d}{place}")
    return text("water", f"{size:5d}", *body, "   3.00000   3.00000   3.00000")


def read_gro(data: bytes) -> bool:
    _, size, *body = lines(data)
    box = body.pop().split()
    must(len(body) == int(size) and len(list(map(float, box))) == 3)
    must([int(line[15:20]) for line in body] == list(range(1, len(body) + 1)))
    must(all(math.isfinite(float(line[at : at + 8])) for line in body for at in (20, 28, 36)))
    return any(line[10:15].strip() == "XX" for line in body)


def write_tecplot() -> bytes:
    r, size, cells = Random(35), 180, 220
    nodes = list(points(r, size, 0, 1))
    nodes[60] = "0.5 -7 0.5"
    listed = [words(r.randrange(size) + 1 for _ in range(4)) for _ in range(cells - 1)]
    head = ('TITLE = "a"', 'VARIABLES = "X", "Y", "P"')
    zone = f'ZONE T="z", N={size}, E={cells}, F=FEPOINT, ET=QUADRILATERAL'
    return text(*head, zone, *nodes, *listed, "61 100 3 4")


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


def write_grid() -> bytes:
    r, width, height = Random(36), 40, 50
    head = (f"ncols         {width}", f"nrows         {height}", "xllcorner     378922.0")
    more = ("yllcorner     4072345.0", "cellsize      30.0", "NODATA_value  -9999")
    body = [
        words(f"{r.uniform(0, 99):.1f}" if (x, y) != (17, 29) else "-5" for x in range(width))
        for y in range(height)
    ]
    return text(*head, *more, *body)


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


def write_colouring() -> bytes:
    r, size = Random(37), 120
    pairs = sorted({tuple(sorted(r.sample(range(1, size + 1), 2))) for _ in range(400)})
    edges = sorted({*pairs, (11, 22), (22, 33), (11, 33)})
    body = (f"e {a} {b}" for a, b in edges)
    return text("c a random graph", f"p edge {size} {len(edges)}", *body)


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


def write_csc() -> bytes:
    """Return a matrix by columns: where each begins among the entries, and their rows."""
    r, size = Random(38), 60
    columns = [sorted(r.sample(range(1, size + 1), r.randrange(1, 8))) for _ in range(size)]
    begins = [1 + sum(map(len, columns[:n])) for n in range(size + 1)]
    entries = [at for column in columns for at in column]
    values = [f"{r.uniform(0, 9):.2f}" for _ in entries]
    values[70] = "-1.00"
    head = f"{size} {size} {len(entries)}"
    return text("a matrix", head, words(begins), words(entries), words(values))


def read_csc(data: bytes) -> bool:
    _, sizes, begins, entries, values = rows(data)
    height, width, size = map(int, sizes)
    must(len(begins) == width + 1 and len(entries) == len(values) == size)
    at = list(map(int, begins))
    must(at[0] == 1 and at == sorted(at) and at[-1] == size + 1)
    must(all(1 <= int(entry) <= height for entry in entries))
    return any(float(value) < 0 for value in values)


SEALED = (
    Format("OFF", ".off", write_off, read_off),
    Format("OBJ", ".obj", write_obj, read_obj),
    Format("PDB", ".pdb", write_pdb, read_pdb),
    Format("GRO", ".gro", write_gro, read_gro),
    Format("Tecplot", ".tec", write_tecplot, read_tecplot),
    Format("ASCII grid", ".asc", write_grid, read_grid),
    Format("DIMACS graph", ".col", write_colouring, read_colouring),
    Format("matrix by columns", ".csc", write_csc, read_csc),
)

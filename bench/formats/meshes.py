"""Meshes: points, and cells that refer to them by position."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree

from formats.format import Format, lines, must, rows, words


def read_ply(data: bytes) -> bool:
    body = rows(data)
    must(body[0] == ["ply"] and body[1][:2] == ["format", "ascii"])
    end = body.index(["end_header"])
    elements: list[tuple[str, int, list[str]]] = []
    for first, *rest in body[2:end]:
        if first == "element":
            elements.append((rest[0], int(rest[1]), []))
        elif first == "property":
            elements[-1][2].append(rest[0])
        else:
            must(first == "comment")
    body = body[end + 1 :]
    found: dict[str, list[list[list[float]]]] = {}
    for name, size, properties in elements:
        found[name] = []
        for _ in range(size):
            row = body.pop(0)
            values = []
            for kind in properties:
                length = int(row.pop(0)) if kind == "list" else 1
                values.append([float(row.pop(0)) for _ in range(length)])
            must(not row)
            found[name].append(values)
    must(not body)
    corners = found["vertex"]
    used = [int(at) for face in found["face"] for at in face[0]]
    must(all(0 <= at < len(corners) for at in used))
    return any(math.isnan(corners[at][1][0]) for at in used)


def read_vtk(data: bytes) -> bool:
    body = lines(data)
    must(body[0].startswith("# vtk") and body[2:4] == ["ASCII", "DATASET UNSTRUCTURED_GRID"])
    each = iter(words(body[4:]).split())
    corners: list[list[float]] = []
    cells: list[list[int]] = []
    types: list[int] = []
    for word in each:
        if word == "POINTS":
            size, _ = int(next(each)), next(each)
            corners = [[float(next(each)) for _ in range(3)] for _ in range(size)]
        elif word == "CELLS":
            count, size = int(next(each)), int(next(each))
            cells = [[int(next(each)) for _ in range(int(next(each)))] for _ in range(count)]
            must(size == sum(len(cell) + 1 for cell in cells))
        elif word == "CELL_TYPES":
            types = [int(next(each)) for _ in range(int(next(each)))]
        elif word == "POINT_DATA":
            must(int(next(each)) == len(corners))
        else:
            must(word == "SCALARS" and [next(each) for _ in range(4)][3] == "LOOKUP_TABLE")
            next(each)
            must(all(math.isfinite(float(next(each))) for _ in corners))
    must(len(types) == len(cells) and all(0 <= at < len(corners) for cell in cells for at in cell))
    return any(math.isinf(corners[at][0]) for cell in cells for at in cell)


def read_gmsh(data: bytes) -> bool:
    first, version, end, *body = lines(data)
    must(first == "$MeshFormat" and version.startswith("2.") and end == "$EndMeshFormat")
    found: dict[str, list[list[float]]] = {}
    while body:
        name = body.pop(0)
        size = int(body.pop(0))
        found[name] = [list(map(float, body.pop(0).split())) for _ in range(size)]
        must(name[0] == "$" and body.pop(0) == f"$End{name[1:]}")
    names = {node[0] for node in found["$Nodes"]}
    must(len(names) == len(found["$Nodes"]) and all(len(node) == 4 for node in found["$Nodes"]))
    cells = found["$Elements"]
    for cell in cells:
        must(len(cell) == 3 + cell[2] + {2: 3, 1: 2, 15: 1}[int(cell[1])])
        must(names.issuperset(cell[3 + int(cell[2]) :]))
    return any(len(set(cell[-3:])) < 3 for cell in cells if cell[1] == 2)


def read_openfoam(data: bytes) -> bool:
    head, *body = [line for line in lines(data) if line.strip()]
    must(head.startswith("FoamFile"))
    found = []
    while body:
        size = int(body.pop(0))
        must(body.pop(0) == "(")
        found.append([body.pop(0) for _ in range(size)])
        must(body.pop(0) == ")")
    corners, faces = found
    must(all(re.fullmatch(r"\(\S+ \S+ \S+\)", corner) for corner in corners))
    listed = []
    for face in faces:
        size_of_face, _, rest = face.partition("(")
        listed.append(list(map(int, rest.removesuffix(")").split())))
        must(rest.endswith(")") and int(size_of_face) == len(listed[-1]))
    must(all(0 <= at < len(corners) for face in listed for at in face))
    return any(len(set(face)) < len(face) for face in listed)


def read_md5mesh(data: bytes) -> bool:
    first, meshes, *body = rows(data)
    must(first[0] == "MD5Version" and body[-1] == ["}"])
    must(meshes == ["numMeshes", str(sum(row[:2] == ["mesh", "{"] for row in body))])
    sizes: dict[str, int] = {}
    found: dict[str, list[list[str]]] = {"vert": [], "tri": []}
    for row in body:
        if row[0].startswith("num"):
            sizes[row[0]] = int(row[1])
        elif row[0] in found:
            must(int(row[1]) == len(found[row[0]]))
            found[row[0]].append(row[2:])
        else:
            must(row in (["mesh", "{"], ["}"]))
    corners, faces = found["vert"], found["tri"]
    must(sizes["numverts"] == len(corners) and sizes["numtris"] == len(faces))
    must(all(0 <= int(at) < len(corners) for face in faces for at in face))
    must(all(len(corner) == 6 for corner in corners))
    return any(len(set(face)) == 1 for face in faces)


def read_ucd(data: bytes) -> bool:
    head, *body = rows(data)
    size, count, per_node, _, _ = map(int, head)
    nodes, cells, rest = body[:size], body[size : size + count], body[size + count :]
    names = {node[0] for node in nodes}
    must(len(names) == size and all(len(node) == 4 for node in nodes))
    must(len(cells) == count)
    must(all(cell[2] == "tri" and len(cell) == 6 and names >= set(cell[3:]) for cell in cells))
    must(len(rest) == 2 + size if per_node else not rest)
    must(all(len(value) == 2 and value[0] in names for value in rest[2:]))
    return any(len(set(cell[3:])) == 1 for cell in cells)


def read_collada(data: bytes) -> bool:
    mesh = ElementTree.fromstring(data)
    array, accessor, triangles = (
        next(mesh.iter(name)) for name in ("float_array", "accessor", "triangles")
    )
    values = (array.text or "").split()
    listed = list(map(int, (triangles.findtext("p") or "").split()))
    size = int(accessor.attrib["count"])
    must(int(array.attrib["count"]) == len(values) == size * int(accessor.attrib["stride"]))
    must(accessor.attrib["source"] == "#" + array.attrib["id"])
    must(3 * int(triangles.attrib["count"]) == len(listed) and all(0 <= n < size for n in listed))
    return any(len(set(listed[n : n + 3])) == 1 for n in range(0, len(listed), 3))


MESHES = (
    Format("PLY", ".ply", read_ply),
    Format("VTK", ".vtk", read_vtk),
    Format("Gmsh", ".msh", read_gmsh),
    Format("OpenFOAM", ".foam", read_openfoam),
    Format("MD5mesh", ".md5mesh", read_md5mesh),
    Format("UCD", ".inp", read_ucd),
    Format("COLLADA", ".dae", read_collada),
)

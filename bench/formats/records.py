"""Records with names, in brackets or lines: those of JSON, STEP and bencode, and two checksums."""

from __future__ import annotations

import json
import re
from typing import Any

from formats.format import Format, must


def read_step(data: bytes) -> bool:
    body = data.decode().split("\n")
    must(body[0] == "ISO-10303-21;")
    body = body[body.index("DATA;") + 1 :]
    found: dict[str, tuple[str, list[str]]] = {}
    for line in filter(str.strip, body[: body.index("ENDSEC;")]):
        part = re.fullmatch(r"#(\d+)=(\w+)\((.*)\);", line)
        must(part and part[1] not in found)
        if part:
            found[part[1]] = part[2], re.findall(r"#(\d+)", part[3])
    must(all(each in found for _, uses in found.values() for each in uses))

    def kinds(uses: list[str], kind: str) -> list[list[str]]:
        return [found[each][1] for each in uses if found[each][0] == kind]

    shells = [uses for kind, uses in found.values() if kind == "SHELL"]
    return any(kinds(plane, "DIRECTION") for shell in shells for plane in kinds(shell, "PLANE"))


def of_bencode(data: bytes, at: int = 0) -> tuple[Any, int]:
    """Return the value at an offset, and where it ends."""
    kind = data[at : at + 1]
    if kind == b"i":
        end = data.index(b"e", at)
        must(re.fullmatch(rb"-?(0|[1-9]\d*)", data[at + 1 : end]))
        return int(data[at + 1 : end]), end + 1
    if kind in b"ld" and kind:
        values, at = list[Any](), at + 1
        while data[at : at + 1] != b"e":
            value, at = of_bencode(data, at)
            values.append(value)
        if kind == b"l":
            return values, at + 1
        must(all(isinstance(key, bytes) for key in values[::2]))
        return dict(zip(values[::2], values[1::2], strict=True)), at + 1
    end = data.index(b":", at)
    must(re.fullmatch(rb"0|[1-9]\d*", data[at:end]))
    stop = end + 1 + int(data[at:end])
    must(stop <= len(data))
    return data[end + 1 : stop], stop


def read_bencode(data: bytes) -> bool:
    value, at = of_bencode(data)
    must(at == len(data))
    return any(file[b"length"] < 0 and file[b"path"] for file in value[b"info"][b"files"])


def read_gltf(data: bytes) -> bool:
    whole = json.loads(data)

    def part(kind: str, at: Any) -> Any:
        must(isinstance(at, int) and at >= 0)
        return whole[kind][at]

    must(whole["asset"]["version"] == "2.0")
    part("scenes", whole["scene"])
    nodes, meshes = whole.get("nodes", []), whole.get("meshes", [])
    todo = [at for scene in whole["scenes"] for at in scene["nodes"]]
    for at in [*todo, *(at for node in nodes for at in node.get("children", []))]:
        part("nodes", at)
    primitives = [each for mesh in meshes for each in mesh["primitives"]]
    for each in primitives:
        for at in [*each["attributes"].values(), *(each[k] for k in ("indices",) if k in each)]:
            part("accessors", at)
    for node in nodes:
        part("meshes", node.get("mesh", 0))
    for accessor in whole.get("accessors", []):
        part("bufferViews", accessor["bufferView"])
        must(accessor["type"] == "VEC3" and accessor["count"] > 0)
    for view in whole.get("bufferViews", []):
        size = part("buffers", view["buffer"])["byteLength"]
        must(view["byteOffset"] + view["byteLength"] <= size)
    materials = [part("materials", each["material"]) for each in primitives if "material" in each]
    must(len(materials) <= len(primitives))
    seen: set[int] = set()
    while todo:
        if (at := todo.pop()) not in seen:
            seen.add(at)
            todo += nodes[at].get("children", [])
    shown = [meshes[nodes[at]["mesh"]] for at in seen if "mesh" in nodes[at]]
    used = [each["material"] for mesh in shown for each in mesh["primitives"] if "material" in each]
    return any(whole["materials"][at].get("alphaCutoff", 1) < 0 for at in used)


def read_json(data: bytes) -> bool:
    whole = json.loads(data)
    items = whole["items"]
    must(whole["total"] == len(items) and [each["id"] for each in items] == [*range(len(items))])
    must(all(0 <= each["parent"] < len(items) for each in items))
    return any(each["price"] < 0 and each["parent"] < n for n, each in enumerate(items))


def read_topojson(data: bytes) -> bool:
    whole = json.loads(data)
    must(whole["type"] == "Topology")
    shapes = [shape for each in whole["objects"].values() for shape in each["geometries"]]
    must(all(shape["type"] == "Polygon" for shape in shapes))
    rings = [ring for shape in shapes for ring in shape["arcs"]]
    must(all(-len(whole["arcs"]) <= at < len(whole["arcs"]) for ring in rings for at in ring))
    must(all(len(arc) >= 2 and all(len(point) == 2 for point in arc) for arc in whole["arcs"]))
    return any(len(set(ring)) < len(ring) for ring in rings)


RECORDS = (
    Format("STEP", ".stp", read_step),
    Format("bencode", ".torrent", read_bencode),
    Format("glTF", ".gltf", read_gltf),
    Format("JSON", ".json", read_json),
    Format("TopoJSON", ".topojson", read_topojson),
)

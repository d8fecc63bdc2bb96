"""Records with names, in brackets or lines: those of JSON, STEP and bencode, and two checksums."""

from __future__ import annotations

import json
import re
from functools import reduce
from operator import xor
from random import Random
from typing import Any

from format_tools import Format, lines, must, text


def write_step() -> bytes:
    r = Random(5)
    body = []
    for n in range(1, 600):
        if n < 200:
            at = ",".join(f"{r.uniform(0, 9):.2f}" for _ in range(3))
            part = f"CARTESIAN_POINT('',({at}))"
        elif n < 400:
            part = f"DIRECTION('d',#{r.randrange(1, 200)},#{r.randrange(1, 200)})"
        elif n < 598:
            part = f"PLANE('p',#{r.randrange(200, 400)},#{r.randrange(1, n)},$)"
        else:
            sides = f"#{r.randrange(400, 598)},#{r.randrange(400, 598)},#{400 + n % 7}"
            part = f"SHELL('s',({sides}))"
        body.append(f"#{n}={part};")
    head = ["ISO-10303-21;", "HEADER;", "FILE_DESCRIPTION(('x'),'2;1');"]
    head += ["FILE_NAME('a.stp','2026',(''),(''),'','','');", "ENDSEC;", "DATA;"]
    return text(*head, *body, "ENDSEC;", "END-ISO-10303-21;")


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


def as_bencode(value: Any) -> bytes:
    if isinstance(value, int):
        return b"i%de" % value
    if isinstance(value, str):
        return b"%d:%b" % (len(value), value.encode())
    if isinstance(value, list):
        return b"l%be" % b"".join(map(as_bencode, value))
    return b"d%be" % b"".join(as_bencode(each) for pair in sorted(value.items()) for each in pair)


def write_bencode() -> bytes:
    r = Random(7)
    files = [
        {"length": r.randrange(10**6), "path": [f"dir{n % 9}", f"file{n}.txt"]}
        if n != 111
        else {"length": -5, "path": ["dir", "bad.txt"]}
        for n in range(250)
    ]
    pieces = "".join(r.choice("abcdef") for _ in range(2000))
    info = {"files": files, "name": "things", "piece length": 16384, "pieces": pieces}
    return as_bencode({"announce": "http://tracker.example/announce", "info": info})


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


def write_gltf() -> bytes:
    r, nodes, meshes, accessors, views = Random(14), 80, 60, 150, 130

    def node(n: int) -> dict[str, Any]:
        below = {"children": [at for at in (2 * n + 1, 2 * n + 2) if at < nodes]}
        return {
            "name": f"n{n}",
            "mesh": r.randrange(meshes),
            **(below if 2 * n + 1 < nodes else {}),
        }

    def primitive() -> dict[str, Any]:
        places = {"POSITION": r.randrange(accessors), "NORMAL": r.randrange(accessors)}
        index, material = r.randrange(accessors), r.randrange(20)
        return {"attributes": places, "indices": index, "material": material}

    parts = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0, 3, 17, 41]}],
        "nodes": [node(n) for n in range(nodes)],
        "meshes": [{"primitives": [primitive()]} for _ in range(meshes)],
        "materials": [{"name": f"m{n}", "alphaCutoff": 0.5 if n != 13 else -1} for n in range(20)],
        "accessors": [
            {
                "bufferView": r.randrange(views),
                "componentType": 5126,
                "count": r.randrange(9, 99),
                "type": "VEC3",
            }
            for _ in range(accessors)
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 100 * n, "byteLength": 100} for n in range(views)
        ],
        "buffers": [{"uri": "a.bin", "byteLength": 100 * views}],
    }
    return json.dumps(parts, indent=1).encode()


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


def write_json() -> bytes:
    r, size = Random(21), 150
    items = [
        {
            "id": n,
            "parent": r.randrange(max(n, 1)),
            "tags": [f"t{r.randrange(9)}" for _ in range(r.randrange(4))],
            "price": round(r.random() * 100, 2) if n != 88 else -1,
        }
        for n in range(size)
    ]
    return json.dumps({"version": 3, "total": size, "items": items}).encode()


def read_json(data: bytes) -> bool:
    whole = json.loads(data)
    items = whole["items"]
    must(whole["total"] == len(items) and [each["id"] for each in items] == [*range(len(items))])
    must(all(0 <= each["parent"] < len(items) for each in items))
    return any(each["price"] < 0 and each["parent"] < n for n, each in enumerate(items))


def write_topojson() -> bytes:
    r, size = Random(28), 120
    arcs = [
        [[r.randrange(999), r.randrange(999)] for _ in range(r.randrange(2, 6))]
        for _ in range(size)
    ]
    shapes = [
        {
            "type": "Polygon",
            "arcs": [[r.randrange(size), ~r.randrange(size)] if n != 44 else [5, 5]],
        }
        for n in range(100)
    ]
    objects = {"a": {"type": "GeometryCollection", "geometries": shapes}}
    whole = {"type": "Topology", "arcs": arcs, "objects": objects}
    return json.dumps(whole, separators=(",", ":")).encode()


def read_topojson(data: bytes) -> bool:
    whole = json.loads(data)
    must(whole["type"] == "Topology")
    shapes = [shape for each in whole["objects"].values() for shape in each["geometries"]]
    must(all(shape["type"] == "Polygon" for shape in shapes))
    rings = [ring for shape in shapes for ring in shape["arcs"]]
    must(all(-len(whole["arcs"]) <= at < len(whole["arcs"]) for ring in rings for at in ring))
    must(all(len(arc) >= 2 and all(len(point) == 2 for point in arc) for arc in whole["arcs"]))
    return any(len(set(ring)) < len(ring) for ring in rings)


def write_intel_hex() -> bytes:
    r = Random(24)
    records = [
        bytes([16, *(16 * n).to_bytes(2, "big"), 0, *(r.randrange(256) for _ in range(16))])
        for n in range(200)
    ]
    records.append(bytes([2, 0, 0, 9, 1, 2]))
    body = (f":{each.hex().upper()}{-sum(each) % 256:02X}" for each in records)
    return text(*body, ":00000001FF")


def read_intel_hex(data: bytes) -> bool:
    body = lines(data)
    must(body[-1] == ":00000001FF" and all(line[0] == ":" for line in body))
    records = [bytes.fromhex(line[1:]) for line in body]
    must(all(sum(each) % 256 == 0 and len(each) == each[0] + 5 for each in records))
    return any(each[3] == 9 and each[0] for each in records)


def write_nmea() -> bytes:
    r = Random(26)
    body = []
    for n in range(250):
        place = f"{r.random() * 90:.4f},N,{r.random() * 180:.4f},E" if n != 140 else ""
        line = f"GPGGA,{100000 + n},{place},1,08,0.9,545.4,M,46.9,M,,"
        line = line if n != 140 else "GPRMC,,V,,,,,,,,,,N"
        body.append(f"${line}*{reduce(xor, line.encode()):02X}")
    return text(*body)


def read_nmea(data: bytes) -> bool:
    found = [re.fullmatch(r"\$(.*)\*([0-9A-F]{2})", line) for line in lines(data)]
    must(all(found))
    sentences = [(each[1], int(each[2], 16)) for each in found if each]
    must(all(reduce(xor, each.encode(), 0) == value for each, value in sentences))
    return any(each.startswith("GPRMC,,V") for each, _ in sentences)


RECORDS = (
    Format("STEP", ".stp", write_step, read_step),
    Format("bencode", ".torrent", write_bencode, read_bencode),
    Format("glTF", ".gltf", write_gltf, read_gltf),
    Format("JSON", ".json", write_json, read_json),
    Format("TopoJSON", ".topojson", write_topojson, read_topojson),
    Format("Intel HEX", ".hex", write_intel_hex, read_intel_hex),
    Format("NMEA", ".nmea", write_nmea, read_nmea),
)

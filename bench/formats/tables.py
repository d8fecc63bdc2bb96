"""Molecules, sequences and images: tables whose heads say how long and how wide they are."""

from __future__ import annotations

import re

from formats.format import Format, lines, must, rows, words


def read_lammps(data: bytes) -> bool:
    first, *parts = data.decode().strip("\n").split("\n\n")
    must(first.startswith("LAMMPS"))
    sizes: dict[str, int] = {}
    found: dict[str, list[list[str]]] = {}
    name = ""
    for line in (line for part in parts for line in part.split("\n")):
        size = re.fullmatch(r"(\d+) ([a-z ]+)", line)
        if size and not name:
            sizes[size[2]] = int(size[1])
        elif re.fullmatch(r"[A-Z][a-z]+", line):
            name = line
            found[name] = []
        elif name:
            found[name].append(line.split())
        else:
            must(line.endswith("hi"))
    atoms, bonds = found.get("Atoms", []), found.get("Bonds", [])
    must(len(atoms) == sizes["atoms"] and len(bonds) == sizes["bonds"])
    must(len(found.get("Masses", [])) == sizes["atom types"])
    must(sorted(int(atom[0]) for atom in atoms) == list(range(1, len(atoms) + 1)))
    must(all(1 <= int(atom[2]) <= sizes["atom types"] and len(atom) == 6 for atom in atoms))
    must(all(len(bond) == 4 and 1 <= int(bond[1]) <= sizes["bond types"] for bond in bonds))
    must(all(1 <= int(at) <= len(atoms) for bond in bonds for at in bond[2:]))
    return any(bond[2] == bond[3] for bond in bonds)


def read_molfile(data: bytes) -> bool:
    body = data.decode().split("\n")[3:]
    head = body.pop(0)
    size, count = int(head[:3]), int(head[3:6])
    atoms, bonds = body[:size], body[size : size + count]
    must(head.endswith("V2000") and len(bonds) == count and body[size + count] == "M  END")
    must(all([float(atom[at : at + 10]) for at in (0, 10, 20)] for atom in atoms))
    joined = [[int(bond[at : at + 3]) for at in (0, 3, 6)] for bond in bonds]
    must(all(1 <= at <= size for bond in joined for at in bond[:2]))
    return any(atoms[at - 1][31:34].strip() == "Xx" for bond in joined for at in bond[:2])


def read_arpa(data: bytes) -> bool:
    body = lines(data)
    must(body.pop() == "\\end\\")
    sizes: dict[str, int] = {}
    found: dict[str, list[list[str]]] = {}
    name = ""
    for line in body[body.index("\\data\\") + 1 :]:
        if size := re.fullmatch(r"ngram (\d)=(\d+)", line):
            sizes[size[1]] = int(size[2])
        elif head := re.fullmatch(r"\\(\d)-grams:", line):
            name = head[1]
            found[name] = []
        elif line:
            found[name].append(line.split("\t"))
    must({name: len(each) for name, each in found.items()} == sizes)
    known = {each[1] for each in found["1"]}
    must(all(known.issuperset(each[1].split()) for each in found.get("2", [])))
    return any(float(each[0]) > 0 for each in found["1"])


def read_phylip(data: bytes) -> bool:
    head, *taxa = rows(data)
    size, width = map(int, head)
    must(len(taxa) == size and all(len(letters) == width for _, letters in taxa))
    return any(letters.find("?") > 0 for _, letters in taxa)


def read_nexus(data: bytes) -> bool:
    body = lines(data)
    must(body[:2] == ["#NEXUS", "BEGIN DATA;"] and body[-2:] == [";", "END;"])
    at = body.index("MATRIX")
    sizes = re.search(r"NTAX=(\d+) NCHAR=(\d+);", "\n".join(body[:at]))
    taxa = [line.split() for line in body[at + 1 : -2]]
    must(sizes and len(taxa) == int(sizes[1]))
    must(sizes and all(len(letters) == int(sizes[2]) for _, letters in taxa))
    return any("X" in letters for _, letters in taxa)


def read_bdf(data: bytes) -> bool:
    first, *body = rows(data)
    must(first[0] == "STARTFONT" and body.pop() == ["ENDFONT"])
    size = read = 0
    is_odd = False
    box = [0, 0]
    while body:
        word, *rest = body.pop(0)
        if word == "STARTPROPERTIES":
            must(all(len(body.pop(0)) == 2 for _ in range(int(rest[0]))))
            must(body.pop(0) == ["ENDPROPERTIES"])
        elif word == "CHARS":
            size = int(rest[0])
        elif word == "STARTCHAR":
            read += 1
            while body[0][0] in ("ENCODING", "DWIDTH", "BBX"):
                word, *rest = body.pop(0)
                box = list(map(int, rest)) if word == "BBX" else box
            must(body.pop(0) == ["BITMAP"] and len(box) == 4)
            for _ in range(box[1]):
                must(re.fullmatch("[0-9A-F]{2}", words(body.pop(0))))
            must(body.pop(0) == ["ENDCHAR"])
            is_odd |= box[0] == 0 < box[1]
            box = []
        else:
            must(word in ("FONT", "SIZE", "FONTBOUNDINGBOX"))
    must(read == size)
    return is_odd


def read_pgm(data: bytes) -> bool:
    kind, *rest = re.sub(rb"#.*", b"", data).split()
    width, height, most, *values = map(int, rest)
    must(kind == b"P2" and len(values) == width * height and width > 0)
    return max(values) > most > 0


def read_xpm(data: bytes) -> bool:
    head, *texts = re.findall(r'"(.*?)"', data.decode())
    width, height, size, letters = map(int, head.split())
    must(data.startswith(b"/* XPM */") and len(texts) == size + height and letters == 1)
    colours = {each[0]: each[4:] for each in texts[:size]}
    must(len(colours) == size and all(each[1:4] == " c " for each in texts[:size]))
    body = texts[size:]
    must(all(len(row) == width and set(row) <= set(colours) for row in body))
    return any(colours[pixel] == "None" for row in body for pixel in row)


TABLES = (
    Format("LAMMPS", ".data", read_lammps),
    Format("molfile", ".mol", read_molfile),
    Format("ARPA", ".arpa", read_arpa),
    Format("PHYLIP", ".phy", read_phylip),
    Format("NEXUS", ".nex", read_nexus),
    Format("BDF", ".bdf", read_bdf),
    Format("PGM", ".pgm", read_pgm),
    Format("XPM", ".xpm", read_xpm),
)

"""Molecules, sequences and images: tables whose heads say how long and how wide they are."""

from __future__ import annotations

import re
from random import Random

from format_tools import Format, lines, must, rows, text, words


def write_lammps() -> bytes:
    r, size, bonds = Random(10), 250, 220
    atoms = [
        f"{n + 1} 1 {1 + n % 2} {words(f'{r.uniform(0, 10):.2f}' for _ in range(3))}"
        for n in range(size)
    ]
    joined = [
        f"{n + 1} 1 {r.randrange(size) + 1} {r.randrange(size) + 1}" if n != 100 else "101 1 33 33"
        for n in range(bonds)
    ]
    head = ["LAMMPS data file", "", f"{size} atoms", f"{bonds} bonds"]
    head += ["2 atom types", "1 bond types", "", *(f"0.0 10.0 {a}lo {a}hi" for a in "xyz")]
    head += ["", "Masses", "", "1 1.0", "2 16.0", ""]
    return text(*head, "Atoms", "", *atoms, "", "Bonds", "", *joined)


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


def write_molfile() -> bytes:
    r, size, bonds = Random(12), 80, 90
    atoms = [
        f"{r.uniform(-9, 9):10.4f}{r.uniform(-9, 9):10.4f}{0:10.4f} "
        f"{r.choice('CNO') if n != 40 else 'Xx':3s} 0  0  0  0"
        for n in range(size)
    ]
    joined = [
        f"{r.randrange(size) + 1:3d}{r.randrange(size) + 1:3d}{r.choice((1, 2)):3d}  0"
        for _ in range(bonds - 1)
    ]
    head = f"{size:3d}{bonds:3d}  0  0  0  0  0  0  0  0999 V2000"
    return text("", "  made", "", head, *atoms, *joined, " 41 77  1  0", "M  END")


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


def write_xyz() -> bytes:
    r = Random(13)
    body: list[object] = []
    for frame in range(40):
        size = r.randrange(5, 12)
        body += [size, f"frame {frame}"]
        body += [
            f"{r.choice('CNOH')} {words(f'{r.random():.3f}' for _ in range(3))}"
            for _ in range(size)
        ]
        if frame == 25:
            body[-3] = "Q 0.1 0.2 0.3"
    return text(*body)


def read_xyz(data: bytes) -> bool:
    body = data.decode().split("\n")
    must(body.pop() == "")
    is_odd = False
    while body:
        size = int(body[0])
        atoms = [line.split() for line in body[2 : size + 2]]
        must(len(atoms) == size and all(len(list(map(float, atom[1:]))) == 3 for atom in atoms))
        is_odd |= size > 1 and any(atom[0] == "Q" for atom in atoms)
        body = body[size + 2 :]
    return is_odd


def write_arpa() -> bytes:
    r = Random(16)
    known = [f"word{n}" for n in range(200)]
    pairs = sorted({(r.choice(known), r.choice(known)) for _ in range(300)})
    single = [
        f"-{r.random() * 5:.4f}\t{word}\t-0.{r.randrange(999):03d}"
        if word != "word123"
        else "0.5\tword123\t-0.1"
        for word in known
    ]
    double = [f"-{r.random():.4f}\t{a} {b}" for a, b in pairs]
    head = ("", "\\data\\", f"ngram 1={len(known)}", f"ngram 2={len(pairs)}", "")
    return text(*head, "\\1-grams:", *single, "", "\\2-grams:", *double, "", "\\end\\")


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


def write_phylip() -> bytes:
    r, size, width = Random(23), 30, 300
    taxa = [[r.choice("ACGT") for _ in range(width)] for _ in range(size)]
    taxa[17][123] = "?"
    return text(f"{size} {width}", *(f"taxon{n:04d} {''.join(t)}" for n, t in enumerate(taxa)))


def read_phylip(data: bytes) -> bool:
    head, *taxa = rows(data)
    size, width = map(int, head)
    must(len(taxa) == size and all(len(letters) == width for _, letters in taxa))
    return any(letters.find("?") > 0 for _, letters in taxa)


def write_nexus() -> bytes:
    r, size, width = Random(25), 40, 120
    taxa = [
        f"t{n} {''.join(r.choice('ACGT') for _ in range(width))}"
        if n != 22
        else f"t22 {'A' * 60}X{'C' * 59}"
        for n in range(size)
    ]
    head = ("#NEXUS", "BEGIN DATA;", f"DIMENSIONS NTAX={size} NCHAR={width};")
    return text(*head, "FORMAT DATATYPE=DNA;", "MATRIX", *taxa, ";", "END;")


def read_nexus(data: bytes) -> bool:
    body = lines(data)
    must(body[:2] == ["#NEXUS", "BEGIN DATA;"] and body[-2:] == [";", "END;"])
    at = body.index("MATRIX")
    sizes = re.search(r"NTAX=(\d+) NCHAR=(\d+);", "\n".join(body[:at]))
    taxa = [line.split() for line in body[at + 1 : -2]]
    must(sizes and len(taxa) == int(sizes[1]))
    must(sizes and all(len(letters) == int(sizes[2]) for _, letters in taxa))
    return any("X" in letters for _, letters in taxa)


def write_bdf() -> bytes:
    r = Random(17)
    body = ["STARTFONT 2.1", "FONT -x-fixed", "SIZE 8 75 75", "FONTBOUNDINGBOX 8 8 0 0"]
    body += ["STARTPROPERTIES 3", "FONT_ASCENT 7", "FONT_DESCENT 1", "DEFAULT_CHAR 32"]
    body += ["ENDPROPERTIES", "CHARS 95"]
    for code in range(32, 127):
        height = r.randrange(4, 9)
        body += [f"STARTCHAR c{code}", f"ENCODING {code}", "DWIDTH 8 0"]
        body += [f"BBX {8 if code != 77 else 0} {height} 0 0", "BITMAP"]
        body += [*(f"{r.randrange(256):02X}" for _ in range(height)), "ENDCHAR"]
    return text(*body, "ENDFONT")


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


def write_pgm() -> bytes:
    r, width, height = Random(18), 40, 60
    body = [
        words(r.randrange(256) if (y, x) != (33, 21) else 999 for x in range(width))
        for y in range(height)
    ]
    return text("P2", "# made", f"{width} {height}", 255, *body)


def read_pgm(data: bytes) -> bool:
    kind, *rest = re.sub(rb"#.*", b"", data).split()
    width, height, most, *values = map(int, rest)
    must(kind == b"P2" and len(values) == width * height and width > 0)
    return max(values) > most > 0


def write_xpm() -> bytes:
    r, width, height, names = Random(30), 30, 40, "abcdefghijklmnopqrst"
    body = ["".join(r.choice(names[:-1]) for _ in range(width)) for _ in range(height)]
    body[20] = body[20][:10] + "t" + body[20][11:]
    colours = [f"{name} c #{r.randrange(1 << 24):06X}" for name in names[:-1]]
    texts = [f"{width} {height} {len(names)} 1", *colours, "t c None", *body]
    return text(
        "/* XPM */", "static char *x[] = {", ",\n".join(f'"{each}"' for each in texts), "};"
    )


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
    Format("LAMMPS", ".data", write_lammps, read_lammps),
    Format("molfile", ".mol", write_molfile, read_molfile),
    Format("XYZ", ".xyz", write_xyz, read_xyz),
    Format("ARPA", ".arpa", write_arpa, read_arpa),
    Format("PHYLIP", ".phy", write_phylip, read_phylip),
    Format("NEXUS", ".nex", write_nexus, read_nexus),
    Format("BDF", ".bdf", write_bdf, read_bdf),
    Format("PGM", ".pgm", write_pgm, read_pgm),
    Format("XPM", ".xpm", write_xpm, read_xpm),
)

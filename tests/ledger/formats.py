"""Documents in formats of their own: trees of elements, objects, rules and statements."""

from __future__ import annotations

import json
import re
import sqlite3
import tomllib
from collections.abc import Iterator
from html.parser import HTMLParser
from random import Random
from typing import Any
from xml.etree import ElementTree

from ledger.readers import case, nested
from ledger.texts import several


def values(tree: Any) -> Iterator[Any]:
    """Yield all parts of what JSON or TOML holds."""
    yield tree
    for each in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ():
        yield from values(each)


# -- objects -------------------------------------------------------------------------


def polygons() -> str:
    random = Random(4)
    found = []
    for i in range(12):
        ring = [[random.uniform(-180, 180), random.uniform(-90, 90)] for _ in range(12)]
        ring[5] = [1e6 / 7, 2.5] if i == 8 else ring[5]
        geometry = {"type": "Polygon", "coordinates": [[*ring, ring[0]]]}
        found.append({"type": "Feature", "properties": {"id": i}, "geometry": geometry})
    return json.dumps({"type": "FeatureCollection", "features": found}, indent=1)


def off_the_globe(data: bytes) -> bool:
    """A closed ring has a corner beyond all meridians."""
    tree, found = json.loads(data), False
    for feature in tree["features"]:
        for ring in feature["geometry"]["coordinates"]:
            if ring[0] != ring[-1] or len(ring) < 4 or any(len(corner) != 2 for corner in ring):
                raise ValueError("an open ring")
            found |= any(abs(east) > 180 and abs(north) <= 90 for east, north in ring)
    return bool(found)


def schema() -> str:
    random = Random(9)
    kinds: dict[str, Any] = {}
    for i in range(40):
        of = {f"k{j}": {"$ref": f"#/definitions/d{random.randrange(i + 1)}"} for j in range(2)}
        kinds[f"d{i}"] = {"type": "object", "properties": of, "required": ["k0"]}
    kinds["d3"] = {"allOf": [{"$ref": "#/definitions/d21"}, {"type": "string"}]}
    kinds["d21"] = {"anyOf": [{"type": "null"}, {"$ref": "#/definitions/d3"}]}
    return json.dumps({"$ref": "#/definitions/d39", "definitions": kinds}, indent=2)


def cycle(data: bytes) -> bool:
    """All references lead somewhere, and two definitions lead to each other without a level."""
    tree = json.loads(data)
    kinds, to = tree["definitions"], {}
    for name, kind in kinds.items():
        direct = [
            each["$ref"]
            for key in ("allOf", "anyOf")
            for each in kind.get(key, [])
            if "$ref" in each
        ]
        to[name] = {ref.removeprefix("#/definitions/") for ref in direct}
    refs = [each["$ref"] for each in values(tree) if isinstance(each, dict) and "$ref" in each]
    if not all(ref.removeprefix("#/definitions/") in kinds for ref in refs):
        raise ValueError("a reference leads nowhere")
    return any(name != other and name in to[other] for name in to for other in to[name])


def notebook() -> str:
    cells: list[dict[str, Any]] = []
    for i in range(20):
        source = [f"x{i} = {i}\n", f"print(x{i})"] if i != 13 else ["%%bash\n", "echo '```'"]
        cells.append(
            {"cell_type": "code" if i % 3 else "markdown", "metadata": {}, "source": source}
        )
    return json.dumps({"cells": cells, "metadata": {"kernel": "python3"}, "nbformat": 4}, indent=1)


def fence_in_bash(data: bytes) -> bool:
    tree = json.loads(data)
    texts = ["".join(c["source"]) for c in tree["cells"] if c["cell_type"] == "code"]
    return tree["nbformat"] == 4 and any(t.startswith("%%bash") and "```" in t for t in texts)


def manifest() -> str:
    parts = ['[project]\nname = "a"\nversion = "1.0"\n']
    parts += [f'[tool.t{i}]\nlevel = {i}\nnames = ["a{i}", "b{i}"]\non = true\n' for i in range(20)]
    parts += [f'[[job]]\nname = "j{i}"\nneeds = [{i}, {i + 1}]\n' for i in range(12)]
    parts[28] = '[[job]]\nname = "same"\nneeds = ["same", 1]\n'
    return "\n".join(parts)


def needs_itself(data: bytes) -> bool:
    jobs = tomllib.loads(data.decode())["job"]
    return any(job["name"] in job["needs"] for job in jobs if isinstance(job["needs"], list))


def indented() -> str:
    made = ["services:"]
    for i in range(25):
        made += [
            f"  s{i}:",
            f"    image: repo/{i}",
            "    ports:",
            f"      - {8000 + i}",
            "      - 443",
        ]
    made[56] = "      - 0x1F"
    return "\n".join(made) + "\n"


def hex_port(data: bytes) -> bool:
    """Keys and lists are indented by twos; a service has a port in hexadecimal."""
    stack: list[str] = []
    found = False
    for line in data.decode().splitlines():
        match = re.fullmatch(r"((?:  )*)(?:- (\w+)|(\w+):(?: (\S+))?)", line)
        if match is None or len(match[1]) // 2 > len(stack):
            raise ValueError(line)
        del stack[len(match[1]) // 2 :]
        if match[3]:
            stack.append(match[3])
        found |= (match[2] or "").startswith("0x") and stack[:1] + stack[2:] == [
            "services",
            "ports",
        ]
    return found


# -- elements ------------------------------------------------------------------------


def drawing() -> str:
    made = ['<?xml version="1.0"?>', '<svg xmlns="http://www.w3.org/2000/svg" width="9">', "<defs>"]
    made += [f'<linearGradient id="g{i}"><stop offset="{i}"/></linearGradient>' for i in range(12)]
    made.append("</defs>")
    for i in range(15):
        made += [f'<g transform="scale({i})"><path d="M0 {i}L9 9" fill="url(#g{i % 12})"/>']
        made += [f'<text x="{i}">label {i}</text></g>']
    made[32] = '<g><path d="M0 8A" fill="url(#g4)"/>'
    return "\n".join([*made, "</svg>"])


def short_arc(data: bytes) -> bool:
    """A path whose arc has no numbers is filled with a gradient that exists."""
    root = ElementTree.fromstring(data)
    ids = {each.get("id") for each in root.iter() if each.get("id")}
    paths = [each for each in root.iter() if each.tag.endswith("path")]
    uses = [re.fullmatch(r"url\(#(\w+)\)", each.get("fill", "")) for each in paths]
    if any(match and match[1] not in ids for match in uses):
        raise ValueError("no such gradient")
    return any(
        use and each.get("d", "").endswith("A") for each, use in zip(paths, uses, strict=True)
    )


def page() -> str:
    made = ["<!DOCTYPE html>", "<html>", "<head><title>A page</title></head>", "<body>"]
    for i in range(80):
        made.append(
            f'<div class="c{i}"><p>text <b>bold {i}</b> and <a href="/{i}">link</a></p></div>'
        )
    made[28] = "<div><p>before <b><i>one</b> two</i> &amp;nbsp after</p></div>"
    return "\n".join([*made, "</body>", "</html>"])


class Tags(HTMLParser):
    """Finds an element that is closed while one inside of it is open, beside a broken entity."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.opened: list[str] = []
        self.crossed = self.entity = False

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.opened.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.opened:
            self.crossed |= self.opened[-1] != tag and self.opened[-2:-1] == [tag]
            self.opened.remove(tag)

    def handle_entityref(self, name: str) -> None:
        self.entity |= name == "amp" and self.crossed


def crossed(data: bytes) -> bool:
    tags = Tags()
    tags.feed(data.decode())
    return tags.entity


def feed() -> str:
    items = [
        f"<item><title>News {i}</title><link>http://example.org/{i}</link><date>2026-01-{i:02}</date></item>"
        for i in range(1, 32)
    ]
    items[17] = (
        "<item><title>News</title><link>http://example.org/1</link><date>2026-02-30</date></item>"
    )
    return "<rss><channel><title>All</title>\n" + "\n".join(items) + "\n</channel></rss>\n"


def no_such_day(data: bytes) -> bool:
    found = False
    for item in ElementTree.fromstring(data).iterfind("./channel/item"):
        year, month, day = map(int, (item.findtext("date") or "").split("-"))
        if not item.findtext("title") or not (year and 1 <= month <= 12):
            raise ValueError("no date")
        found |= month == 2 and day > 29
    return found


# -- statements ----------------------------------------------------------------------


def queries() -> str:
    tables = [
        f"CREATE TABLE t{i} (id INTEGER PRIMARY KEY, a TEXT, b INT DEFAULT {i});" for i in range(12)
    ]
    rows = [f"INSERT INTO t{i} (a, b) VALUES ('x{i}', {i}), ('y{i}', {i * i});" for i in range(12)]
    views = [f"CREATE VIEW v{i} AS SELECT a, count(b) AS n FROM t{i} GROUP BY a;" for i in range(6)]
    last = (
        "WITH one AS (SELECT a, b FROM t3 WHERE b > 2), two AS (SELECT (b + 1) AS c FROM t5),\n"
        "three AS (SELECT n FROM v2) SELECT one.a, two.c, abs(-9223372036854775808) FROM one\n"
        "JOIN two ON one.b < two.c LEFT JOIN three USING (n) ORDER BY one.a;"
    ).replace("LEFT JOIN three USING (n)", "LEFT JOIN three ON three.n = one.b")
    return "\n".join([*tables, *rows, *views, last]) + "\n"


def overflows(data: bytes) -> bool:
    """A query over rows overflows, and all before it is valid."""
    with sqlite3.connect(":memory:") as base:
        try:
            base.executescript(data.decode())
        except sqlite3.OperationalError as error:
            return "integer overflow" in str(error)
        except sqlite3.Error:
            return False
        finally:
            base.rollback()
    base.close()
    return False


def names_of_with() -> str:
    parts = [
        f"c{i} AS (SELECT k, sum(v) AS s FROM t{i} WHERE (k > {i}) GROUP BY k)" for i in range(14)
    ]
    joins = " ".join(f"JOIN c{i} USING (k)" for i in range(1, 14))
    last = f"SELECT c0.k, list_zip(c9.s, c4.s)\nFROM c0 {joins}\nORDER BY k;\n"
    return f"WITH {', '.join(parts)}\n{last}"


def zipped_lists(data: bytes) -> bool:
    """A function of two columns, of which each is defined, in brackets that balance."""
    text = nested(data.decode(), "()")
    defined = {*re.findall(r"\b(c\d+) AS \(SELECT\b[^()]+", text)}
    body = text[text.index("\nSELECT ") :] if text.startswith("WITH ") else ""
    used = {*re.findall(r"\b(c\d+)\b", body)}
    match = re.search(r"\blist_zip\((c\d+)\.s, ?(c\d+)\.s\)", body)
    if re.search(r", *[,\n)]|\b(AS|JOIN|FROM|USING) *(AS|JOIN|FROM|USING|\n|;|$)", text):
        raise ValueError("a word is missing")
    joined = {*re.findall(r"(?:FROM|JOIN) (c\d+)", body)}
    return bool(match) and used <= defined and used <= joined and text.rstrip().endswith(";")


def module() -> str:
    fields = 12
    kind = f"<{{ {', '.join(['i8'] * fields)} }}>"
    bytes_ = ", ".join(f"i8 {i}" for i in range(fields))
    made = [f"@g{i} = global {kind} <{{ {bytes_} }}>" for i in range(3)]
    for i in range(8):
        made += [
            f"define i8 @f{i}() {{",
            f"  %p = getelementptr {kind}, ptr @g{i % 3}, i32 0, i32 {i}",
        ]
        made += ["  %v = load i8, ptr %p", "  ret i8 %v", "}"]
    return "\n".join(made) + "\n"


def fields_agree(data: bytes) -> bool:
    """A field of a global that exists is loaded; types and initializers have as many fields."""
    text = nested(data.decode(), "(){}")
    sizes = {}
    for name, kind, value in re.findall(r"(@\w+) = global <\{ (.*) \}> <\{ (.*) \}>", text):
        types, items = kind.split(", "), value.split(", ")
        if [item.split(" ")[0] for item in items] != types or {*types} != {"i8"}:
            raise ValueError("an initializer of another type")
        sizes[name] = len(types)
    found = False
    for kind, name, at in re.findall(
        r"getelementptr <\{ (.*) \}>, ptr (@\w+), i32 0, i32 (\d+)", text
    ):
        if len(kind.split(", ")) != sizes[name] or int(at) >= sizes[name]:
            raise ValueError("no such field")
        found |= bool(re.search(r"ptr %p\n  ret i8 %v\n\}", text))
    return found


def style() -> str:
    rules = [f".c{i} > a, #d{i} {{ color: #{i:03}; margin: {i}px 0; }}" for i in range(40)]
    rules[22] = "@media print { .x::before { content: '}'; width: calc(1px + ); } }"
    return "\n".join(rules) + "\n"


def bad_calc(data: bytes) -> bool:
    text = re.sub(r"'[^'\n]*'", "''", data.decode())
    for rule in re.findall(r"\{([^{}]*)\}", nested(text)):
        if not all(
            re.fullmatch(r"\s*[\w-]+\s*:[^:]+", part) for part in rule.split(";") if part.strip()
        ):
            raise ValueError(rule)
    return bool(re.search(r"@media[^{]*\{[^}]*calc\([^)]*\+ *\)", text))


def graph() -> str:
    random = Random(7)
    nodes = [f'  n{i} [label="node {i}", shape=box];' for i in range(30)]
    edges = [
        f"  n{random.randrange(30)} -> n{random.randrange(30)} [weight={i}];" for i in range(40)
    ]
    edges[18] = "  n7 -> n9 [lhead=cluster1, dir=both];"
    cluster = ["  subgraph cluster1 {", "    n9; n10;", "  }"]
    return "\n".join(["digraph g {", "  compound=true;", *nodes, *cluster, *edges, "}"]) + "\n"


def edge_to_cluster(data: bytes) -> bool:
    text = nested(data.decode())
    if not re.match(r"digraph \w* ?\{", text) or text.count('"') % 2:
        raise ValueError("no graph")
    found = re.search(r"\w+ ?-> ?(\w+) ?\[[^\]]*lhead=(\w+)", text)
    inside = found and re.search(rf"subgraph {found[2]} ?\{{[^}}]*\b{found[1]}\b", text)
    return bool(inside) and bool(re.search(r"\bcompound=true", text))


def paper() -> str:
    made = [r"\documentclass{article}", r"\usepackage{amsmath}", r"\begin{document}"]
    for i in range(20):
        made += [rf"\section{{Part {i}}}", rf"Some words \emph{{of {i}}} and $x_{{{i}}} + {i}$."]
        made += [r"\begin{itemize}", rf"\item One \label{{l{i}}}", r"\end{itemize}"]
    made[54] = r"\begin{align} a &= b \\ \begin{cases} c \end{cases} \tag{\ref{l2}} \end{align}"
    return "\n".join([*made, r"\end{document}"]) + "\n"


def tag_in_align(data: bytes) -> bool:
    """Environments nest, labels exist, and a tag of an align refers to one."""
    text = nested(data.decode(), "{}")
    opened: list[str] = []
    found = False
    for word, name in re.findall(r"\\(begin|end|ref|label)\{(\w+)\}", text):
        if word == "begin":
            opened.append(name)
        elif word == "end" and opened.pop() != name:
            raise ValueError(name)
        elif word == "ref":
            found |= opened[-1:] == ["align"] and rf"\label{{{name}}}" in text
    return found and not opened and "document" in text


def notes() -> str:
    made = []
    for i in range(30):
        made += [
            f"## Part {i}",
            "",
            f"- one *{i}*",
            f"- two [link](x{i}.md)",
            "",
            f"Words of {i}.",
            "",
        ]
    made[100:100] = ["1. first", "", "   ```py", "   x = 1", "   ```", "2. second"]
    return "\n".join(made) + "\n"


def fence_in_list(data: bytes) -> bool:
    """A fence is opened and closed inside of an item, and others follow."""
    text = data.decode()
    if len(re.findall(r"(?m)^ *```", text)) % 2:
        raise ValueError("an open fence")
    return bool(re.search(r"(?m)^1\. .*\n(?:\n| +.*\n)* +```\w+\n(?: .*\n)* +```\n\d\. ", text))


def license_text() -> str:
    """Prose, in paragraphs."""
    sentence = "the licensor grants you a right to use, copy and {verb} the work {i} times"
    verbs = ["change", "share", "sell", "show", "publish", "waive"]
    made = [f"{i}. " + ". ".join(sentence.format(verb=v, i=i) for v in verbs) for i in range(12)]
    made[8] = (
        made[8]
        .replace("sell the work", "sell the (work")
        .replace("show the work", "show the work)")
    )
    return "\n\n".join(made) + "\n"


def bracket_over_sentences(data: bytes) -> bool:
    paragraphs = [nested(each) for each in re.split(r"\n\n+", data.decode())]
    return any(re.search(r"\([^)]*\. [^)]*\)", each) for each in paragraphs)


def messages() -> str:
    pairs = [f'msgid "word {i}"\nmsgstr "Wort {i} %d"\n' for i in range(50)]
    pairs[36] = 'msgid "a %s word"\nmsgstr "ein Wort"\n'
    return "\n".join(['msgid ""\nmsgstr ""\n', *pairs])


def lost_argument(data: bytes) -> bool:
    lines = [line for line in data.decode().splitlines() if line.strip()]
    found = False
    for first, second in several(lines, 2):
        one, two = re.fullmatch(r'msgid "(.*)"', first), re.fullmatch(r'msgstr "(.*)"', second)
        if one is None or two is None:
            raise ValueError(first)
        found |= "%s" in one[1] and bool(two[1]) and "%" not in two[1]
    return found


CASES = [
    case("polygons.geojson", "format", polygons(), off_the_globe, "digits of fractions"),
    case("schema.json", "format", schema(), cycle),
    case("cells.ipynb", "format", notebook(), fence_in_bash),
    case("project.toml", "format", manifest(), needs_itself),
    case("services.yaml", "format", indented(), hex_port),
    case("drawing.svg", "format", drawing(), short_arc),
    case("page.html", "format", page(), crossed),
    case("feed.xml", "format", feed(), no_such_day),
    case("overflow.sql", "format", queries(), overflows),
    case("with.sql", "format", names_of_with(), zipped_lists, "a common table expression"),
    case("fields.ll", "format", module(), fields_agree, "lists that belong together"),
    case("style.css", "format", style(), bad_calc),
    case("graph.dot", "format", graph(), edge_to_cluster),
    case("paper.tex", "format", paper(), tag_in_align),
    case("notes.md", "format", notes(), fence_in_list),
    case("license.txt", "format", license_text(), bracket_over_sentences),
    case("de.po", "format", messages(), lost_argument),
]

"""Folders and projects of two files, in which files name each other."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping

from ledger.readers import folder_case, nested

Files = Mapping[str, bytes]


def suite() -> dict[str, bytes]:
    made = {"lib.py": b"".join(b"def f%d(x):\n    return x + %d\n\n\n" % (i, i) for i in range(20))}
    for folder in range(4):
        for i in range(5):
            at = folder * 5 + i
            tests = (
                f"from lib import f{at}\n\n\ndef test_a():\n    assert f{at}(1) == {at + 1}\n\n\n"
            )
            tests += f"def test_b():\n    assert f{at}(2) != {at if at != 13 else 0}\n"
            made[f"tests/part{folder}/test_{i}.py"] = tests.encode()
    return made


def imported_test(files: Files) -> bool:
    """All that is imported is defined; a test of f13 compares with zero."""
    defined = {
        node.name for node in ast.parse(files["lib.py"]).body if isinstance(node, ast.FunctionDef)
    }
    found = False
    for path, data in files.items():
        for node in ast.parse(data).body:
            if (
                isinstance(node, ast.ImportFrom)
                and not {each.name for each in node.names} <= defined
            ):
                raise ValueError(path)
            found |= isinstance(node, ast.FunctionDef) and "f13(2) != 0" in ast.unparse(node)
    return found and "f13" in defined


def headers() -> dict[str, bytes]:
    made = {
        f"include/h{i}.h": b"#pragma once\n"
        + (b'#include "h%d.h"\n' % (i // 2) if i else b"")
        + b"".join(b"int h%d_%d(int a, int b);\n" % (i, k) for k in range(6))
        for i in range(16)
    }
    body = b"".join(b"  h%d_%d(%d, 1);\n" % (i, i % 6, i) for i in range(8, 16))
    made["main.c"] = (
        b"".join(b'#include "h%d.h"\n' % i for i in range(8, 16))
        + b"int main() {\n"
        + body
        + b"}\n"
    )
    return made


def called_through(files: Files) -> bool:
    """What is included exists, what is called is declared there; main calls h13_1."""
    by_name = {path.split("/")[-1]: data.decode() for path, data in files.items()}
    seen, left = set(), ["main.c"]
    while left:
        if (name := left.pop()) not in seen:
            seen.add(name)
            left += re.findall(r'#include "([^"\n]*)"', nested(by_name[name]))
    declared = {word for name in seen for word in re.findall(r"\bint (\w+)\(", by_name[name])}
    called = {*re.findall(r"(\w+)\(\d+, 1\);", by_name["main.c"])}
    if not called <= declared:
        raise ValueError("not declared")
    return "h13_1" in called and "main" in declared and "int a" in by_name["h13.h"]


def package() -> dict[str, bytes]:
    made = {"package.json": json.dumps({"main": "src/m0.js", "files": ["src"]}, indent=1).encode()}
    for i in range(18):
        others = [j for j in (2 * i + 1, 2 * i + 2) if j < 18]
        made[f"src/m{i}.js"] = (
            "".join(f'import {{ v{j} }} from "./m{j}.js";\n' for j in others)
            + f"export const v{i} = [{i}, {', '.join(f'v{j}' for j in others) or 'null'}];\n"
            + f"function helper{i}(a) {{ return a.map((x) => x + {i}); }}\n"
        ).encode()
    return made


def leads_to_m11(files: Files) -> bool:
    """Modules that are imported exist and export the name; the first one leads to the twelfth."""
    seen, left = set(), [json.loads(files["package.json"])["main"]]
    while left:
        path = left.pop()
        text = nested(files[path].decode())
        if path in seen:
            continue
        seen.add(path)
        for name, other in re.findall(r'import \{ ?(\w+) ?\} from "\./(\w+\.js)"', text):
            if not re.search(rf"export const {name} = ", files[f"src/{other}"].decode()):
                raise ValueError(name)
            left.append(f"src/{other}")
    return "src/m11.js" in seen and b"helper11" in files["src/m11.js"]


def rows_by_schema() -> dict[str, bytes]:
    columns = [f"c{i}:{'int' if i % 3 else 'text'}" for i in range(14)]
    rows = [",".join(str(r * i) if i % 3 else f"t{r}" for i in range(14)) for r in range(30)]
    rows[21] = rows[21].replace("105", "1e5")
    return {"schema.txt": "\n".join(columns).encode(), "data.csv": "\n".join(rows).encode()}


def no_integer(files: Files) -> bool:
    """Each row has a value for each column; one of a column of numbers is none."""
    columns = [line.split(":") for line in files["schema.txt"].decode().splitlines()]
    found = False
    for row in files["data.csv"].decode().splitlines():
        values = row.split(",")
        if len(values) != len(columns) or any(kind not in {"int", "text"} for _, kind in columns):
            raise ValueError(row)
        kinds = zip(values, columns, strict=True)
        found |= any(kind == "int" and value == "1e5" for value, (_, kind) in kinds)
    return found


def template() -> dict[str, bytes]:
    keys = {f"key{i}": f"value {i}" for i in range(30)} | {"bad": "{{ bad }}"}
    text = "".join(f"<li>{{{{ key{i} }}}} of {{{{ key{i * 7 % 30} }}}}</li>\n" for i in range(30))
    return {
        "page.tmpl": f"<ul>\n{text}<li>{{{{ bad }}}}</li>\n</ul>\n".encode(),
        "values.json": json.dumps(keys, indent=1).encode(),
    }


def endless(files: Files) -> bool:
    """All keys that are used exist; one of them stands for itself."""
    values = json.loads(files["values.json"])
    used = re.findall(r"\{\{ (\w+) \}\}", files["page.tmpl"].decode())
    return any(f"{{{{ {key} }}}}" in values[key] for key in [*used]) and "ul" in str(
        files["page.tmpl"]
    )


CASES = [
    folder_case("suite", "folder", suite(), imported_test),
    folder_case("headers", "folder", headers(), called_through),
    folder_case("modules", "folder", package(), leads_to_m11),
    folder_case("schema and data", "two files", rows_by_schema(), no_integer),
    folder_case("template and values", "two files", template(), endless),
]

"""Random XML documents, and random path queries of them.

Queries mean the same in XPath 1.0 and in XQuery: no attribute is compared with another, and
numbers are compared with numbers only.
"""

from __future__ import annotations

import random

NAMES = "abcd"
AXES = (
    *("child", "descendant", "ancestor", "ancestor-or-self", "descendant-or-self"),
    *("following-sibling", "preceding-sibling", "parent"),
)


def document(draw: random.Random, size: int) -> str:
    """Return a document of nested elements with numbered ids and a few other attributes."""
    pieces = ['<root id="0">\n']
    number = 0

    def element(depth: int) -> None:
        nonlocal number
        number += 1
        indent, name = "  " * depth, draw.choice(NAMES)
        head = f'{indent}<{name} id="{number}"'
        head += f' x="{draw.randrange(4)}"' if draw.random() < 0.5 else ""
        children = draw.randrange(5) if depth < 7 else 0
        if not children:
            pieces.append(f"{head}/>\n" if draw.random() < 0.5 else f"{head}>{number}</{name}>\n")
            return
        pieces.append(f"{head}>\n")
        for _ in range(children):
            element(depth + 1)
        pieces.append(f"{indent}</{name}>\n")

    while sum(map(len, pieces)) < size:
        element(1)
    return "".join([*pieces, "</root>\n"])


def query(draw: random.Random) -> str:
    """Return a path of one to three steps that means the same in XPath 1.0 and in XQuery."""
    steps = [
        f"{draw.choice(AXES)}::{node_test(draw)}{predicates(draw)}"
        for _ in range(draw.choice([1, 1, 2, 3]))
    ]
    return "//" + "/".join(steps)


def node_test(draw: random.Random) -> str:
    """Return the name of an element, `*` or `node()`."""
    return str(draw.choice([*NAMES, "*", "*", "node()"]))


def predicates(draw: random.Random) -> str:
    """Return at most two predicates, in brackets."""
    return "".join(f"[{predicate(draw)}]" for _ in range(draw.choice([0, 1, 1, 2])))


def predicate(draw: random.Random) -> str:
    """Return a condition on position, attributes, or other elements."""
    name, number = draw.choice(NAMES), draw.randrange(1, 4)
    return draw.choice(
        [
            *(f"{number}", "last()", f"position() = {number}", f"position() > {number}"),
            *("last() - 1", "number(@x)", "number(@id)", "count(*)", f"count({name})"),
            *(f"count(*) > {number}", f"@x = {number}", f"not(@x = {number})", "not(@x)"),
            *(f"{name}", f"not({name})", f"{name}[{number}]", f"../{name}"),
            *(f"@id mod {number + 1} = 0", f"string-length(@id) = {number}"),
            *(f"{name}/@x = {number}", f"ancestor::{name}"),
            f"following-sibling::{name}[{number}]",
        ]
    )

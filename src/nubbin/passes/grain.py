"""How fine the pieces are that a pass deletes, and the option values that name them.

Imports no other module of nubbin, so that the command line can show its help at once.
"""

from __future__ import annotations

from enum import IntEnum


class Grain(IntEnum):
    """How fine the pieces are that a pass deletes, coarse to fine.

    The lowercase names are the first values of `--smallest`.
    """

    TREE = 1  #: nodes of a tree, lines, names: whatever the structure of a file shows
    TOKEN = 2  #: words, numbers and marks; of a binary file, bytes
    CHAR = 3  #: characters and bytes


#: The grain of each flat list that `--smallest` can name.
GRAIN_OF_LIST = {
    "lines": Grain.TREE,
    "tokens": Grain.TOKEN,
    "chars": Grain.CHAR,
    "bytes": Grain.CHAR,
}

#: Lists that no option names: those that `nubbin.suspects` makes. The first have an item a line.
ITEMS = ("tests", "commits")
SUSPECTS = (*ITEMS, "changes")

#: The values of `--smallest`: the grain at which a reduction ends, or the only list it reduces.
UNITS = (*(grain.name.lower() for grain in Grain), *GRAIN_OF_LIST)

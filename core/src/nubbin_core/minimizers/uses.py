"""Which elements of a list use which others."""

from __future__ import annotations

from collections.abc import Sequence


class Uses:
    """Element i of N uses the elements `targets[starts[i]:starts[i + 1]]`.

    `starts` has N + 1 numbers. Its maker decides what counts as a use.
    """

    __slots__ = ("starts", "targets")

    def __init__(self, starts: Sequence[int], targets: Sequence[int]):
        self.starts, self.targets = starts, targets

    @classmethod
    def none(cls, n: int) -> Uses:
        """Return n elements none of which uses another."""
        return cls((0,) * (n + 1), ())

    def __len__(self) -> int:
        return len(self.starts) - 1

    def of(self, element: int) -> Sequence[int]:
        """Return the elements that one uses."""
        return self.targets[self.starts[element] : self.starts[element + 1]]

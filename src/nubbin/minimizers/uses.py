"""Which elements of a list use which others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Uses:
    """Element i of N uses the elements `targets[starts[i]:starts[i + 1]]`.

    `starts` has the shape (N + 1,). Its maker decides what counts as a use.
    """

    starts: Indices
    targets: Indices

    @classmethod
    def none(cls, n: int) -> Uses:
        """Return n elements none of which uses another."""
        return cls(np.zeros(n + 1, np.int64), np.zeros(0, np.int64))

    def __len__(self) -> int:
        return len(self.starts) - 1

    def of(self, element: int) -> Indices:
        """Return the elements that one uses."""
        return self.targets[self.starts[element] : self.starts[element + 1]]

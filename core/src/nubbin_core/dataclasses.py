"""The standard library's `dataclasses`, but a class's methods are made when one is first needed.

To compile them takes a third of a millisecond a class, and a short reduction makes instances of
few of nubbin's 160.
"""

from __future__ import annotations

import dataclasses
from dataclasses import asdict, field, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

__all__ = ["asdict", "dataclass", "field", "fields", "is_dataclass", "replace"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    _MADE = (
        "__dataclass_fields__",
        "__dataclass_params__",
        "__init__",
        "__repr__",
        "__match_args__",
    )
    _IF_EQ = ("__eq__", "__hash__")
    _NOT_COPIED = {"__dict__", "__weakref__", "__setattr__", "__delattr__"}

    class _Unmade:
        """Stands in a class for a method until one of these methods is needed."""

        def __init__(self, name: str, options: dict[str, bool]):
            self._name = name
            self._options = options

        def __get__(self, instance: object, owner: type) -> Any:
            """Make all methods of the class that this stands in, and return this one.

            They are made in a copy, and put in the place of these one by one, so that a second
            thread that needs one meanwhile finds either, and makes all again at the worst.
            """
            for home in owner.__mro__:
                if vars(home).get(self._name) is self:
                    _make(home, self._options)
            return getattr(owner if instance is None else instance, self._name)

    def _make(home: type, options: dict[str, bool]) -> None:
        unmade = [name for name, each in vars(home).items() if isinstance(each, _Unmade)]
        left_out = _NOT_COPIED.union(unmade)
        body = {name: each for name, each in vars(home).items() if name not in left_out}
        copy = dataclasses.dataclass(**options)(type(home)(home.__name__, home.__bases__, body))
        for name in unmade:
            setattr(home, name, vars(copy)[name])

    def _refuse(instance: object, name: str, *_: object) -> None:
        raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")

    def dataclass(**options: bool) -> Any:
        """Return a decorator for a class, as `dataclasses.dataclass` with these options does.

        Options: all but `slots`, for which a class would have to be made a second time.
        """
        names = (*_MADE, *_IF_EQ) if options.get("eq", True) else _MADE

        def decorated(cls: type) -> type:
            for name in names:
                if name not in vars(cls):
                    setattr(cls, name, _Unmade(name, options))
            if options.get("frozen"):
                cls.__setattr__ = cls.__delattr__ = _refuse
            return cls

        return decorated

"""What the instances of all problems share."""

from __future__ import annotations

from collections.abc import Mapping
from types import NoneType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ._result import Result

if TYPE_CHECKING:
    import os

    from typing_extensions import Self

I = TypeVar("I", bound="Instance")


class Instance:
    """A checked instance of a problem. Later changes of the given arrays have no effect on it."""

    __slots__ = ("_native",)
    _native: Any
    _class: Any
    _result: type[Result[Any]]
    #: The keywords of the constructor, which are attributes, too.
    _arguments: tuple[str, ...]
    #: The attributes that say how large it is.
    _sizes: tuple[str, ...]

    @classmethod
    def _of(cls, native: Any) -> Self:
        self = object.__new__(cls)
        self._native = native
        return self

    def _run(self, keywords: Mapping[str, object]) -> Any:
        return self._result(self, self._native._solve(self._prepared(keywords)))

    @classmethod
    def _prepared(cls, keywords: Mapping[str, object]) -> dict[str, Any]:
        """The keywords for the native part, with progress on the screen if it is asked for."""
        prepared = dict(keywords)
        display = prepared.pop("display", None)
        if not isinstance(display, (bool, np.bool_, NoneType)):
            kind = type(display).__name__
            raise TypeError(f"display: must be True or False, not {kind}")
        if display:
            from ._display import with_display

            return with_display(prepared)
        return prepared

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (type(self), {name: getattr(self, name) for name in self._arguments})

    def __repr__(self) -> str:
        sizes = ", ".join(f"{getattr(self, name)} {name}" for name in self._sizes)
        return f"<{type(self).__name__}: {sizes}>"


def _made(cls: type[I], arguments: dict[str, Any]) -> I:
    """An instance from a pickle."""
    return cls(**arguments)


class InFiles(Instance):
    """An instance that files of the library's formats can hold."""

    __slots__ = ()

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """An instance from a file in one of the library's formats without names, so not CSV."""
        return cls._of(cls._class._read(path))

    @classmethod
    def parse(cls, text: str) -> Self:
        """An instance from the text of such a file."""
        return cls._of(cls._class._parse(text))

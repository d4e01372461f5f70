"""Cutting stock and bin packing: instances, results and functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _makespan
from ._instance import InFiles
from ._result import Result, read_only

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Unpack

    from ._keywords import CuttingStockKeywords


class Pattern(NamedTuple):
    """Stock pieces that are cut in the same way."""

    pieces: int
    #: The number of items of each type cut from one piece.
    items: dict[int, int]


class CuttingStockResult(Result["CuttingStock"]):
    """The ways in which stock pieces are cut."""

    __slots__ = ()

    @property
    def patterns(self) -> list[Pattern]:
        """The patterns."""
        return [Pattern(*pattern) for pattern in self._found()]

    @property
    def waste(self) -> int:
        """Length left over of all pieces."""
        lengths, stock = self.instance.lengths, self.instance.stock_length
        used = sum(
            pattern.pieces * sum(int(lengths[item]) * count for item, count in pattern.items.items())
            for pattern in self.patterns
        )
        return int(self.objective * stock - used)

    def table(self) -> dict[str, NDArray[Any]]:
        """A row for each cut: pattern, pieces, item, length, count."""
        rows = [
            (number, pattern.pieces, item, int(self.instance.lengths[item]), count)
            for number, pattern in enumerate(self.patterns)
            for item, count in pattern.items.items()
        ]
        names = ("pattern", "pieces", "item", "length", "count")
        columns = read_only(np.array(rows, dtype=np.int64).reshape(-1, len(names))).T
        return dict(zip(names, columns))


class CuttingStock(InFiles):
    """Items of given lengths and demands, and the length of a stock piece.

    `lengths` and `demands` have the shape (n,) for n item types. Without demands there is one item
    of each type. `pinned` has the pieces that are cut already, as pairs of a number of pieces and a
    dictionary from item types to the number cut from each piece.
    """

    __slots__ = ()
    _class = _makespan.CuttingStock
    _result = CuttingStockResult
    _arguments = ("lengths", "demands", "stock_length", "pinned")
    _sizes = ("types",)

    def __init__(
        self,
        lengths: ArrayLike,
        demands: ArrayLike | None,
        stock_length: int,
        *,
        pinned: Sequence[tuple[int, Mapping[int, int]]] | None = None,
    ) -> None:
        self._native = _makespan.CuttingStock(lengths, demands, stock_length, pinned=pinned)

    @property
    def types(self) -> int:
        """Number of item types."""
        return self._native.types

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The length of each item type."""
        return self._native.lengths

    @property
    def demands(self) -> NDArray[np.int64]:
        """Number of items wanted of each type."""
        return self._native.demands

    @property
    def stock_length(self) -> int:
        """Length of a stock piece."""
        return self._native.stock_length

    @property
    def pinned(self) -> list[tuple[int, dict[int, int]]] | None:
        """The pieces that are cut already; None without any."""
        return self._native.pinned

    def evaluate(self, patterns: Sequence[tuple[int, Mapping[int, int]]]) -> int:
        """The number of stock pieces of patterns, pairs (pieces, {item: count})."""
        return self._native.evaluate(patterns)

    def solve(self, **keywords: Unpack[CuttingStockKeywords]) -> CuttingStockResult:
        """Cuts the items from few stock pieces; see `cutting_stock`."""
        return self._run(keywords)

    @classmethod
    def _prepared(cls, keywords: Mapping[str, object]) -> dict[str, Any]:
        prepared = super()._prepared(keywords)
        start = prepared.get("start")
        if isinstance(start, (list, tuple)) and any(isinstance(part, tuple) for part in start):
            prepared["start"] = _flat(start)
        return prepared


def _flat(patterns: Sequence[tuple[int, Mapping[int, int]]]) -> list[int]:
    """Patterns as the option `start` lists them."""
    numbers: list[int] = []
    for pattern in patterns:
        if not (isinstance(pattern, tuple) and len(pattern) == 2 and isinstance(pattern[1], Mapping)):
            raise TypeError("start: must be a list of pairs (pieces, {item: count})")
        pieces, items = pattern
        numbers += [pieces, len(items)]
        for item, count in items.items():
            numbers += [item, count]
    return numbers


def cutting_stock(
    lengths: ArrayLike,
    demands: ArrayLike | None,
    stock_length: int,
    *,
    pinned: Sequence[tuple[int, Mapping[int, int]]] | None = None,
    **keywords: Unpack[CuttingStockKeywords],
) -> CuttingStockResult:
    """Cuts items from as few stock pieces as possible.

    Keywords are the options of `options("cutting_stock")` and those of all problems; see
    `flow_shop`. `start` also takes patterns.

    >>> import makespan
    >>> result = makespan.cutting_stock([45, 36, 31], [2, 3, 4], stock_length=100)
    >>> result.status, result.objective, result.waste
    ('optimal', 4, 78)
    """
    stock = CuttingStock(lengths, demands, stock_length, pinned=pinned)
    return stock._run(keywords)


def bin_packing(
    sizes: ArrayLike, capacity: int, **keywords: Unpack[CuttingStockKeywords]
) -> CuttingStockResult:
    """Packs items into as few bins as possible; each pattern is the items of a bin.

    >>> import makespan
    >>> makespan.bin_packing([4, 4, 3, 3, 2], capacity=8).objective
    2
    """
    return CuttingStock._of(_makespan.CuttingStock._bins(sizes, capacity))._run(keywords)

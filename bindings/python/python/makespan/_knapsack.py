"""Knapsacks with one capacity: instances, results and functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _makespan
from ._instance import Instance, _displayed
from ._result import Result, _Selection

if TYPE_CHECKING:
    import os

    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Self, Unpack

    from ._keywords import KnapsackKeywords, SolveKeywords


class KnapsackResult(_Selection["Knapsack"]):
    """The items taken."""

    __slots__ = ()

    @property
    def weight(self) -> int:
        """The weight of all items taken."""
        counts, weights = self._found(), self.instance.weights
        return sum(int(counts[item]) * int(weights[item]) for item in self.taken)

    def table(self) -> dict[str, Any]:
        """A row for each item taken: item, profit, weight, count."""
        taken = self.taken
        profits, weights = self.instance.profits[taken], self.instance.weights[taken]
        return {
            "item": taken,
            "profit": profits,
            "weight": weights,
            "count": self._found()[taken],
        }


class KnapsackBatchResult(Result["Knapsack"]):
    """The selections of knapsacks that differ in their profits."""

    __slots__ = ()

    @property
    def profits(self) -> NDArray[np.int64]:
        """The largest profit of each instance."""
        return self._found()[0]

    @property
    def counts(self) -> NDArray[np.int64]:
        """Copies taken of each item, a row for each instance."""
        return self._found()[1]

    def table(self) -> dict[str, Any]:
        """A row for each instance: instance, profit."""
        return {"instance": np.arange(len(self.profits)), "profit": self.profits}


class Knapsack(Instance):
    """Items with profits and weights, and a capacity. `copies` has the number of copies of each
    item; one number is for all items, and `math.inf` for as many as fit. `pinned` has the copies
    of each item that every selection takes."""

    __slots__ = ()
    _class = _makespan.Knapsack
    _result = KnapsackResult

    def __init__(
        self,
        profits: ArrayLike,
        weights: ArrayLike,
        capacity: int,
        *,
        copies: ArrayLike | None = None,
        pinned: ArrayLike | None = None,
    ) -> None:
        self._native = _makespan.Knapsack(
            profits, weights, capacity, copies=copies, pinned=pinned
        )

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """An instance from a file in one of the library's formats."""
        return cls._of(_makespan.Knapsack._read(path))

    @property
    def items(self) -> int:
        """Number of items."""
        return self._native.items

    @property
    def capacity(self) -> int:
        """The capacity."""
        return self._native.capacity

    @property
    def profits(self) -> NDArray[np.int64]:
        """The profit of each item."""
        return self._native.profits

    @property
    def weights(self) -> NDArray[np.int64]:
        """The weight of each item."""
        return self._native.weights

    def evaluate(self, counts: ArrayLike) -> int:
        """The profit of a selection, the copies of each item."""
        return self._native.evaluate(counts)

    def solve(self, **keywords: Unpack[KnapsackKeywords]) -> KnapsackResult:
        """Finds the largest profit that fits; see `knapsack`."""
        return self._run(keywords)


def knapsack(
    profits: ArrayLike,
    weights: ArrayLike,
    capacity: int,
    *,
    copies: ArrayLike | None = None,
    pinned: ArrayLike | None = None,
    **keywords: Unpack[KnapsackKeywords],
) -> KnapsackResult:
    """Chooses items with the largest profit that fit into a capacity.

    Keywords are the options of `options("knapsack")` and those of all problems; see `flow_shop`.

    >>> import makespan
    >>> result = makespan.knapsack([10, 7, 6], [5, 4, 3], capacity=7)
    >>> result.objective, result.taken
    (13, array([1, 2]))
    """
    items = Knapsack(profits, weights, capacity, copies=copies, pinned=pinned)
    return items._run(keywords)


def subset_sum(
    weights: ArrayLike, capacity: int, **keywords: Unpack[KnapsackKeywords]
) -> KnapsackResult:
    """Chooses numbers with the largest sum up to a capacity.

    >>> import makespan
    >>> makespan.subset_sum([9, 5, 4], 13).taken
    array([0, 2])
    """
    return Knapsack(weights, weights, capacity)._run(keywords)


def knapsack_batch(
    profits: ArrayLike,
    weights: ArrayLike,
    capacity: int,
    *,
    copies: ArrayLike | None = None,
    **keywords: Unpack[SolveKeywords],
) -> KnapsackBatchResult:
    """Solves many knapsacks with the same weights and capacity, one for each row of `profits`.

    The objective is the sum of all profits.

    >>> import makespan
    >>> result = makespan.knapsack_batch([[10, 7, 6], [1, 2, 3]], [5, 4, 3], capacity=7)
    >>> result.profits
    array([13,  5])
    >>> result.counts
    array([[0, 1, 1],
           [0, 1, 1]])
    """
    items = Knapsack(weights, weights, capacity, copies=copies)
    outcome = items._native._solve_profits(profits, _displayed(keywords))  # type: ignore[arg-type]
    return KnapsackBatchResult(items, outcome)

"""Knapsacks with one capacity: instances, results and functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _makespan
from ._instance import InFiles
from ._result import Result, _Selection, read_only

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Unpack

    from ._keywords import KnapsackKeywords, SolveKeywords


class KnapsackResult(_Selection["Knapsack"]):
    """The items taken."""

    __slots__ = ()

    @property
    def weight(self) -> int:
        """The weight of all items taken."""
        counts, weights = self._found(), self.instance.weights
        return sum(int(counts[item]) * int(weights[item]) for item in self.taken)

    def table(self) -> dict[str, NDArray[Any]]:
        """A row for each item taken: item, profit, weight, count."""
        taken = self.taken
        profits, weights = self.instance.profits[taken], self.instance.weights[taken]
        count = self._found()[taken]
        return read_only({"item": taken, "profit": profits, "weight": weights, "count": count})


class KnapsackProfileResult(Result["Knapsack"]):
    """The largest profit for every capacity."""

    __slots__ = ()

    @property
    def profits(self) -> NDArray[np.int64] | None:
        """The largest profit of each capacity from 0 to the instance's; None without a solution."""
        return self.solution

    def table(self) -> dict[str, NDArray[Any]]:
        """A row for each capacity: capacity, profit."""
        profits = self._found()
        return read_only({"capacity": np.arange(len(profits)), "profit": profits})


class Knapsack(InFiles):
    """Items with profits and weights, and a capacity.

    `profits`, `weights`, `copies` and `pinned` have the shape (n,) for n items. `copies` has the
    number of copies of each item, `math.inf` for as many as fit; one number is for all items.
    Without it there is one of each. `pinned` has the copies of each item that every selection
    takes.
    """

    __slots__ = ()
    _class = _makespan.Knapsack
    _result = KnapsackResult
    _arguments = ("profits", "weights", "capacity", "copies", "pinned")
    _sizes = ("items",)

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

    @property
    def copies(self) -> list[int | float]:
        """The number of copies of each item; infinite for as many as fit."""
        return self._native.copies

    @property
    def pinned(self) -> NDArray[np.int64] | None:
        """The copies of each item that every selection takes; None if they were not given."""
        return self._native.pinned

    def evaluate(self, counts: ArrayLike) -> int:
        """The profit of a selection, the copies of each item."""
        return self._native.evaluate(counts)

    def solve(self, **keywords: Unpack[KnapsackKeywords]) -> KnapsackResult:
        """Finds the largest profit that fits; see `knapsack`."""
        return self._run(keywords)

    def profile(self, **keywords: Unpack[SolveKeywords]) -> KnapsackProfileResult:
        """Finds the largest profit for every capacity; see `knapsack_profile`."""
        return KnapsackProfileResult(self, self._native._profile(self._prepared(keywords)))


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
    return Knapsack._of(_makespan.Knapsack._subset_sum(weights, capacity))._run(keywords)


def knapsack_profile(
    profits: ArrayLike,
    weights: ArrayLike,
    capacity: int,
    *,
    copies: ArrayLike | None = None,
    **keywords: Unpack[SolveKeywords],
) -> KnapsackProfileResult:
    """Finds the largest profit for every capacity from 0 to this one, by the dense table.

    Keywords are those of all problems; see `flow_shop`. If a limit ends the solve, there are no
    profits.

    >>> import makespan
    >>> makespan.knapsack_profile([10, 7, 6], [5, 4, 3], 7).profits
    array([ 0,  0,  0,  6,  7, 10, 10, 13])
    """
    return Knapsack(profits, weights, capacity, copies=copies).profile(**keywords)

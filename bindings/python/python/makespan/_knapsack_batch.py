"""Many knapsacks with the same weights: instances, results and a function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _makespan
from ._instance import Instance
from ._result import Result, read_only

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Unpack

    from ._keywords import SolveKeywords


class KnapsackBatchResult(Result["KnapsackBatch"]):
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

    def table(self) -> dict[str, NDArray[Any]]:
        """A row for each instance: instance, profit, a count for each item."""
        columns = {"instance": np.arange(len(self.profits)), "profit": self.profits}
        columns.update((f"count_{item}", counts) for item, counts in enumerate(self.counts.T))
        return read_only(columns)


class KnapsackBatch(Instance):
    """Knapsacks with the same weights, copies and capacity.

    With k knapsacks of n items, `profits` has the shape (k, n), `weights` and `copies` have (n,).
    `copies` is that of `Knapsack`.
    """

    __slots__ = ()
    _class = _makespan.KnapsackBatch
    _result = KnapsackBatchResult
    _arguments = ("profits", "weights", "capacity", "copies")
    _sizes = ("knapsacks", "items")

    def __init__(
        self,
        profits: ArrayLike,
        weights: ArrayLike,
        capacity: int,
        *,
        copies: ArrayLike | None = None,
    ) -> None:
        self._native = _makespan.KnapsackBatch(profits, weights, capacity, copies=copies)

    @property
    def knapsacks(self) -> int:
        """Number of knapsacks."""
        return self._native.knapsacks

    @property
    def items(self) -> int:
        """Number of items."""
        return self._native.items

    @property
    def capacity(self) -> int:
        """The capacity of each knapsack."""
        return self._native.capacity

    @property
    def profits(self) -> NDArray[np.int64]:
        """The profits, a row for each knapsack."""
        return self._native.profits

    @property
    def weights(self) -> NDArray[np.int64]:
        """The weight of each item."""
        return self._native.weights

    @property
    def copies(self) -> list[int | float]:
        """The number of copies of each item; infinite for as many as fit."""
        return self._native.copies

    def solve(self, **keywords: Unpack[SolveKeywords]) -> KnapsackBatchResult:
        """Finds the largest profit of each knapsack; see `knapsack_batch`."""
        return self._run(keywords)


def knapsack_batch(
    profits: ArrayLike,
    weights: ArrayLike,
    capacity: int,
    *,
    copies: ArrayLike | None = None,
    **keywords: Unpack[SolveKeywords],
) -> KnapsackBatchResult:
    """Solves many knapsacks with the same weights and capacity, one for each row of `profits`.

    The objective is the sum of all profits. Keywords are those of all problems; see `flow_shop`.

    >>> import makespan
    >>> result = makespan.knapsack_batch([[10, 7, 6], [1, 2, 3]], [5, 4, 3], capacity=7)
    >>> result.profits
    array([13,  5])
    >>> result.counts
    array([[0, 1, 1],
           [0, 1, 1]])
    """
    return KnapsackBatch(profits, weights, capacity, copies=copies).solve(**keywords)

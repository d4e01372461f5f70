"""Knapsacks with several capacities: instances, results and a function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _makespan
from ._instance import InFiles
from ._result import _Selection, read_only

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Unpack

    from ._keywords import MultidimensionalKnapsackKeywords


class MultidimensionalKnapsackResult(_Selection["MultidimensionalKnapsack"]):
    """The items taken."""

    __slots__ = ()

    @property
    def weights(self) -> NDArray[np.int64]:
        """The weight of all items taken, in each dimension."""
        return self._kept("weights", lambda: self.instance.weights @ self._found())

    def table(self) -> dict[str, NDArray[Any]]:
        """A row for each item taken: item, profit, a weight for each dimension, count."""
        taken = self.taken
        columns: dict[str, NDArray[Any]] = {"item": taken, "profit": self.instance.profits[taken]}
        for dimension, weights in enumerate(self.instance.weights):
            columns[f"weight_{dimension}"] = weights[taken]
        columns["count"] = self._found()[taken]
        return read_only(columns)


class MultidimensionalKnapsack(InFiles):
    """Items with a weight in each of several dimensions.

    With n items and d dimensions, `profits` and `copies` have the shape (n,), `weights` has (d, n)
    and `capacities` (d,). Without `copies` there is one of each item.
    """

    __slots__ = ()
    _class = _makespan.MultidimensionalKnapsack
    _result = MultidimensionalKnapsackResult
    _arguments = ("profits", "weights", "capacities", "copies")
    _sizes = ("items", "dimensions")

    def __init__(
        self,
        profits: ArrayLike,
        weights: ArrayLike,
        capacities: ArrayLike,
        *,
        copies: ArrayLike | None = None,
    ) -> None:
        self._native = _makespan.MultidimensionalKnapsack(
            profits, weights, capacities, copies=copies
        )

    @property
    def items(self) -> int:
        """Number of items."""
        return self._native.items

    @property
    def dimensions(self) -> int:
        """Number of dimensions."""
        return self._native.dimensions

    @property
    def capacities(self) -> NDArray[np.int64]:
        """The capacity of each dimension."""
        return self._native.capacities

    @property
    def profits(self) -> NDArray[np.int64]:
        """The profit of each item."""
        return self._native.profits

    @property
    def weights(self) -> NDArray[np.int64]:
        """The weights, a row for each dimension."""
        return self._native.weights

    @property
    def copies(self) -> NDArray[np.int64]:
        """The number of copies of each item."""
        return self._native.copies

    def evaluate(self, counts: ArrayLike) -> int:
        """The profit of a selection, the copies of each item."""
        return self._native.evaluate(counts)

    def solve(
        self, **keywords: Unpack[MultidimensionalKnapsackKeywords]
    ) -> MultidimensionalKnapsackResult:
        """Finds the largest profit that fits; see `multidimensional_knapsack`."""
        return self._run(keywords)


def multidimensional_knapsack(
    profits: ArrayLike,
    weights: ArrayLike,
    capacities: ArrayLike,
    *,
    copies: ArrayLike | None = None,
    **keywords: Unpack[MultidimensionalKnapsackKeywords],
) -> MultidimensionalKnapsackResult:
    """Chooses items with the largest profit that fit into several capacities.

    Keywords are the options of `options("multidimensional_knapsack")` and those of all problems;
    see `flow_shop`.

    >>> import makespan
    >>> weights = [[5, 4, 3], [1, 1, 4]]
    >>> makespan.multidimensional_knapsack([10, 7, 6], weights, [9, 4]).taken
    array([0, 1])
    """
    items = MultidimensionalKnapsack(profits, weights, capacities, copies=copies)
    return items._run(keywords)

"""Recurrences with fixed offsets: instances, results and a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _makespan
from ._instance import Instance
from ._result import Result

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Self, Unpack

    from ._keywords import RecurrenceKeywords


class RecurrenceResult(Result["Recurrence"]):
    """The tables of a recurrence."""

    __slots__ = ()

    @property
    def values(self) -> NDArray[np.int64] | None:
        """The tables, a row for each instance; None with values="last"."""
        return self._found()["values"]

    @property
    def last(self) -> NDArray[np.int64]:
        """The last element of each instance."""
        return self._found()["last"]

    @property
    def choices(self) -> NDArray[np.int64] | None:
        """With choices=True, the position of the offset that gives each element its value; -1 for
        the element's term, and if nothing reaches it."""
        return self._found()["choices"]

    def table(self) -> dict[str, Any]:
        """A row for each element: instance, element, value."""
        values = self.values
        if values is None:
            return {"instance": np.arange(len(self.last)), "value": self.last}
        rows, length = values.shape
        return {
            "instance": np.repeat(np.arange(rows), length),
            "element": np.tile(np.arange(length), rows),
            "value": values.ravel(),
        }


class Recurrence(Instance):
    """Tables whose elements follow from earlier elements at fixed distances:

        table[i] = t[i] + w[0] * table[i - a[0]] + ... + w[k - 1] * table[i - a[k - 1]]

    where + and * are the operations of the semiring: min-plus, max-plus, sum-product, modular (with
    `modulus`), or-and, max-min or custom. The offsets a decrease, and the first a[0] elements are
    `initial`; rows of `initial` are several tables. A custom operator has functions `combine` and
    `weigh` of two numbers, or `source` in OpenCL C, or both.
    """

    __slots__ = ()
    _class = _makespan.Recurrence
    _result = RecurrenceResult

    def __init__(
        self,
        semiring: str,
        offsets: ArrayLike,
        initial: ArrayLike,
        length: int,
        *,
        weights: ArrayLike | None = None,
        terms: ArrayLike | None = None,
        modulus: int | None = None,
        combine: Callable[[int, int], int] | None = None,
        weigh: Callable[[int, int], int] | None = None,
        source: str | None = None,
        idempotent: bool = False,
    ) -> None:
        self._native = _makespan.Recurrence(
            semiring,
            offsets,
            initial,
            length,
            weights=weights,
            terms=terms,
            modulus=modulus,
            combine=combine,
            weigh=weigh,
            source=source,
            idempotent=idempotent,
        )

    @classmethod
    def knapsack(cls, profits: ArrayLike, weights: ArrayLike, capacity: int) -> Self:
        """The table of a knapsack, a row for each item."""
        return cls._of(_makespan.Recurrence._knapsack(profits, weights, capacity))

    @property
    def length(self) -> int:
        """Number of elements of each table."""
        return self._native.length

    @property
    def instances(self) -> int:
        """Number of tables."""
        return self._native.instances

    @property
    def preset(self) -> int:
        """Number of preset elements of each table."""
        return self._native.preset

    @property
    def largest_fold(self) -> int:
        """The largest p for which the p-fold pipeline is correct."""
        return self._native.largest_fold

    def solve(self, **keywords: Unpack[RecurrenceKeywords]) -> RecurrenceResult:
        """Fills the tables; see `recurrence`."""
        return self._run(keywords)


def recurrence(
    semiring: str,
    offsets: ArrayLike,
    initial: ArrayLike,
    length: int,
    *,
    weights: ArrayLike | None = None,
    terms: ArrayLike | None = None,
    modulus: int | None = None,
    combine: Callable[[int, int], int] | None = None,
    weigh: Callable[[int, int], int] | None = None,
    source: str | None = None,
    idempotent: bool = False,
    **keywords: Unpack[RecurrenceKeywords],
) -> RecurrenceResult:
    """Fills tables whose elements follow from earlier ones; `Recurrence` has the arguments.

    Keywords are the options of `options("recurrence")` and those of all problems; see `flow_shop`.

    >>> import makespan
    >>> makespan.recurrence("sum-product", [2, 1], [0, 1], 10).values
    array([[ 0,  1,  1,  2,  3,  5,  8, 13, 21, 34]])
    """
    table = Recurrence(
        semiring,
        offsets,
        initial,
        length,
        weights=weights,
        terms=terms,
        modulus=modulus,
        combine=combine,
        weigh=weigh,
        source=source,
        idempotent=idempotent,
    )
    return table._run(keywords)

"""Recurrences with fixed offsets: instances, results and a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _makespan
from ._instance import InFiles
from ._result import Result, read_only

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

    def table(self) -> dict[str, NDArray[Any]]:
        """A row for each element: instance, element, value, and the choice with choices=True. With
        values="last", a row for each instance: instance, value."""
        values, choices = self.values, self.choices
        if values is None:
            return read_only({"instance": np.arange(len(self.last)), "value": self.last})
        rows, length = values.shape
        columns = {
            "instance": np.repeat(np.arange(rows), length),
            "element": np.tile(np.arange(length), rows),
            "value": values.ravel(),
        }
        if choices is not None:
            # The first elements are given.
            given = length - choices.shape[1]
            columns["choice"] = np.pad(choices, ((0, 0), (given, 0)), constant_values=-1).ravel()
        return read_only(columns)


class Recurrence(InFiles):
    """Tables whose elements follow from earlier elements at fixed distances:

        table[i] = t[i] + w[0] * table[i - a[0]] + ... + w[k - 1] * table[i - a[k - 1]]

    where + and * are the operations of the `semiring`: "min-plus", "max-plus", "sum-product",
    "modular" (with `modulus`), "or-and", "max-min" or "custom". With k offsets and r tables:

    - `offsets`, shape (k,): a, which decrease; the last one is at least 1;
    - `initial`, shape (a[0],) or (r, a[0]): the first elements, a row for each table;
    - `length`: the number of elements of each table;
    - `weights`, shape (k,) or (r, k): w; without them the second operation does nothing;
    - `terms`, shape (length - a[0],) or (r, length - a[0]): t;
    - `combine` and `weigh`: a custom operator's functions of two numbers for + and *;
    - `source`: the same in OpenCL C, `long combine(long left, long right)` and
      `long weigh(long weight, long value)`. The source is code that runs with the program's rights;
    - `idempotent`: promises that `combine(x, x)` is x.
    """

    __slots__ = ()
    _class = _makespan.Recurrence
    _result = RecurrenceResult
    _arguments = (
        "semiring",
        "offsets",
        "initial",
        "length",
        "weights",
        "terms",
        "modulus",
        "combine",
        "weigh",
        "source",
        "idempotent",
    )
    _sizes = ("instances", "length")

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

    def __reduce__(self) -> tuple[Any, ...]:
        items = self._native._items
        return super().__reduce__() if items is None else (type(self).knapsack, items)

    @property
    def semiring(self) -> str:
        """The operations of the recurrence."""
        return self._native.semiring

    @property
    def offsets(self) -> NDArray[np.int64] | None:
        """The offsets; None for a knapsack."""
        return self._native.offsets

    @property
    def initial(self) -> NDArray[np.int64]:
        """The preset elements, a row for each table."""
        return self._native.initial

    @property
    def weights(self) -> NDArray[np.int64] | None:
        """The weights, of all tables together or a row for each."""
        return self._native.weights

    @property
    def terms(self) -> NDArray[np.int64] | None:
        """The terms, of all tables together or a row for each."""
        return self._native.terms

    @property
    def modulus(self) -> int | None:
        """The modulus of the semiring modular."""
        return self._native.modulus

    @property
    def combine(self) -> Callable[[int, int], int] | None:
        """A custom operator's function."""
        return self._native.combine

    @property
    def weigh(self) -> Callable[[int, int], int] | None:
        """A custom operator's function for weights."""
        return self._native.weigh

    @property
    def source(self) -> str | None:
        """A custom operator in OpenCL C."""
        return self._native.source

    @property
    def idempotent(self) -> bool:
        """Whether a custom operator combines a number with itself to the same."""
        return self._native.idempotent

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

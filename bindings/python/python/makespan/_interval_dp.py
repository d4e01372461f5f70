"""Interval programs: instances, results and functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _makespan
from ._instance import Instance
from ._result import Result

if TYPE_CHECKING:
    import os

    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Self, Unpack

    from ._keywords import IntervalDpKeywords


class IntervalResult(Result["IntervalProgram"]):
    """The tree of an interval program."""

    __slots__ = ()

    @property
    def nodes(self) -> NDArray[np.int64] | None:
        """First point, split and last point of each inner node, from the root on. None for
        semirings whose value is not that of one tree."""
        return self._found()["nodes"]

    @property
    def parenthesisation(self) -> str:
        """The tree as a product of its leaves, such as ((A1 A2) A3)."""
        return self.instance.parenthesisation(self._tree())

    @property
    def dot(self) -> str:
        """The tree as a graph in the DOT language."""
        return self.instance.dot(self._tree())

    @property
    def cells(self) -> NDArray[Any]:
        """The values of the cells that the option `cells` names."""
        return self._found()["cells"]

    @property
    def cell_error(self) -> float:
        """Largest possible error of these values; infinite if nothing is known."""
        return self._found()["cell_error"]

    @property
    def cell_type(self) -> str:
        """Type of the cells that were computed."""
        return self._found()["cell_type"]

    def table(self) -> dict[str, NDArray[Any]]:
        """A row for each inner node: first, split, last."""
        return dict(zip(("first", "split", "last"), self._tree().T))

    def _tree(self) -> NDArray[np.int64]:
        nodes = self.nodes
        if nodes is None:
            raise ValueError("the semiring's value is not that of one tree")
        return nodes


def _copy(array: ArrayLike | None) -> Any:
    """The numbers of an array for a pickle; the caller may change the array."""
    return None if array is None else np.array(array)


class IntervalProgram(Instance):
    """A dynamic program over intervals. Points 0 to n have n leaves between them; a larger cell
    combines two parts that meet at a point k:

        cell(i, j) = w(i, j) * (sum over i < k < j of cell(i, k) * cell(k, j) * g(i, k, j))

    where sum and * are the operations of the semiring, minimum and sum by default. Numbers are
    whole, or real if one array has real ones.
    """

    __slots__ = ("_form",)
    #: The class method that made it and its arguments, unless these are attributes.
    _form: tuple[str, tuple[Any, ...]] | None
    _class = _makespan.IntervalProgram
    _result = IntervalResult
    _arguments = ("leaves", "semiring", "cell_cost", "split_cost", "magnitude", "source", "data")
    _sizes = ("points",)

    def __init__(
        self,
        leaves: ArrayLike,
        *,
        semiring: str = "min-plus",
        cell_cost: Any = None,
        split_cost: Any = None,
        magnitude: float | None = None,
        source: str | None = None,
        data: ArrayLike | None = None,
    ) -> None:
        """With n leaves there are p = n + 1 points.

        - `leaves`, shape (n,): the values of the cells of neighbours;
        - `semiring`: "min-plus", "max-plus", "plus-times", "max-min" or "or-and";
        - `cell_cost` is w: a matrix of shape (p, p), of which the part above the diagonal counts, a
          list of that part, row after row, or a tuple (row, column) of lists with p numbers, whose
          sum row[i] + column[j] it is;
        - `split_cost` is g: a tuple (left, split, right) of lists with p numbers, for
          left[i] * split[k] * right[j], or a function of i, k and j;
        - `magnitude`, the largest absolute value of g, is for a function or a source;
        - `source` is g as an expression in OpenCL C of `i`, `k`, `j`, `points` and `data[...]`, for
          devices. The source is code that runs with the program's rights;
        - `data`: the numbers that the source reads.
        """
        self._native = _makespan.IntervalProgram._custom(
            leaves, semiring, cell_cost, split_cost, magnitude, source, data
        )
        self._form = None

    @classmethod
    def _of(cls, native: Any, form: tuple[str, tuple[Any, ...]] | None = None) -> Self:
        self = super()._of(native)
        self._form = form
        return self

    @classmethod
    def matrix_chain(cls, dimensions: ArrayLike) -> Self:
        """The order of multiplying a chain of matrices; matrix i has dimensions[i] rows and
        dimensions[i + 1] columns."""
        return cls._of(_makespan.IntervalProgram._matrix_chain(dimensions))

    @classmethod
    def search_tree(cls, keys: ArrayLike, gaps: ArrayLike | None = None) -> Self:
        """The binary search tree of keys with these weights. The gaps before, between and behind
        the keys have a weight more; without them searches end at keys."""
        native = _makespan.IntervalProgram._search_tree(keys, gaps)
        return cls._of(native, ("search_tree", (_copy(keys), _copy(gaps))))

    @classmethod
    def weighted_polygon(cls, weights: ArrayLike) -> Self:
        """The triangulation of a convex polygon, where a triangle costs the product of the weights
        of its vertices."""
        return cls._of(_makespan.IntervalProgram._weighted_polygon(weights))

    @classmethod
    def convex_polygon(cls, vertices: ArrayLike) -> Self:
        """The triangulation of a convex polygon with these coordinates, where a triangle costs its
        perimeter."""
        native = _makespan.IntervalProgram._convex_polygon(vertices)
        return cls._of(native, ("convex_polygon", (_copy(vertices),)))

    @classmethod
    def read(cls, path: str | os.PathLike[str], kind: str) -> Self:
        """An instance from a file. `kind` is "matrix-chain", "search-tree" or "triangulation"."""
        return cls._of(_makespan.IntervalProgram._read(kind, path))

    @classmethod
    def parse(cls, text: str, kind: str) -> Self:
        """An instance from the text of such a file.

        >>> import makespan
        >>> makespan.IntervalProgram.parse("10 100 5 50", "matrix-chain").solve().objective
        7500
        """
        return cls._of(_makespan.IntervalProgram._parse(kind, text))

    def __reduce__(self) -> tuple[Any, ...]:
        if self._form is not None:
            name, arguments = self._form
            return getattr(type(self), name), arguments
        if self.kind == "custom":
            return super().__reduce__()
        # The factors of a chain, or the weights of a polygon's vertices.
        if self.split_cost is None:
            raise TypeError(f"a program of the kind {self.kind} that was read can't be pickled")
        made = "matrix_chain" if self.kind == "matrix-chain" else "weighted_polygon"
        return getattr(type(self), made), (self.split_cost[0],)

    @property
    def points(self) -> int:
        """Number of points; there is one leaf less."""
        return self._native.points

    @property
    def kind(self) -> str:
        """matrix-chain, search-tree, triangulation or custom."""
        return self._native.kind

    @property
    def semiring(self) -> str:
        """The operations of the recurrence."""
        return self._native.semiring

    @property
    def leaves(self) -> NDArray[Any]:
        """The values of the leaves."""
        return self._native.leaves

    @property
    def cell_cost(self) -> Any:
        """w: None, a tuple (row, column), or a list of all pairs of points, row after row."""
        return self._native.cell_cost

    @property
    def split_cost(self) -> Any:
        """g: None, a tuple (left, split, right), or a function."""
        return self._native.split_cost

    @property
    def magnitude(self) -> int | float | None:
        """The largest absolute value of g, if it is a function or has a source."""
        return self._native.magnitude

    @property
    def source(self) -> str | None:
        """g in OpenCL C."""
        return self._native.source

    @property
    def data(self) -> NDArray[Any] | None:
        """The numbers that the source reads."""
        return self._native.data

    def evaluate(self, nodes: ArrayLike) -> int | float:
        """The value of a tree, given by its nodes in preorder."""
        return self._native.evaluate(nodes)

    def parenthesisation(self, nodes: ArrayLike) -> str:
        """A tree as a product of its leaves."""
        return self._native.parenthesisation(nodes)

    def dot(self, nodes: ArrayLike) -> str:
        """A tree as a graph in the DOT language."""
        return self._native.dot(nodes)

    def solve(self, **keywords: Unpack[IntervalDpKeywords]) -> IntervalResult:
        """Finds the value of the last cell, with its tree.

        Keywords are the options of `options("interval_dp")` and those of all problems; see
        `flow_shop`.

        >>> import makespan
        >>> program = makespan.IntervalProgram([1, 2, 3, 4], split_cost=lambda i, k, j: k * k,
        ...                                    magnitude=9)
        >>> program.solve().objective
        24
        """
        return self._run(keywords)


def matrix_chain(
    dimensions: ArrayLike, **keywords: Unpack[IntervalDpKeywords]
) -> IntervalResult:
    """Finds the cheapest order of multiplying a chain of matrices.

    >>> import makespan
    >>> result = makespan.matrix_chain([10, 100, 5, 50])
    >>> result.objective, result.parenthesisation
    (7500, '((A1 A2) A3)')
    """
    return IntervalProgram.matrix_chain(dimensions).solve(**keywords)


def search_tree(
    keys: ArrayLike, gaps: ArrayLike | None = None, **keywords: Unpack[IntervalDpKeywords]
) -> IntervalResult:
    """Finds the binary search tree with the least weighted path length. Without `gaps`, searches
    end at keys.

    >>> import makespan
    >>> makespan.search_tree([10, 20, 30]).objective
    100
    """
    return IntervalProgram.search_tree(keys, gaps).solve(**keywords)


def triangulation(
    weights: ArrayLike | None = None,
    *,
    vertices: ArrayLike | None = None,
    **keywords: Unpack[IntervalDpKeywords],
) -> IntervalResult:
    """Finds the cheapest triangulation of a convex polygon, with weights at its vertices or with
    their coordinates.

    >>> import makespan
    >>> makespan.triangulation([1, 2, 3, 4]).objective
    18
    """
    if (weights is None) == (vertices is None):
        raise TypeError("triangulation: takes either weights or vertices")
    if weights is not None:
        return IntervalProgram.weighted_polygon(weights).solve(**keywords)
    assert vertices is not None
    return IntervalProgram.convex_polygon(vertices).solve(**keywords)

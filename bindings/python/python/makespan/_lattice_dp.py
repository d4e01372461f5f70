"""Lattice programs: cheapest paths and packings, with their results and functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _makespan
from ._instance import InFiles
from ._result import Result, read_only

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Unpack

    from ._keywords import LatticeDpKeywords


class LatticeResult(Result["LatticeProgram"]):
    """A cheapest path."""

    __slots__ = ()

    @property
    def steps(self) -> NDArray[np.int64] | None:
        """The position of each step's offset, from the last cell back; None without a solution."""
        return self.solution

    def table(self) -> dict[str, NDArray[Any]]:
        """A row for each step: step, offset."""
        steps = self._found()
        return read_only({"step": np.arange(len(steps)), "offset": steps})


class LatticeProgram(InFiles):
    """A box of cells, and offset vectors with costs that lead from cell 0 to the last cell.

    `sizes` has the shape (d,) for d dimensions, `offsets` (n, d) and `costs` (n,). Without costs
    each offset costs 1.
    """

    __slots__ = ()
    _class = _makespan.LatticeProgram
    _result = LatticeResult
    _arguments = ("sizes", "offsets", "costs")
    _sizes = ("cells",)

    def __init__(
        self, sizes: ArrayLike, offsets: ArrayLike, costs: ArrayLike | None = None
    ) -> None:
        self._native = _makespan.LatticeProgram(sizes, offsets, costs)

    @property
    def cells(self) -> int:
        """Number of cells."""
        return self._native.cells

    @property
    def sizes(self) -> list[int]:
        """The sizes of the box."""
        return self._native.sizes

    @property
    def offsets(self) -> NDArray[np.int64]:
        """The offset vectors, a row for each."""
        return self._native.offsets

    @property
    def costs(self) -> NDArray[np.int64]:
        """The cost of each offset."""
        return self._native.costs

    def evaluate(self, steps: ArrayLike) -> int:
        """The cost of a path, given by the positions of its offsets from the last cell back."""
        return self._native.evaluate(steps)

    def solve(self, **keywords: Unpack[LatticeDpKeywords]) -> LatticeResult:
        """Finds a cheapest path; see `lattice_path`."""
        return self._run(keywords)


def lattice_path(
    sizes: ArrayLike,
    offsets: ArrayLike,
    costs: ArrayLike | None = None,
    **keywords: Unpack[LatticeDpKeywords],
) -> LatticeResult:
    """Finds a cheapest path through a box of cells.

    Keywords are the options of `options("lattice_dp")` and those of all problems; see `flow_shop`.

    >>> import makespan
    >>> makespan.lattice_path([3, 3], [[1, 0], [0, 1], [1, 1]], [2, 2, 3]).objective
    6
    """
    return LatticeProgram(sizes, offsets, costs)._run(keywords)


class PackingResult(Result["Packing"]):
    """The containers with their items."""

    __slots__ = ()

    @property
    def containers(self) -> NDArray[np.int64] | None:
        """The number of items of each type, a row for each container; None without a solution."""
        return self.solution

    def table(self) -> dict[str, NDArray[Any]]:
        """A row for each container and type with items: container, item, count."""
        containers = self._found()
        container, item = np.nonzero(containers)
        count = containers[container, item]
        return read_only({"container": container, "item": item, "count": count})


class Packing(InFiles):
    """Item types with sizes and counts, both of shape (n,), and containers of one capacity; for few
    types."""

    __slots__ = ()
    _class = _makespan.Packing
    _result = PackingResult
    _arguments = ("sizes", "counts", "capacity")
    _sizes = ("types",)

    def __init__(self, sizes: ArrayLike, counts: ArrayLike, capacity: int) -> None:
        self._native = _makespan.Packing(sizes, counts, capacity)

    @property
    def types(self) -> int:
        """Number of item types."""
        return len(self.sizes)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The size of each item type."""
        return self._native.sizes

    @property
    def counts(self) -> NDArray[np.int64]:
        """The number of items of each type."""
        return self._native.counts

    @property
    def capacity(self) -> int:
        """The capacity of a container."""
        return self._native.capacity

    def evaluate(self, containers: ArrayLike) -> int:
        """The number of containers that hold items; each row has the counts of one container."""
        return self._native.evaluate(containers)

    def solve(self, **keywords: Unpack[LatticeDpKeywords]) -> PackingResult:
        """Packs the items into few containers; see `packing`."""
        return self._run(keywords)


def packing(
    sizes: ArrayLike, counts: ArrayLike, capacity: int, **keywords: Unpack[LatticeDpKeywords]
) -> PackingResult:
    """Packs few types of items into as few containers as possible, by a table over all counts.

    >>> import makespan
    >>> makespan.packing([3, 5], [4, 2], capacity=8).objective
    3
    """
    return Packing(sizes, counts, capacity)._run(keywords)

"""The problems: a class of instances and a function for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _makespan
from ._instance import Instance, _displayed
from ._results import (
    CuttingStockResult,
    FlowShopResult,
    FoldingResult,
    IntervalResult,
    KnapsackBatchResult,
    KnapsackResult,
    LatticeResult,
    MultidimensionalKnapsackResult,
    PackingResult,
    ParallelMachinesResult,
    RecurrenceResult,
)

if TYPE_CHECKING:
    import os

    import numpy as np
    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Self, Unpack

    from ._keywords import (
        CuttingStockKeywords,
        FlowShopKeywords,
        IntervalDpKeywords,
        KnapsackKeywords,
        LatticeDpKeywords,
        MultidimensionalKnapsackKeywords,
        ParallelMachinesKeywords,
        RecurrenceKeywords,
        SolveKeywords,
    )


class FlowShop(Instance):
    """Jobs that pass all machines in the same sequence.

    `times` has a row for each job and a column for each machine. `objective` lists criteria with
    commas between, the most important first, each perhaps a sum such as
    "late-jobs,total-tardiness+5*makespan". `setups` is one matrix for all machines or one for each:
    row i and column j is the set-up for job j after job i, or for family j after family i if
    `families` has the family of each job.
    """

    __slots__ = ()
    _class = _makespan.FlowShop
    _result = FlowShopResult

    def __init__(
        self,
        times: ArrayLike,
        *,
        objective: str | None = None,
        release_times: ArrayLike | None = None,
        due_dates: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        setups: ArrayLike | None = None,
        families: ArrayLike | None = None,
        first_setups: ArrayLike | None = None,
        last_kinds: ArrayLike | None = None,
        blocking: bool = False,
        ready_times: ArrayLike | None = None,
        pinned: ArrayLike | None = None,
        running_plan: ArrayLike | None = None,
    ) -> None:
        self._native = _makespan.FlowShop(
            times,
            objective=objective,
            release_times=release_times,
            due_dates=due_dates,
            weights=weights,
            setups=setups,
            families=families,
            first_setups=first_setups,
            last_kinds=last_kinds,
            blocking=blocking,
            ready_times=ready_times,
            pinned=pinned,
            running_plan=running_plan,
        )

    @classmethod
    def named(cls, name: str) -> Self:
        """One of Taillard's instances, "ta001" to "ta120".

        >>> import makespan
        >>> makespan.FlowShop.named("ta021").times.shape
        (20, 20)
        """
        return cls._of(_makespan.FlowShop._named(name))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """An instance from a file in one of the library's formats."""
        return cls._of(_makespan.FlowShop._read(path))

    @property
    def jobs(self) -> int:
        """Number of jobs."""
        return self._native.jobs

    @property
    def machines(self) -> int:
        """Number of machines."""
        return self._native.machines

    @property
    def times(self) -> NDArray[np.int64]:
        """The times, a row for each job."""
        return self._native.times

    @property
    def due_dates(self) -> NDArray[np.int64]:
        """The due date of each job; empty if they were not given."""
        return self._native.due_dates

    @property
    def objective(self) -> list[str]:
        """The stages of the objective, the most important first."""
        return self._native.objective

    def evaluate(self, sequence: ArrayLike) -> list[int]:
        """The values of a sequence, one for each stage of the objective."""
        return self._native.evaluate(sequence)

    def starts(self, sequence: ArrayLike) -> NDArray[np.int64]:
        """The start times of a sequence, a row for each job."""
        return self._native.starts(sequence)

    def solve(self, **keywords: Unpack[FlowShopKeywords]) -> FlowShopResult:
        """Finds a good sequence and a proved bound; see `flow_shop`."""
        return self._run(keywords)


def flow_shop(
    times: ArrayLike,
    *,
    objective: str | None = None,
    release_times: ArrayLike | None = None,
    due_dates: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    setups: ArrayLike | None = None,
    families: ArrayLike | None = None,
    first_setups: ArrayLike | None = None,
    last_kinds: ArrayLike | None = None,
    blocking: bool = False,
    ready_times: ArrayLike | None = None,
    pinned: ArrayLike | None = None,
    running_plan: ArrayLike | None = None,
    **keywords: Unpack[FlowShopKeywords],
) -> FlowShopResult:
    """Schedules jobs that pass all machines in the same sequence; `FlowShop` has the arguments.

    Other keywords are those of all problems: the options that `options("flow_shop")` lists, and

    - `context`: the `Context` with threads and devices;
    - `stop`: a `StopHandle` by which other threads end the solve;
    - `on_solution`: a function that is called with a `Progress` for each better solution;
    - `on_progress`: a function that is called with a `Progress` about twenty times a second;
    - `display`: whether to show the progress on the screen.

    A function that raises `StopIteration` ends the solve, which returns its best result so far.
    Another exception ends the solve, too, and the call raises it. So does Ctrl-C.

    >>> import makespan
    >>> result = makespan.flow_shop([[3, 2], [1, 4], [2, 2]])
    >>> result.status, result.objective, result.bound
    ('optimal', 9, 9)
    >>> result.sequence
    array([1, 2, 0])
    """
    shop = FlowShop(
        times,
        objective=objective,
        release_times=release_times,
        due_dates=due_dates,
        weights=weights,
        setups=setups,
        families=families,
        first_setups=first_setups,
        last_kinds=last_kinds,
        blocking=blocking,
        ready_times=ready_times,
        pinned=pinned,
        running_plan=running_plan,
    )
    return shop._run(keywords)


class ParallelMachines(Instance):
    """Jobs on identical machines. `pinned` has the machines of jobs that must not move, as a
    dictionary or as pairs."""

    __slots__ = ()
    _class = _makespan.ParallelMachines
    _result = ParallelMachinesResult

    def __init__(
        self,
        times: ArrayLike,
        machines: int,
        *,
        pinned: ArrayLike | Mapping[int, int] | None = None,
    ) -> None:
        self._native = _makespan.ParallelMachines(times, machines, pinned=pinned)  # type: ignore[arg-type]

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """An instance from a file in the library's format."""
        return cls._of(_makespan.ParallelMachines._read(path))

    @property
    def times(self) -> NDArray[np.int64]:
        """The time of each job."""
        return self._native.times

    @property
    def jobs(self) -> int:
        """Number of jobs."""
        return self._native.jobs

    @property
    def machines(self) -> int:
        """Number of machines."""
        return self._native.machines

    def evaluate(self, assignment: ArrayLike) -> int:
        """The makespan of an assignment, the machine of each job."""
        return self._native.evaluate(assignment)

    def starts(self, assignment: ArrayLike) -> NDArray[np.int64]:
        """The start time of each job of an assignment."""
        return self._native.starts(assignment)

    def solve(self, **keywords: Unpack[ParallelMachinesKeywords]) -> ParallelMachinesResult:
        """Finds a short schedule and a proved bound; see `parallel_machines`."""
        return self._run(keywords)


def parallel_machines(
    times: ArrayLike,
    machines: int,
    *,
    pinned: ArrayLike | Mapping[int, int] | None = None,
    **keywords: Unpack[ParallelMachinesKeywords],
) -> ParallelMachinesResult:
    """Assigns jobs to identical machines, so that the last one ends as early as possible.

    Keywords are the options of `options("parallel_machines")` and those of all problems; see
    `flow_shop`.

    >>> import makespan
    >>> result = makespan.parallel_machines([5, 5, 4, 4, 3, 3, 3], machines=3)
    >>> result.status, result.objective, result.loads
    ('optimal', 9, array([9, 9, 9]))
    """
    return ParallelMachines(times, machines, pinned=pinned)._run(keywords)


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


class MultidimensionalKnapsack(Instance):
    """Items with a weight in each of several dimensions. `weights` has a row for each dimension and
    a column for each item; `copies` has the number of copies of each item."""

    __slots__ = ()
    _class = _makespan.MultidimensionalKnapsack
    _result = MultidimensionalKnapsackResult

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

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """An instance from a file in the format of the OR-Library."""
        return cls._of(_makespan.MultidimensionalKnapsack._read(path))

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


class CuttingStock(Instance):
    """Items of given lengths and demands, and the length of a stock piece. Without demands there is
    one item of each length. `pinned` has the pieces that are cut already, as pairs of a number of
    pieces and a dictionary of the items cut from each."""

    __slots__ = ()
    _class = _makespan.CuttingStock
    _result = CuttingStockResult

    def __init__(
        self,
        lengths: ArrayLike,
        demands: ArrayLike | None,
        stock_length: int,
        *,
        pinned: Sequence[tuple[int, Mapping[int, int]]] | None = None,
    ) -> None:
        self._native = _makespan.CuttingStock(lengths, demands, stock_length, pinned=pinned)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """An instance from a file in one of the library's formats."""
        return cls._of(_makespan.CuttingStock._read(path))

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

    def evaluate(self, patterns: Sequence[tuple[int, Mapping[int, int]]]) -> int:
        """The number of stock pieces of patterns, pairs (pieces, {item: count})."""
        return self._native.evaluate(patterns)

    def solve(self, **keywords: Unpack[CuttingStockKeywords]) -> CuttingStockResult:
        """Cuts the items from few stock pieces; see `cutting_stock`."""
        return self._run(keywords)

    def _run(self, keywords: Any) -> Any:
        start = keywords.get("start")
        if isinstance(start, (list, tuple)) and any(isinstance(part, tuple) for part in start):
            keywords = {**keywords, "start": _flat(start)}
        return super()._run(keywords)


def _flat(patterns: Sequence[tuple[int, Mapping[int, int]]]) -> list[int]:
    """Patterns as the option `start` lists them."""
    numbers: list[int] = []
    for pieces, items in patterns:
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
    return CuttingStock(sizes, None, capacity)._run(keywords)


class IntervalProgram(Instance):
    """A dynamic program over intervals. Points 0 to n have n leaves between them; a larger cell
    combines two parts that meet at a point k:

        cell(i, j) = w(i, j) * (sum over i < k < j of cell(i, k) * cell(k, j) * g(i, k, j))

    where sum and * are the operations of the semiring, minimum and sum by default. Numbers are
    whole, or real if one array has real ones.
    """

    __slots__ = ()
    _class = _makespan.IntervalProgram
    _result = IntervalResult

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
        """`cell_cost` is w: a matrix of points by points, of which the part above the diagonal
        counts, or a tuple (row, column) whose sum row[i] + column[j] it is. `split_cost` is g: a
        tuple (left, split, right) for left[i] * split[k] * right[j], or a function of i, k and j.
        A function needs `magnitude`, the largest absolute value of g. `source` is the same in
        OpenCL C, and `data` the numbers that it reads."""
        self._native = _makespan.IntervalProgram._custom(
            leaves, semiring, cell_cost, split_cost, magnitude, source, data
        )

    @classmethod
    def matrix_chain(cls, dimensions: ArrayLike) -> Self:
        """The order of multiplying a chain of matrices; matrix i has dimensions[i] rows and
        dimensions[i + 1] columns."""
        return cls._of(_makespan.IntervalProgram._matrix_chain(dimensions))

    @classmethod
    def search_tree(cls, keys: ArrayLike, gaps: ArrayLike) -> Self:
        """The binary search tree of keys with these weights; gaps has one weight more."""
        return cls._of(_makespan.IntervalProgram._search_tree(keys, gaps))

    @classmethod
    def weighted_polygon(cls, weights: ArrayLike) -> Self:
        """The triangulation of a convex polygon, where a triangle costs the product of the weights
        of its vertices."""
        return cls._of(_makespan.IntervalProgram._weighted_polygon(weights))

    @classmethod
    def convex_polygon(cls, vertices: ArrayLike) -> Self:
        """The triangulation of a convex polygon with these coordinates, where a triangle costs its
        perimeter."""
        return cls._of(_makespan.IntervalProgram._convex_polygon(vertices))

    @property
    def points(self) -> int:
        """Number of points; there is one leaf less."""
        return self._native.points

    @property
    def kind(self) -> str:
        """matrix-chain, search-tree, triangulation or custom."""
        return self._native.kind

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
    if gaps is None:
        gaps = [0] * (len(keys) + 1)  # type: ignore[arg-type]
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


class Folding(Instance):
    """An RNA sequence to fold, such as GGGAAAUCC, and the model of its structures."""

    __slots__ = ()
    _class = _makespan.Folding
    _result = FoldingResult

    def __init__(self) -> None:
        raise TypeError("Folding: use Folding.nussinov or Folding.zuker")

    @classmethod
    def nussinov(
        cls, sequence: str, *, gc: int = 1, au: int = 1, gu: int = 1, hairpin: int = 3
    ) -> Self:
        """The largest sum of the weights of nested pairs, with at least `hairpin` bases between
        the two of a pair. Pairs of weight 0 are not allowed."""
        return cls._of(_makespan.Folding._nussinov(sequence, gc, au, gu, hairpin))

    @classmethod
    def zuker(cls, sequence: str, *, energies: dict[str, Any] | None = None) -> Self:
        """The least energy of all loops, in tenths of kcal/mol. `energies` replaces some of the
        usual ones: stack, hairpin, bulge, interior, multi, branch, unpaired."""
        return cls._of(_makespan.Folding._zuker(sequence, energies))

    @property
    def bases(self) -> int:
        """Number of bases."""
        return self._native.bases

    def evaluate(self, pairs: ArrayLike) -> int:
        """The value of a structure, given by its pairs."""
        return self._native.evaluate(pairs)

    def brackets(self, pairs: ArrayLike) -> str:
        """A structure as dots and brackets."""
        return self._native.brackets(pairs)

    def solve(self, **keywords: Unpack[IntervalDpKeywords]) -> FoldingResult:
        """Finds the best structure; see `nussinov` and `zuker`."""
        return self._run(keywords)


def nussinov(
    sequence: str,
    *,
    gc: int = 1,
    au: int = 1,
    gu: int = 1,
    hairpin: int = 3,
    **keywords: Unpack[IntervalDpKeywords],
) -> FoldingResult:
    """Finds the nested pairs of bases with the largest weight.

    >>> import makespan
    >>> result = makespan.nussinov("GGGAAAUCC")
    >>> result.objective, result.brackets.count("(")
    (3, 3)
    """
    folding = Folding.nussinov(sequence, gc=gc, au=au, gu=gu, hairpin=hairpin)
    return folding.solve(**keywords)


def zuker(
    sequence: str,
    *,
    energies: dict[str, Any] | None = None,
    **keywords: Unpack[IntervalDpKeywords],
) -> FoldingResult:
    """Finds the structure with the least energy, on the CPU.

    >>> import makespan
    >>> makespan.zuker("GGGGAAAACCCC").brackets
    '((((....))))'
    """
    return Folding.zuker(sequence, energies=energies).solve(**keywords)


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


class LatticeProgram(Instance):
    """A box of cells, and offset vectors with costs that lead from cell 0 to the last cell. Without
    costs each offset costs 1."""

    __slots__ = ()
    _class = _makespan.LatticeProgram
    _result = LatticeResult

    def __init__(
        self, sizes: ArrayLike, offsets: ArrayLike, costs: ArrayLike | None = None
    ) -> None:
        self._native = _makespan.LatticeProgram(sizes, offsets, costs)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """An instance from a file in the library's format."""
        return cls._of(_makespan.LatticeProgram._read(path))

    @property
    def cells(self) -> int:
        """Number of cells."""
        return self._native.cells

    @property
    def sizes(self) -> list[int]:
        """The sizes of the box."""
        return self._native.sizes

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


class Packing(Instance):
    """Item types with sizes and counts, and containers of one capacity; for few types."""

    __slots__ = ()
    _class = _makespan.Packing
    _result = PackingResult

    def __init__(self, sizes: ArrayLike, counts: ArrayLike, capacity: int) -> None:
        self._native = _makespan.Packing(sizes, counts, capacity)

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

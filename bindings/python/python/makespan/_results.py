"""Results of solves: numbers, tables and plots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from . import _makespan
    from ._problems import (
        CuttingStock,
        FlowShop,
        Folding,
        IntervalProgram,
        Knapsack,
        LatticeProgram,
        MultidimensionalKnapsack,
        Packing,
        ParallelMachines,
        Recurrence,
    )

P = TypeVar("P")


class TracePoint(NamedTuple):
    """The best values at a time of a solve."""

    seconds: float
    objective: float | None
    bound: float | None


class Result(Generic[P]):
    """What a solve found and proved."""

    __slots__ = ("_cache", "_outcome", "instance")
    #: The instance that was solved.
    instance: P

    def __init__(self, instance: P, outcome: _makespan.Outcome) -> None:
        self.instance = instance
        self._outcome = outcome
        self._cache: dict[str, Any] = {}

    @property
    def status(self) -> str:
        """optimal, feasible, infeasible or stopped."""
        return self._outcome.status

    @property
    def is_optimal(self) -> bool:
        """Whether the solution is proved optimal."""
        return self._outcome.status == "optimal"

    @property
    def objective(self) -> Any:
        """The value of the solution, computed again from it; None without a solution."""
        return self._outcome.objective

    @property
    def bound(self) -> Any:
        """Proved: no solution is better than this."""
        return self._outcome.bound

    @property
    def sense(self) -> str:
        """minimise or maximise."""
        return self._outcome.sense

    @property
    def guarantee(self) -> float | None:
        """Largest possible factor between the objective and the optimum."""
        return self._outcome.guarantee

    @property
    def solution(self) -> Any:
        """The solution as arrays; None without one."""
        return self._outcome.solution

    @property
    def method(self) -> str:
        """The method that ran."""
        return self._outcome.method

    @property
    def device(self) -> str | None:
        """The device that did the heavy work; None if the CPU did."""
        return self._outcome.device

    @property
    def fallback(self) -> str | None:
        """Why the CPU did the work although a device was asked for or expected to be faster."""
        return self._outcome.fallback

    @property
    def warning(self) -> str | None:
        """A fault that did not end the solve."""
        return self._outcome.warning

    @property
    def interrupted(self) -> bool:
        """Whether a limit, a stop handle or a function ended the solve."""
        return self._outcome.interrupted

    @property
    def seconds(self) -> float:
        """Seconds of the solve without `setup_seconds`."""
        return self._outcome.seconds

    @property
    def setup_seconds(self) -> float:
        """Seconds in which the device was found and its kernels were built."""
        return self._outcome.setup_seconds

    @property
    def statistics(self) -> dict[str, int]:
        """Counters by name."""
        return self._outcome.statistics

    @property
    def trace(self) -> list[TracePoint]:
        """The best values over time; the last point has those of the result."""
        return [TracePoint(*point) for point in self._outcome.trace]

    def table(self) -> dict[str, Any]:
        """The columns of the solution's table, by name."""
        raise NotImplementedError(f"{type(self).__name__} has no table")

    def to_frame(self) -> Any:
        """The table as a DataFrame of pandas."""
        import pandas

        return pandas.DataFrame(self.table())

    def plot_convergence(self, ax: Any = None) -> Any:
        """Draws objective and bound over time by matplotlib; returns the axes."""
        from ._plots import convergence

        return convergence(self, ax)

    def __repr__(self) -> str:
        values = f"objective {self.objective}, bound {self.bound}"
        return f"<{type(self).__name__} {self.status}: {values}>"

    def _repr_html_(self) -> str:
        from ._html import summary

        return summary(self)

    def _kept(self, name: str, make: Any) -> Any:
        """What `make` returns, computed once."""
        if name not in self._cache:
            self._cache[name] = make()
        return self._cache[name]

    def _found(self) -> Any:
        """The solution, which there must be."""
        if self.solution is None:
            raise ValueError(f"there is no solution: the status is {self.status}")
        return self.solution


class Bars(NamedTuple):
    """The bars of a Gantt chart."""

    #: Number of the row, the machine.
    row: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    job: NDArray[np.int64]
    rows: int


class _Schedule(Result[P]):
    """Results that have a Gantt chart."""

    __slots__ = ()

    def _bars(self) -> Bars:
        raise NotImplementedError

    def plot_gantt(self, ax: Any = None) -> Any:
        """Draws the schedule by matplotlib, a row for each machine; returns the axes."""
        from ._plots import gantt

        return gantt(self._bars(), ax)


class FlowShopResult(_Schedule["FlowShop"]):
    """A sequence of jobs with its schedule."""

    __slots__ = ()

    @property
    def sequence(self) -> NDArray[np.int64] | None:
        """The jobs in their sequence; None without a solution."""
        return self.solution

    @property
    def starts(self) -> NDArray[np.int64]:
        """Start times, a row for each job and a column for each machine."""
        return self._kept("starts", lambda: self.instance.starts(self._found()))

    @property
    def ends(self) -> NDArray[np.int64]:
        """The ends, in the same order."""
        return self._kept("ends", lambda: self.starts + self.instance.times)

    @property
    def completions(self) -> NDArray[np.int64]:
        """The time at which each job ends."""
        return self.ends[:, -1]

    @property
    def tardiness(self) -> NDArray[np.int64]:
        """The time by which each job ends after its due date; the instance must have due dates."""
        dates = self.instance.due_dates
        if not len(dates):
            raise ValueError("the instance has no due dates")
        return np.maximum(self.completions - dates, 0)

    @property
    def objectives(self) -> dict[str, int]:
        """The values of all stages of the objective, the most important first."""
        values = self._kept("values", lambda: self.instance.evaluate(self._found()))
        return dict(zip(self.instance.objective, values))

    def table(self) -> dict[str, Any]:
        """A row for each operation, by start: job, machine, start, end."""
        bars = self._bars()
        order = np.lexsort((bars.row, bars.start))
        columns = {"job": bars.job, "machine": bars.row, "start": bars.start, "end": bars.end}
        return {name: column[order] for name, column in columns.items()}

    def _bars(self) -> Bars:
        jobs, machines = self.starts.shape
        sequence = self._found()
        row = np.tile(np.arange(machines), jobs)
        job = np.repeat(sequence, machines)
        starts, ends = self.starts[sequence].ravel(), self.ends[sequence].ravel()
        return Bars(row, starts, ends, job, machines)


class ParallelMachinesResult(_Schedule["ParallelMachines"]):
    """The machines of all jobs."""

    __slots__ = ()

    @property
    def assignment(self) -> NDArray[np.int64] | None:
        """The machine of each job; None without a solution."""
        return self.solution

    @property
    def starts(self) -> NDArray[np.int64]:
        """The start time of each job."""
        return self._kept("starts", lambda: self.instance.starts(self._found()))

    @property
    def ends(self) -> NDArray[np.int64]:
        """The end of each job."""
        return self.starts + self.instance.times

    @property
    def loads(self) -> NDArray[np.int64]:
        """The work of each machine."""
        loads = np.zeros(self.instance.machines, dtype=np.int64)
        np.add.at(loads, self._found(), self.instance.times)
        return loads

    def table(self) -> dict[str, Any]:
        """A row for each job, by machine and start: job, machine, start, end."""
        bars = self._bars()
        order = np.lexsort((bars.start, bars.row))
        columns = {"job": bars.job, "machine": bars.row, "start": bars.start, "end": bars.end}
        return {name: column[order] for name, column in columns.items()}

    def _bars(self) -> Bars:
        machines = self.instance.machines
        jobs = np.arange(self.instance.jobs)
        return Bars(self._found(), self.starts, self.ends, jobs, machines)


class _Selection(Result[P]):
    """Results that take items."""

    __slots__ = ()

    @property
    def counts(self) -> NDArray[np.int64] | None:
        """Copies taken of each item; None without a solution."""
        return self.solution

    @property
    def taken(self) -> NDArray[np.int64]:
        """The items of which at least one copy is taken."""
        return np.flatnonzero(self._found())


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


class MultidimensionalKnapsackResult(_Selection["MultidimensionalKnapsack"]):
    """The items taken."""

    __slots__ = ()

    @property
    def weights(self) -> NDArray[np.int64]:
        """The weight of all items taken, in each dimension."""
        return self.instance.weights @ self._found()

    def table(self) -> dict[str, Any]:
        """A row for each item taken: item, profit, a weight for each dimension, count."""
        taken = self.taken
        columns = {"item": taken, "profit": self.instance.profits[taken]}
        for dimension, weights in enumerate(self.instance.weights):
            columns[f"weight_{dimension}"] = weights[taken]
        columns["count"] = self._found()[taken]
        return columns


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

    def table(self) -> dict[str, Any]:
        """A row for each cut: pattern, pieces, item, length, count."""
        rows = [
            (number, pattern.pieces, item, int(self.instance.lengths[item]), count)
            for number, pattern in enumerate(self.patterns)
            for item, count in pattern.items.items()
        ]
        names = ("pattern", "pieces", "item", "length", "count")
        columns = np.array(rows, dtype=np.int64).reshape(-1, len(names)).T
        return dict(zip(names, columns))


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

    def table(self) -> dict[str, Any]:
        """A row for each inner node: first, split, last."""
        return dict(zip(("first", "split", "last"), self._tree().T))

    def _tree(self) -> NDArray[np.int64]:
        nodes = self.nodes
        if nodes is None:
            raise ValueError("the semiring's value is not that of one tree")
        return nodes


class FoldingResult(Result["Folding"]):
    """The pairs of a sequence's bases."""

    __slots__ = ()

    @property
    def pairs(self) -> NDArray[np.int64] | None:
        """The pairs of bases, a row for each; None without a solution."""
        return self.solution

    @property
    def brackets(self) -> str:
        """The structure as dots and brackets."""
        return self.instance.brackets(self._found())

    def table(self) -> dict[str, Any]:
        """A row for each pair: first, last."""
        return dict(zip(("first", "last"), self._found().T))


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


class LatticeResult(Result["LatticeProgram"]):
    """A cheapest path."""

    __slots__ = ()

    @property
    def steps(self) -> NDArray[np.int64] | None:
        """The position of each step's offset, from the last cell back; None without a solution."""
        return self.solution

    def table(self) -> dict[str, Any]:
        """A row for each step: step, offset."""
        steps = self._found()
        return {"step": np.arange(len(steps)), "offset": steps}


class PackingResult(Result["Packing"]):
    """The containers with their items."""

    __slots__ = ()

    @property
    def containers(self) -> NDArray[np.int64] | None:
        """The number of items of each type, a row for each container; None without a solution."""
        return self.solution

    def table(self) -> dict[str, Any]:
        """A row for each container and type with items: container, item, count."""
        containers = self._found()
        container, item = np.nonzero(containers)
        return {"container": container, "item": item, "count": containers[container, item]}

"""Many instances at once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, overload

from ._instance import Instance

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._cutting_stock import CuttingStock, CuttingStockResult
    from ._flow_shop import FlowShop, FlowShopResult
    from ._folding import Folding, FoldingResult
    from ._interval_dp import IntervalProgram, IntervalResult
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
    from ._knapsack import Knapsack, KnapsackResult
    from ._knapsack_batch import KnapsackBatch, KnapsackBatchResult
    from ._lattice_dp import LatticeProgram, LatticeResult, Packing, PackingResult
    from ._multidimensional_knapsack import MultidimensionalKnapsack, MultidimensionalKnapsackResult
    from ._parallel_machines import ParallelMachines, ParallelMachinesResult
    from ._recurrence import Recurrence, RecurrenceResult


@overload
def solve_batch(
    instances: Iterable[FlowShop], **keywords: Unpack[FlowShopKeywords]
) -> list[FlowShopResult]: ...
@overload
def solve_batch(
    instances: Iterable[ParallelMachines], **keywords: Unpack[ParallelMachinesKeywords]
) -> list[ParallelMachinesResult]: ...
@overload
def solve_batch(
    instances: Iterable[Knapsack], **keywords: Unpack[KnapsackKeywords]
) -> list[KnapsackResult]: ...
@overload
def solve_batch(
    instances: Iterable[KnapsackBatch], **keywords: Unpack[SolveKeywords]
) -> list[KnapsackBatchResult]: ...
@overload
def solve_batch(
    instances: Iterable[MultidimensionalKnapsack], **keywords: Unpack[MultidimensionalKnapsackKeywords]
) -> list[MultidimensionalKnapsackResult]: ...
@overload
def solve_batch(
    instances: Iterable[CuttingStock], **keywords: Unpack[CuttingStockKeywords]
) -> list[CuttingStockResult]: ...
@overload
def solve_batch(
    instances: Iterable[IntervalProgram], **keywords: Unpack[IntervalDpKeywords]
) -> list[IntervalResult]: ...
@overload
def solve_batch(
    instances: Iterable[Folding], **keywords: Unpack[IntervalDpKeywords]
) -> list[FoldingResult]: ...
@overload
def solve_batch(
    instances: Iterable[Recurrence], **keywords: Unpack[RecurrenceKeywords]
) -> list[RecurrenceResult]: ...
@overload
def solve_batch(
    instances: Iterable[LatticeProgram], **keywords: Unpack[LatticeDpKeywords]
) -> list[LatticeResult]: ...
@overload
def solve_batch(
    instances: Iterable[Packing], **keywords: Unpack[LatticeDpKeywords]
) -> list[PackingResult]: ...
def solve_batch(instances: Iterable[Any], **keywords: Any) -> list[Any]:
    """Solves many instances of one class and returns their results in the same order.

    Small instances are spread over the threads, or solved many at a time on a device. The time
    limit is that of the whole batch, the iteration limit that of each instance. Instances that a
    limit leaves out have the status "stopped". For `Folding` and `KnapsackBatch`, whose instances
    are solved in turn, both limits are those of each instance. Keywords are those of the class's
    `solve`; `on_solution` is not called.

    >>> import makespan
    >>> shops = [makespan.FlowShop([[3, 2], [1, 4]]), makespan.FlowShop([[2, 2], [5, 1]])]
    >>> [result.objective for result in makespan.solve_batch(shops)]
    [7, 8]
    """
    if not isinstance(instances, Iterable):
        kind = type(instances).__name__
        raise TypeError(f"instances: must be a sequence of instances, not {kind}")
    listed = list(instances)
    if not listed:
        return []
    for place, instance in enumerate(listed):
        if not isinstance(instance, Instance):
            kind = type(instance).__name__
            raise TypeError(f"instances[{place}]: must be an instance of a problem, not {kind}")
        if instance._class is not listed[0]._class:
            raise TypeError("instances: must all be of one class of problems")
    first = listed[0]
    natives = [instance._native for instance in listed]
    outcomes = first._class._solve_batch(natives, first._prepared(keywords))
    return [instance._result(instance, outcome) for instance, outcome in zip(listed, outcomes)]

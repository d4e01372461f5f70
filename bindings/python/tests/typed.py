"""Calls with their types, which mypy checks; nothing runs this file."""

from datetime import timedelta

import numpy as np
from numpy.typing import NDArray

import makespan


def hear(progress: makespan.Progress) -> None:
    print(progress.seconds, progress.objective)


result: makespan.FlowShopResult = makespan.flow_shop(
    np.ones((3, 2), dtype=np.int64),
    method="tabu",
    tenure=7,
    time_limit=timedelta(seconds=1),
    start=[2, 0, 1],
    on_solution=hear,
    context=makespan.Context(threads=1),
)
sequence: NDArray[np.int64] | None = result.sequence
status: str = result.status
tree: makespan.IntervalResult = makespan.matrix_chain([3, 4, 5], cells=[(0, 2)], cell_type="i64")
batch: makespan.KnapsackBatchResult = makespan.knapsack_batch([[1, 2]], [1, 2], 3, seed=1)
shops: list[makespan.FlowShopResult] = makespan.solve_batch(
    [makespan.FlowShop([[1]])], method="neh", context=makespan.Context(log=print, log_level="debug")
)
bins: list[makespan.CuttingStockResult] = makespan.solve_batch(
    [makespan.CuttingStock([3], None, 9)], start=[(1, {0: 1})]
)
pinned: NDArray[np.int64] | None = makespan.FlowShop([[1]], objective=["makespan"]).pinned
knapsacks = [makespan.Knapsack([1], [1], 1)]
makespan.solve_batch(knapsacks, tenure=3)  # type: ignore[arg-type]
makespan.Context(thread=1)  # type: ignore[call-arg]
makespan.flow_shop([[1]], method="fast")  # type: ignore[arg-type]
makespan.knapsack([1], [1], 1, tenure=3)  # type: ignore[call-arg]

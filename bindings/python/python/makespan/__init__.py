"""Production scheduling and the dynamic programs behind it, with proved bounds.

    >>> import makespan
    >>> result = makespan.flow_shop([[3, 2], [1, 4], [2, 2]], time_limit=5)
    >>> result.status, result.objective, result.bound
    ('optimal', 9, 9)

Each problem has a function that solves one instance, and a class of instances that can be solved
several times, in batches or with other options. `options` lists the keywords of a problem.
"""

from __future__ import annotations

from ._errors import (
    DeviceError,
    FileError,
    InternalError,
    InvalidArgumentError,
    MakespanError,
    OutOfMemoryError,
    ParseError,
    RangeError,
    UnsupportedError,
)
from ._instance import Context, Device, Instance, devices, solve_batch
from ._makespan import Prewarm, Progress, StopHandle, __version__, kernel_names
from ._options import PROBLEMS, Option, options
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
    bin_packing,
    cutting_stock,
    flow_shop,
    knapsack,
    knapsack_batch,
    lattice_path,
    matrix_chain,
    multidimensional_knapsack,
    nussinov,
    packing,
    parallel_machines,
    recurrence,
    search_tree,
    subset_sum,
    triangulation,
    zuker,
)
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
    Pattern,
    RecurrenceResult,
    Result,
    TracePoint,
)

__all__ = [name for name in globals() if not name.startswith("_") and name != "annotations"]
__all__ += ["__version__"]

"""Production scheduling and the dynamic programs behind it, with proved bounds.

    >>> import makespan
    >>> result = makespan.flow_shop([[3, 2], [1, 4], [2, 2]], time_limit=5)
    >>> result.status, result.objective, result.bound
    ('optimal', 9, 9)

Each problem has a function that solves one instance, and a class of instances that can be solved
several times, in batches or with other options. `options` lists the keywords of a problem.
"""

from __future__ import annotations

from ._batch import solve_batch
from ._context import Context, Device, devices
from ._cutting_stock import CuttingStock, CuttingStockResult, Pattern, bin_packing, cutting_stock
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
from ._flow_shop import FlowShop, FlowShopResult, flow_shop
from ._folding import Folding, FoldingResult, nussinov, zuker
from ._instance import Instance
from ._interval_dp import IntervalProgram, IntervalResult, matrix_chain, search_tree, triangulation
from ._knapsack import (
    Knapsack,
    KnapsackProfileResult,
    KnapsackResult,
    knapsack,
    knapsack_profile,
    subset_sum,
)
from ._knapsack_batch import KnapsackBatch, KnapsackBatchResult, knapsack_batch
from ._lattice_dp import (
    LatticeProgram,
    LatticeResult,
    Packing,
    PackingResult,
    lattice_path,
    packing,
)
from ._makespan import Prewarm, Progress, StopHandle, __version__, kernel_names
from ._multidimensional_knapsack import (
    MultidimensionalKnapsack,
    MultidimensionalKnapsackResult,
    multidimensional_knapsack,
)
from ._options import PROBLEMS, Option, options
from ._parallel_machines import ParallelMachines, ParallelMachinesResult, parallel_machines
from ._recurrence import Recurrence, RecurrenceResult, recurrence
from ._result import Result, TracePoint

__all__ = [
    "__version__",
    "bin_packing",
    "Context",
    "cutting_stock",
    "CuttingStock",
    "CuttingStockResult",
    "Device",
    "DeviceError",
    "devices",
    "FileError",
    "flow_shop",
    "FlowShop",
    "FlowShopResult",
    "Folding",
    "FoldingResult",
    "Instance",
    "InternalError",
    "IntervalProgram",
    "IntervalResult",
    "InvalidArgumentError",
    "kernel_names",
    "knapsack",
    "Knapsack",
    "knapsack_batch",
    "KnapsackBatch",
    "KnapsackBatchResult",
    "knapsack_profile",
    "KnapsackProfileResult",
    "KnapsackResult",
    "lattice_path",
    "LatticeProgram",
    "LatticeResult",
    "MakespanError",
    "matrix_chain",
    "multidimensional_knapsack",
    "MultidimensionalKnapsack",
    "MultidimensionalKnapsackResult",
    "nussinov",
    "Option",
    "options",
    "OutOfMemoryError",
    "packing",
    "Packing",
    "PackingResult",
    "parallel_machines",
    "ParallelMachines",
    "ParallelMachinesResult",
    "ParseError",
    "Pattern",
    "Prewarm",
    "PROBLEMS",
    "Progress",
    "RangeError",
    "recurrence",
    "Recurrence",
    "RecurrenceResult",
    "Result",
    "search_tree",
    "solve_batch",
    "StopHandle",
    "subset_sum",
    "TracePoint",
    "triangulation",
    "UnsupportedError",
    "zuker",
]

"""Keywords of all solvers; bindings/python/keywords.py writes this file from the tables of options."""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from fractions import Fraction
from os import PathLike
from typing import Any, Literal, SupportsIndex, TypedDict

from numpy.typing import ArrayLike

from . import Context, Progress, StopHandle

class _Functions(TypedDict, total=False):
    # The context with threads and devices.
    context: Context | None
    # A handle by which other threads end the solve.
    stop: StopHandle | None
    # Called for each better solution.
    on_solution: Callable[[Progress], Any] | None
    # Called about twenty times a second.
    on_progress: Callable[[Progress], Any] | None
    # Whether to show the progress on the screen.
    display: bool

class _Log(TypedDict, total=False):
    # Called with the level and the text of each message, perhaps on several threads at once.
    log: Callable[[str, str], Any] | None
    # The least important messages that it is called with.
    log_level: Literal["warning", "info", "debug"]

class ContextKeywords(_Log, total=False):
    # Engine for the heavy work; the default is auto.
    engine: Literal["auto", "cpu", "device"]
    # OpenCL device by its number from 0; several with commas between share long searches, tables
    # and batches; auto takes the best; the default is auto.
    device: ArrayLike | None
    # Threads of the CPU engine; auto takes one per core; the default is auto.
    threads: SupportsIndex | None
    # Folder for built kernels, or off; auto takes the platform's cache folder; the default is auto.
    cache: str | PathLike[str] | None
    # File of tuning rows for devices; none for those of the user and of the library alone; the
    # default is none.
    tuning: str | PathLike[str] | None

class SolveKeywords(_Functions, total=False):
    # End with the best solution so far after this number of seconds; none sets no limit; the
    # default is none.
    time_limit: float | timedelta | None
    # End after this number of iterations of the method; none sets no limit; the default is none.
    iteration_limit: SupportsIndex | None
    # Memory for tables; K, M and G are powers of 1024; auto takes half of the free memory; the
    # default is auto.
    memory_limit: SupportsIndex | str | None
    # Seed of the methods that draw random numbers; the default is 0.
    seed: SupportsIndex
    # Engine for the heavy work; the default is context.
    engine: Literal["auto", "context", "cpu", "device"]
    # OpenCL device by its number from 0; several with commas between share long searches, tables
    # and batches; auto takes the best; the default is auto.
    device: ArrayLike | None
    # Threads of the CPU engine; auto takes one per core; the default is auto.
    threads: SupportsIndex | None
    # Folder for built kernels, or off; auto takes the platform's cache folder; the default is auto.
    cache: str | PathLike[str] | None
    # File of tuning rows for devices; none for those of the user and of the library alone; the
    # default is none.
    tuning: str | PathLike[str] | None

class CuttingStockKeywords(SolveKeywords, total=False):
    # Solution method; the default is auto.
    method: Literal["auto", "exact", "ffd"]
    # Packing to start from, in addition to that of first-fit decreasing: for each pattern its
    # number of pieces, its number of cuts, and item type and count of each cut; the default is
    # none.
    start: ArrayLike | Sequence[tuple[int, Mapping[int, int]]] | None

class FlowShopKeywords(SolveKeywords, total=False):
    # Solution method; the default is auto.
    method: Literal["auto", "beam", "branch-and-bound", "iterated-greedy", "neh", "tabu"]
    # Sequence to start from: jobs from 0. Tabu and iterated greedy search begin with it, other
    # methods with the better one of it and NEH's; the default is none.
    start: ArrayLike | None
    # Begin with NEH's sequence if it is better than the start; the default is false.
    start_beside_neh: bool
    # Lower bound of branch and bound; the default is lb1.
    bound: Literal["lb1", "lb1-lb2", "lb2"]
    # Branching rule: the end of the sequence at which branch and bound fixes the next job; the
    # default is min-branch.
    branching: Literal["backward", "forward", "max-sum", "min-branch", "min-min", "min-min-front"]
    # Branch and bound looks only for schedules shorter than this; the status is infeasible if there
    # are none; the default is none.
    upper_bound: SupportsIndex | None
    # File in which branch and bound saves its search; if it exists, its search continues; the
    # default is none.
    checkpoint: str | PathLike[str] | None
    # Time between two writes of the checkpoint; the default is 60.
    checkpoint_interval: float | timedelta
    # How a device takes part in branch and bound; the default is on-device.
    exploration: Literal["host-pool", "on-device", "tree-pool"]
    # Nodes that the device bounds, or trees that it explores, at once; this option and the next
    # three are for the explorations host-pool and tree-pool; the default is 65536.
    pool_size: SupportsIndex
    # Sort the pool by depth instead of leaving it in the order of branching; the default is true.
    pool_sorted: bool
    # Bound the pool by a kernel without branches; the default is true.
    pool_branch_free: bool
    # Tables in the device's local memory; the default is auto.
    pool_placement: Literal["auto", "both", "global", "johnson", "part-of-johnson", "times"]
    # Nodes that a work-item of the exploration tree-pool decomposes before the rest of its tree
    # returns to the host; the default is 64.
    pool_budget: SupportsIndex
    # Most nodes that beam search keeps per level; auto doubles the width from pass to pass; the
    # default is auto.
    beam_width: SupportsIndex | None
    # Trajectories of tabu or iterated greedy search at once; auto takes 1 for tabu, and for
    # iterated greedy as many as keep the threads or the device busy if only time is limited, else
    # 4; the default is auto.
    trajectories: SupportsIndex | None
    # Neighbourhood of tabu search; the default is insertion.
    neighbourhood: Literal["insertion", "swap"]
    # Positions that tabu search computes for the makespan of a swap; auto takes heads-and-tails;
    # the default is auto.
    evaluation: Literal["full", "heads-and-tails", "prefix", "stored", "auto"] | None
    # Moves that tabu search forbids; the default is attributes.
    tabu_list: Literal["attributes", "sequences"]
    # Generations for which a move of tabu search stays forbidden; the default is 10.
    tenure: SupportsIndex
    # Keep the columns of swaps in a device's local memory; the default is false.
    local_columns: bool

class IntervalDpKeywords(SolveKeywords, total=False):
    # Solution method; the default is auto.
    method: Literal["auto", "cm-1", "cm-2", "cm-3", "cm-4", "cubic", "gmm", "hu-shing", "knuth", "pipeline", "serial"]
    # Cells whose values to return, such as 0,5 3,9; empty by default.
    cells: ArrayLike
    # Type of the cells; auto takes the fastest exact type; the default is auto.
    cell_type: Literal["f32", "f64", "i32", "i64", "u16", "auto"] | None
    # Promise that the cell costs obey the quadrangle inequality, so that knuth does not check it;
    # the default is false.
    assume_quadrangle: bool
    # Work-items per work-group of cm-1 to cm-4; the default is 64.
    group_size: SupportsIndex
    # Number of work-groups of cm-3; the default is 64.
    groups: SupportsIndex
    # Parameter k of gmm, which sets its regions; the default is 4.
    mapping_k: SupportsIndex
    # Work-items that run in step, for gmm; auto takes the driver's number; the default is auto.
    warp: SupportsIndex | None
    # Most work-items that a compute unit holds at once, for gmm; auto takes the device's number as
    # far as it is known; the default is auto.
    resident_items: SupportsIndex | None

class KnapsackKeywords(SolveKeywords, total=False):
    # Solution method; the default is auto.
    method: Literal["auto", "core", "dense", "greedy"]
    # Selection to start from, in addition to the greedy one: the copies taken of each item; the
    # default is none.
    start: ArrayLike | None

class LatticeDpKeywords(SolveKeywords, total=False):
    # Recurrence for a packing; the default is configurations.
    recurrence: Literal["configurations", "unit-steps"]
    # Order in which the cells of tables are computed; the default is slabs.
    traversal: Literal["blocks", "levels", "slabs"]
    # Dimensions that the traversal 'blocks' cuts; auto takes the number with the shortest estimated
    # time; the default is auto.
    partition: SupportsIndex | None
    # Number of parts of a dimension that the traversal 'blocks' cuts; the default is tabulated.
    divisors: Literal["printed", "tabulated"]
    # Parts into which the traversal 'blocks' cuts each dimension, divisors of the sizes, in place
    # of partition and divisors; the default is none.
    parts: ArrayLike | None
    # How a device proceeds from one slab, level or block level to the next; the CPU ignores it; the
    # default is auto.
    launches: Literal["auto", "persistent", "stepwise"]
    # How a device looks at the offsets of a cell by levels or blocks; the CPU ignores it; the
    # default is loop.
    children: Literal["loop", "parallel"]

class MultidimensionalKnapsackKeywords(SolveKeywords, total=False):
    # Solution method; the default is auto.
    method: Literal["auto", "branch-and-bound", "dense", "greedy"]
    # Selection to start from, in addition to the greedy ones: the copies taken of each item; the
    # default is none.
    start: ArrayLike | None

class ParallelMachinesKeywords(SolveKeywords, total=False):
    # Solution method; the default is auto.
    method: Literal["auto", "exact", "lpt", "multifit", "ptas"]
    # Precision of the approximation scheme, such as 0.2 or 1/5; the default is 1/6; the default is
    # 0.16666666666666669.
    epsilon: float | Fraction | str
    # Schedule to start from, in addition to that of LPT: the machine of each job, from 0; the
    # default is none.
    start: ArrayLike | None
    # Segments into which ptas cuts its interval of targets; it decides the middles of all segments
    # at once; 1 is bisection; the default is 1.
    segments: SupportsIndex
    # Where the segments of ptas lie; the default is interval.
    segment_shares: Literal["interval", "lower-bound"]
    # Order in which the cells of tables are computed; the default is slabs.
    traversal: Literal["blocks", "levels", "slabs"]
    # Dimensions that the traversal 'blocks' cuts; auto takes the number with the shortest estimated
    # time; the default is auto.
    partition: SupportsIndex | None
    # Number of parts of a dimension that the traversal 'blocks' cuts; the default is tabulated.
    divisors: Literal["printed", "tabulated"]
    # How a device proceeds from one slab, level or block level to the next; the CPU ignores it; the
    # default is auto.
    launches: Literal["auto", "persistent", "stepwise"]
    # How a device looks at the offsets of a cell by levels or blocks; the CPU ignores it; the
    # default is loop.
    children: Literal["loop", "parallel"]

class RecurrenceKeywords(SolveKeywords, total=False):
    # Way to fill the table; the default is auto.
    method: Literal["auto", "blocked", "jump", "p-fold", "pipeline", "sequential", "sliding-window", "tournament", "two-by-two"]
    # Elements to return; the default is table.
    values: Literal["last", "table"]
    # Also return which offset gives each element its value; the default is false.
    choices: bool
    # Parameter p of the p-fold pipeline; auto takes the largest that is correct on the instance;
    # the default is auto.
    fold: SupportsIndex | None

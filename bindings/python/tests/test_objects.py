"""Instances and results as objects: attributes, pickles, texts, what can't be changed."""

import math
import pickle
import re

import numpy as np
import pytest

import makespan

TIMES = [[3, 2], [1, 4], [2, 2]]
SETUPS = [[0, 2, 1], [1, 0, 1], [3, 1, 0]]


def cost(first, split, last):
    return (last - first) * split


#: An instance of each class and form, and what its text says.
INSTANCES = [
    (makespan.FlowShop(TIMES), "<FlowShop: 3 jobs, 2 machines>"),
    (
        makespan.FlowShop(
            TIMES,
            objective="late-jobs,total-tardiness+5*makespan",
            release_times=[0, 1, 2],
            due_dates=[4, -5, 9],
            weights=[1, 2, 3],
            setups=[SETUPS, SETUPS],
            first_setups=[1, 2, 3],
            ready_times=[2, 0],
            pinned=[1],
        ),
        "<FlowShop: 3 jobs, 2 machines>",
    ),
    (
        makespan.FlowShop(
            TIMES,
            objective=["makespan", "inversions"],
            setups=[[0, 7], [5, 0]],
            families=[0, 1, 0],
            last_kinds=[0, 1],
            blocking=True,
            running_plan=[2, 0, 1],
        ),
        "<FlowShop: 3 jobs, 2 machines>",
    ),
    (makespan.ParallelMachines([5, 4, 3], 2), "<ParallelMachines: 3 jobs, 2 machines>"),
    (makespan.ParallelMachines([5, 4, 3], 2, pinned={0: 1}), "<ParallelMachines: 3 jobs, 2 machines>"),
    (makespan.Knapsack([10, 7], [5, 4], 9, copies=[1, math.inf], pinned=[0, 1]), "<Knapsack: 2 items>"),
    (makespan.KnapsackBatch([[10, 7], [1, 2]], [5, 4], 9), "<KnapsackBatch: 2 knapsacks, 2 items>"),
    (
        makespan.MultidimensionalKnapsack([10, 7], [[5, 4], [1, 2]], [9, 4], copies=[1, 2]),
        "<MultidimensionalKnapsack: 2 items, 2 dimensions>",
    ),
    (makespan.CuttingStock([45, 36], [2, 3], 100, pinned=[(1, {0: 2})]), "<CuttingStock: 2 types>"),
    (makespan.IntervalProgram.matrix_chain([2, 3, 4, 5]), "<IntervalProgram: 4 points>"),
    (makespan.IntervalProgram.weighted_polygon([1.5, 2, 3]), "<IntervalProgram: 3 points>"),
    (makespan.IntervalProgram.search_tree([1.5, 2], [1, 2, 3]), "<IntervalProgram: 4 points>"),
    (makespan.IntervalProgram.search_tree([1, 2]), "<IntervalProgram: 4 points>"),
    (
        makespan.IntervalProgram.convex_polygon([[0, 0], [1, 0], [1, 1], [0, 1]]),
        "<IntervalProgram: 4 points>",
    ),
    (
        makespan.IntervalProgram([1, 2], semiring="max-plus", cell_cost=([1, 2, 3], [4, 5, 6])),
        "<IntervalProgram: 3 points>",
    ),
    (makespan.IntervalProgram([1, 2], cell_cost=np.ones((3, 3))), "<IntervalProgram: 3 points>"),
    (makespan.IntervalProgram([1] * 4, split_cost=cost, magnitude=99), "<IntervalProgram: 5 points>"),
    (makespan.Folding.nussinov("GGGAAAUCC", gc=3, hairpin=2), "<Folding: 9 bases>"),
    (makespan.Folding.zuker("GGGGAAAACCCC", energies={"multi": 7}), "<Folding: 12 bases>"),
    (
        makespan.Recurrence("min-plus", [2, 1], [[0, 1], [2, 3]], 9, weights=[1, 2], terms=[9] * 7),
        "<Recurrence: 2 instances, 9 length>",
    ),
    (
        makespan.Recurrence("modular", [2, 1], [0, 1], 9, weights=[[1, 2]], modulus=7),
        "<Recurrence: 1 instances, 9 length>",
    ),
    (
        makespan.Recurrence("custom", [2, 1], [0, 1], 9, combine=max, idempotent=True),
        "<Recurrence: 1 instances, 9 length>",
    ),
    (makespan.Recurrence.knapsack([10, 7], [5, 4], 9), "<Recurrence: 1 instances, 30 length>"),
    (makespan.LatticeProgram([3, 3], [[1, 0], [0, 1]], [2, 3]), "<LatticeProgram: 9 cells>"),
    (makespan.Packing([3, 5], [4, 2], 8), "<Packing: 2 types>"),
]


def same(first, second):
    """Whether two values are the same, with all arrays in them."""
    if isinstance(first, np.ndarray):
        return first.dtype == second.dtype and first.tolist() == second.tolist()
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(same(first[key], second[key]) for key in first)
    if isinstance(first, (list, tuple)):
        return len(first) == len(second) and all(map(same, first, second))
    return first == second


def arrays(value):
    """All arrays in a value."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from arrays(part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from arrays(part)


def attributes(value):
    """All public attributes that are no methods and that the value has."""
    found = {}
    for name in dir(value):
        if not name.startswith("_") and name not in ("instance", "seconds", "setup_seconds", "trace"):
            try:
                part = getattr(value, name)
            except ValueError:
                continue
            if not callable(part) or name in ("split_cost", "combine", "weigh"):
                found[name] = part
    return found


@pytest.mark.parametrize("instance, text", INSTANCES, ids=lambda value: str(value)[:20])
def test_instances_and_results_survive_pickles(instance, text, cpu):
    assert repr(instance) == text
    copy = pickle.loads(pickle.dumps(instance))
    assert type(copy) is type(instance) and same(attributes(copy), attributes(instance))
    result = instance.solve(context=cpu)
    again = copy.solve(context=cpu)
    assert again.objective == result.objective and same(again.solution, result.solution)
    assert repr(result).startswith(f"<{type(result).__name__} {result.status}: objective ")
    loaded = pickle.loads(pickle.dumps(result))
    assert type(loaded) is type(result) and same(attributes(loaded), attributes(result))
    assert loaded.trace == result.trace and loaded.seconds == result.seconds
    for own in (instance, copy, result, loaded):
        for array in arrays(attributes(own)):
            assert not array.flags.writeable
    for own in (result, loaded):
        if result.solution is not None and not isinstance(instance, makespan.Packing):
            assert all(not array.flags.writeable for array in arrays(own.table()))


def test_programs_that_were_read_say_why_they_have_no_pickle():
    chain = makespan.IntervalProgram.parse("2 3 4 5", "matrix-chain")
    assert same(attributes(pickle.loads(pickle.dumps(chain))), attributes(chain))
    tree = makespan.IntervalProgram.parse("2 1 2 1 2 3", "search-tree")
    with pytest.raises(TypeError, match="of the kind search-tree that was read can't be pickled"):
        pickle.dumps(tree)


def test_attributes_are_the_arguments():
    shop = INSTANCES[1][0]
    assert shop.setups.shape == (2, 3, 3) and shop.first_setups.tolist() == [1, 2, 3]
    assert (shop.families, shop.last_kinds, shop.running_plan) == (None, None, None)
    assert shop.due_dates.tolist() == [4, -5, 9] and not shop.blocking
    assert shop.objective == ["late-jobs", "total-tardiness+5*makespan"]
    knapsack = INSTANCES[5][0]
    assert knapsack.copies == [1, math.inf] and knapsack.pinned.tolist() == [0, 1]
    assert makespan.ParallelMachines([5, 4], 2, pinned={1: 0}).pinned.tolist() == [[1, 0]]
    assert makespan.CuttingStock([45], [2], 100, pinned=[(1, {0: 2})]).pinned == [(1, {0: 2})]
    program = makespan.IntervalProgram([1, 2], split_cost=cost, magnitude=9)
    assert program.split_cost is cost and program.magnitude == 9 and program.data is None


def test_objects_of_a_running_solve_have_texts(cpu):
    told = []
    makespan.flow_shop(TIMES, context=cpu, on_solution=told.append)
    assert re.match(r"<Progress \d+\.\d{3} s", repr(told[-1]))
    assert "objective 9, bound" in repr(told[-1])
    assert repr(cpu) == "<Context: 2 threads>"
    stop = makespan.StopHandle()
    assert repr(stop) == "<StopHandle>"
    stop.stop()
    assert repr(stop) == "<StopHandle: stopped>"


def test_files_and_texts(tmp_path):
    path = tmp_path / "chain"
    path.write_text("10 100 5 50")
    assert makespan.IntervalProgram.read(path, "matrix-chain").solve().objective == 7500
    path.write_text("semiring min-plus\nlength 5\noffsets 2 1\ninitial 0 1\n")
    assert makespan.Recurrence.read(path).offsets.tolist() == [2, 1]
    text = "capacity 8\nitem 3 4\nitem 5 2\n"
    packing = makespan.Packing.parse(text)
    assert (packing.sizes.tolist(), packing.counts.tolist(), packing.capacity) == ([3, 5], [4, 2], 8)
    with pytest.raises(makespan.InvalidArgumentError, match="^text: has items to pack"):
        makespan.LatticeProgram.parse(text)
    with pytest.raises(makespan.InvalidArgumentError, match="^text: has a lattice"):
        makespan.Packing.parse("sizes 3 3\noffset 1 1 0\n")
    assert makespan.FlowShop.parse("3 2\n1 4\n2 2\n", format="matrix").times.tolist() == TIMES
    assert makespan.nussinov(">name\nGGGAAAUCC\n").objective == 3


def test_profiles_are_the_single_knapsacks(cpu):
    profits, weights = [10, 7, 6], [5, 4, 3]
    profile = makespan.knapsack_profile(profits, weights, 12, copies=2, context=cpu)
    alone = [
        makespan.knapsack(profits, weights, capacity, copies=2, context=cpu).objective
        for capacity in range(13)
    ]
    assert profile.profits.tolist() == alone == profile.table()["profit"].tolist()
    assert profile.status == "optimal" and profile.objective == alone[-1]


def test_batches_take_the_keywords_of_single_solves(cpu):
    stock = makespan.CuttingStock([45, 36, 31], [2, 3, 4], 100)
    start = [(2, {0: 1, 1: 1}), (1, {1: 1, 2: 1}), (1, {2: 3})]
    for given in (start, stock.solve(context=cpu).patterns):
        found = makespan.solve_batch([stock, stock], start=given, method="ffd", context=cpu)
        assert [result.objective for result in found] == [4, 4]
    with pytest.raises(TypeError, match="^start: must be a list of pairs"):
        makespan.solve_batch([stock], start=[(1, {0: 1}), 3], context=cpu)
    knapsacks = [makespan.Knapsack([10, 7, 6], [5, 4, 3], capacity) for capacity in (3, 7)]
    found = makespan.solve_batch(knapsacks, context=cpu)
    assert [result.objective for result in found] == [6, 13]
    batch = makespan.KnapsackBatch([[10, 7], [1, 2]], [5, 4], 9)
    assert makespan.solve_batch([batch, batch], context=cpu)[1].instance.profits.tolist() == [[10, 7], [1, 2]]
    result = makespan.knapsack_batch([[10, 7], [1, 2]], [5, 4], 9, context=cpu)
    assert result.instance.profits.tolist() == [[10, 7], [1, 2]]

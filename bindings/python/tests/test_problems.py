"""The other problems against brute force."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import makespan


@given(st.lists(st.integers(0, 30), min_size=1, max_size=7), st.integers(1, 3))
def test_parallel_machines(times, machines):
    result = makespan.parallel_machines(times, machines, engine="cpu")
    loads = lambda places: np.bincount(places, weights=times, minlength=machines)
    every = product(range(machines), repeat=len(times))
    assert result.status == "optimal"
    assert result.objective == min(loads(places).max() for places in every)
    assert result.loads.max() == result.objective == result.instance.evaluate(result.assignment)
    assert (result.ends - result.starts == times).all() and result.ends.max() == result.objective


def test_pinned_jobs_stay(cpu):
    for pinned in ({0: 1, 2: 1}, [[0, 1], [2, 1]], np.array([[0, 1], [2, 1]])):
        result = makespan.parallel_machines([5, 1, 4], 2, pinned=pinned, context=cpu)
        assert result.assignment.tolist() == [1, 0, 1] and result.objective == 9
    with pytest.raises(makespan.InvalidArgumentError, match="^pinned"):
        makespan.parallel_machines([5], 2, pinned={3: 0})


@st.composite
def items(draw, most=6):
    count = draw(st.integers(1, most))
    numbers = lambda most: st.lists(st.integers(0, most), min_size=count, max_size=count)
    return draw(numbers(20)), draw(numbers(10)), draw(st.integers(0, 30)), draw(numbers(3))


def most_profit(profits, weights, capacity, copies):
    fits = lambda counts: np.dot(counts, weights) <= capacity
    every = product(*(range(count + 1) for count in copies))
    return max(int(np.dot(counts, profits)) for counts in every if fits(counts))


@given(items())
def test_knapsacks(case):
    profits, weights, capacity, copies = case
    for result, limit in [
        (makespan.knapsack(profits, weights, capacity, engine="cpu"), [1] * len(profits)),
        (makespan.knapsack(profits, weights, capacity, copies=copies, engine="cpu"), copies),
        (makespan.knapsack(profits, weights, capacity, copies=2, engine="cpu"), [2] * len(profits)),
    ]:
        assert result.status == "optimal"
        assert result.objective == most_profit(profits, weights, capacity, limit)
        assert result.instance.evaluate(result.counts) == result.objective
        assert result.weight <= capacity and (result.counts <= limit).all()


def test_unbounded_and_pinned_knapsacks(cpu):
    result = makespan.knapsack([3, 5], [2, 3], 7, copies=math.inf, context=cpu)
    assert result.objective == 11 and result.counts.tolist() == [2, 1]
    result = makespan.knapsack([3, 5], [2, 3], 4, pinned=[1, 0], context=cpu)
    assert result.counts.tolist() == [1, 0]
    assert result.table()["profit"].tolist() == [3]


@given(items(most=4), st.lists(st.integers(0, 20), min_size=4, max_size=12))
def test_knapsack_batches_are_the_single_solves(case, profits):
    _, weights, capacity, copies = case
    rows = np.resize(profits, (3, len(weights)))
    batch = makespan.knapsack_batch(rows, weights, capacity, copies=copies, engine="cpu")
    alone = [most_profit(row, weights, capacity, copies) for row in rows]
    assert batch.profits.tolist() == alone and batch.objective == sum(alone)
    assert ((rows * batch.counts).sum(axis=1) == alone).all()


@given(items(most=5), items(most=5))
def test_several_capacities(first, second):
    count = min(len(first[0]), len(second[0]))
    profits, weights = first[0][:count], [first[1][:count], second[1][:count]]
    capacities = [first[2], second[2]]
    result = makespan.multidimensional_knapsack(profits, weights, capacities, engine="cpu")
    every = [counts for counts in product((0, 1), repeat=count)]
    fits = lambda counts: (np.dot(weights, counts) <= capacities).all()
    assert result.status == "optimal"
    assert result.objective == max(np.dot(profits, counts) for counts in every if fits(counts))
    assert (result.weights <= capacities).all()
    assert result.instance.evaluate(result.counts) == result.objective
    assert list(result.table())[2:4] == ["weight_0", "weight_1"]


@given(st.lists(st.integers(1, 10), min_size=1, max_size=6))
def test_bins(sizes):
    result = makespan.bin_packing(sizes, 10, engine="cpu")
    bins = lambda places: np.bincount(places, weights=sizes)
    every = product(range(len(sizes)), repeat=len(sizes)) if len(sizes) < 5 else []
    least = min((max(places) + 1 for places in every if bins(places).max() <= 10), default=None)
    assert result.status == "optimal" and (least is None or result.objective == least)
    used = sum(pattern.pieces for pattern in result.patterns)
    assert used == result.objective == result.instance.evaluate(result.patterns)
    assert result.waste == 10 * used - sum(sizes)


def test_cuts_start_from_patterns_and_keep_pinned_ones(cpu):
    arguments = [45, 36, 31], [2, 3, 4], 100
    start = [(2, {0: 1, 1: 1}), (1, {1: 1, 2: 1}), (2, {2: 2})]
    with pytest.raises(makespan.InvalidArgumentError, match="^start"):
        makespan.cutting_stock(*arguments, start=start, context=cpu)
    start[2] = (1, {2: 3})
    assert makespan.cutting_stock(*arguments, start=start, method="ffd", context=cpu).objective == 4
    result = makespan.cutting_stock(*arguments, pinned=[(1, {0: 2})], context=cpu)
    assert any(pattern.items.get(0) == 2 for pattern in result.patterns)
    assert sum(result.table()["count"] * result.table()["pieces"]) == 9


def chain_cost(dimensions):
    best = {}
    for length in range(1, len(dimensions)):
        for i in range(len(dimensions) - length):
            j = i + length
            splits = range(i + 1, j)
            product = lambda k: dimensions[i] * dimensions[k] * dimensions[j]
            best[i, j] = min((best[i, k] + best[k, j] + product(k) for k in splits), default=0)
    return best[0, len(dimensions) - 1]


@given(st.lists(st.integers(1, 50), min_size=2, max_size=12))
def test_chains(dimensions):
    result = makespan.matrix_chain(dimensions, engine="cpu")
    assert result.status == "optimal" and result.objective == chain_cost(dimensions)
    assert result.instance.evaluate(result.nodes) == result.objective
    real = makespan.matrix_chain(np.array(dimensions, dtype=float), engine="cpu")
    assert real.objective == pytest.approx(result.objective)
    cost = lambda i, k, j: dimensions[i] * dimensions[k] * dimensions[j]
    zeros = [0] * (len(dimensions) - 1)
    own = makespan.IntervalProgram(zeros, split_cost=cost, magnitude=50**3)
    assert own.solve(engine="cpu", threads=2).objective == result.objective
    products = makespan.IntervalProgram(zeros, split_cost=([0] * len(dimensions),) * 3)
    assert products.solve(engine="cpu").objective == 0


def test_forms_of_interval_programs(cpu):
    matrix = np.arange(16).reshape(4, 4)
    table = makespan.IntervalProgram([0, 0, 0], cell_cost=matrix)
    packed = makespan.IntervalProgram([0, 0, 0], cell_cost=matrix[np.triu_indices(4, 1)])
    split = makespan.IntervalProgram([0, 0, 0], cell_cost=([0, 4, 8, 12], [0, 1, 2, 3]))
    values = [form.solve(context=cpu).objective for form in (table, packed, split)]
    assert values == [3 + min(2, 7)] * 3
    count = makespan.IntervalProgram([1] * 5, semiring="plus-times").solve(context=cpu)
    assert count.objective == 14 and count.nodes is None
    with pytest.raises(ValueError, match="not that of one tree"):
        count.table()
    result = table.solve(cells=[(0, 2), (1, 3)], context=cpu)
    assert result.cells.tolist() == [2, 7] and result.cell_error == 0
    assert makespan.search_tree([10, 20, 30], [1, 2, 3, 4]).is_optimal
    square = [[0, 0], [1, 0], [1, 1], [0, 1]]
    assert makespan.triangulation(vertices=square).objective == pytest.approx(4 + 2 * math.sqrt(2))
    assert "digraph" in result.dot


def test_folding(cpu):
    result = makespan.nussinov("GGGAAAUCC", gc=3, au=2, context=cpu)
    assert result.instance.evaluate(result.pairs) == result.objective == 7
    assert len(result.brackets) == 9
    usual = makespan.zuker("GGGGAAAACCCC", context=cpu)
    free = makespan.zuker("GGGGAAAACCCC", energies={"hairpin": [0] * 31}, context=cpu)
    assert free.objective < usual.objective < 0
    with pytest.raises(makespan.InvalidArgumentError, match=r"^sequence\[1\]"):
        makespan.nussinov("GX")
    with pytest.raises(makespan.InvalidArgumentError, match="^energies"):
        makespan.zuker("GC", energies={"loops": 1})


@given(st.integers(1, 4), st.integers(0, 20), st.data())
def test_recurrences(count, more, data):
    offsets = sorted(data.draw(st.sets(st.integers(1, 6), min_size=1, max_size=count)))[::-1]
    numbers = lambda length: st.lists(st.integers(-9, 9), min_size=length, max_size=length)
    initial, weights = data.draw(numbers(offsets[0])), data.draw(numbers(len(offsets)))
    expected = list(initial)
    for i in range(offsets[0], offsets[0] + more):
        expected.append(min(weight + expected[i - a] for a, weight in zip(offsets, weights)))
    arguments = offsets, initial, len(expected)
    result = makespan.recurrence("min-plus", *arguments, weights=weights, choices=True, engine="cpu")
    assert result.values.tolist() == [expected] and result.last.tolist() == [expected[-1]]
    for i, choice in enumerate(result.choices[0], offsets[0]):
        assert expected[i] == weights[choice] + expected[i - offsets[choice]]
    own = makespan.recurrence(
        "custom",
        *arguments,
        weights=weights,
        combine=min,
        weigh=lambda weight, value: weight + value,
        engine="cpu",
    )
    assert own.values.tolist() == [expected]
    last = makespan.recurrence("min-plus", *arguments, weights=weights, values="last", engine="cpu")
    assert last.values is None and last.last.tolist() == [expected[-1]]


def test_forms_of_recurrences(cpu):
    two = makespan.recurrence("sum-product", [2, 1], [[0, 1], [2, 1]], 8, context=cpu)
    assert two.values.tolist() == [[0, 1, 1, 2, 3, 5, 8, 13], [2, 1, 3, 4, 7, 11, 18, 29]]
    assert len(two.table()["value"]) == 16
    rest = makespan.recurrence("modular", [2, 1], [0, 1], 1000, modulus=10, context=cpu)
    assert rest.last.tolist() == [6]
    terms = makespan.recurrence("max-plus", [1], [0], 4, terms=[5, 1, 9], context=cpu)
    assert terms.values.tolist() == [[0, 5, 5, 9]]
    bag = makespan.Recurrence.knapsack([10, 7, 6], [5, 4, 3], 7).solve(context=cpu)
    assert bag.last.tolist() == [13]
    with pytest.raises(OverflowError):
        makespan.recurrence("sum-product", [2, 1], [0, 1], 200, context=cpu)


def test_lattices(cpu):
    path = makespan.lattice_path([3, 3], [[1, 0], [0, 1], [1, 1]], [2, 2, 3], context=cpu)
    assert path.objective == 6 == path.instance.evaluate(path.steps)
    nowhere = makespan.lattice_path([3, 3], [[2, 0]], context=cpu)
    assert nowhere.status == "infeasible" and nowhere.steps is None and nowhere.objective is None
    packed = makespan.packing([3, 5], [4, 2], 8, context=cpu)
    assert packed.objective == 3 == packed.instance.evaluate(packed.containers)
    assert packed.containers.sum(axis=0).tolist() == [4, 2]

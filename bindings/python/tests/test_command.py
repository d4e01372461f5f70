"""The package against the command on random instances. MAKESPAN_COMMAND names the command; without it, tests are skipped."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_models import models, text_of

import makespan

CPU = {"engine": "cpu", "threads": 1}
#: Fewer examples than those of other tests, since each starts a process.
FEW = settings(max_examples=settings().max_examples // 3)


def numbers(least, most, count):
    return st.lists(st.integers(least, most), min_size=count, max_size=count)


def words(numbers):
    return " ".join(map(str, numbers))


def lines(rows):
    return "".join(f"{words(row)}\n" for row in rows)


def agree(result, told):
    """What all problems have."""
    for name in ("status", "objective", "bound", "method", "statistics"):
        assert getattr(result, name) == told[name], name


@FEW
@given(st.data(), st.integers(0, 3))
def test_flow_shops(command, data, seed):
    jobs, machines = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 3))
    times = data.draw(st.lists(numbers(0, 20, machines), min_size=jobs, max_size=jobs))
    told = command("flow-shop", "-", "--format", "matrix", "--seed", seed, "--threads", 1, text=lines(times))
    result = makespan.flow_shop(times, seed=seed, **CPU)
    agree(result, told)
    assert result.sequence.tolist() == told["solution"]["permutation"]
    assert result.starts.tolist() == told["solution"]["starts"]
    assert result.ends.tolist() == told["solution"]["ends"]


def document_of(model, stages):
    """The JSON file of a model."""
    jobs, machines = range(len(model["times"])), range(len(model["times"][0]))
    fields = {"times": "times", "release_times": "release", "due_dates": "due", "weights": "weight", "families": "family"}
    of_machines = {"ready_times": "ready", "last_kinds": "last"}
    document = {
        "machines": [{of_machines[name]: model[name][place] for name in of_machines if name in model} for place in machines],
        "jobs": [{fields[name]: model[name][job] for name in fields if name in model} for job in jobs],
        "buffers": "none" if model.get("blocking") else "unlimited",
        "pinned": model["pinned"],
        "running_plan": model["running_plan"],
        "objective": text_of(stages),
    }
    if "families" in model:
        document["families"] = ["red", "blue"]
    if "setups" in model:
        shape = "matrices" if np.ndim(model["setups"]) == 3 else "matrix"
        document["setups"] = {"between": "families" if "families" in model else "jobs", shape: model["setups"]}
    if "first_setups" in model:
        document["setups"]["first"] = np.atleast_2d(model["first_setups"]).tolist()
    return document


@FEW
@given(models(), st.sampled_from(["makespan", "weighted-tardiness", "max-lateness", "new-predecessors"]))
def test_models_of_flow_shops(command, model, objective):
    stages = [[(1, objective), (2, "inversions")], [(1, "total-flow-time")]]
    text = json.dumps(document_of(model, stages))
    told = command("flow-shop", "-", "--format", "json", "--threads", 1, text=text)
    result = makespan.flow_shop(**model, objective=text_of(stages), **CPU)
    agree(result, told)
    assert result.sequence.tolist() == told["solution"]["permutation"]
    assert result.starts.tolist() == told["solution"]["starts"]
    assert list(result.objectives.values()) == [stage["value"] for stage in told["objectives"]]
    assert result.tardiness.tolist() == told["solution"]["tardiness"]


@FEW
@given(st.data())
def test_files_with_setups_and_with_due_dates(command, data):
    jobs, machines = data.draw(st.integers(2, 5)), data.draw(st.integers(1, 3))
    times = data.draw(st.lists(numbers(1, 20, machines), min_size=jobs, max_size=jobs))
    setups = data.draw(st.lists(numbers(0, 9, jobs), min_size=jobs * machines, max_size=jobs * machines))
    dates = data.draw(numbers(0, 60, jobs))
    head, rows = f"{jobs}\n{machines}\n", lines(times)
    for format, text in (("setups", head + rows + lines(setups)), ("due-dates", f"{head}{words(dates)}\n{rows}")):
        told = command("flow-shop", "-", "--format", format, "--threads", 1, text=text)
        shop = makespan.FlowShop.parse(text, format=format)
        result = shop.solve(**CPU)
        agree(result, told)
        assert result.sequence.tolist() == told["solution"]["permutation"]
        assert result.starts.tolist() == told["solution"]["starts"]
        assert shop.times.tolist() == times
        if format == "setups":
            assert shop.setups.reshape(-1, jobs).tolist() == setups
        else:
            assert (shop.due_dates.tolist(), shop.objective) == (dates, ["total-tardiness"])


@FEW
@given(st.lists(st.integers(1, 99), min_size=1, max_size=12), st.integers(1, 4))
def test_parallel_machines(command, times, machines):
    told = command("parallel-machines", "-", "--threads", 1, text=lines([[machines, len(times)], times]))
    result = makespan.parallel_machines(times, machines, **CPU)
    agree(result, told)
    assert result.assignment.tolist() == told["solution"]["assignment"]


@FEW
@given(st.lists(st.tuples(st.integers(0, 10), st.integers(0, 20)), min_size=1, max_size=6), st.integers(0, 30))
def test_knapsacks(command, items, capacity):
    told = command("knapsack", "-", text=lines([[len(items), capacity], *(item[::-1] for item in items)]))
    weights, profits = zip(*items)
    result = makespan.knapsack(profits, weights, capacity, **CPU)
    agree(result, told)
    taken = {row["item"]: row["count"] for row in told["solution"]["items"]}
    assert dict(zip(result.taken.tolist(), result.counts[result.taken].tolist())) == taken


@FEW
@given(st.dictionaries(st.integers(1, 20), st.integers(1, 5), min_size=1, max_size=5))
def test_cutting_stock(command, items):
    told = command("cutting-stock", "-", text=lines([[len(items), 20], *items.items()]))
    result = makespan.cutting_stock(list(items), list(items.values()), 20, **CPU)
    agree(result, told)
    patterns = [
        (row["count"], {item["type"]: item["count"] for item in row["items"]})
        for row in told["solution"]["patterns"]
    ]
    assert [tuple(pattern) for pattern in result.patterns] == patterns


@FEW
@given(st.data())
def test_multidimensional_knapsacks(command, data):
    items, dimensions = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 3))
    profits = data.draw(numbers(0, 20, items))
    weights = data.draw(st.lists(numbers(0, 10, items), min_size=dimensions, max_size=dimensions))
    capacities = data.draw(numbers(0, 30, dimensions))
    text = f"{items} {dimensions} 0\n" + lines([profits, *weights, capacities])
    told = command("multidimensional-knapsack", "-", text=text)
    result = makespan.multidimensional_knapsack(profits, weights, capacities, **CPU)
    agree(result, told)
    assert result.weights.tolist() == told["solution"]["weights"]
    assert result.taken.tolist() == [row["item"] for row in told["solution"]["items"]]
    assert makespan.MultidimensionalKnapsack.parse(text).weights.tolist() == weights


#: The kind, numbers, the call and the text of a file.
INTERVALS = [
    ("matrix-chain", st.lists(st.integers(1, 50), min_size=2, max_size=12), makespan.matrix_chain, lambda own: words(own)),
    (
        "search-tree",
        st.integers(1, 8).flatmap(lambda keys: numbers(0, 30, 2 * keys + 1)),
        lambda own, **keywords: makespan.search_tree(own[: len(own) // 2], own[len(own) // 2 :], **keywords),
        lambda own: f"{len(own) // 2} {words(own)}",
    ),
    ("triangulation", st.lists(st.integers(1, 50), min_size=3, max_size=12), makespan.triangulation, lambda own: lines(zip(own))),
]  # fmt: skip


@pytest.mark.parametrize("kind, instances, call, file", INTERVALS, ids=[case[0] for case in INTERVALS])
@FEW
@given(data=st.data())
def test_interval_programs(command, kind, instances, call, file, data):
    own = data.draw(instances)
    told = command("interval-dp", kind, "-", text=file(own))
    result = call(own, **CPU)
    agree(result, told)
    for name in ("parenthesisation", "cell_type", "cell_error"):
        assert getattr(result, name) == told["solution"][name]
    assert result.nodes.tolist() == told["solution"]["nodes"]


@FEW
@given(st.lists(st.sampled_from("ACGU"), min_size=1, max_size=25).map("".join), numbers(0, 3, 3), st.integers(0, 4))
def test_folding(command, sequence, weights, hairpin):
    options = ["--pair-weights", ",".join(map(str, weights)), "--hairpin", hairpin]
    gc, au, gu = weights
    found = [
        (makespan.nussinov(sequence, gc=gc, au=au, gu=gu, hairpin=hairpin, **CPU), ["nussinov", "-", *options]),
        (makespan.zuker(sequence, **CPU), ["zuker", "-"]),
    ]
    for result, arguments in found:
        told = command("interval-dp", *arguments, text=sequence)
        agree(result, told)
        assert result.brackets == told["solution"]["structure"]
        assert result.pairs.tolist() == told["solution"]["pairs"]


@FEW
@given(st.sampled_from(["min-plus", "max-plus", "sum-product", "max-min", "or-and"]), st.data())
def test_recurrences(command, semiring, data):
    offsets = sorted(data.draw(st.sets(st.integers(1, 5), min_size=1, max_size=3)), reverse=True)
    length = offsets[0] + data.draw(st.integers(1, 8))
    bits = semiring == "or-and"
    own = lambda count: data.draw(numbers(0, 1, count) if bits else numbers(-3, 3, count))
    arguments = {"offsets": offsets, "initial": own(offsets[0])}
    parts = data.draw(st.sets(st.sampled_from(["weights", "terms"])))
    if "weights" in parts:
        arguments["weights"] = own(len(offsets))
    if "terms" in parts:
        arguments["terms"] = own(length - offsets[0])
    has_choices = semiring in ("min-plus", "max-plus", "max-min")
    text = f"semiring {semiring}\nlength {length}\n" + lines([name, *own] for name, own in arguments.items())
    options = ["--choices"] if has_choices else []
    told = command("recurrence", "-", "--values", "table", *options, text=text)
    result = makespan.recurrence(semiring, length=length, **arguments, values="table", choices=has_choices, **CPU)
    agree(result, told)
    assert result.values.tolist() == told["solution"]["values"]
    assert result.last.tolist() == told["solution"]["last"]
    if has_choices:
        # The command has the offsets, the package their positions.
        known = [-1 if choice == -1 else offsets[choice] for choice in result.choices[0]]
        assert [known] == told["solution"]["choices"]


@FEW
@given(st.data())
def test_lattices(command, data):
    sizes = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    vectors = st.lists(st.integers(0, 2), min_size=len(sizes), max_size=len(sizes)).filter(any)
    offsets = data.draw(st.lists(vectors, min_size=1, max_size=4))
    costs = data.draw(numbers(0, 9, len(offsets)))
    rows = [["offset", cost, *offset] for cost, offset in zip(costs, offsets)]
    text = lines([["sizes", *sizes], *rows])
    told = command("lattice-dp", "-", text=text)
    result = makespan.lattice_path(sizes, offsets, costs, **CPU)
    agree(result, told)
    steps = None if result.steps is None else result.steps.tolist()
    assert steps == (told["solution"] and told["solution"]["offsets"])


@FEW
@given(st.dictionaries(st.integers(1, 8), st.integers(1, 5), min_size=1, max_size=3))
def test_packings(command, items):
    text = lines([["capacity", 8], *(["item", *item] for item in items.items())])
    told = command("lattice-dp", "-", text=text)
    result = makespan.packing(list(items), list(items.values()), 8, **CPU)
    agree(result, told)
    # The command lists equal containers once.
    kinds = [[row["items"]] * row["count"] for row in told["solution"]["containers"]]
    assert sorted(result.containers.tolist()) == sorted(sum(kinds, []))

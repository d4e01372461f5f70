#!/usr/bin/env python3
"""Prints by how much the command overshoots its time limit on a device, for every problem, method and limit.

usage: scripts/device-limits.py [--command PATH] [--device N] [--cold|--warm] [--limits 0.05,0.5,2] [FILTER]

The overshoot is the time from the deadline to the end of the process: what a run takes beyond its limit and beyond a run
with a limit of 0, which reads the instance, opens the device and returns the best that costs nothing. Where there is
no such result, the device is not opened, and another problem's run with a limit of 0 counts. A cold
run has empty caches of kernels; before warm ones a longer run fills them. To be run on an idle machine; fails if a
run overshoots by more than a quarter of a second.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MOST = 0.25
# Of a run that fills the caches.
FILLING = 60


def instances(folder):
    """The files of the cases, large enough for all limits."""
    draw = random.Random(1)
    times = lambda count, most: " ".join(str(draw.randint(1, most)) for _ in range(count))
    items = "\n".join(f"{draw.randint(1, 1000)} {draw.randint(1, 1000)}" for _ in range(4000))
    weights = "\n".join(str(2 * draw.randint(1, 5000)) for _ in range(4000))
    texts = {
        "items.knapsack": f"4000 500000\n{items}\n",
        "sums.knapsack": f"4000 9999999\n{weights}\n",
        "batch.knapsack": "40 1000\n" + "\n".join(str(draw.randint(1, 100)) for _ in range(40)) + "\n",
        "batch.profits": "".join(times(40, 100) + "\n" for _ in range(20000)),
        "box.mknap": "200 3 0\n" + "".join(times(200, 4) + "\n" for _ in range(4)) + "160 160 160\n",
        "jobs.pcmax": f"p p_cmax 60 12\n{times(60, 5000)} 0\n",
        "stock.csp": "40 10000\n" + "\n".join(f"{1500 + 61 * i} {draw.randint(5, 30)}" for i in range(40)) + "\n",
        "box.lattice": "sizes 12 12 12 12 12 12 12\n"
        + "".join(f"offset 1 {' '.join(str(draw.randint(0, 3)) for _ in range(7))}\n" for _ in range(40)),
        "pack.lattice": "capacity 100\n" + "".join(f"item {11 + 3 * i} 9\n" for i in range(7)),
        "long.recurrence": "semiring min-plus\nlength 100000000\noffsets 50000 20000 10 5 2 1\ninitial 0 inf*49999\nweights 1*6\n",
        "dense.recurrence": "semiring max-plus\nlength 20000000\noffsets " + " ".join(map(str, range(900, 800, -1)))
        + "\ninitial 0*900\nweights 1*100\n",
        "window.recurrence": "semiring min-plus\nlength 100000000\noffsets " + " ".join(map(str, range(64, 0, -1)))
        + "\ninitial 0*64\nweights 1*64\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)


def cases(folder):
    """Name and arguments of each case."""
    at = lambda name: str(folder / name)
    for shop in ["ta021", "ta111"]:
        for method in ["auto", "beam", "tabu"]:
            yield f"flow-shop {shop} {method}", ["flow-shop", shop, "--method", method]
        for search in ["on-device", "host-pool", "tree-pool"]:
            exact = ["--method", "branch-and-bound", "--exploration", search]
            yield f"flow-shop {shop} {search}", ["flow-shop", shop, *exact]
    yield "flow-shop ta021 lb2", ["flow-shop", "ta021", "--method", "branch-and-bound", "--bound", "lb2"]
    for method in ["cubic", "cm-1", "cm-2", "cm-3", "cm-4"]:
        chain = ["interval-dp", "matrix-chain", "random:8000:1", "--method", method]
        yield f"interval-dp matrix-chain {method}", chain
    for kind in ["search-tree", "triangulation"]:
        yield f"interval-dp {kind} cubic", ["interval-dp", kind, "random:8000:1", "--method", "cubic"]
    for file in ["items", "sums"]:
        yield f"knapsack {file} dense", ["knapsack", at(f"{file}.knapsack"), "--method", "dense"]
    batch = ["knapsack", at("batch.knapsack"), "--profits", at("batch.profits")]
    yield "knapsack batch", batch
    mknap = ["multidimensional-knapsack", at("box.mknap"), "--method", "dense"]
    yield "multidimensional-knapsack dense", mknap
    for traversal in ["slabs", "levels", "blocks"]:
        yield f"lattice-dp {traversal}", ["lattice-dp", at("box.lattice"), "--traversal", traversal]
    yield "lattice-dp packing", ["lattice-dp", at("pack.lattice")]
    for method in ["ptas", "exact", "auto"]:
        yield f"parallel-machines {method}", ["parallel-machines", at("jobs.pcmax"), "--method", method]
    for method in ["exact", "auto"]:
        yield f"cutting-stock {method}", ["cutting-stock", at("stock.csp"), "--method", method]
    for method in ["auto", "sequential", "tournament", "pipeline", "two-by-two", "p-fold", "blocked"]:
        yield f"recurrence {method}", ["recurrence", at("long.recurrence"), "--method", method]
    yield "recurrence dense blocked", ["recurrence", at("dense.recurrence"), "--method", "blocked"]
    window = ["recurrence", at("window.recurrence"), "--method", "sliding-window"]
    yield "recurrence sliding-window", window


class Runner:
    def __init__(self, options):
        self.options = options
        self.caches = None

    def empty_caches(self):
        self.caches = tempfile.TemporaryDirectory(prefix="device-limits-")

    def run(self, arguments, limit):
        """Seconds until the process ended, and what it says."""
        names = ["MAKESPAN_CACHE_DIR", "POCL_CACHE_DIR", "CUDA_CACHE_PATH", "cl_cache_dir"]
        environment = os.environ | {name: f"{self.caches.name}/{name}" for name in names}
        engine = ["--json", "--engine", "device", "--device", str(self.options.device), "--time-limit", str(limit)]
        start = time.monotonic()
        done = subprocess.run(
            [self.options.command, *arguments, *engine], env=environment, capture_output=True, text=True
        )
        seconds = time.monotonic() - start
        if done.returncode != 0:
            return seconds, {"status": done.stderr.strip().splitlines()[-1][:90]}
        return seconds, json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--command", default="target/release/makespan")
    parser.add_argument("--device", type=int, default=0)
    parser.add_argument("--cold", action="store_true", help="only with empty caches")
    parser.add_argument("--warm", action="store_true", help="only with full caches")
    parser.add_argument("--limits", default="0.05,0.5,2")
    parser.add_argument("filter", nargs="?", default="")
    options = parser.parse_args()
    limits = [float(limit) for limit in options.limits.split(",")]
    states = [state for state in ["cold", "warm"] if getattr(options, state) or options.cold == options.warm]
    runner, failed = Runner(options), 0
    print(f"{'case':34} {'caches':6} {'limit':>5} {'overshoot':>9}  status")
    with tempfile.TemporaryDirectory(prefix="device-limits-") as name:
        instances(Path(name))
        runner.empty_caches()
        opening = min(runner.run(["parallel-machines", f"{name}/jobs.pcmax"], 0)[0] for _ in range(5))
        for case, arguments in cases(Path(name)):
            if options.filter not in case:
                continue
            for state in states:
                runner.empty_caches()
                if state == "warm":
                    runner.run(arguments, FILLING)
                least = max(opening, min(runner.run(arguments, 0)[0] for _ in range(3)))
                for limit in limits:
                    if state == "cold":
                        runner.empty_caches()
                    seconds, found = runner.run(arguments, limit)
                    overshoot = seconds - least - limit
                    failed += overshoot > MOST
                    mark = " !" if overshoot > MOST else ""
                    says = found["status"] + (f" ({found['warning']})" if found.get("warning") else "")
                    print(f"{case:34} {state:6} {limit:5} {overshoot:9.3f}  {says}{mark}", flush=True)
    if failed:
        sys.exit(f"{failed} runs overshot by more than {MOST} s")


if __name__ == "__main__":
    main()

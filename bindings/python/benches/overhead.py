#!/usr/bin/env python3
"""What Python adds to the library: prints the time of an import, the overhead of a call, the copies of a matrix, the punctuality
of another thread, and a batch in relation to its time in Rust. For an installed wheel of a release build.

    overhead.py
"""
import os
import statistics
import subprocess
import sys
import threading
import time
import tracemalloc

import numpy as np

import makespan

CPU = makespan.Context(engine="cpu", threads=1)


def milliseconds_of(program, rounds=15):
    """The least time of a new process, in milliseconds."""
    def once():
        begun = time.perf_counter()
        subprocess.run([sys.executable, "-c", program], check=True)
        return time.perf_counter() - begun

    return 1000 * min(once() for _ in range(rounds))


def imports():
    program = "import numpy, time; a = time.perf_counter(); import makespan; print(time.perf_counter() - a)"
    run = lambda: float(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout)
    own = min(run() for _ in range(15))
    numpy = milliseconds_of("import numpy") - milliseconds_of("pass")
    print(f"import makespan: {1000 * own:.1f} ms beyond numpy's own {numpy:.0f} ms")


def calls():
    times = np.random.default_rng(1).integers(1, 99, (20, 5))
    shop = makespan.FlowShop(times)

    def microseconds(call, count=20):
        begun = time.perf_counter()
        for _ in range(count):
            call()
        return 1e6 * (time.perf_counter() - begun) / count

    def least(call):
        # Short rounds, so that some of them meet no other program.
        return min(microseconds(call) for _ in range(500))

    whole = least(lambda: makespan.flow_shop(times, method="neh", context=CPU))
    solve = least(lambda: shop.solve(method="neh", context=CPU))
    native = min(shop.solve(method="neh", context=CPU).seconds for _ in range(2000)) * 1e6
    print(f"neh of 20x5: {whole:.1f} us, {solve:.1f} us with a checked instance, of which {native:.1f} us in Rust: "
          f"overhead {whole - native:.1f} us")


def copies():
    times = np.random.default_rng(1).integers(1, 99, (500, 20))
    makespan.FlowShop(times)
    tracemalloc.start()
    before = resident_of(lambda: None)
    shops = [None] * 1000

    def build():
        for place in range(len(shops)):
            shops[place] = makespan.FlowShop(times)

    grown = resident_of(build) - before
    traced, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    one = times.size * 4
    print(f"500x20: {grown / len(shops) / one:.2f} copies of {one} bytes in Rust for each instance, "
          f"{traced / len(shops):.0f} bytes in Python")


def resident_of(call):
    """Bytes of memory after a call."""
    call()
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def ticks(solves=8, seconds=5.0):
    """A thread wants to run every 10 ms; a miss comes 10 ms late or later."""
    shop = makespan.FlowShop.named("ta051")
    contexts = [makespan.Context(engine="cpu", threads=1) for _ in range(solves)]

    def measure(begin, end):
        late, is_over = [], threading.Event()

        def tick():
            due = time.perf_counter()
            while not is_over.is_set():
                due += 0.01
                time.sleep(max(0.0, due - time.perf_counter()))
                late.append(time.perf_counter() - due)
                due = max(due, time.perf_counter() - 0.01)

        ticking = threading.Thread(target=tick)
        ticking.start()
        begin()
        end()
        is_over.set()
        ticking.join()
        misses = sum(delay >= 0.01 for delay in late)
        return f"{100 * misses / len(late):.2f} % of {len(late)} missed, median {1e6 * statistics.median(late):.0f} us late"

    threads = []

    def begin():
        for context in contexts:
            solve = lambda context=context: shop.solve(time_limit=seconds, context=context)
            threads.append(threading.Thread(target=solve))
            threads[-1].start()

    def end():
        for thread in threads:
            thread.join()

    # The same load without a lock that the ticking thread could wait for.
    program = f"import time; end = time.monotonic() + {seconds}\nwhile time.monotonic() < end: pass"
    processes = []

    def begin_processes():
        processes.extend(subprocess.Popen([sys.executable, "-c", program]) for _ in range(solves))

    def end_processes():
        for process in processes:
            process.wait()

    print(f"ticks of 10 ms alone: {measure(lambda: None, lambda: time.sleep(seconds))}")
    print(f"ticks of 10 ms beside {solves} processes on {os.cpu_count()} cores: {measure(begin_processes, end_processes)}")
    print(f"ticks of 10 ms beside {solves} solves on {os.cpu_count()} cores: {measure(begin, end)}")


def batch(count=100_000, items=10):
    random = np.random.default_rng(1)
    weights = random.integers(1, 50, items)
    profits = random.integers(1, 100, (count, items))
    context = makespan.Context(engine="cpu")
    ratios = []
    for _ in range(5):
        begun = time.perf_counter()
        result = makespan.knapsack_batch(profits, weights, 100, context=context)
        result.profits, result.counts
        ratios.append((time.perf_counter() - begun) / result.seconds)
    print(f"batch of {count} knapsacks: {statistics.median(ratios):.2f} times its time in Rust, {result.seconds:.3f} s")


if __name__ == "__main__":
    for part in (imports, calls, copies, ticks, batch):
        part()

"""Seven jobs on three machines, with a limit and progress."""

import makespan

hours = [5, 5, 4, 4, 3, 3, 3]
result = makespan.parallel_machines(
    hours,
    machines=3,
    time_limit=10,
    on_solution=lambda progress: print(f"found {progress.objective} hours"),
)
for job, machine in enumerate(result.assignment):
    print(f"job {job}, {hours[job]} hours: machine {machine}")
proof = ", proved optimal" if result.is_optimal else ""
print(f"all done after {result.objective} hours{proof}")

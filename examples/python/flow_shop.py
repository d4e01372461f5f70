"""Orders with due dates on two machines that need set-ups between two kinds of orders."""

import makespan

times = [[4, 3], [2, 5], [6, 2], [3, 3], [5, 4]]
shop = makespan.FlowShop(
    times,
    objective="total-tardiness,makespan",
    due_dates=[12, 9, 30, 14, 25],
    setups=[[0, 2], [3, 0]],
    families=[0, 1, 0, 1, 0],
)
result = shop.solve(time_limit=10)
print(f"{result.status}: {result.objectives}")
for job in result.sequence:
    late = result.tardiness[job]
    print(f"order {job} ends at {result.completions[job]}" + (f", {late} late" if late else ""))

"""The best load of one truck for each of a thousand days, on which the goods have other prices."""

import numpy as np

import makespan

random = np.random.default_rng(2)
weights = random.integers(10, 60, 12)
prices = random.integers(20, 90, (1000, 12))
result = makespan.knapsack_batch(prices, weights, capacity=200)
assert (result.counts @ weights <= 200).all()
print(f"{result.objective} in all, {result.profits.min()} to {result.profits.max()} a day")

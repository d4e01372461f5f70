-- Knapsacks, against all selections.
CREATE SCHEMA knapsack;
SET search_path = knapsack;

CREATE TABLE items (item integer, profit integer, weight integer);
INSERT INTO items
SELECT i, 1 + checks.draw(i, 50), 1 + checks.draw(i + 100, 50) FROM generate_series(1, 12) i;

SELECT capacity, plan.objective = best AS equal, plan.bound = best AS proved, plan.weight <= capacity AS fits,
    plan.profit = plan.objective AS "is the profit"
FROM unnest(ARRAY[0, 1, 60, 150, 1000]) capacity, LATERAL (
    SELECT max(objective) AS objective, max(bound) AS bound,
        sum(count * weight) AS weight, sum(count * profit) AS profit
    FROM makespan.knapsack('TABLE items', capacity) JOIN items i ON i.item = knapsack.item::integer) plan,
    LATERAL (SELECT max(profit) AS best FROM (
        SELECT sum(profit * (number >> (item - 1) & 1)) AS profit, sum(weight * (number >> (item - 1) & 1)) AS weight
        FROM generate_series(0, 4095) number, items GROUP BY number) selections
        WHERE weight <= capacity) b
ORDER BY capacity;

-- Copies: two, none, and as many as fit.
SELECT item, count, objective FROM makespan.knapsack($$
    SELECT * FROM (VALUES ('a', 10, 5, 2), ('b', 100, 1, 0), ('c', 1, 1, NULL)) i (item, profit, weight, copies) $$, 14)
ORDER BY item;

-- Items that are packed already.
SELECT item, count FROM makespan.knapsack($$
    SELECT * FROM (VALUES ('a', 1, 5, 1), ('b', 9, 5, 0)) i (item, profit, weight, pinned) $$, 9)
ORDER BY item;

-- A selection to start from, and every method.
SELECT method, status, objective = (SELECT objective FROM makespan.knapsack('TABLE items', 150) LIMIT 1) AS equal
FROM unnest(ARRAY['auto', 'core', 'dense']) method, LATERAL (
    SELECT * FROM makespan.knapsack('SELECT *, 0 AS start FROM items', 150, jsonb_build_object('method', method)) LIMIT 1) p
ORDER BY method;

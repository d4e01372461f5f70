-- Knapsacks with several capacities, against all selections.
CREATE SCHEMA multidimensional_knapsack;
SET search_path = multidimensional_knapsack;

CREATE TABLE goods (item integer, profit integer, weight integer, volume integer);
INSERT INTO goods
SELECT i, 1 + checks.draw(i, 50), checks.draw(i + 200, 50), checks.draw(i + 300, 50) FROM generate_series(1, 10) i;
CREATE TABLE capacities (dimension text, capacity integer);
INSERT INTO capacities VALUES ('weight', 100), ('volume', 90);

SELECT plan.objective = best AS equal, plan.bound = best AS proved, plan.profit = plan.objective AS "is the profit",
    plan.weight <= 100 AND plan.volume <= 90 AS fits
FROM (SELECT max(objective) AS objective, max(bound) AS bound, sum(count * profit) AS profit,
        sum(count * weight) AS weight, sum(count * volume) AS volume
    FROM makespan.multidimensional_knapsack('SELECT item, profit FROM goods', $$
        SELECT item, 'weight' AS dimension, weight FROM goods
        UNION ALL SELECT item, 'volume', volume FROM goods WHERE volume > 0 $$, 'TABLE capacities') m
        JOIN goods g ON g.item = m.item::integer) plan,
    (SELECT max(profit) AS best FROM (
        SELECT sum(profit * taken) AS profit, sum(weight * taken) AS weight, sum(volume * taken) AS volume
        FROM generate_series(0, 1023) number, goods, LATERAL (SELECT number >> (item - 1) & 1 AS taken) t
        GROUP BY number) selections
    WHERE weight <= 100 AND volume <= 90) b;

-- Copies and a start.
SELECT item, count FROM makespan.multidimensional_knapsack(
    $$ SELECT * FROM (VALUES ('a', 3, 2, 0), ('b', 2, NULL, 1)) i (item, profit, copies, start) $$,
    $$ SELECT * FROM (VALUES ('a', 1, 2), ('b', 1, 3)) w (item, dimension, weight) $$,
    'SELECT 1 AS dimension, 11 AS capacity')
ORDER BY item;

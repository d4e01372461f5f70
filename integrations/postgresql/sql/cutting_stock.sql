-- Cutting stock: patterns fit, demands are met, the number of pieces is proved.
CREATE SCHEMA cutting_stock;
SET search_path = cutting_stock;

CREATE TABLE bars (item text, length integer, demand integer);
INSERT INTO bars VALUES ('leg', 450, 12), ('rail', 360, 8), ('stile', 310, 20), ('peg', 140, 30);

CREATE VIEW cuts AS SELECT * FROM makespan.cutting_stock('TABLE bars', 1000);
SELECT count(*) AS "patterns that are too long" FROM (
    SELECT pattern FROM cuts JOIN bars USING (item) GROUP BY pattern HAVING sum(count * length) > 1000) p;
SELECT item, sum(pieces * count) - demand AS difference
FROM cuts JOIN bars USING (item) GROUP BY item, demand ORDER BY item;
SELECT DISTINCT objective = bound AS proved, status, objective = (
    SELECT sum(pieces) FROM (SELECT DISTINCT pattern, pieces FROM cuts) p) AS equal FROM cuts;
-- No fewer pieces than the total length needs.
SELECT DISTINCT objective >= (SELECT ceil(sum(length * demand) / 1000.0) FROM bars) AS enough FROM cuts;

-- Bin packing: no demands. Three of these fit into a bin of 10.
SELECT DISTINCT objective, bound FROM makespan.cutting_stock(
    'SELECT i AS item, 3 AS length FROM generate_series(1, 10) i', 10);

-- Pieces that are in use already: an empty one, and two with a leg. Other items may join.
SELECT pattern <= 2 AS "is in use", bool_or(item = 'leg') AS "has a leg", sum(count * length) <= 1000 AS fits
FROM makespan.cutting_stock('TABLE bars', 1000,
    pinned => $$ SELECT * FROM (VALUES (1, 2, 'leg', 1), (2, 1, NULL, 0)) p (pattern, pieces, item, count) $$)
    LEFT JOIN bars USING (item) WHERE pattern = 1 GROUP BY pattern;

-- A plan is a start for the next one.
SELECT DISTINCT objective = (SELECT max(objective) FROM cuts) AS equal
FROM makespan.cutting_stock('TABLE bars', 1000,
    start => 'SELECT pattern, pieces, item, count FROM cuts', options => '{"time_limit": 0}');

-- Nothing is demanded.
SELECT * FROM makespan.cutting_stock('SELECT item, length, 0 AS demand FROM bars', 1000);
SELECT problem, status, objective FROM makespan.last_solve();

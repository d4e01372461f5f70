-- Labels of all types: which are equal, and how they are returned.
CREATE SCHEMA labels;
SET search_path = labels;

-- Blanks at the end of a character(n) have no meaning, as in a comparison.
CREATE DOMAIN code AS character(6);
CREATE TABLE operations (job character(5), machine code, duration integer);
INSERT INTO operations VALUES ('ab', 'saw', 3), ('b', 'saw', 1), ('ab', 'drill', 1), ('b', 'drill', 2);
CREATE TABLE jobs (job text, release integer);
INSERT INTO jobs VALUES ('ab', 0), ('b', 4);
SELECT '<' || job || '>' AS job, '<' || machine || '>' AS machine, starts
FROM makespan.flow_shop('TABLE operations', jobs => 'TABLE jobs',
    machines => 'SELECT machine::character(20) FROM (VALUES (1, ''saw''), (2, ''drill'')) m (place, machine) ORDER BY place',
    setups => 'SELECT ''ab''::character(9) AS before, ''b''::varchar AS after, 2 AS time');
SELECT '<' || item || '>' AS item, count
FROM makespan.knapsack('SELECT '' x ''::character(4) AS item, 1 AS profit, 1 AS weight', 1);
SELECT state, message FROM checks.fault($$
    SELECT * FROM makespan.knapsack('SELECT i::character(4) AS item, 1 AS profit, 1 AS weight
        FROM unnest(ARRAY[''x'', ''x '']) i', 1) $$);

-- In other types they have one.
SELECT '<' || item || '>' AS item
FROM makespan.knapsack('SELECT i AS item, 1 AS profit, 1 AS weight FROM unnest(ARRAY[''x'', ''x '']) i', 2);

-- Wrong queries and rows: each is an SQL error with a state, a detail and a hint.
CREATE SCHEMA bad_input;
SET search_path = bad_input;

CREATE TABLE commands (number serial, command text);
CREATE FUNCTION shop(operations text, more text DEFAULT '') RETURNS void
LANGUAGE sql AS $$
    INSERT INTO commands (command) VALUES (format('SELECT * FROM makespan.flow_shop(%L%s)', operations, more))
$$;
CREATE FUNCTION problem(name text, arguments text) RETURNS void
LANGUAGE sql AS $$
    INSERT INTO commands (command) VALUES (format('SELECT * FROM makespan.%s(%s)', name, arguments))
$$;
CREATE TABLE good (job text, machine integer, duration integer);
INSERT INTO good SELECT j, m, m FROM unnest(ARRAY['a', 'b']) j, generate_series(1, 2) m;

\o /dev/null
-- Operations.
SELECT shop(NULL);
SELECT shop('');
SELECT shop('SELECT');
SELECT shop('SELEC 1');
SELECT shop('SELECT 1; SELECT 2');
SELECT shop('DELETE FROM good');
SELECT shop('DELETE FROM good RETURNING *');
SELECT shop('SELECT * FROM nowhere');
SELECT shop('SELECT * FROM good WHERE false');
SELECT shop('SELECT job, machine FROM good');
SELECT shop('SELECT *, 1 AS colour FROM good');
SELECT shop('SELECT *, 1 AS job FROM good');
SELECT shop('SELECT nullif(job, ''b'') AS job, machine, duration FROM good');
SELECT shop('SELECT job, NULL::text AS machine, duration FROM good');
SELECT shop('SELECT job, machine, nullif(duration, 2) AS duration FROM good');
SELECT shop('SELECT job, machine, duration::text FROM good');
SELECT shop('SELECT job, machine, duration::float FROM good');
SELECT shop('SELECT job, machine, -duration AS duration FROM good');
SELECT shop('SELECT job, machine, duration / 4.0 AS duration FROM good');
SELECT shop('SELECT job, machine, ''NaN''::numeric AS duration FROM good');
SELECT shop('SELECT job, machine, 1e30::numeric AS duration FROM good');
SELECT shop('SELECT job, machine, 3000000000 AS duration FROM good');
SELECT shop('SELECT job, machine, 2000000000 AS duration FROM good');
SELECT shop('SELECT * FROM good UNION ALL SELECT ''b'', 2, 9');
SELECT shop('SELECT * FROM good WHERE job = ''a'' OR machine = 1');
SELECT shop('SELECT job, machine, duration / (machine - 2) AS duration FROM good');
-- Jobs.
SELECT shop('TABLE good', $$, jobs => 'SELECT ''a'' AS job' $$);
SELECT shop('TABLE good', $$, jobs => 'SELECT unnest(ARRAY[''a'', ''b'', ''c'']) AS job' $$);
SELECT shop('TABLE good', $$, jobs => 'SELECT unnest(ARRAY[''a'', ''b'', ''a'']) AS job' $$);
SELECT shop('TABLE good', $$, jobs => 'SELECT DISTINCT job, -1 AS release FROM good' $$);
SELECT shop('TABLE good', $$, jobs => 'SELECT DISTINCT job, NULL::integer AS due FROM good' $$);
SELECT shop('TABLE good', $$, jobs => 'SELECT DISTINCT job, current_date AS due FROM good' $$);
SELECT shop('TABLE good', $$, jobs => 'SELECT DISTINCT job, 1 AS pinned FROM good' $$);
SELECT shop('TABLE good', $$, jobs => 'SELECT DISTINCT job, nullif(job, ''a'')::text IS NULL AS start FROM good' $$);
SELECT shop('TABLE good', $$, jobs => 'SELECT DISTINCT job, CASE job WHEN ''a'' THEN 1 END AS start FROM good' $$);
SELECT shop('TABLE good', $$, jobs => 'SELECT DISTINCT job, ''red'' AS family FROM good' $$);
-- Machines and set-ups.
SELECT shop('TABLE good', $$, machines => 'SELECT 1 AS machine' $$);
SELECT shop('TABLE good', $$, machines => 'SELECT machine FROM generate_series(1, 3) machine' $$);
SELECT shop('TABLE good', $$, machines => 'SELECT machine, ''a'' AS last FROM generate_series(1, 2) machine' $$);
SELECT shop('TABLE good', $$, setups => 'SELECT ''a'' AS before, ''z'' AS after, 1 AS time' $$);
SELECT shop('TABLE good', $$, setups => 'SELECT ''a'' AS before, ''b'' AS after, 1 AS time FROM generate_series(1, 2)' $$);
SELECT shop('TABLE good', $$, setups => 'SELECT ''b'' AS after, 1 AS time FROM generate_series(1, 2)' $$);
SELECT shop('TABLE good', $$, setups => 'SELECT 3 AS machine, ''a'' AS before, ''b'' AS after, 1 AS time' $$);
SELECT shop('TABLE good', $$, setups => 'SELECT ''b'' AS after, 1 AS time',
    machines => 'SELECT machine, ''a'' AS last FROM generate_series(1, 2) machine' $$);
-- Objectives.
SELECT shop('TABLE good', $$, objective => 'beauty' $$);
SELECT shop('TABLE good', $$, objective => 'total-tardiness' $$);
-- Other problems.
SELECT problem('parallel_machines', $$ 'SELECT 1 AS job, 1 AS duration', 0 $$);
SELECT problem('parallel_machines', $$ 'SELECT 1 AS job, 1 AS duration', -1 $$);
SELECT problem('parallel_machines', $$ 'SELECT 1 AS job, 1 AS duration', NULL::bigint $$);
SELECT problem('parallel_machines', $$ 'SELECT 1 AS job, 1 AS duration', 9000000000 $$);
SELECT problem('parallel_machines', $$ 'SELECT 1 AS job, 1 AS duration, 7 AS pinned', 2 $$);
SELECT problem('parallel_machines', $$ 'SELECT 1 AS job, 1 AS duration FROM generate_series(1, 2)', 2 $$);
SELECT problem('parallel_machines', $$ 'SELECT j AS job, 9000000000000000000 AS duration FROM generate_series(1, 2) j', 2 $$);
SELECT problem('parallel_machines', $$ 'SELECT j AS job, 1 AS duration, nullif(j, 1) AS start FROM generate_series(1, 2) j', 2 $$);
SELECT problem('parallel_machines', $$ 'SELECT 1 AS job, 1 AS duration', 'SELECT 1 AS machine FROM generate_series(1, 2)' $$);
SELECT problem('cutting_stock', $$ 'SELECT 1 AS item, 0 AS length', 5 $$);
SELECT problem('cutting_stock', $$ 'SELECT 1 AS item, 6 AS length', 5 $$);
SELECT problem('cutting_stock', $$ 'SELECT 1 AS item, 6 AS length', 0 $$);
SELECT problem('cutting_stock', $$ 'SELECT 1 AS item, 1 AS length FROM generate_series(1, 2)', 5 $$);
SELECT problem('cutting_stock', $$ 'SELECT 1 AS item, 3 AS length', 5, pinned => 'SELECT 1 AS pattern, 1 AS pieces, 1 AS item, 2 AS count' $$);
SELECT problem('cutting_stock', $$ 'SELECT 1 AS item, 3 AS length', 5, pinned => 'SELECT 1 AS pattern, p AS pieces, 1 AS item, 1 AS count FROM generate_series(1, 2) p' $$);
SELECT problem('cutting_stock', $$ 'SELECT 1 AS item, 3 AS length', 5, start => 'SELECT 1 AS pattern, 1 AS pieces, 1 AS item, 2 AS count' $$);
SELECT problem('knapsack', $$ 'SELECT 1 AS item, 1 AS profit, 1 AS weight', -5 $$);
SELECT problem('knapsack', $$ 'SELECT 1 AS item, 1 AS profit, 1 AS weight', NULL $$);
SELECT problem('knapsack', $$ 'SELECT 1 AS item, 1 AS profit', 5 $$);
SELECT problem('knapsack', $$ 'SELECT ''x'' AS item, 1 AS profit, 0 AS weight, NULL::integer AS copies', 5 $$);
SELECT problem('knapsack', $$ 'SELECT ''x'' AS item, 1 AS profit, 1 AS weight, 2 AS pinned', 5 $$);
SELECT problem('knapsack', $$ 'SELECT ''x'' AS item, 1 AS profit, 3 AS weight, 4 AS start', 5 $$);
SELECT problem('knapsack', $$ 'SELECT i AS item, 5000000000000000000 AS profit, 1 AS weight FROM generate_series(1, 2) i', 5 $$);
SELECT problem('multidimensional_knapsack', $$ 'SELECT 1 AS item, 1 AS profit', 'SELECT 1 AS item, 1 AS dimension, 1 AS weight FROM generate_series(1, 2)', 'SELECT 1 AS dimension, 5 AS capacity' $$);
SELECT problem('multidimensional_knapsack', $$ 'SELECT 1 AS item, 1 AS profit', 'SELECT 1 AS item, 2 AS dimension, 1 AS weight', 'SELECT 1 AS dimension, 5 AS capacity' $$);
SELECT problem('multidimensional_knapsack', $$ 'SELECT 1 AS item, 1 AS profit', 'SELECT 1 AS item, 1 AS dimension, 1 AS weight', 'SELECT d AS dimension, 5 AS capacity FROM generate_series(1, 17) d' $$);
\o

CREATE TABLE faults AS SELECT number, command, fault.* FROM commands, checks.fault(command) fault;
SELECT count(*) AS commands FROM faults;

-- PostgreSQL finds faults in the queries themselves.
SELECT number, state, message, place FROM faults WHERE hint = '' AND detail = '' ORDER BY number;
SELECT number, command FROM faults WHERE message = 'no error' OR (hint = '') <> (detail = '');

-- Each other fault has its place: the argument, with the row if one is at fault.
SELECT number, command, place FROM faults WHERE hint <> '' AND place !~ '^((row \d+ of the )?query in )?argument "\w+"$';

\x on
\pset format unaligned
SELECT number, state, message, detail, hint, place FROM faults WHERE hint <> '' ORDER BY number;
\x off
\pset format aligned

-- Nothing has changed, and the session still plans.
SELECT count(*) FROM good;
SELECT DISTINCT objective FROM makespan.flow_shop('TABLE good');

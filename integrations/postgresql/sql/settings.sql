-- Settings, which administrators change, and memory that is bounded by them.
SELECT rolname AS administrator FROM pg_roles WHERE rolsuper AND pg_has_role(rolname, 'member') ORDER BY oid LIMIT 1 \gset
SET ROLE :administrator;
LOAD 'makespan';
SELECT name, setting, unit, context, boot_val FROM pg_settings WHERE name LIKE 'makespan.%' ORDER BY name;
SET makespan.threads = 0;
SET makespan.engine = 'abacus';
SET makespan.thread = 1;

-- The number of threads and the engine change within a session. The proved objective is the same.
CREATE TEMPORARY TABLE times AS
SELECT j AS job, m AS machine, checks.draw(j * 10 + m, 50) AS duration
FROM generate_series(1, 9) j, generate_series(1, 4) m;
CREATE FUNCTION pg_temp.objective() RETURNS bigint
LANGUAGE sql AS $$ SELECT max(objective) FROM makespan.flow_shop('SELECT * FROM pg_temp.times') $$;
SELECT pg_temp.objective() AS one \gset
SET makespan.threads = 3;
SELECT pg_temp.objective() = :one AS equal;
SET makespan.engine = 'auto';
SELECT pg_temp.objective() = :one AS equal;
RESET makespan.engine;
RESET makespan.threads;
SELECT pg_temp.objective() = :one AS equal;

-- Rows, labels, set-ups and machines that need more memory than the setting allows are refused.
SET makespan.memory_limit = '2MB';
SELECT state, message, hint FROM unnest(ARRAY[
    $$ flow_shop('SELECT j AS job, 1 AS machine, 1 AS duration FROM generate_series(1, 100000) j') $$,
    $$ flow_shop('SELECT repeat(j::text, 10000) AS job, 1 AS machine, 1 AS duration FROM generate_series(1, 2000) j') $$,
    $$ flow_shop('SELECT j AS job, 1 AS machine, 1 AS duration FROM generate_series(1, 2000) j',
        setups => 'SELECT 1 AS before, 2 AS after, 3 AS time') $$,
    $$ parallel_machines('SELECT 1 AS job, 1 AS duration', 1000000000) $$]) call,
    checks.fault('SELECT * FROM makespan.' || call);

-- The library refuses a table of a solver that needs more.
SELECT problem, state, message ~ 'need.* [0-9]+ bytes.*the limit is 2097152 bytes' AS "names the bytes", hint FROM (VALUES
    ('knapsack', $$ 'SELECT i AS item, 1 + checks.draw(i, 1000000) AS profit, 1 + checks.draw(i + 500, 1000000) AS weight
        FROM generate_series(1, 200) i', 20000001, '{"method": "dense"}' $$),
    ('knapsack_profile', $$ 'SELECT 1 AS item, 1 AS profit, 1 AS weight', 1000000 $$),
    ('lattice_dp', $$ 'SELECT d AS dimension, 300 AS size FROM generate_series(1, 3) d', 'SELECT d AS move, 1 AS cost FROM generate_series(1, 3) d',
        'SELECT d AS move, d AS dimension, 1 AS step FROM generate_series(1, 3) d' $$),
    ('matrix_chain', $$ 'SELECT i AS matrix, 1 + i % 7 AS "rows", 1 + (i + 1) % 7 AS "columns" FROM generate_series(1, 2000) i', '{"method": "cubic"}' $$),
    ('nussinov', $$ repeat('GCAU', 700) $$),
    ('recurrence', $$ 'SELECT 1 AS "offset"', 'SELECT 0 AS element, 1 AS value', 1000000 $$)) call (problem, arguments),
    checks.fault(format('SELECT * FROM makespan.%s(%s)', problem, arguments));

-- The option may be lower than the setting, and not higher.
SELECT state, message, detail FROM checks.fault($$
    SELECT * FROM makespan.knapsack('SELECT 1 AS item, 1 AS profit, 1 AS weight', 1, '{"memory_limit": 3000000}') $$);
SELECT count FROM makespan.knapsack('SELECT 1 AS item, 1 AS profit, 1 AS weight', 1, '{"memory_limit": 1000000}');
RESET makespan.memory_limit;

-- The settings are not for everyone, unless they are granted.
CREATE ROLE checks_planner;
GRANT checks_planner TO SESSION_USER;
SET ROLE checks_planner;
SET makespan.threads = 2;
SET makespan.memory_limit = '1GB';
SET ROLE :administrator;
GRANT SET ON PARAMETER makespan.threads TO checks_planner;
SET ROLE checks_planner;
SET makespan.threads = 2;
SET ROLE :administrator;
DROP OWNED BY checks_planner;
DROP ROLE checks_planner;

-- A query has the rights of the caller.
CREATE ROLE checks_planner;
GRANT checks_planner TO SESSION_USER;
GRANT USAGE ON SCHEMA makespan TO checks_planner;
SET ROLE checks_planner;
SELECT * FROM makespan.flow_shop('SELECT * FROM checks.shop');
SET ROLE :administrator;
DROP OWNED BY checks_planner;
DROP ROLE checks_planner;
RESET ROLE;

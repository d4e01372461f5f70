-- Settings, and memory that is bounded by them.
LOAD 'makespan';
SELECT name, setting, unit, context, boot_val FROM pg_settings WHERE name LIKE 'makespan.%' ORDER BY name;
SET makespan.threads = 0;
SET makespan.engine = 'abacus';
SET makespan.thread = 1;

-- The number of threads changes within a session. The plan is the same.
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

-- Rows, tables and set-ups that need too much memory are refused.
SET makespan.memory_limit = '2MB';
SELECT state, message, hint FROM checks.fault($$
    SELECT * FROM makespan.flow_shop('SELECT j AS job, 1 AS machine, 1 AS duration FROM generate_series(1, 100000) j') $$);
SELECT state, message, hint FROM checks.fault($$
    SELECT * FROM makespan.flow_shop('SELECT repeat(j::text, 10000) AS job, 1 AS machine, 1 AS duration FROM generate_series(1, 2000) j') $$);
SELECT state, message, hint FROM checks.fault($$
    SELECT * FROM makespan.flow_shop('SELECT j AS job, 1 AS machine, 1 AS duration FROM generate_series(1, 2000) j',
        setups => 'SELECT 1 AS before, 2 AS after, 3 AS time') $$);
SELECT state, message, hint FROM checks.fault($$
    SELECT * FROM makespan.parallel_machines('SELECT 1 AS job, 1 AS duration', 1000000000) $$);
SELECT state, message, hint FROM checks.fault($$
    SELECT * FROM makespan.knapsack('SELECT i AS item, i AS profit, i * 10000 AS weight FROM generate_series(1, 100) i', 1000001,
        '{"method": "dense"}') $$);
SELECT state, message, detail FROM checks.fault($$
    SELECT * FROM makespan.knapsack('SELECT 1 AS item, 1 AS profit, 1 AS weight', 1, '{"memory_limit": 3000000}') $$);
SELECT count FROM makespan.knapsack('SELECT 1 AS item, 1 AS profit, 1 AS weight', 1, '{"memory_limit": 1000000}');
RESET makespan.memory_limit;

-- The settings are not for everyone, unless they are granted.
CREATE ROLE checks_planner;
SET ROLE checks_planner;
SET makespan.threads = 2;
SET makespan.memory_limit = '1GB';
RESET ROLE;
GRANT SET ON PARAMETER makespan.threads TO checks_planner;
SET ROLE checks_planner;
SET makespan.threads = 2;
RESET ROLE;
DROP OWNED BY checks_planner;
DROP ROLE checks_planner;

-- A query has the rights of the caller.
CREATE ROLE checks_planner;
GRANT USAGE ON SCHEMA makespan TO checks_planner;
SET ROLE checks_planner;
SELECT * FROM makespan.flow_shop('SELECT * FROM checks.shop');
RESET ROLE;
DROP OWNED BY checks_planner;
DROP ROLE checks_planner;

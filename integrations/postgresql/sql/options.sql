-- Options by name, and their faults.
SELECT name, kind, default_value, tier FROM makespan.options('knapsack');
SELECT problem, count(*) > 5 AS "has options", bool_and(meaning <> '') AS "have meanings"
FROM unnest(ARRAY['flow_shop', 'parallel_machines', 'cutting_stock', 'knapsack', 'multidimensional_knapsack', 'interval_dp', 'recurrence', 'lattice_dp']) problem,
    LATERAL makespan.options(problem) GROUP BY problem ORDER BY problem;

CREATE FUNCTION checks.plan(options jsonb) RETURNS TABLE (method text, status text)
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM * FROM makespan.flow_shop(
        'SELECT j AS job, m AS machine, j * m % 7 AS duration
         FROM generate_series(1, 6) j, generate_series(1, 3) m', options => options);
    RETURN QUERY SELECT l.method, l.status FROM makespan.last_solve() l;
END $$;

-- Texts, numbers, truth values, nulls.
SELECT p.* FROM unnest(ARRAY[
    '{"method": "neh"}', '{"method": "branch-and-bound", "bound": "lb2", "time_limit": null}',
    '{"method": "tabu", "iteration_limit": 3, "tenure": 2, "start_beside_neh": true, "seed": 7}',
    '{"method": "iterated-greedy", "iteration_limit": "3", "trajectories": null}',
    '{"method": "beam", "beam_width": 4, "time_limit": 0.5e1, "memory_limit": "64M"}', '{}', NULL]) options,
    checks.plan(options::jsonb) p;

-- Every option of every problem takes its default.
SELECT count(*) FILTER (WHERE fault.state IS NOT NULL) AS refused
FROM (VALUES ('flow_shop', $$ 'SELECT 1 AS job, 1 AS machine, 1 AS duration' $$),
        ('parallel_machines', $$ 'SELECT 1 AS job, 1 AS duration', 1 $$),
        ('cutting_stock', $$ 'SELECT 1 AS item, 1 AS length', 1 $$),
        ('knapsack', $$ 'SELECT 1 AS item, 1 AS profit, 1 AS weight', 1 $$)) p (problem, arguments),
    makespan.options(p.problem) o,
    checks.fault(format('SELECT * FROM makespan.%s(%s, options => %L)', problem, arguments,
        jsonb_build_object(o.name, o.default_value))) fault
WHERE o.name NOT IN ('engine', 'start');

-- A null leaves every option to the library, for everyone.
CREATE ROLE checks_planner;
GRANT USAGE ON SCHEMA checks, makespan TO checks_planner;
SET ROLE checks_planner;
SELECT count(*) AS options, count(*) FILTER (WHERE fault.state IS NOT NULL) AS refused
FROM makespan.options('flow_shop') o, checks.fault(format('SELECT * FROM checks.plan(%L)', jsonb_build_object(o.name, NULL))) fault;
SELECT state, message FROM checks.fault($$ SELECT * FROM checks.plan('{"nonsense": null}') $$);
RESET ROLE;

\x on
\pset format unaligned
SELECT fault.* FROM unnest(ARRAY[
    '{"methd": "neh"}', '{"nonsense": 1}', '{"method": "magic"}', '{"seed": -1}', '{"seed": 1.5}',
    '{"time_limit": "soon"}', '{"method": "neh", "tenure": 3}', '{"tenure": [1, 2]}', '[1]', '5',
    '{"engine": "device"}', '{"start": "0 1 2"}', '{"memory_limit": "1T"}']) options,
    checks.fault(format('SELECT * FROM checks.plan(%L)', options)) fault;
SELECT fault.* FROM checks.fault($$ SELECT * FROM makespan.options('sudoku') $$) fault;
\x off
\pset format aligned

-- Files of the server are not for everyone: a solve reads and writes them.
CREATE FUNCTION checks.with_file(path text, OUT state text, OUT message text) RETURNS SETOF record
LANGUAGE sql AS $$
    SELECT state, message FROM checks.fault(format('SELECT * FROM checks.plan(%L)',
        jsonb_build_object('method', 'branch-and-bound', 'checkpoint', path)))
$$;
SELECT current_setting('data_directory') || '/checks.checkpoint' AS path \gset
SET ROLE checks_planner;
SELECT * FROM checks.with_file(:'path');
SELECT * FROM checks.with_file('none');
RESET ROLE;
GRANT pg_write_server_files TO checks_planner;
SET ROLE checks_planner;
SELECT * FROM checks.with_file(:'path');
RESET ROLE;
GRANT pg_read_server_files TO checks_planner;
SET ROLE checks_planner;
SELECT * FROM checks.with_file(:'path');
SELECT * FROM checks.with_file('checks.checkpoint');
RESET ROLE;
SELECT * FROM checks.with_file('checks.checkpoint');
-- The rights are those of the role that runs the function, not of its owner.
CREATE FUNCTION checks.as_owner(path text, OUT state text, OUT message text) RETURNS SETOF record
LANGUAGE sql SECURITY DEFINER AS $$ SELECT * FROM checks.with_file(path) $$;
REVOKE pg_read_server_files, pg_write_server_files FROM checks_planner;
SET ROLE checks_planner;
SELECT * FROM checks.as_owner(:'path');
SELECT * FROM checks.with_file(:'path');
RESET ROLE;
DROP OWNED BY checks_planner;
DROP ROLE checks_planner;

-- Options by name, and their faults.
SELECT rolname AS administrator FROM pg_roles WHERE rolsuper AND pg_has_role(rolname, 'member') ORDER BY oid LIMIT 1 \gset
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

-- Each option takes its default as a value, in each of the eight problems, where SQL takes the option at all. Paths,
-- engines and starts have other cases.
CREATE TABLE checks.call (problem text, arguments text);
INSERT INTO checks.call VALUES
    ('flow_shop', $$ 'SELECT 1 AS job, 1 AS machine, 1 AS duration' $$),
    ('parallel_machines', $$ 'SELECT 1 AS job, 1 AS duration', 1 $$),
    ('cutting_stock', $$ 'SELECT 1 AS item, 1 AS length', 1 $$),
    ('knapsack', $$ 'SELECT 1 AS item, 1 AS profit, 1 AS weight', 1 $$),
    ('multidimensional_knapsack', $$ 'SELECT 1 AS item, 1 AS profit', 'SELECT 1 AS item, 1 AS dimension, 1 AS weight',
        'SELECT 1 AS dimension, 5 AS capacity' $$),
    ('interval_dp', $$ 'SELECT 1 AS leaf, 1 AS value' $$),
    ('recurrence', $$ 'SELECT 1 AS "offset"', 'SELECT 0 AS element, 1 AS value', 5 $$),
    ('lattice_dp', $$ 'SELECT 1 AS dimension, 2 AS size', 'SELECT 1 AS move, 1 AS cost', 'SELECT 1 AS move, 1 AS dimension, 1 AS step' $$);
SELECT problem, count(*) AS options, count(*) FILTER (WHERE fault.state IS NOT NULL) AS refused
FROM checks.call, makespan.options(problem) o,
    checks.fault(format('SELECT * FROM makespan.%s(%s, options => %L)', problem, arguments,
        jsonb_build_object(o.name, coalesce(o.default_value, '')))) fault
WHERE o.name NOT IN ('engine', 'start') GROUP BY problem ORDER BY problem;

-- A null leaves each option to the library, in each problem.
SELECT problem, count(*) AS options, count(*) FILTER (WHERE fault.state IS NOT NULL) AS refused
FROM checks.call, makespan.options(problem) o,
    checks.fault(format('SELECT * FROM makespan.%s(%s, options => %L)', problem, arguments, jsonb_build_object(o.name, NULL))) fault
GROUP BY problem ORDER BY problem;
SELECT state, message FROM checks.fault($$ SELECT * FROM checks.plan('{"nonsense": null}') $$);

-- Each option refuses a value of another kind, with the place and a hint.
SELECT problem, count(*) AS options, count(*) FILTER (WHERE fault.state IN ('22023', '42501', '42602')
    AND fault.place = 'argument "options"' AND fault.hint <> '' AND fault.message ~ ('option "?' || o.name)) AS refused
FROM checks.call, makespan.options(problem) o,
    checks.fault(format('SELECT * FROM makespan.%s(%s, options => %L)', problem, arguments, jsonb_build_object(o.name, 'nonsense'))) fault
GROUP BY problem ORDER BY problem;

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
SET ROLE :administrator;
CREATE ROLE checks_planner;
GRANT checks_planner TO SESSION_USER;
GRANT USAGE ON SCHEMA checks, makespan TO checks_planner;
SELECT current_setting('data_directory') || '/checks.checkpoint' AS path \gset
SET ROLE checks_planner;
SELECT * FROM checks.with_file(:'path');
SELECT * FROM checks.with_file('none');
SET ROLE :administrator;
GRANT pg_write_server_files TO checks_planner;
SET ROLE checks_planner;
SELECT * FROM checks.with_file(:'path');
SET ROLE :administrator;
GRANT pg_read_server_files TO checks_planner;
SET ROLE checks_planner;
SELECT * FROM checks.with_file(:'path');
SELECT * FROM checks.with_file('checks.checkpoint');
SET ROLE :administrator;
SELECT * FROM checks.with_file('checks.checkpoint');
-- The rights are those of the role that runs the function, not of its owner.
CREATE FUNCTION checks.as_owner(path text, OUT state text, OUT message text) RETURNS SETOF record
LANGUAGE sql SECURITY DEFINER AS $$ SELECT * FROM checks.with_file(path) $$;
REVOKE pg_read_server_files, pg_write_server_files FROM checks_planner;
SET ROLE checks_planner;
SELECT * FROM checks.as_owner(:'path');
SELECT * FROM checks.with_file(:'path');
SET ROLE :administrator;
DROP OWNED BY checks_planner;
DROP ROLE checks_planner;
RESET ROLE;

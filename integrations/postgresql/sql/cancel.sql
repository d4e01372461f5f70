-- Solves that would last for minutes end by a timeout or a cancel, as errors; the session continues.
SELECT rolname AS administrator FROM pg_roles WHERE rolsuper AND pg_has_role(rolname, 'member') ORDER BY oid LIMIT 1 \gset
CREATE SCHEMA cancel;
SET search_path = cancel;
CREATE TABLE hard AS
SELECT j AS job, m AS machine, 1 + checks.draw(j * 100 + m, 99) AS duration
FROM generate_series(1, 50) j, generate_series(1, 20) m;
CREATE TABLE loads AS SELECT j AS job, 1 + checks.draw(j, 1000000000) * 1000003 AS duration FROM generate_series(1, 400) j;
CREATE TABLE bars AS
SELECT j AS item, 10007 + checks.draw(j, 90000) AS length, 1 + j % 40 AS demand FROM generate_series(1, 300) j;

-- The pipes that this session has open, with that of the command. Each counts once: the server may
-- still hold both ends of the command's pipe when the command looks.
CREATE TEMPORARY TABLE pipes (count integer);
SET ROLE :administrator;
COPY pipes FROM PROGRAM 'ls -l /proc/$PPID/fd | grep -o "pipe:.*" | sort -u | wc -l';
RESET ROLE;
SET statement_timeout = 100;
SELECT * FROM makespan.flow_shop('TABLE hard', options => '{"time_limit": 60}');
SELECT * FROM makespan.flow_shop('TABLE hard', options => '{"method": "tabu", "time_limit": 60}');
SELECT * FROM makespan.flow_shop('TABLE hard', options => '{"method": "beam", "beam_width": 100000000}');
SELECT * FROM makespan.flow_shop('TABLE hard', objective => 'total-flow-time', options => '{"method": "branch-and-bound"}');
SELECT * FROM makespan.flow_shop('TABLE hard', blocking => true, options => '{"time_limit": 60}');
SELECT * FROM makespan.parallel_machines('TABLE loads', 37, '{"method": "exact"}');
SELECT * FROM makespan.cutting_stock('TABLE bars', 100000);
SELECT * FROM makespan.nussinov(repeat('GCAU', 1500));
SELECT * FROM makespan.interval_dp_real('SELECT l AS leaf, l % 7 AS value FROM generate_series(1, 5000) l', semiring => 'max-plus');
SELECT * FROM makespan.knapsack_batch('SELECT i AS item, 100 + i * 997 % 1000 AS weight FROM generate_series(1, 100) i',
    'SELECT k AS instance, i AS item, i * k % 101 AS profit FROM generate_series(1, 30) k, generate_series(1, 100) i', 2000000);
RESET statement_timeout;

-- An error inside a block undoes only the block.
CREATE FUNCTION planned() RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM * FROM makespan.flow_shop('TABLE cancel.hard', options => '{"time_limit": 60}');
    RETURN 'planned';
EXCEPTION WHEN query_canceled THEN
    RETURN 'canceled, and ' || (SELECT max(ends) FROM makespan.flow_shop(
        'SELECT 1 AS job, 1 AS machine, 7 AS duration'));
END $$;
SET statement_timeout = 100;
SELECT planned();
RESET statement_timeout;

-- The session still plans, and neither its memory nor its open files hold anything of the solves.
SELECT max(ends) FROM makespan.flow_shop('SELECT 1 AS job, 1 AS machine, 5 AS duration');
SET ROLE :administrator;
COPY pipes FROM PROGRAM 'ls -l /proc/$PPID/fd | grep -o "pipe:.*" | sort -u | wc -l';
SELECT max(count) - min(count) AS "pipes left open" FROM pipes;
SELECT name, count(*) FROM pg_backend_memory_contexts WHERE name LIKE 'makespan%' GROUP BY name ORDER BY name;
RESET ROLE;

\setenv PGDATABASE :DBNAME
-- Another session cancels this one, once it waits for a solve.
SET application_name = 'checks cancel';
\! (for i in $(seq 300); do psql -XAtc "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'checks cancel' AND wait_event_type = 'Extension'" | grep -q t && break; sleep 0.1; done) >/dev/null 2>&1 &
SELECT * FROM makespan.flow_shop('TABLE hard', options => '{"time_limit": 60}');

-- A session is ended during its solve. The others stay.
\! (for i in $(seq 300); do psql -XAtc "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'checks end' AND wait_event_type = 'Extension'" | grep -q t && break; sleep 0.1; done) >/dev/null 2>&1 &
\! PGAPPNAME='checks end' psql -Xqc "SELECT * FROM makespan.flow_shop('TABLE cancel.hard', options => '{\"time_limit\": 60}')" 2>&1 | head -n 1
SELECT max(ends) FROM makespan.flow_shop('SELECT 1 AS job, 1 AS machine, 5 AS duration');

-- A time limit is no error.
SELECT count(*), min(status) FROM makespan.flow_shop('TABLE hard', options => '{"time_limit": 0.1}');
SELECT interrupted FROM makespan.last_solve();

-- Every objective of the flow shop, with and without release times, set-ups, ready times and
-- blocking, against all sequences.
-- Jobs have dates and weights that not every objective uses.
SET client_min_messages = error;

CREATE FUNCTION checks.operations(seed integer) RETURNS TABLE (job integer, machine integer, duration integer)
LANGUAGE sql STABLE AS $$
    SELECT j, m, durations[(j - 1) * machines + m]
    FROM checks.shop s, generate_series(1, jobs) j, generate_series(1, machines) m
    WHERE s.seed = $1
$$;
CREATE FUNCTION checks.jobs(seed integer)
RETURNS TABLE (job integer, release integer, due integer, weight integer)
LANGUAGE sql STABLE AS $$
    SELECT j, releases[j], dues[j], weights[j]
    FROM checks.shop s, generate_series(1, jobs) j WHERE s.seed = $1
$$;
-- A first set-up has no job before it.
CREATE FUNCTION checks.setups(seed integer)
RETURNS TABLE (machine integer, before integer, after integer, "time" integer)
LANGUAGE sql STABLE AS $$
    SELECT m, nullif(b, 0), a, setups[((m - 1) * (jobs + 1) + b) * jobs + a]
    FROM checks.shop s, generate_series(1, machines) m, generate_series(0, jobs) b,
        generate_series(1, jobs) a
    WHERE s.seed = $1
$$;
CREATE FUNCTION checks.machines(seed integer) RETURNS TABLE (machine integer, ready integer)
LANGUAGE sql STABLE AS $$
    SELECT m, ready[m] FROM checks.shop s, generate_series(1, machines) m WHERE s.seed = $1
    ORDER BY m
$$;

CREATE TABLE checks.criteria (position integer, name text);
INSERT INTO checks.criteria VALUES (1, 'makespan'), (2, 'total-flow-time'),
    (3, 'weighted-flow-time'), (4, 'total-tardiness'), (5, 'weighted-tardiness'),
    (6, 'max-lateness'), (7, 'late-jobs');

-- The best value of each criterion over all sequences.
CREATE TABLE checks.best AS
SELECT s.seed, blocking, has_setups, position, min(value) AS value
FROM checks.shop s, (VALUES (false), (true)) b (blocking), (VALUES (false), (true)) h (has_setups),
    LATERAL (SELECT s.seed, s.jobs, s.machines, s.durations, s.releases, s.dues, s.weights,
        CASE WHEN has_setups THEN s.setups ELSE array_fill(0, ARRAY[cardinality(s.setups)]) END,
        s.ready) variant (seed, jobs, machines, durations, releases, dues, weights, setups, ready),
    checks.sequences(s.jobs) sequence,
    unnest(checks.values_of(ROW(variant.*)::checks.shop, sequence, blocking)) WITH ORDINALITY v (value, position)
GROUP BY s.seed, blocking, has_setups, position;

CREATE TABLE checks.plans AS
SELECT seed, blocking, has_setups, b.position, b.value, plan.*
FROM checks.best b JOIN checks.criteria c USING (position), LATERAL makespan.flow_shop(
    format('SELECT * FROM checks.operations(%s)', seed),
    jobs => format('SELECT * FROM checks.jobs(%s)', seed),
    machines => format('SELECT * FROM checks.machines(%s)', seed),
    setups => CASE WHEN has_setups THEN format('SELECT * FROM checks.setups(%s)', seed) END,
    objective => c.name, blocking => b.blocking,
    options => '{"method": "branch-and-bound"}') plan;

SELECT count(DISTINCT (seed, blocking, has_setups, position)) AS models,
    count(*) FILTER (WHERE status <> 'optimal') AS unproved,
    count(*) FILTER (WHERE objective <> value OR bound <> value) AS wrong
FROM checks.plans;

-- The sequences have the values that are claimed.
WITH sequences AS (
    SELECT seed, blocking, has_setups, position, value, array_agg(job::integer ORDER BY place) AS sequence
    FROM checks.plans WHERE machine = '1' GROUP BY seed, blocking, has_setups, position, value)
SELECT count(*) AS sequences, count(*) FILTER (WHERE value <> (checks.values_of(
    CASE WHEN has_setups THEN s ELSE (s.seed, s.jobs, s.machines, s.durations, s.releases, s.dues, s.weights,
        array_fill(0, ARRAY[cardinality(s.setups)]), s.ready)::checks.shop END,
    sequence, blocking))[position]) AS wrong
FROM sequences JOIN checks.shop s USING (seed);

-- The operations take their durations, machines run one job at a time, jobs are on one machine at a
-- time, and nothing begins before its release or ready time.
SELECT
    count(*) FILTER (WHERE p.ends - p.starts <> o.duration) AS durations,
    count(*) FILTER (WHERE p.starts < j.release OR p.starts < m.ready) AS early
FROM checks.plans p
    JOIN checks.operations(p.seed) o ON o.job = p.job::integer AND o.machine = p.machine::integer
    JOIN checks.jobs(p.seed) j ON j.job = o.job
    JOIN checks.machines(p.seed) m ON m.machine = o.machine;
SELECT count(*) AS overlaps FROM (
    SELECT starts < lag(ends) OVER (PARTITION BY seed, blocking, has_setups, position, machine ORDER BY place)
        OR starts < lag(ends) OVER (PARTITION BY seed, blocking, has_setups, position, job ORDER BY machine::integer)
        AS overlap
    FROM checks.plans) o WHERE overlap;

-- Several criteria: the stages are the best of all sequences, one after the other.
SELECT count(*) FROM makespan.flow_shop('SELECT * FROM checks.operations(1)',
    jobs => 'SELECT * FROM checks.jobs(1)', objective => 'late-jobs,total-tardiness,makespan',
    options => '{"method": "branch-and-bound"}');
SELECT l.stages = (SELECT min(v[7:7] || v[4:4] || v[1:1]) FROM checks.shop s, checks.sequences(5) q,
    checks.values_of((s.seed, s.jobs, s.machines, s.durations, s.releases, s.dues, s.weights,
        array_fill(0, ARRAY[cardinality(s.setups)]), array_fill(0, ARRAY[s.machines]))::checks.shop, q, false) v
    WHERE s.seed = 1) AS "stages are best", l.status
FROM makespan.last_solve() l;

-- A weighted sum, and the pairs of neighbours that a running plan lacks.
SELECT p.objective = best.value AS best, p.status
FROM (SELECT * FROM makespan.flow_shop('SELECT * FROM checks.operations(1)',
        jobs => 'SELECT *, 6 - job AS running FROM checks.jobs(1)', objective => 'makespan+3*total-tardiness+7*new-predecessors',
        options => '{"method": "branch-and-bound"}') LIMIT 1) p,
    (SELECT min(v[1] + 3 * v[4] + 7 * (SELECT count(*) FROM generate_series(1, 5) i
            WHERE q[i] <> coalesce(q[i - 1], 6) - 1)) AS value
        FROM checks.shop s, checks.sequences(5) q,
            checks.values_of((s.seed, s.jobs, s.machines, s.durations, s.releases, s.dues, s.weights,
                array_fill(0, ARRAY[cardinality(s.setups)]), array_fill(0, ARRAY[s.machines]))::checks.shop, q, false) v
        WHERE s.seed = 1) best;

-- Set-ups of families equal those of their jobs; the last family of a machine its first set-ups.
CREATE FUNCTION checks.family(job integer) RETURNS text
LANGUAGE sql IMMUTABLE AS $$ SELECT (ARRAY['red', 'blue'])[job % 2 + 1] $$;
CREATE TABLE checks.colours (machine integer, before text, after text, "time" integer);
INSERT INTO checks.colours
SELECT m, b, a, checks.draw(m * 100 + i * 10 + k, 12)
FROM generate_series(1, 3) m, unnest(ARRAY['red', 'blue', 'white']) WITH ORDINALITY f (b, i),
    unnest(ARRAY['red', 'blue']) WITH ORDINALITY g (a, k);
SELECT f.objective = j.objective AS equal, f.status, j.status
FROM (SELECT * FROM makespan.flow_shop('SELECT * FROM checks.operations(1)',
        jobs => 'SELECT job, checks.family(job) AS family FROM checks.jobs(1)',
        machines => $$ SELECT m AS machine, 'white' AS last FROM generate_series(1, 3) m ORDER BY m $$,
        setups => 'TABLE checks.colours',
        options => '{"method": "branch-and-bound"}') LIMIT 1) f,
    (SELECT * FROM makespan.flow_shop('SELECT * FROM checks.operations(1)',
        setups => $$
            SELECT machine, b.job AS before, a.job AS after, "time"
            FROM checks.jobs(1) a CROSS JOIN (SELECT * FROM checks.jobs(1) UNION ALL VALUES (NULL::integer, 0, 0, 0)) b
            JOIN checks.colours c ON c.after = checks.family(a.job)
                AND c.before = coalesce(checks.family(b.job), 'white') $$,
        options => '{"method": "branch-and-bound"}') LIMIT 1) j;

-- A new plan that keeps the order of the running one.
SELECT string_agg(job, ' ' ORDER BY place) AS sequence, max(objective) AS inversions
FROM makespan.flow_shop('SELECT * FROM checks.operations(1)',
    jobs => 'SELECT job, nullif(6 - job, 3) AS running FROM checks.jobs(1)',
    objective => 'inversions,makespan')
WHERE machine = '1' AND job <> '3';

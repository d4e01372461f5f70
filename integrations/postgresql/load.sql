-- What integrations/postgresql/load.sh plans: small flow shops whose best makespans all sequences give, and solves that
-- last for a minute.
CREATE EXTENSION IF NOT EXISTS makespan;
CREATE SCHEMA load;
SET client_min_messages = warning;

CREATE FUNCTION load.draw(seed bigint, below bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE AS $$ SELECT ('x' || substr(md5(seed::text), 1, 8))::bit(32)::bigint % below $$;

CREATE TABLE load.operations AS
SELECT shop, job, machine, 1 + load.draw(shop * 100 + job * 10 + machine, 50)::integer AS duration
FROM generate_series(1, 40) shop, generate_series(1, 5) job, generate_series(1, 4) machine;
CREATE INDEX ON load.operations (shop);

CREATE TABLE load.sequences AS
WITH RECURSIVE partial(sequence) AS (
    SELECT ARRAY[]::integer[]
    UNION ALL
    SELECT sequence || next FROM partial, generate_series(1, 5) next WHERE next <> ALL (sequence))
SELECT sequence FROM partial WHERE cardinality(sequence) = 5;

CREATE FUNCTION load.makespan(durations integer[], sequence integer[]) RETURNS integer
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    ends integer[] := ARRAY[0, 0, 0, 0];
    job integer;
BEGIN
    FOREACH job IN ARRAY sequence LOOP
        ends[1] := ends[1] + durations[job * 4 - 3];
        FOR k IN 2 .. 4 LOOP
            ends[k] := greatest(ends[k], ends[k - 1]) + durations[job * 4 - 4 + k];
        END LOOP;
    END LOOP;
    RETURN ends[4];
END $$;

CREATE TABLE load.best AS
SELECT shop, min(load.makespan(durations, sequence)) AS makespan
FROM (SELECT shop, array_agg(duration ORDER BY job, machine) AS durations FROM load.operations GROUP BY shop) d, load.sequences
GROUP BY shop;

-- Plans a shop. Tells whether the plan is wrong: not the best one, or not a plan of the shop.
CREATE FUNCTION load.wrong(number bigint) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT count(*) <> 20 OR bool_or(p.ends - p.starts <> o.duration) OR bool_or(is_early)
        OR max(p.ends) <> max(b.makespan) OR max(p.objective) <> max(b.makespan) OR max(p.bound) <> max(b.makespan)
    FROM (
        SELECT *,
            starts < lag(ends) OVER (PARTITION BY machine ORDER BY place)
                OR starts < lag(ends) OVER (PARTITION BY job ORDER BY machine) AS is_early
        FROM makespan.flow_shop(format('SELECT job, machine, duration FROM load.operations WHERE shop = %s', number))) p
    JOIN load.operations o ON o.shop = number AND o.job = p.job::integer AND o.machine = p.machine::integer
    JOIN load.best b ON b.shop = number
$$;

CREATE TABLE load.hard AS
SELECT job, machine, 1 + load.draw(job * 100 + machine, 99)::integer AS duration
FROM generate_series(1, 50) job, generate_series(1, 20) machine;
CREATE TABLE load.jobs AS
SELECT job, 1 + load.draw(job, 1000000000) * 1000003 AS duration FROM generate_series(1, 400) job;
CREATE TABLE load.bars AS
SELECT item, 10007 + load.draw(item, 90000) AS length, 1 + item % 40 AS demand FROM generate_series(1, 300) item;

-- A solve that lasts for a minute unless it is cancelled.
CREATE FUNCTION load.slow(number bigint) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN CASE number % 6
        WHEN 0 THEN (SELECT max(ends) FROM makespan.flow_shop('TABLE load.hard', options => '{"time_limit": 60}'))
        WHEN 1 THEN (SELECT max(ends) FROM makespan.flow_shop('TABLE load.hard', options => '{"time_limit": 60, "method": "tabu"}'))
        WHEN 2 THEN (SELECT max(ends) FROM makespan.flow_shop('TABLE load.hard',
            options => '{"time_limit": 60, "method": "branch-and-bound"}'))
        WHEN 3 THEN (SELECT max(ends) FROM makespan.flow_shop('TABLE load.hard', blocking => true, objective => 'total-flow-time',
            options => '{"time_limit": 60}'))
        WHEN 4 THEN (SELECT max(ends) FROM makespan.parallel_machines('TABLE load.jobs', 37, '{"method": "exact"}'))
        ELSE (SELECT max(pieces) FROM makespan.cutting_stock('TABLE load.bars', 100000))
    END;
END $$;

-- A call of a million rows.
CREATE FUNCTION load.large() RETURNS bigint
LANGUAGE sql STABLE AS $$
    SELECT count(*) FROM makespan.flow_shop(
        'SELECT ''job '' || j AS job, m AS machine, 1 + j * m % 7 AS duration FROM generate_series(1, 500000) j, generate_series(1, 2) m',
        jobs => 'SELECT ''job '' || j AS job, 500000 - j AS start, j % 50 AS release FROM generate_series(1, 500000) j',
        options => '{"time_limit": 0.5}')
$$;

-- Kilobytes of memory that this session alone has.
CREATE FUNCTION load.memory() RETURNS bigint
LANGUAGE sql VOLATILE AS $$ SELECT substring(pg_read_file('/proc/self/status') FROM 'RssAnon:\s+(\d+)')::bigint $$;

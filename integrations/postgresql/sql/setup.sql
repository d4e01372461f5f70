-- The extension, and functions that check plans without it. A plain role can run the cases if it owns
-- the database, an administrator has created the extension, and it may become that administrator:
-- the cases of settings, files and pipes do so where they need it.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS makespan;
RESET client_min_messages;

-- Compiling the small queries of the cases takes longer than running them.
DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET jit = off', current_database()); END $$;

CREATE SCHEMA checks;

-- Pseudo-random whole numbers from 0 to below - 1, the same on every machine.
CREATE FUNCTION checks.draw(seed bigint, below bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE AS $$
    SELECT ('x' || substr(md5(seed::text), 1, 8))::bit(32)::bigint % below
$$;

-- All sequences of the numbers from 1 to n.
CREATE FUNCTION checks.sequences(n integer) RETURNS SETOF integer[]
LANGUAGE sql IMMUTABLE AS $$
    WITH RECURSIVE partial(sequence) AS (
        SELECT ARRAY[]::integer[]
        UNION ALL
        SELECT sequence || next FROM partial, generate_series(1, n) next
        WHERE next <> ALL (sequence))
    SELECT sequence FROM partial WHERE cardinality(sequence) = n
$$;

-- A flow shop of small numbers. Set-ups have the machine, the job before (0: none) and the job after.
CREATE TABLE checks.shop (
    seed integer, jobs integer, machines integer,
    durations integer[], releases integer[], dues integer[], weights integer[],
    setups integer[], ready integer[]);

CREATE FUNCTION checks.table_of(seed bigint, count integer, below bigint) RETURNS integer[]
LANGUAGE sql IMMUTABLE AS $$
    SELECT array_agg(checks.draw(seed * 1000 + i, below)::integer ORDER BY i)
    FROM generate_series(1, count) i
$$;

INSERT INTO checks.shop
SELECT seed, jobs, machines,
    checks.table_of(seed * 10 + 1, jobs * machines, 20), checks.table_of(seed * 10 + 2, jobs, 30),
    checks.table_of(seed * 10 + 3, jobs, 60), checks.table_of(seed * 10 + 4, jobs, 5),
    checks.table_of(seed * 10 + 5, machines * (jobs + 1) * jobs, 9),
    checks.table_of(seed * 10 + 6, machines, 15)
FROM (VALUES (1, 5, 3), (2, 4, 4), (3, 6, 2), (4, 1, 3), (5, 5, 1)) sizes (seed, jobs, machines);

-- The values of a sequence: makespan, total and weighted flow time, total and weighted tardiness,
-- largest lateness, late jobs.
CREATE FUNCTION checks.values_of(shop checks.shop, sequence integer[], blocking boolean)
RETURNS bigint[]
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    free integer[] := shop.ready; -- When the job before has left each machine.
    job integer; before integer := 0; k integer; arrival integer; first integer;
    ends integer; lateness integer;
    setups integer[] := shop.setups; durations integer[] := shop.durations;
    result bigint[] := ARRAY[0, 0, 0, 0, 0, NULL, 0]::bigint[];
BEGIN
    FOREACH job IN ARRAY sequence LOOP
        FOR k IN 1 .. shop.machines LOOP
            -- The machine is free and set up for the job.
            free[k] := free[k] + setups[
                ((k - 1) * (shop.jobs + 1) + before) * shop.jobs + job];
        END LOOP;
        arrival := shop.releases[job];
        FOR k IN 1 .. shop.machines LOOP
            first := greatest(arrival, free[k]);
            ends := first + durations[(job - 1) * shop.machines + k];
            IF blocking AND k < shop.machines THEN
                ends := greatest(ends, free[k + 1]);
            END IF;
            free[k] := ends;
            arrival := ends;
        END LOOP;
        before := job;
        lateness := ends - shop.dues[job];
        result[1] := greatest(result[1], ends);
        result[2] := result[2] + ends - shop.releases[job];
        result[3] := result[3] + shop.weights[job] * (ends - shop.releases[job]);
        result[4] := result[4] + greatest(lateness, 0);
        result[5] := result[5] + shop.weights[job] * greatest(lateness, 0);
        result[6] := greatest(result[6], lateness);
        result[7] := result[7] + (lateness > 0)::integer;
    END LOOP;
    RETURN result;
END $$;

-- The error of a command.
CREATE FUNCTION checks.fault(command text, OUT state text, OUT message text, OUT detail text,
    OUT hint text, OUT place text)
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE command;
    message := 'no error';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT,
        detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT, place = PG_EXCEPTION_CONTEXT;
    place := split_part(place, E'\n', 1);
END $$;

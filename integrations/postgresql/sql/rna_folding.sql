-- RNA folding: structures are allowed, and the best ones.
CREATE SCHEMA rna_folding;
SET search_path = rna_folding;

CREATE FUNCTION pair_weight(one text, other text) RETURNS integer
LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN one || other IN ('GC', 'CG') THEN 3 WHEN one || other IN ('AU', 'UA') THEN 2
        WHEN one || other IN ('GU', 'UG') THEN 1 END
$$;
-- The largest weight of the pairs of a sequence, by the recurrence: the first base is unpaired, or has a partner.
CREATE FUNCTION best_weight(sequence text, hairpin integer) RETURNS integer
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    best integer := 0;
BEGIN
    IF length(sequence) < hairpin + 2 THEN
        RETURN 0;
    END IF;
    best := best_weight(substr(sequence, 2), hairpin);
    FOR partner IN hairpin + 2 .. length(sequence) LOOP
        best := greatest(best, pair_weight(left(sequence, 1), substr(sequence, partner, 1))
            + best_weight(substr(sequence, 2, partner - 2), hairpin) + best_weight(substr(sequence, partner + 1), hairpin));
    END LOOP;
    RETURN best;
END $$;

CREATE TABLE sequences AS
SELECT seed, string_agg(substr('ACGU', 1 + checks.draw(seed * 100 + i, 4)::integer, 1), '' ORDER BY i) AS sequence
FROM generate_series(1, 4) seed, generate_series(1, 11) i GROUP BY seed;
SELECT seed, hairpin, bool_and(status = 'optimal' AND objective = bound) AS proved, max(objective) = best_weight(sequence, hairpin) AS best,
    sum(pair_weight(substr(sequence, base, 1), substr(sequence, partner, 1))) FILTER (WHERE partner > base) = max(objective) AS "weight of the pairs",
    count(*) = length(sequence) AS bases, coalesce(min(partner - base) FILTER (WHERE partner > base) > hairpin, true) AS hairpins
FROM sequences, unnest(ARRAY[0, 3]) hairpin, LATERAL makespan.nussinov(sequence, 3, 2, 1, hairpin)
GROUP BY seed, sequence, hairpin ORDER BY seed, hairpin;

-- Yeast's tRNA for phenylalanine, as in FASTA's format. Partners are mutual, pairs do not cross, brackets match.
\set trna '>tRNA for phenylalanine, yeast\nGCGGAUUUAGCUCAGUUGGGAGAGCGCCAGACUGAAGAUCUGGAGGUCCUGUGUUCGAUC\nCACAGAAUUCGCACCA'
CREATE VIEW folded AS SELECT 'nussinov' AS model, * FROM makespan.nussinov(E:'trna', 3, 2, 1)
UNION ALL SELECT 'zuker', * FROM makespan.zuker(E:'trna');
SELECT model, count(*) AS bases, count(partner) / 2 AS pairs, max(objective) AS objective, max(bound) AS bound, min(status) AS status,
    bool_and(symbol = CASE WHEN partner > base THEN '(' WHEN partner < base THEN ')' ELSE '.' END) AS symbols
FROM folded GROUP BY model ORDER BY model;
SELECT string_agg(symbol, '' ORDER BY base) AS structure FROM folded WHERE model = 'zuker';
SELECT count(*) FILTER (WHERE b.partner <> a.base) AS "not mutual",
    count(*) FILTER (WHERE EXISTS (SELECT FROM folded c WHERE c.model = a.model AND a.base < c.base AND c.base < a.partner AND c.partner > a.partner)) AS crossing
FROM folded a JOIN folded b ON a.model = b.model AND b.base = a.partner;

-- Every method. Small letters and T are the same bases.
SELECT method, max(objective) = (SELECT best_weight(sequence, 3) FROM sequences WHERE seed = 1) AS equal
FROM unnest(ARRAY['auto', 'cubic', 'serial']) method, sequences,
    LATERAL makespan.nussinov(lower(replace(sequence, 'U', 'T')), 3, 2, 1, options => jsonb_build_object('method', method))
WHERE seed = 1 GROUP BY method ORDER BY method;
-- A limit ends with a structure without pairs.
SELECT string_agg(symbol, '' ORDER BY base) AS structure, min(status) AS status, max(bound) AS bound
FROM makespan.nussinov('GGGAAAUCC', options => '{"time_limit": 0}');

\x on
\pset format unaligned
SELECT fault.* FROM unnest(ARRAY[
    $$ nussinov('GXC') $$, $$ nussinov('') $$, $$ nussinov(NULL) $$, $$ nussinov('GC', gc_weight => -1) $$,
    $$ nussinov('GC', au_weight => 9000000000) $$, $$ nussinov('GC', hairpin => -1) $$,
    $$ nussinov('GC', options => '{"method": "knuth"}') $$, $$ nussinov('GC', options => '{"cells": "0,1"}') $$,
    $$ zuker('GC', '{"method": "serial"}') $$, $$ zuker('>name only') $$]) call,
    checks.fault('SELECT * FROM makespan.' || call) fault;
\x off
\pset format aligned

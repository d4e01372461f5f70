\echo Use "CREATE EXTENSION makespan" to load this file. \quit

-- The functions run the caller's queries with the caller's rights. A query must be a command that
-- reads. Parallel workers must not run it, since it may call any function.

CREATE FUNCTION flow_shop(
    operations text,
    jobs text DEFAULT NULL,
    machines text DEFAULT NULL,
    setups text DEFAULT NULL,
    objective text DEFAULT 'makespan',
    blocking boolean DEFAULT false,
    options jsonb DEFAULT '{}')
RETURNS TABLE (
    job text,
    machine text,
    place integer,
    starts bigint,
    ends bigint,
    status text,
    objective bigint,
    bound bigint)
AS 'MODULE_PATHNAME', 'makespan_flow_shop'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION flow_shop(text, text, text, text, text, boolean, jsonb) IS
    'Sequences jobs that pass the machines in turn.';

CREATE FUNCTION parallel_machines(
    jobs text,
    machines text,
    options jsonb DEFAULT '{}')
RETURNS TABLE (
    job text,
    machine text,
    starts bigint,
    ends bigint,
    status text,
    objective bigint,
    bound bigint)
AS 'MODULE_PATHNAME', 'makespan_parallel_machines'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION parallel_machines(text, text, jsonb) IS
    'Plans jobs on identical machines, which a query names.';

CREATE FUNCTION parallel_machines(
    jobs text,
    machines bigint,
    options jsonb DEFAULT '{}')
RETURNS TABLE (
    job text,
    machine text,
    starts bigint,
    ends bigint,
    status text,
    objective bigint,
    bound bigint)
AS 'MODULE_PATHNAME', 'makespan_parallel_machines_count'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION parallel_machines(text, bigint, jsonb) IS
    'Plans jobs on a number of identical machines.';

CREATE FUNCTION cutting_stock(
    items text,
    stock_length bigint,
    pinned text DEFAULT NULL,
    start text DEFAULT NULL,
    options jsonb DEFAULT '{}')
RETURNS TABLE (
    pattern integer,
    pieces bigint,
    item text,
    count bigint,
    status text,
    objective bigint,
    bound bigint)
AS 'MODULE_PATHNAME', 'makespan_cutting_stock'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION cutting_stock(text, bigint, text, text, jsonb) IS
    'Cuts items from few stock pieces of one length.';

CREATE FUNCTION knapsack(
    items text,
    capacity bigint,
    options jsonb DEFAULT '{}')
RETURNS TABLE (
    item text,
    count bigint,
    status text,
    objective bigint,
    bound bigint)
AS 'MODULE_PATHNAME', 'makespan_knapsack'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION knapsack(text, bigint, jsonb) IS
    'Chooses the items with the largest profit that fit.';

CREATE FUNCTION knapsack_profile(
    items text,
    capacity bigint,
    options jsonb DEFAULT '{}')
RETURNS TABLE (
    capacity bigint,
    profit bigint,
    status text,
    objective bigint,
    bound bigint)
AS 'MODULE_PATHNAME', 'makespan_knapsack_profile'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION knapsack_profile(text, bigint, jsonb) IS
    'Finds the largest profit of each capacity.';

CREATE FUNCTION knapsack_batch(
    items text,
    profits text,
    capacity bigint,
    options jsonb DEFAULT '{}')
RETURNS TABLE (
    instance text,
    item text,
    count bigint,
    profit bigint,
    status text,
    objective bigint,
    bound bigint)
AS 'MODULE_PATHNAME', 'makespan_knapsack_batch'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION knapsack_batch(text, text, bigint, jsonb) IS
    'Fills knapsacks that have the same items with other profits.';

CREATE FUNCTION multidimensional_knapsack(
    items text,
    weights text,
    capacities text,
    options jsonb DEFAULT '{}')
RETURNS TABLE (
    item text,
    count bigint,
    status text,
    objective bigint,
    bound bigint)
AS 'MODULE_PATHNAME', 'makespan_multidimensional_knapsack'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION multidimensional_knapsack(text, text, text, jsonb) IS
    'Chooses the items with the largest profit that fit in several dimensions.';

CREATE FUNCTION matrix_chain(
    matrices text,
    options jsonb DEFAULT '{}')
RETURNS TABLE (
    step integer,
    left_from text,
    left_to text,
    right_from text,
    right_to text,
    status text,
    objective bigint,
    bound bigint)
AS 'MODULE_PATHNAME', 'makespan_matrix_chain'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION matrix_chain(text, jsonb) IS
    'Orders the products of a chain of matrices.';

CREATE FUNCTION matrix_chain_real(
    matrices text,
    options jsonb DEFAULT '{}')
RETURNS TABLE (
    step integer,
    left_from text,
    left_to text,
    right_from text,
    right_to text,
    status text,
    objective double precision,
    bound double precision)
AS 'MODULE_PATHNAME', 'makespan_matrix_chain_real'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION matrix_chain_real(text, jsonb) IS
    'Orders the products of a chain of matrices with real dimensions.';

CREATE FUNCTION search_tree(
    keys text,
    last_gap bigint DEFAULT 0,
    options jsonb DEFAULT '{}')
RETURNS TABLE (
    key text,
    parent text,
    depth integer,
    status text,
    objective bigint,
    bound bigint)
AS 'MODULE_PATHNAME', 'makespan_search_tree'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION search_tree(text, bigint, jsonb) IS
    'Arranges keys in a binary search tree with the fewest comparisons.';

CREATE FUNCTION search_tree_real(
    keys text,
    last_gap double precision DEFAULT 0,
    options jsonb DEFAULT '{}')
RETURNS TABLE (
    key text,
    parent text,
    depth integer,
    status text,
    objective double precision,
    bound double precision)
AS 'MODULE_PATHNAME', 'makespan_search_tree_real'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION search_tree_real(text, double precision, jsonb) IS
    'Arranges keys with real weights in a binary search tree with the fewest comparisons.';

CREATE FUNCTION triangulation(
    vertices text,
    options jsonb DEFAULT '{}')
RETURNS TABLE (
    triangle integer,
    first text,
    second text,
    third text,
    status text,
    objective bigint,
    bound bigint)
AS 'MODULE_PATHNAME', 'makespan_triangulation'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION triangulation(text, jsonb) IS
    'Divides a polygon into triangles of the least cost.';

CREATE FUNCTION triangulation_real(
    vertices text,
    options jsonb DEFAULT '{}')
RETURNS TABLE (
    triangle integer,
    first text,
    second text,
    third text,
    status text,
    objective double precision,
    bound double precision)
AS 'MODULE_PATHNAME', 'makespan_triangulation_real'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION triangulation_real(text, jsonb) IS
    'Divides a polygon with real weights into triangles of the least cost.';

CREATE FUNCTION convex_polygon(
    vertices text,
    options jsonb DEFAULT '{}')
RETURNS TABLE (
    triangle integer,
    first text,
    second text,
    third text,
    status text,
    objective double precision,
    bound double precision)
AS 'MODULE_PATHNAME', 'makespan_convex_polygon'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION convex_polygon(text, jsonb) IS
    'Divides a convex polygon into triangles with the shortest edges.';

CREATE FUNCTION interval_dp(
    leaves text,
    points text DEFAULT NULL,
    costs text DEFAULT NULL,
    semiring text DEFAULT 'min-plus',
    options jsonb DEFAULT '{}')
RETURNS TABLE (
    first integer,
    split integer,
    last integer,
    value bigint,
    status text,
    objective bigint,
    bound bigint)
AS 'MODULE_PATHNAME', 'makespan_interval_dp'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION interval_dp(text, text, text, text, jsonb) IS
    'Solves an interval program over a semiring.';

CREATE FUNCTION interval_dp_real(
    leaves text,
    points text DEFAULT NULL,
    costs text DEFAULT NULL,
    semiring text DEFAULT 'min-plus',
    options jsonb DEFAULT '{}')
RETURNS TABLE (
    first integer,
    split integer,
    last integer,
    value double precision,
    status text,
    objective double precision,
    bound double precision)
AS 'MODULE_PATHNAME', 'makespan_interval_dp_real'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION interval_dp_real(text, text, text, text, jsonb) IS
    'Solves an interval program over a semiring in real numbers.';

CREATE FUNCTION nussinov(
    sequence text,
    gc_weight bigint DEFAULT 1,
    au_weight bigint DEFAULT 1,
    gu_weight bigint DEFAULT 1,
    hairpin bigint DEFAULT 3,
    options jsonb DEFAULT '{}')
RETURNS TABLE (
    base integer,
    partner integer,
    symbol text,
    status text,
    objective bigint,
    bound bigint)
AS 'MODULE_PATHNAME', 'makespan_nussinov'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION nussinov(text, bigint, bigint, bigint, bigint, jsonb) IS
    'Folds an RNA sequence to the pairs with the largest weight.';

CREATE FUNCTION zuker(
    sequence text,
    options jsonb DEFAULT '{}')
RETURNS TABLE (
    base integer,
    partner integer,
    symbol text,
    status text,
    objective bigint,
    bound bigint)
AS 'MODULE_PATHNAME', 'makespan_zuker'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION zuker(text, jsonb) IS
    'Folds an RNA sequence to the structure with the least energy.';

CREATE FUNCTION recurrence(
    offsets text,
    initial text,
    length bigint,
    semiring text DEFAULT 'min-plus',
    modulus bigint DEFAULT NULL,
    terms text DEFAULT NULL,
    options jsonb DEFAULT '{}')
RETURNS TABLE (
    element bigint,
    value bigint,
    choice bigint,
    status text,
    objective bigint,
    bound bigint)
AS 'MODULE_PATHNAME', 'makespan_recurrence'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION recurrence(text, text, bigint, text, bigint, text, jsonb) IS
    'Fills a table whose elements depend on earlier ones.';

CREATE FUNCTION recurrence_batch(
    offsets text,
    initial text,
    length bigint,
    semiring text DEFAULT 'min-plus',
    modulus bigint DEFAULT NULL,
    terms text DEFAULT NULL,
    weights text DEFAULT NULL,
    options jsonb DEFAULT '{}')
RETURNS TABLE (
    instance text,
    element bigint,
    value bigint,
    choice bigint,
    status text,
    objective bigint,
    bound bigint)
AS 'MODULE_PATHNAME', 'makespan_recurrence_batch'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION recurrence_batch(text, text, bigint, text, bigint, text, text, jsonb) IS
    'Fills tables with the same offsets.';

CREATE FUNCTION lattice_dp(
    sizes text,
    moves text,
    steps text,
    options jsonb DEFAULT '{}')
RETURNS TABLE (
    step integer,
    move text,
    status text,
    objective bigint,
    bound bigint)
AS 'MODULE_PATHNAME', 'makespan_lattice_dp'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION lattice_dp(text, text, text, jsonb) IS
    'Finds the cheapest moves to the last cell of a lattice.';

CREATE FUNCTION lattice_packing(
    items text,
    capacity bigint,
    options jsonb DEFAULT '{}')
RETURNS TABLE (
    container integer,
    item text,
    count bigint,
    status text,
    objective bigint,
    bound bigint)
AS 'MODULE_PATHNAME', 'makespan_lattice_packing'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION lattice_packing(text, bigint, jsonb) IS
    'Packs items into the fewest containers by a lattice of their counts.';

CREATE FUNCTION options(problem text)
RETURNS TABLE (
    name text,
    kind text,
    choices text,
    default_value text,
    methods text,
    tier text,
    meaning text)
AS 'MODULE_PATHNAME', 'makespan_options'
LANGUAGE C STABLE STRICT PARALLEL SAFE ROWS 20;
COMMENT ON FUNCTION options(text) IS
    'Lists the options of a problem, such as flow_shop.';

CREATE FUNCTION last_solve(
    OUT problem text,
    OUT method text,
    OUT status text,
    OUT objective bigint,
    OUT bound bigint,
    OUT stages bigint[],
    OUT interrupted boolean,
    OUT seconds double precision,
    OUT setup_seconds double precision,
    OUT engine text,
    OUT device text,
    OUT fallback text,
    OUT warning text,
    OUT statistics jsonb,
    OUT real_objective double precision,
    OUT real_bound double precision)
AS 'MODULE_PATHNAME', 'makespan_last_solve'
LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION last_solve() IS
    'Describes the last solve of this session.';

CREATE FUNCTION version()
RETURNS text
AS 'MODULE_PATHNAME', 'makespan_version'
LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION version() IS
    'The version of the library.';

/* Interval dynamic programming: numbers, operations and the layout of the table, shared by all
 * kernels of the family. src/interval_dp/instance/mod.rs has the recurrence.
 *
 * Defines:
 * - CELL: the type of a cell, CELL_U16, CELL_I32, CELL_I64, CELL_F32 or CELL_F64;
 * - RING: the semiring, RING_MIN_PLUS, RING_MAX_PLUS, RING_MAX_MIN, RING_OR_AND or
 *   RING_PLUS_TIMES;
 * - COSTS: the cell costs, COSTS_NONE, COSTS_SEPARABLE (row + column), COSTS_TABLE, or
 *   COSTS_ENCLOSING, the costs of enclosing cell (i + 1, j - 1) instead of a split;
 * - TERMS: the split costs, TERMS_NONE, TERMS_PRODUCT or TERMS_EXPRESSION, the caller's;
 * - SQUARE: 0 for a triangle of tiles, 1 for a square, 2 for diagonals one after the other;
 * - SELECTS: whether a value is that of one tree.
 *
 * Integers wrap if a result does not matter, so signed ones are added as unsigned. */

#if CELL == CELL_U16
#define VALUE_TYPE ushort
#define LARGEST ((VALUE)65535)
#define SMALLEST ((VALUE)0)
#define ADD(a, b) ((VALUE)((a) + (b)))
#define MULTIPLY(a, b) ((VALUE)((uint)(a) * (uint)(b)))
#elif CELL == CELL_I32
#define VALUE_TYPE int
#define LARGEST INT_MAX
#define SMALLEST INT_MIN
#define ADD(a, b) ((VALUE)((uint)(a) + (uint)(b)))
#define MULTIPLY(a, b) ((VALUE)((uint)(a) * (uint)(b)))
#elif CELL == CELL_I64
#define VALUE_TYPE long
#define LARGEST LONG_MAX
#define SMALLEST LONG_MIN
#define ADD(a, b) ((VALUE)((ulong)(a) + (ulong)(b)))
#define MULTIPLY(a, b) ((VALUE)((ulong)(a) * (ulong)(b)))
#elif CELL == CELL_F32
#define VALUE_TYPE float
#define LARGEST INFINITY
#define SMALLEST (-INFINITY)
#else
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define VALUE_TYPE double
#define LARGEST ((VALUE)INFINITY)
#define SMALLEST ((VALUE) - INFINITY)
#endif

/* The caller's expression comes before this text and already needs this. */
#if TERMS != TERMS_EXPRESSION
typedef VALUE_TYPE VALUE;
#endif

#if CELL >= CELL_F32
/* The CPU rounds twice here, so a fused operation must not round once. */
#pragma OPENCL FP_CONTRACT OFF
#define ADD(a, b) ((a) + (b))
#define MULTIPLY(a, b) ((a) * (b))
#define MULTIPLY_ADD(a, b, c) fma(a, b, c)
#define SMALLER(a, b) fmin(a, b)
#define LARGER(a, b) fmax(a, b)
#else
#define MULTIPLY_ADD(a, b, c) ADD(MULTIPLY(a, b), c)
#define SMALLER(a, b) min(a, b)
#define LARGER(a, b) max(a, b)
#endif

#if RING == RING_MIN_PLUS
#define ZERO LARGEST
#define ONE ((VALUE)0)
#define PLUS(a, b) SMALLER(a, b)
#define TIMES(a, b) ADD(a, b)
#elif RING == RING_MAX_PLUS
#define ZERO SMALLEST
#define ONE ((VALUE)0)
#define PLUS(a, b) LARGER(a, b)
#define TIMES(a, b) ADD(a, b)
#elif RING == RING_MAX_MIN
#define ZERO SMALLEST
#define ONE LARGEST
#define PLUS(a, b) LARGER(a, b)
#define TIMES(a, b) SMALLER(a, b)
#elif RING == RING_OR_AND
#define ZERO ((VALUE)0)
#define ONE ((VALUE) ~(VALUE)0)
#define PLUS(a, b) ((a) | (b))
#define TIMES(a, b) ((a) & (b))
#else
#define ZERO ((VALUE)0)
#define ONE ((VALUE)1)
#define PLUS(a, b) ADD(a, b)
#define TIMES(a, b) MULTIPLY(a, b)
#endif

/* `numbers` holds lists of `padded` entries, then the number of the caller's data, then the
 * data. Costs of enclosing have their numbers in place of the data: the costs by the classes of a
 * cell's first and last leaf, which are in its row and column, OTHERWISE and LEAST_INSIDE. */
#define DATA LISTS
#define NUMBER(list, point) numbers[(ulong)(list) * padded + (point)]
#define ENCLOSING(place) numbers[(ulong)DATA * padded + 8 / sizeof(VALUE) + (place)]

/* Layout of the cells: tiles (p, q), p <= q, column after column, or a square, or the cells of each
 * length j - i. */
#if SQUARE == 2
#define DIAGONAL(length) ((ulong)((length) - 1) * points - (ulong)(length) * ((length) - 1) / 2)
#define PLACE(i, j) (DIAGONAL((j) - (i)) + (i))
#elif SQUARE
#define PLACE(i, j) ((ulong)(i) * points + (j))
#else
#define TILE_PLACE(p, q) (((ulong)(q) * ((ulong)(q) + 1) / 2 + (p)) * (TILE * TILE))
#define PLACE(i, j) (TILE_PLACE((i) / TILE, (j) / TILE) + ((i) % TILE) * TILE + (j) % TILE)
#endif

/* The cost of cell (i, j), or the value of a leaf; any value beyond the points. */
static VALUE weight(global const VALUE *weights,
    global const VALUE *numbers,
    uint padded,
    uint points,
    uint i,
    uint j)
{
    if (j == i + 1) {
        return NUMBER(LEAVES, i);
    }
#if COSTS == COSTS_NONE
    return ONE;
#elif COSTS == COSTS_SEPARABLE
    return ADD(NUMBER(ROW, i), NUMBER(COLUMN, j));
#elif COSTS == COSTS_ENCLOSING
    uint least = (uint)ENCLOSING(LEAST_INSIDE);
    uint place = (uint)NUMBER(ROW, i) * CLASSES + (uint)NUMBER(COLUMN, j);
    return ENCLOSING(j < i + 2 + least ? OTHERWISE : place);
#else
    return weights[PLACE(i, j)];
#endif
}

/* The value of cell (i, j), i + 1 < j, given the sum over its splits and its cost. `enclosed` is
 * the value of cell (i + 1, j - 1). */
#if COSTS == COSTS_ENCLOSING
#define FINISHED(sum, cost, enclosed, i, j) \
    PLUS(sum, TIMES((j) == (i) + 2 ? ONE : (enclosed), cost))
#else
#define FINISHED(sum, cost, enclosed, i, j) TIMES(sum, cost)
#endif

/* The part of a split's cost that all rows share. */
static VALUE factor(global const VALUE *numbers, uint padded, uint k, uint j)
{
#if TERMS == TERMS_PRODUCT
    return MULTIPLY(NUMBER(SPLIT, k), NUMBER(RIGHT, j));
#else
    return ONE;
#endif
}

/* The row's part of a split's cost. */
static VALUE row_factor(global const VALUE *numbers, uint padded, uint i)
{
#if TERMS == TERMS_PRODUCT
    return NUMBER(LEFT, i);
#else
    return ONE;
#endif
}

/* The value of cell (i, j) with the split k, given the parts and the factors. */
#if TERMS == TERMS_NONE
#define THROUGH(parts, row, shared, i, k, j) (parts)
#elif TERMS == TERMS_PRODUCT
#define THROUGH(parts, row, shared, i, k, j) MULTIPLY_ADD(row, shared, parts)
#else
#define THROUGH(parts, row, shared, i, k, j) \
    ((j) < points ? TIMES(parts, interval_term(i, k, j, points, numbers + (ulong)DATA * padded)) \
                  : (parts))
#endif

/* The value of the caller's expression for triples of points, to compare with the CPU's
 * function. */
#if TERMS == TERMS_EXPRESSION
kernel void interval_terms(global const uint *triples,
    global VALUE *values,
    global const VALUE *numbers,
    uint padded,
    uint points,
    uint count)
{
    uint item = get_global_id(0);
    if (item < count) {
        values[item] = interval_term(triples[3 * item], triples[3 * item + 1],
            triples[3 * item + 2], points, numbers + (ulong)DATA * padded);
    }
}
#endif

/* Copies a rectangle of the table, for the host's spot checks: the cells (i, j) of `rows` points
 * i from `first_row` and of `columns` points j from `first_column` on, row after row. Entries with
 * i >= j stay as they are. */
kernel void interval_part(global const VALUE *cells,
    uint points,
    uint first_row,
    uint rows,
    uint first_column,
    uint columns,
    global VALUE *part)
{
    uint item = get_global_id(0);
    if (item < rows * columns) {
        uint i = first_row + item / columns;
        uint j = first_column + item % columns;
        if (i < j) {
            part[item] = cells[PLACE(i, j)];
        }
    }
}

/* Families that find trees define this. */
#ifdef SPLITS_GROUP
/* Whether sums are exact. If so, a split that explains its cell's value is a best one, and the
 * search can end. */
#define EXACT_SUMS (CELL < CELL_F32 && RING <= RING_MAX_PLUS)

/* The value of cell (i, j) with the split k, without the cell's own cost. */
static VALUE split_value(global const VALUE *cells,
    global const VALUE *numbers,
    uint padded,
    uint points,
    VALUE row,
    uint i,
    uint k,
    uint j)
{
    VALUE parts = TIMES(cells[PLACE(i, k)], cells[PLACE(k, j)]);
    return THROUGH(parts, row, factor(numbers, padded, k, j), i, k, j);
}

/* Ways to make up cell (i, j), i + 1 < j, in the order in which the tree takes them. A way has a
 * split, or 0 for the enclosed cell. */
#if COSTS == COSTS_ENCLOSING
/* Nearly all cells have one of the first ways. */
#define FIRST_WAYS 3
#define WAYS(i, j) ((j) - (i) + 1)
#define SPLIT_OF(way, i, j) \
    ((way) == 0 ? 0 : (way) == 1 ? (i) + 1 : (way) == 2 ? (j) - 1 : (i) + (way) - 1)
#else
#define FIRST_WAYS lanes
#define WAYS(i, j) ((j) - (i) - 1)
#define SPLIT_OF(way, i, j) ((i) + 1 + (way))
#endif

/* Whether a way gives the wanted value. In a split that is not at an end of its cell, the first
 * leaf is paired with the one before the split. */
static int explains(global const VALUE *cells,
    global const VALUE *weights,
    global const VALUE *numbers,
    uint padded,
    uint points,
    VALUE row,
    VALUE cost,
    VALUE wanted,
    uint way,
    uint i,
    uint j)
{
    uint k = SPLIT_OF(way, i, j);
#if COSTS == COSTS_ENCLOSING
    VALUE otherwise = ENCLOSING(OTHERWISE);
    if (way == 0) {
        VALUE enclosed = j == i + 2 ? ONE : cells[PLACE(i + 1, j - 1)];
        return cost < otherwise && TIMES(enclosed, cost) == wanted;
    }
    if (way > 2 && weight(weights, numbers, padded, points, i, k) >= otherwise) {
        return 0;
    }
    return TIMES(cells[PLACE(i, k)], cells[PLACE(k, j)]) == wanted;
#else
    return TIMES(split_value(cells, numbers, padded, points, row, i, k, j), cost) == wanted;
#endif
}

/* The lowest best split of cell (i, j), i + 1 < j, or the first way that explains the value of a
 * cell that may enclose one, 0 if it does; UINT_MAX if nothing explains the value. All items of the
 * group search together and get the result. `values` and `places` have an entry for each item.
 * `looked_at` grows by the splits that were looked at. */
static uint best_split(global const VALUE *cells,
    global const VALUE *weights,
    global const VALUE *numbers,
    uint padded,
    uint points,
    uint i,
    uint j,
    local VALUE *values,
    local uint *places,
    uint *looked_at)
{
    uint lane = get_local_id(0);
    uint lanes = get_local_size(0);
    VALUE row = row_factor(numbers, padded, i);
    VALUE cost = weight(weights, numbers, padded, points, i, j);
    VALUE wanted = cells[PLACE(i, j)];
#if EXACT_SUMS
    if (lane == 0) {
        places[0] = UINT_MAX;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    /* The split is usually near an end of the cell: look at few ways first, then at more before
     * each check of the result. */
    uint ways = WAYS(i, j);
    uint width = FIRST_WAYS;
    uint found = UINT_MAX;
    for (uint begin = 0; begin < ways && found == UINT_MAX;) {
        uint end = min(ways, begin + width);
        uint mine = UINT_MAX;
        for (uint way = begin + lane; way < end; way += lanes) {
            int fits =
                explains(cells, weights, numbers, padded, points, row, cost, wanted, way, i, j);
            mine = fits ? min(mine, way) : mine;
        }
        if (mine != UINT_MAX) {
            atomic_min(places, mine);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        found = places[0];
        barrier(CLK_LOCAL_MEM_FENCE);
        begin = end;
        *looked_at += max(width, lanes);
        width = min(max(2 * width, lanes), (uint)SPLITS_AT_ONCE * lanes);
    }
    return found == UINT_MAX ? UINT_MAX : SPLIT_OF(found, i, j);
#else
    VALUE best = ZERO;
    uint split = UINT_MAX;
    for (uint k = i + 1 + lane; k < j; k += lanes) {
        VALUE value = split_value(cells, numbers, padded, points, row, i, k, j);
        if (split == UINT_MAX || (value != best && PLUS(value, best) == value)) {
            best = value;
            split = k;
        }
    }
    values[lane] = best;
    places[lane] = split;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint width = SPLITS_GROUP / 2; width > 0; width /= 2) {
        if (lane < width && lane + width < lanes) {
            uint other = places[lane + width];
            VALUE value = values[lane + width];
            VALUE mine = values[lane];
            int better = value != mine ? PLUS(value, mine) == value : other < places[lane];
            if (other != UINT_MAX && (places[lane] == UINT_MAX || better)) {
                values[lane] = value;
                places[lane] = other;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    best = values[0];
    split = places[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    *looked_at += j - i;
    return TIMES(best, cost) == wanted ? split : UINT_MAX;
#endif
}

/* Words of an entry in the lists of open cells: first point, last point, and the end that a run
 * kept. */
/* Appends a cell to a list. */
static void leave(global uint *list, global uint *length, uint first, uint last, uint kept)
{
    global uint *entry = list + OPEN_WORDS * atomic_inc(length);
    entry[0] = first;
    entry[1] = last;
    entry[2] = kept;
}

/* Finds the splits along the optimal path. Every work-group walks down from one of the `open`
 * cells: it writes the cell to `splits` at the split's place, continues with the larger part and
 * appends the smaller one to `left_over`. After looking at `max_splits` splits, it also appends the
 * rest. Where cells may enclose others, it writes those that do instead, at their first points.
 *
 * It does the same with a cell of at least `long_run` points after RUN_STEPS steps in a row that
 * kept the same end: looking up the whole run at once is faster. The following launches leave such
 * a cell as it is.
 *
 * `status` holds the last point of a cell that no split explains, or 0, and then the number of open
 * cells before and after launch 0, 1, ... */
kernel void interval_traceback(global const VALUE *cells,
    global const VALUE *weights,
    global const VALUE *numbers,
    uint padded,
    uint points,
    global uint *splits,
    global const uint *open,
    global uint *left_over,
    global uint *status,
    uint launch,
    uint max_splits,
    uint long_run GROUP_ARRAYS)
{
    TAKE_PART(group_arrays);
    GROUP_ARRAY(VALUE, values, SPLITS_GROUP);
    GROUP_ARRAY(uint, places, SPLITS_GROUP);
    uint lane = get_local_id(0);
    global uint *length = status + 1 + launch;
    global const uint *entry = open + OPEN_WORDS * get_group_id(0);
    uint is_open = get_group_id(0) < *length;
    uint i = is_open ? entry[0] : 0;
    uint j = is_open ? entry[1] : 0;
    uint kept = is_open ? entry[2] : KEPT_NEITHER;
    uint is_run = kept != KEPT_NEITHER;
    uint looked_at = 0;
    uint steps = 0;
    uint explained = 1;
    /* The condition alone ends the loop: with a break, PoCL lets every item do the first item's
     * work before the break. */
    while (j > i + 1 && explained && !is_run && looked_at < max_splits) {
        uint k =
            best_split(cells, weights, numbers, padded, points, i, j, values, places, &looked_at);
        explained = k != UINT_MAX;
        if (k == 0) {
            if (lane == 0) {
                splits[2 * i] = i;
                splits[2 * i + 1] = j;
            }
            kept = KEPT_NEITHER;
            ++i;
            --j;
        } else if (explained) {
            uint left_is_larger = k - i > j - k;
            uint first = left_is_larger ? k : i;
            uint last = left_is_larger ? j : k;
            if (lane == 0) {
#if COSTS != COSTS_ENCLOSING
                splits[2 * k] = i;
                splits[2 * k + 1] = j;
#endif
                if (last > first + 1) {
                    leave(left_over, length + 1, first, last, KEPT_NEITHER);
                }
            }
            uint keeps = left_is_larger ? KEPT_FIRST : KEPT_LAST;
            steps = keeps == kept ? steps + 1 : 1;
            kept = keeps;
            i = left_is_larger ? i : k;
            j = left_is_larger ? k : j;
            is_run = steps >= RUN_STEPS && j - i >= long_run;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0) {
        if (!explained) {
            status[0] = j;
        } else if (j > i + 1) {
            leave(left_over, length + 1, i, j, is_run ? kept : KEPT_NEITHER);
        }
    }
}

/* The splits of `wanted` cells, pairs of first and last points, from number `begin` on; one
 * work-group for each cell. */
kernel void interval_splits(global const VALUE *cells,
    global const VALUE *weights,
    global const VALUE *numbers,
    uint padded,
    uint points,
    global const uint *wanted,
    global uint *splits,
    uint begin GROUP_ARRAYS)
{
    TAKE_PART(group_arrays);
    GROUP_ARRAY(VALUE, values, SPLITS_GROUP);
    GROUP_ARRAY(uint, places, SPLITS_GROUP);
    uint cell = begin + get_group_id(0);
    uint i = wanted[2 * cell];
    uint j = wanted[2 * cell + 1];
    uint looked_at = 0;
    uint k = best_split(cells, weights, numbers, padded, points, i, j, values, places, &looked_at);
    if (get_local_id(0) == 0) {
        splits[cell] = k;
    }
}
#endif

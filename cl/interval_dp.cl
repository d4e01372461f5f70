/* Interval dynamic programming: numbers, operations and the layout of the table, shared by all kernels of the
 * family. src/interval_dp/instance.rs has the recurrence.
 *
 * CELL is the type of a cell (0 ushort, 1 int, 2 long, 3 float, 4 double), RING the semiring (0 min +, 1 max +,
 * 2 max min, 3 or and, 4 + *), COSTS the cell costs (0 none, 1 row + column, 2 a table), TERMS the split costs
 * (0 none, 1 a product, 2 the caller's expression), SELECTS whether a value is that of one tree. Integers wrap where a
 * result does not matter: signed ones are added as unsigned. */

#if CELL == 0
#define VALUE_TYPE ushort
#define LARGEST ((VALUE)65535)
#define SMALLEST ((VALUE)0)
#define ADD(a, b) ((VALUE)((a) + (b)))
#define MULTIPLY(a, b) ((VALUE)((uint)(a) * (uint)(b)))
#elif CELL == 1
#define VALUE_TYPE int
#define LARGEST INT_MAX
#define SMALLEST INT_MIN
#define ADD(a, b) ((VALUE)((uint)(a) + (uint)(b)))
#define MULTIPLY(a, b) ((VALUE)((uint)(a) * (uint)(b)))
#elif CELL == 2
#define VALUE_TYPE long
#define LARGEST LONG_MAX
#define SMALLEST LONG_MIN
#define ADD(a, b) ((VALUE)((ulong)(a) + (ulong)(b)))
#define MULTIPLY(a, b) ((VALUE)((ulong)(a) * (ulong)(b)))
#elif CELL == 3
#define VALUE_TYPE float
#define LARGEST INFINITY
#define SMALLEST (-INFINITY)
#else
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define VALUE_TYPE double
#define LARGEST ((VALUE)INFINITY)
#define SMALLEST ((VALUE)-INFINITY)
#endif

/* The caller's expression stands before all this and needs it already. */
#if TERMS != 2
typedef VALUE_TYPE VALUE;
#endif

#if CELL >= 3
/* What is rounded twice on the CPU must not be rounded once here. */
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

#if RING == 0
#define ZERO LARGEST
#define ONE ((VALUE)0)
#define PLUS(a, b) SMALLER(a, b)
#define TIMES(a, b) ADD(a, b)
#elif RING == 1
#define ZERO SMALLEST
#define ONE ((VALUE)0)
#define PLUS(a, b) LARGER(a, b)
#define TIMES(a, b) ADD(a, b)
#elif RING == 2
#define ZERO SMALLEST
#define ONE LARGEST
#define PLUS(a, b) LARGER(a, b)
#define TIMES(a, b) SMALLER(a, b)
#elif RING == 3
#define ZERO ((VALUE)0)
#define ONE ((VALUE)~(VALUE)0)
#define PLUS(a, b) ((a) | (b))
#define TIMES(a, b) ((a) & (b))
#else
#define ZERO ((VALUE)0)
#define ONE ((VALUE)1)
#define PLUS(a, b) ADD(a, b)
#define TIMES(a, b) MULTIPLY(a, b)
#endif

/* `numbers` holds lists of `padded` entries, then the data of the caller's expression. */
#define LEAVES 0
#define ROW 1
#define COLUMN 2
#define LEFT 3
#define SPLIT 4
#define RIGHT 5
#define LISTS 6
#define DATA LISTS
#define NUMBER(list, point) numbers[(ulong)(list) * padded + (point)]

/* Cells lie in tiles (p, q), p <= q, column after column, or in a square. */
#if LAYOUT == 1
#define PLACE(i, j) ((ulong)(i) * points + (j))
#else
#define TILE_PLACE(p, q) (((ulong)(q) * ((ulong)(q) + 1) / 2 + (p)) * (TILE * TILE))
#define PLACE(i, j) (TILE_PLACE((i) / TILE, (j) / TILE) + ((i) % TILE) * TILE + (j) % TILE)
#endif

/* What cell (i, j) costs, or the value of a leaf. Beyond the points it does not matter. */
static VALUE weight(
    __global const VALUE *weights, __global const VALUE *numbers, uint padded, uint points, uint i, uint j)
{
    if (j == i + 1) {
        return NUMBER(LEAVES, i);
    }
#if COSTS == 0
    return ONE;
#elif COSTS == 1
    return ADD(NUMBER(ROW, i), NUMBER(COLUMN, j));
#else
    return weights[PLACE(i, j)];
#endif
}

/* The part of a split's cost that all rows share. */
static VALUE factor(__global const VALUE *numbers, uint padded, uint k, uint j)
{
#if TERMS == 1
    return MULTIPLY(NUMBER(SPLIT, k), NUMBER(RIGHT, j));
#else
    return ONE;
#endif
}

/* A row's own part of it. */
static VALUE row_factor(__global const VALUE *numbers, uint padded, uint i)
{
#if TERMS == 1
    return NUMBER(LEFT, i);
#else
    return ONE;
#endif
}

/* The value of cell (i, j) with the split k, given the parts and the factors. */
#if TERMS == 0
#define THROUGH(parts, row, shared, i, k, j) (parts)
#elif TERMS == 1
#define THROUGH(parts, row, shared, i, k, j) MULTIPLY_ADD(row, shared, parts)
#else
#define THROUGH(parts, row, shared, i, k, j) \
    ((j) < points ? TIMES(parts, interval_term(i, k, j, points, numbers + (ulong)DATA * padded)) : (parts))
#endif

/* The value of the caller's expression for triples of points, to be compared with that of the CPU's function. */
#if TERMS == 2
__kernel void interval_terms(
    __global const uint *triples, __global VALUE *values, __global const VALUE *numbers, uint padded, uint points,
    uint count)
{
    uint item = get_global_id(0);
    if (item < count) {
        values[item] = interval_term(
            triples[3 * item], triples[3 * item + 1], triples[3 * item + 2], points,
            numbers + (ulong)DATA * padded);
    }
}
#endif

/* Finds the splits along the optimal path. Every work-group walks down from one of the `open` cells: it looks for the
 * lowest best split, enters the cell into `splits` at the split's place, goes on with the larger part and leaves the
 * smaller one for the next launch in `left_over`; after `max_splits` looked at, it leaves the rest, too. A cell that no
 * split explains is entered into `status`, after the number of cells left over. */
__kernel void interval_splits(
    __global const VALUE *cells, __global const VALUE *weights, __global const VALUE *numbers, uint padded,
    uint points, __global uint *splits, __global const uint *open, __global uint *left_over, __global uint *status,
    uint max_splits)
{
    __local VALUE values[SPLITS_GROUP];
    __local uint places[SPLITS_GROUP];
#if CELL < 3 && RING < 2
    __local uint found;
#endif
    uint lane = get_local_id(0);
    uint lanes = get_local_size(0);
    uint i = open[2 * get_group_id(0)];
    uint j = open[2 * get_group_id(0) + 1];
    uint looked_at = 0;
#if CELL < 3 && RING < 2
    int leans = 0;
#endif
    while (j > i + 1) {
        if (looked_at >= max_splits) {
            if (lane == 0) {
                uint place = atomic_inc(status);
                left_over[2 * place] = i;
                left_over[2 * place + 1] = j;
            }
            break;
        }
#if CELL < 3 && RING < 2
        /* A tree that leans to the right, as where all are equally good, is as deep as it has leaves: as long as its
         * cells are split at their first point, each item looks at one of them. */
        if (leans) {
            uint first = i + lane;
            if (lane == 0) {
                found = lanes;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            int explained = 0;
            if (first + 1 < j) {
                VALUE parts = TIMES(cells[PLACE(first, first + 1)], cells[PLACE(first + 1, j)]);
                VALUE shared = factor(numbers, padded, first + 1, j);
                VALUE value = THROUGH(parts, row_factor(numbers, padded, first), shared, first, first + 1, j);
                VALUE cost = weight(weights, numbers, padded, points, first, j);
                explained = TIMES(value, cost) == cells[PLACE(first, j)];
            }
            if (!explained) {
                atomic_min(&found, lane);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            uint length = found;
            barrier(CLK_LOCAL_MEM_FENCE);
            if (lane < length) {
                splits[2 * (first + 1)] = first;
                splits[2 * (first + 1) + 1] = j;
            }
            i += length;
            looked_at += lanes;
            leans = length == lanes;
            continue;
        }
#endif
        looked_at += j - i;
        VALUE row = row_factor(numbers, padded, i);
        VALUE best = ZERO;
        uint split = UINT_MAX;
        VALUE cost = weight(weights, numbers, padded, points, i, j);
        VALUE wanted = cells[PLACE(i, j)];
        for (uint begin = i + 1; begin < j; begin += SPLITS_AT_ONCE * lanes) {
            uint end = min(j, begin + SPLITS_AT_ONCE * lanes);
            for (uint k = begin + lane; k < end; k += lanes) {
                VALUE parts = TIMES(cells[PLACE(i, k)], cells[PLACE(k, j)]);
                VALUE value = THROUGH(parts, row, factor(numbers, padded, k, j), i, k, j);
                if (split == UINT_MAX || (value != best && PLUS(value, best) == value)) {
                    best = value;
                    split = k;
                }
            }
#if CELL < 3 && RING < 2
            /* Nothing is better than what the cell's own value says, and lower splits have been looked at. */
            if (lane == 0) {
                found = 0;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            if (split != UINT_MAX && TIMES(best, cost) == wanted) {
                atomic_or(&found, 1);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            uint enough = found;
            barrier(CLK_LOCAL_MEM_FENCE);
            if (enough) {
                break;
            }
#endif
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
        uint k = places[0];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane == 0) {
            splits[2 * k] = i;
            splits[2 * k + 1] = j;
            if (TIMES(best, cost) != wanted) {
                status[1] = k;
            }
        }
#if CELL < 3 && RING < 2
        leans = k == i + 1;
#endif
        int left_is_larger = k - i > j - k;
        uint first = left_is_larger ? k : i;
        uint last = left_is_larger ? j : k;
        if (lane == 0 && last > first + 1) {
            uint place = atomic_inc(status);
            left_over[2 * place] = first;
            left_over[2 * place + 1] = last;
        }
        if (left_is_larger) {
            j = k;
        } else {
            i = k;
        }
    }
}

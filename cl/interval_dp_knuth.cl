/* Knuth's bound: the lowest best split of cell (i, j) lies between those of cells (i, j - 1) and
 * (i + 1, j). src/interval_dp/knuth.rs has the conditions. */

#if (CELL == CELL_I32 || CELL == CELL_I64) && RING == RING_MIN_PLUS && TERMS == TERMS_NONE \
    && COSTS != COSTS_ENCLOSING

/* Tries every `stride`-th split of cell (i, j) from `low` to `high`. The lowest of equally good
 * ones counts. */
static void interval_try(global const VALUE *cells,
    uint i,
    uint j,
    uint low,
    uint high,
    uint stride,
    VALUE *best,
    uint *split)
{
    *best = ZERO;
    *split = j;
    for (uint k = low; k <= high; k += stride) {
        VALUE value = ADD(cells[PLACE(i, k)], cells[PLACE(k, j)]);
        if (value < *best) {
            *best = value;
            *split = k;
        }
    }
}

/* The best of the splits that all work-items of the group have found, in the first entry. */
static void interval_best_of_group(local VALUE *values, local uint *splits, uint item)
{
    for (uint others = TILE / 2; others > 0; others /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < others) {
            VALUE value = values[item + others];
            uint split = splits[item + others];
            if (value < values[item] || (value == values[item] && split < splits[item])) {
                values[item] = value;
                splits[item] = split;
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* A split for each row of a tile. */
typedef uint row_splits_of_step[TILE];

/* Solves the tiles (p, p + distance) from p = first on, one for each work-group. All tiles at
 * smaller distances are solved. A work-item has a row. The rows are solved in step, each one column
 * behind the row below it: cells of the same step do not depend on each other. All work-items
 * together try the splits of a cell that has more than KNUTH_ALONE.
 *
 * At the start, row_splits[i] has the best split of the last cell of row i in the tile to the left.
 * column_splits[j] has that of the first cell of column j in the tile below. At the end they have
 * those of this tile. A leaf has no split: its entry in row_splits is its last point, and that in
 * column_splits its first point.
 * looked_at[i] counts the splits tried in row i. */
kernel __attribute__((reqd_work_group_size(TILE, 1, 1))) void interval_knuth(global VALUE *cells,
    global const VALUE *weights,
    global const VALUE *numbers,
    uint padded,
    uint points,
    uint distance,
    uint first,
    global uint *row_splits,
    global uint *column_splits,
    global ulong *looked_at GROUP_ARRAYS)
{
    TAKE_PART(group_arrays);
    GROUP_ARRAY(row_splits_of_step, latest, 2);
    /* The cells of this step that all try together, and how many there are. */
    GROUP_ARRAY(uint2, shared_bounds, TILE);
    GROUP_ARRAY(uint, shared_rows, TILE);
    GROUP_ARRAY(uint, shared_count, 2);
    /* The best splits that the work-items have found, with their values. */
    GROUP_ARRAY(VALUE, found_values, TILE);
    GROUP_ARRAY(uint, found_splits, TILE);
    uint p = first + get_group_id(0);
    uint q = p + distance;
    uint row = get_local_id(0);
    uint i = p * TILE + row;
    uint low = row_splits[i];
    ulong tried = 0;
    if (row == 0) {
        shared_count[0] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 0; step < 2 * TILE - 1; ++step) {
        /* Wraps before the row's first step. */
        uint column = step + row - (TILE - 1);
        uint j = q * TILE + column;
        int is_cell = column < TILE && i < j && j < points;
        int has_splits = is_cell && j > i + 1;
        VALUE best = ZERO;
        uint split = i;
        if (has_splits) {
            uint below = row + 1 < TILE ? latest[(step + 1) % 2][row + 1] : column_splits[j];
            /* Whatever a faulty device has written, reads stay in the table. */
            low = clamp(low, i + 1, j - 1);
            uint high = clamp(below, low, j - 1);
            tried += high + 1 - low;
            if (high - low >= KNUTH_ALONE) {
                uint place = atomic_inc(&shared_count[step % 2]);
                shared_rows[place] = row;
                shared_bounds[place] = (uint2)(low, high);
            } else {
                interval_try(cells, i, j, low, high, 1, &best, &split);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint count = shared_count[step % 2];
        if (row == 0) {
            shared_count[(step + 1) % 2] = 0;
        }
        for (uint place = 0; place < count; ++place) {
            uint shared_row = shared_rows[place];
            uint2 bounds = shared_bounds[place];
            uint from = p * TILE + shared_row;
            uint to = q * TILE + step + shared_row - (TILE - 1);
            VALUE value;
            uint value_split;
            interval_try(cells, from, to, bounds.x + row, bounds.y, TILE, &value, &value_split);
            found_values[row] = value;
            found_splits[row] = value_split;
            interval_best_of_group(found_values, found_splits, row);
            if (row == shared_row) {
                best = found_values[0];
                split = found_splits[0];
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (is_cell) {
            VALUE cost = weight(weights, numbers, padded, points, i, j);
            cells[PLACE(i, j)] = has_splits ? ADD(best, cost) : cost;
            latest[step % 2][row] = split;
            low = has_splits ? split : j;
            if (row == 0) {
                column_splits[j] = split;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
    row_splits[i] = low;
    looked_at[i] += tried;
}
#endif

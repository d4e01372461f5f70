/* Tables of the multidimensional knapsack, see src/multidimensional_knapsack/dense.rs. A cell of
 * `target` is the largest profit for a vector of capacities if one more item than in `source` may
 * be taken. Only the cells of a window are needed, and filled: those from some capacity on in every
 * dimension. Cells with the same capacities in all dimensions but the last are a row.
 *
 * `sizes` holds the number of capacities of each dimension. `items` holds for each item its weights
 * and then the first capacities of its window.
 *
 * A work-item fills a column of 32 rows of the window and packs their decisions into one word, the
 * bit of a row is 1 if the item is taken there. Neighbouring work-items fill neighbouring cells.
 *
 * Defines: CELL_BYTES, 2, 4 or 8, the size of a profit; DIMENSIONS. */

#if CELL_BYTES == 8
typedef ulong cell_t;
#elif CELL_BYTES == 4
typedef uint cell_t;
#else
typedef ushort cell_t;
#endif

/* Dimensions in which rows differ. */
#define LEADING (DIMENSIONS - 1)

/* Fills one item, for the columns from number `first` on. */
kernel void multidimensional_knapsack_item(global const cell_t *source,
    global cell_t *target,
    global const uint *sizes,
    global const uint *items,
    uint item,
    ulong profit,
    ulong first,
    ulong columns,
    global uint *decisions,
    ulong decisions_first)
{
    ulong column = first + get_global_id(0);
    if (column >= columns) {
        return;
    }
    global const uint *weights = items + (size_t)item * (2 * DIMENSIONS);
    global const uint *low = weights + DIMENSIONS;
    uint size = sizes[LEADING];
    uint width = size - low[LEADING];
    uint cell = low[LEADING] + (uint)(column % width);
    ulong number = column / width * 32;
    uint at[DIMENSIONS];
    /* The row, and how many rows before it the item reads. */
    ulong row = 0;
    ulong back = 0;
    ulong below = 1;
    for (int d = LEADING - 1; d >= 0; --d) {
        uint span = sizes[d] - low[d];
        at[d] = low[d] + (uint)(number % span);
        number /= span;
        row += at[d] * below;
        back += weights[d] * below;
        below *= sizes[d];
    }
    ulong distance = back * size + weights[LEADING];
    uint word = 0;
    bool is_over = false;
    for (uint k = 0; k < 32 && !is_over; ++k) {
        ulong c = row * size + cell;
        cell_t best = source[c];
        bool fits = cell >= weights[LEADING];
        for (int d = 0; d < LEADING; ++d) {
            fits = fits && at[d] >= weights[d];
        }
        if (fits) {
            cell_t other = source[c - distance] + (cell_t)profit;
            word |= (uint)(other > best) << k;
            best = max(best, other);
        }
        target[c] = best;
        /* The next row of the window. */
        ++row;
        is_over = true;
        below = 1;
        for (int d = LEADING - 1; d >= 0 && is_over; --d) {
            is_over = ++at[d] == sizes[d];
            if (is_over) {
                at[d] = low[d];
                row += low[d] * below;
                below *= sizes[d];
            }
        }
    }
    decisions[decisions_first + column] = word;
}

/* Goes back over an item from the cell `at`: by one work-item. `taken` gets 1 if the item is taken,
 * 0 if it is not, and 2 if the cell is not in the window. */
kernel void multidimensional_knapsack_back(global const uint *sizes,
    global const uint *items,
    uint item,
    global const uint *decisions,
    ulong decisions_first,
    global uint *at,
    global uchar *taken)
{
    global const uint *weights = items + (size_t)item * (2 * DIMENSIONS);
    global const uint *low = weights + DIMENSIONS;
    ulong number = 0;
    bool is_inside = true;
    bool fits = true;
    for (int d = 0; d < DIMENSIONS; ++d) {
        is_inside = is_inside && at[d] >= low[d] && at[d] < sizes[d];
        fits = fits && at[d] >= weights[d];
        if (d < LEADING) {
            number = number * (sizes[d] - low[d]) + (at[d] - low[d]);
        }
    }
    uchar found = is_inside ? 0 : 2;
    if (is_inside && fits) {
        uint width = sizes[LEADING] - low[LEADING];
        ulong column = number / 32 * width + (at[LEADING] - low[LEADING]);
        found = decisions[decisions_first + column] >> number % 32 & 1;
    }
    if (found == 1) {
        for (int d = 0; d < DIMENSIONS; ++d) {
            at[d] -= weights[d];
        }
    }
    taken[item] = found;
}

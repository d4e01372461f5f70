/* The tiled engine: tiles of TILE x TILE cells. A work-group of GROUP = (TILE / BLOCK)^2 items
 * computes a tile, each item BLOCK x BLOCK cells in registers. Products of tiles use local memory
 * in panels of PANEL splits. */

#define SIDE (TILE / BLOCK)
#define GROUP (SIDE * SIDE)

/* Solves the tiles on the diagonal from tile `first` on, one for each work-group, by their
 * diagonals of cells. */
kernel void interval_diagonal(global VALUE *cells,
    global const VALUE *weights,
    global const VALUE *numbers,
    uint padded,
    uint points,
    uint first)
{
    uint p = first + get_group_id(0);
    uint begin = p * TILE;
    global VALUE *tile = cells + TILE_PLACE(p, p);
    for (uint length = 1; length < TILE; ++length) {
        for (uint row = get_local_id(0); row + length < TILE; row += get_local_size(0)) {
            uint i = begin + row;
            uint j = i + length;
            uint column = row + length;
            VALUE left = row_factor(numbers, padded, i);
            VALUE sum = ZERO;
            for (uint split = row + 1; split < column; ++split) {
                uint k = begin + split;
                VALUE parts = TIMES(tile[row * TILE + split], tile[split * TILE + column]);
                VALUE value = THROUGH(parts, left, factor(numbers, padded, k, j), i, k, j);
                sum = PLUS(sum, value);
            }
            VALUE cost = weight(weights, numbers, padded, points, i, j);
            tile[row * TILE + column] =
                length == 1 ? cost : FINISHED(sum, cost, tile[(row + 1) * TILE + column - 1], i, j);
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

/* The product works on words of one cell, or of two 16-bit cells if the device computes two at once
 * and splits cost nothing. */
#if CELL == CELL_U16 && TERMS == TERMS_NONE && defined(INLINE_PTX)
#define PER_WORD 2
typedef uint WORD;
#define SPREAD(value) ((WORD)(value) | (WORD)(value) << 16)
static WORD word_add(WORD a, WORD b)
{
    WORD sum;
    asm("add.u16x2 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
    return sum;
}
static WORD word_min(WORD a, WORD b)
{
    WORD least;
    asm("min.u16x2 %0, %1, %2;" : "=r"(least) : "r"(a), "r"(b));
    return least;
}
static WORD word_max(WORD a, WORD b)
{
    WORD most;
    asm("max.u16x2 %0, %1, %2;" : "=r"(most) : "r"(a), "r"(b));
    return most;
}
#if RING == RING_MIN_PLUS
#define WORD_PLUS(a, b) word_min(a, b)
#define WORD_TIMES(a, b) word_add(a, b)
#elif RING == RING_MAX_PLUS
#define WORD_PLUS(a, b) word_max(a, b)
#define WORD_TIMES(a, b) word_add(a, b)
#else
#define WORD_PLUS(a, b) word_max(a, b)
#define WORD_TIMES(a, b) word_min(a, b)
#endif
#else
#define PER_WORD 1
typedef VALUE WORD;
#define SPREAD(value) (value)
#define WORD_PLUS(a, b) PLUS(a, b)
#define WORD_TIMES(a, b) TIMES(a, b)
#endif

/* An item's columns, in words: separate chunks of 16 bytes, so that neighbouring items read
 * neighbouring banks. */
#define WORDS (BLOCK / PER_WORD)
#define TILE_WORDS (TILE / PER_WORD)
#define WORD_BYTES \
    (CELL == CELL_I64 || CELL == CELL_F64 ? 8 : (CELL == CELL_U16 && PER_WORD == 1 ? 2 : 4))
#define BANK_WORDS (16 / WORD_BYTES)
#define CHUNK (WORDS < BANK_WORDS ? WORDS : BANK_WORDS)
#define WORD_OF(word) ((word) / CHUNK * (SIDE * CHUNK) + column * CHUNK + (word) % CHUNK)
/* Rows of a panel of left parts end with a gap, so that transposing it spreads over the banks. */
#define LEFT_STRIDE (TILE + 16 / sizeof(WORD))
#define LEFT_LOADS (TILE * PANEL / GROUP)
#define RIGHT_LOADS (TILE_WORDS * PANEL / GROUP)
#define PANELS (TILE / PANEL)
typedef WORD left_panel[PANEL * LEFT_STRIDE] __attribute__((aligned(16)));
typedef WORD right_panel[PANEL * TILE_WORDS] __attribute__((aligned(16)));

/* Adds to the tiles (p, p + distance) the products that the latest diagonal of tiles, at distance
 * `latest`, has made possible: those through the tiles p + latest and q - latest. Of each diagonal
 * the device has the tiles between the shares `low` and `high` of SHARES. Work-group (x, y) has the
 * tile first + x of these, at distance = distance_first + y. The first product of a tile starts
 * from zero. */
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void interval_products(
    global VALUE *cells,
    global const VALUE *numbers,
    uint padded,
    uint points,
    uint latest,
    uint distance_first,
    uint first,
    uint tiles,
    uint low,
    uint high GROUP_ARRAYS)
{
    TAKE_PART(group_arrays);
    GROUP_ARRAY(left_panel, left, 2);
    GROUP_ARRAY(right_panel, right, 2);
    uint distance = distance_first + get_group_id(1);
    uint on_diagonal = tiles - distance;
    uint p = on_diagonal * low / SHARES + first + get_group_id(0);
    uint q = p + distance;
    if (p >= on_diagonal * high / SHARES) {
        return;
    }
    uint item = get_local_id(0);
    uint column = item % SIDE;
    uint row = item / SIDE * BLOCK;
    global WORD *target = (global WORD *)(cells + TILE_PLACE(p, q));

    WORD sums[BLOCK][WORDS];
    int begins = distance + 1 >= 2 * latest;
#pragma unroll
    for (uint r = 0; r < BLOCK; ++r) {
#pragma unroll
        for (uint word = 0; word < WORDS; ++word) {
            sums[r][word] = begins ? SPREAD(ZERO) : target[(row + r) * TILE_WORDS + WORD_OF(word)];
        }
    }
#if TERMS == TERMS_PRODUCT
    VALUE row_factors[BLOCK];
    VALUE rights[WORDS];
#pragma unroll
    for (uint r = 0; r < BLOCK; ++r) {
        row_factors[r] = NUMBER(LEFT, p * TILE + row + r);
        rights[r] = NUMBER(RIGHT, q * TILE + WORD_OF(r));
    }
#endif

    VALUE next_left[LEFT_LOADS];
    WORD next_right[RIGHT_LOADS];
    uint panels = distance == 2 * latest ? PANELS : 2 * PANELS;
    for (uint panel = 0; panel <= panels; ++panel) {
        if (panel < panels) {
            uint via = panel < PANELS ? p + latest : q - latest;
            uint first = panel % PANELS * PANEL;
            global const VALUE *a = cells + TILE_PLACE(p, via);
            global const WORD *b = (global const WORD *)(cells + TILE_PLACE(via, q));
#pragma unroll
            for (uint load = 0; load < LEFT_LOADS; ++load) {
                uint place = load * GROUP + item;
                next_left[load] = a[place / PANEL * TILE + first + place % PANEL];
            }
#pragma unroll
            for (uint load = 0; load < RIGHT_LOADS; ++load) {
                next_right[load] = b[first * TILE_WORDS + load * GROUP + item];
            }
        }
        if (panel > 0) {
            uint now = (panel - 1) % 2;
#if TERMS != TERMS_NONE
            uint via = panel - 1 < PANELS ? p + latest : q - latest;
            uint k = via * TILE + (panel - 1) % PANELS * PANEL;
#endif
#pragma unroll PANEL_UNROLL
            for (uint step = 0; step < PANEL; ++step) {
                WORD a[BLOCK];
                WORD b[WORDS];
#pragma unroll
                for (uint r = 0; r < BLOCK; ++r) {
                    a[r] = left[now][step * LEFT_STRIDE + row + r];
                }
#pragma unroll
                for (uint word = 0; word < WORDS; ++word) {
                    b[word] = right[now][step * TILE_WORDS + WORD_OF(word)];
                }
#if TERMS == TERMS_PRODUCT
                VALUE factors[WORDS];
                VALUE at_split = NUMBER(SPLIT, k + step);
#pragma unroll
                for (uint word = 0; word < WORDS; ++word) {
                    factors[word] = MULTIPLY(at_split, rights[word]);
                }
#endif
#pragma unroll
                for (uint r = 0; r < BLOCK; ++r) {
#pragma unroll
                    for (uint word = 0; word < WORDS; ++word) {
#if TERMS == TERMS_PRODUCT && CELL < CELL_F32
                        /* In this order, which for whole numbers gives the same result, devices
                         * fuse the last sum with the minimum. */
                        WORD value =
                            ADD(MULTIPLY_ADD(row_factors[r], factors[word], a[r]), b[word]);
#else
                        WORD parts = WORD_TIMES(a[r], b[word]);
                        WORD value = THROUGH(parts, row_factors[r], factors[word],
                            p * TILE + row + r, k + step, q * TILE + WORD_OF(word));
#endif
                        sums[r][word] = WORD_PLUS(sums[r][word], value);
                    }
                }
            }
        }
        if (panel < panels) {
            uint next = panel % 2;
#pragma unroll
            for (uint load = 0; load < LEFT_LOADS; ++load) {
                uint place = load * GROUP + item;
                left[next][place % PANEL * LEFT_STRIDE + place / PANEL] = SPREAD(next_left[load]);
            }
#pragma unroll
            for (uint load = 0; load < RIGHT_LOADS; ++load) {
                right[next][load * GROUP + item] = next_right[load];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

#pragma unroll
    for (uint r = 0; r < BLOCK; ++r) {
#pragma unroll
        for (uint word = 0; word < WORDS; ++word) {
            target[(row + r) * TILE_WORDS + WORD_OF(word)] = sums[r][word];
        }
    }
}

/* Writes an item's block to its tile. */
static void write_block(global VALUE *tile, VALUE cells[BLOCK][BLOCK], uint row, uint column)
{
#pragma unroll
    for (uint r = 0; r < BLOCK; ++r) {
#pragma unroll
        for (uint c = 0; c < BLOCK; ++c) {
            tile[(row + r) * TILE + column + c] = cells[r][c];
        }
    }
}

/* One block for each row of blocks. */
typedef VALUE solved_blocks[SIDE][BLOCK * BLOCK] __attribute__((aligned(16)));

/* What a solved block is shown by. */
#if COSTS == COSTS_ENCLOSING
#define SOLVED_FENCE (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#else
#define SOLVED_FENCE CLK_LOCAL_MEM_FENCE
#endif

/* Solves the tiles (p, p + distance) from p = first on, one for each work-group, which have the
 * products of all tiles in between. The remaining splits lie within the diagonal tiles (p, p) and
 * (q, q), where cells depend on cells of their own tile. The items' blocks are solved one
 * antidiagonal after the other, from the lower left on. A solved block is shared with all items;
 * those further right in its row and further up in its column use it. */
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void interval_fringe(global VALUE *cells,
    global const VALUE *weights,
    global const VALUE *numbers,
    uint padded,
    uint points,
    uint distance,
    uint first GROUP_ARRAYS)
{
    TAKE_PART(group_arrays);
    /* The solved blocks of each row of blocks, and the same transposed. */
    GROUP_ARRAY(solved_blocks, solved, 2);
    GROUP_ARRAY(solved_blocks, turned, 2);
    uint p = first + get_group_id(0);
    uint q = p + distance;
    uint item = get_local_id(0);
    uint across = item % SIDE;
    uint down = item / SIDE;
    uint row = down * BLOCK;
    uint column = across * BLOCK;
    uint i_first = p * TILE + row;
    uint j_first = q * TILE + column;
    global VALUE *target = cells + TILE_PLACE(p, q);
    global const VALUE *rows = cells + TILE_PLACE(p, p);
    global const VALUE *columns = cells + TILE_PLACE(q, q);

    VALUE sums[BLOCK][BLOCK];
#if TERMS == TERMS_PRODUCT
    VALUE row_factors[BLOCK];
    VALUE rights[BLOCK];
#define AT_SPLIT(k) NUMBER(SPLIT, k)
#define SHARED(at_split, c) MULTIPLY(at_split, rights[c])
#else
#define AT_SPLIT(k) ONE
#define SHARED(at_split, c) ONE
#endif
#pragma unroll
    for (uint r = 0; r < BLOCK; ++r) {
#if TERMS == TERMS_PRODUCT
        row_factors[r] = NUMBER(LEFT, i_first + r);
        rights[r] = NUMBER(RIGHT, j_first + r);
#endif
#pragma unroll
        for (uint c = 0; c < BLOCK; ++c) {
            sums[r][c] = distance == 1 ? ZERO : target[(row + r) * TILE + column + c];
        }
    }

#if COSTS == COSTS_ENCLOSING
    /* Read before the turns, since all items wait for the one whose turn it is. */
    VALUE costs[BLOCK][BLOCK];
#pragma unroll
    for (uint r = 0; r < BLOCK; ++r) {
#pragma unroll
        for (uint c = 0; c < BLOCK; ++c) {
            costs[r][c] = weight(weights, numbers, padded, points, i_first + r, j_first + c);
        }
    }
#define COST(r, c) costs[r][c]
/* Cells at the lower and the left edge of a block enclose those of other blocks. These are in the
 * table as soon as their block is solved. */
#define ENCLOSED(r, c) \
    ((r) + 1 < BLOCK && (c) > 0 ? sums[((r) + 1) % BLOCK][((c) + BLOCK - 1) % BLOCK] \
                                : cells[PLACE(i_first + (r) + 1, j_first + (c) - 1)])
#else
/* Fewer registers are faster here. */
#define COST(r, c) weight(weights, numbers, padded, points, i_first + (r), j_first + (c))
#define ENCLOSED(r, c) ONE
#endif

    uint turn = SIDE - 1 - down + across;
    for (uint step = 0; step < 2 * SIDE - 1; ++step) {
        if (step == turn) {
#pragma unroll TURN_UNROLL
            for (int r = BLOCK - 1; r >= 0; --r) {
                uint i = i_first + r;
                VALUE at_row = AT_SPLIT(i);
#pragma unroll
                for (int c = 0; c < BLOCK; ++c) {
                    uint j = j_first + c;
                    VALUE at_column = AT_SPLIT(j);
                    VALUE cost = COST(r, c);
                    VALUE value =
                        j == i + 1 ? cost : FINISHED(sums[r][c], cost, ENCLOSED(r, c), i, j);
                    sums[r][c] = value;
                    solved[step % 2][down][r * BLOCK + c] = value;
                    turned[step % 2][down][c * BLOCK + r] = value;
/* The new cell is the left part of cells further right, split at j. */
#pragma unroll
                    for (int further = 0; further < BLOCK; ++further) {
                        if (further > c) {
                            VALUE parts =
                                TIMES(value, columns[(column + c) * TILE + column + further]);
                            VALUE shared = SHARED(at_column, further);
                            VALUE through =
                                THROUGH(parts, row_factors[r], shared, i, j, j_first + further);
                            sums[r][further] = PLUS(sums[r][further], through);
                        }
                    }
/* It is also the right part of cells further up, split at i. */
#pragma unroll
                    for (int further = 0; further < BLOCK; ++further) {
                        if (further < r) {
                            VALUE parts = TIMES(rows[(row + further) * TILE + row + r], value);
                            VALUE shared = SHARED(at_row, c);
                            VALUE through = THROUGH(
                                parts, row_factors[further], shared, i_first + further, i, j);
                            sums[further][c] = PLUS(sums[further][c], through);
                        }
                    }
                }
            }
#if COSTS == COSTS_ENCLOSING
            write_block(target, sums, row, column);
#endif
        }
        barrier(SOLVED_FENCE);
        if (step < turn) {
            /* The newly solved block of this row, if its column is in the tile. */
            int new_across = (int)step - (int)(SIDE - 1 - down);
            if (new_across >= 0) {
#pragma unroll FRINGE_UNROLL
                for (uint s = 0; s < BLOCK; ++s) {
                    uint split = new_across * BLOCK + s;
                    uint k = q * TILE + split;
                    VALUE at_split = AT_SPLIT(k);
                    VALUE a[BLOCK];
#pragma unroll
                    for (uint r = 0; r < BLOCK; ++r) {
                        a[r] = turned[step % 2][down][s * BLOCK + r];
                    }
#pragma unroll
                    for (uint c = 0; c < BLOCK; ++c) {
                        VALUE b = columns[split * TILE + column + c];
                        VALUE shared = SHARED(at_split, c);
#pragma unroll
                        for (uint r = 0; r < BLOCK; ++r) {
                            VALUE parts = TIMES(a[r], b);
                            VALUE value =
                                THROUGH(parts, row_factors[r], shared, i_first + r, k, j_first + c);
                            sums[r][c] = PLUS(sums[r][c], value);
                        }
                    }
                }
            }
            /* The newly solved block of this column, if its row is in the tile. */
            int new_down = SIDE - 1 - ((int)step - (int)across);
            if (new_down < SIDE) {
#pragma unroll FRINGE_UNROLL
                for (uint s = 0; s < BLOCK; ++s) {
                    uint split = new_down * BLOCK + s;
                    uint k = p * TILE + split;
                    VALUE at_split = AT_SPLIT(k);
                    VALUE a[BLOCK];
#pragma unroll
                    for (uint r = 0; r < BLOCK; ++r) {
                        a[r] = rows[(row + r) * TILE + split];
                    }
#pragma unroll
                    for (uint c = 0; c < BLOCK; ++c) {
                        VALUE b = solved[step % 2][new_down][s * BLOCK + c];
                        VALUE shared = SHARED(at_split, c);
#pragma unroll
                        for (uint r = 0; r < BLOCK; ++r) {
                            VALUE parts = TIMES(a[r], b);
                            VALUE value =
                                THROUGH(parts, row_factors[r], shared, i_first + r, k, j_first + c);
                            sums[r][c] = PLUS(sums[r][c], value);
                        }
                    }
                }
            }
        }
    }

#if COSTS != COSTS_ENCLOSING
    write_block(target, sums, row, column);
#endif
}

/* Copies tiles of a diagonal, (p, p + distance) from p = first on, one for each work-group, to the
 * list `tiles` of the whole diagonal. */
kernel void interval_pack(global const VALUE *cells, uint distance, uint first, global VALUE *tiles)
{
    uint p = first + get_group_id(0);
    global const VALUE *from = cells + TILE_PLACE(p, p + distance);
    global VALUE *to = tiles + (ulong)p * (TILE * TILE);
    for (uint cell = get_local_id(0); cell < TILE * TILE; cell += get_local_size(0)) {
        to[cell] = from[cell];
    }
}

/* Copies tiles of a diagonal from the list to the table, like interval_pack the other way. */
kernel void interval_unpack(
    global VALUE *cells, uint distance, uint first, global const VALUE *tiles)
{
    uint p = first + get_group_id(0);
    global VALUE *to = cells + TILE_PLACE(p, p + distance);
    global const VALUE *from = tiles + (ulong)p * (TILE * TILE);
    for (uint cell = get_local_id(0); cell < TILE * TILE; cell += get_local_size(0)) {
        to[cell] = from[cell];
    }
}

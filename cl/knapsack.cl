/* Rows of the dense knapsack table, src/knapsack/dense/mod.rs: cell c of `target` is the most profit that capacity c
 * holds when some more items than those of `source` may be taken, or a word of bits that say which sums can be
 * reached. What lies below the first cell is not there.
 *
 * Defines: CELL_BYTES, 4 or 8, of a profit; GROUP, work-items of a work-group; EACH, cells of a work-item in the fused
 * kernels, so that GROUP * EACH of them are in local memory; PAIR_EACH the same of the others; SUM_EACH, words. */

#if CELL_BYTES == 8
typedef long cell_t;
#else
typedef int cell_t;
#endif

/* Two items of any weight. A weight of `cells` stands for no item. */
__kernel void knapsack_pair(
    __global const cell_t *source,
    __global cell_t *target,
    ulong cells,
    ulong first,
    ulong weight_a,
    ulong profit_a,
    ulong weight_b,
    ulong profit_b)
{
    ulong base = first + get_group_id(0) * (ulong)(GROUP * PAIR_EACH) + get_local_id(0);
#pragma unroll
    for (uint k = 0; k < PAIR_EACH; ++k) {
        ulong c = base + k * GROUP;
        if (c < cells) {
            cell_t best = source[c];
            if (c >= weight_a) {
                best = max(best, source[c - weight_a] + (cell_t)profit_a);
            }
            if (c >= weight_b) {
                best = max(best, source[c - weight_b] + (cell_t)profit_b);
            }
            if (c >= weight_a + weight_b) {
                best = max(best, source[c - weight_a - weight_b] + (cell_t)(profit_a + profit_b));
            }
            target[c] = best;
        }
    }
}

/* Several items whose weights have a sum of `halo`, two at a time. A group reads the cells from `halo` below its first
 * one on into local memory; with every item as many more of them as it weighs are no longer right. `items` holds
 * weight and profit of each; an odd number is filled up by one that is too heavy. */
__kernel void knapsack_fused(
    __global const cell_t *source,
    __global cell_t *target,
    ulong cells,
    ulong first,
    __global const ulong2 *items,
    uint items_first,
    uint items_end,
    uint halo,
    __local cell_t *local_cells)
{
    int lane = get_local_id(0);
    long low = (long)(first + get_group_id(0) * (ulong)(GROUP * EACH - halo)) - halo;
    /* Cell x of local memory has min(x, x + low) cells below it that are there. */
    int missing = low < 0 ? (int)-low : 0;
    cell_t own[EACH];
#pragma unroll
    for (uint k = 0; k < EACH; ++k) {
        long c = low + k * GROUP + lane;
        own[k] = c >= 0 && c < (long)cells ? source[c] : 0;
    }
    for (uint i = items_first; i < items_end; i += 2) {
#pragma unroll
        for (uint k = 0; k < EACH; ++k) {
            local_cells[k * GROUP + lane] = own[k];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int weight_a = (int)items[i].x;
        int weight_b = (int)items[i + 1].x;
        cell_t profit_a = (cell_t)items[i].y;
        cell_t profit_b = (cell_t)items[i + 1].y;
#pragma unroll
        for (uint k = 0; k < EACH; ++k) {
            int x = k * GROUP + lane;
            int there = x - missing;
            if (there >= weight_a) {
                own[k] = max(own[k], local_cells[x - weight_a] + profit_a);
            }
            if (there >= weight_b) {
                own[k] = max(own[k], local_cells[x - weight_b] + profit_b);
            }
            if (there >= weight_a + weight_b) {
                own[k] = max(own[k], local_cells[x - weight_a - weight_b] + profit_a + profit_b);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#pragma unroll
    for (uint k = 0; k < EACH; ++k) {
        uint x = k * GROUP + lane;
        long c = low + x;
        if (x >= halo && c < (long)cells) {
            target[c] = own[k];
        }
    }
}

/* Bits 32 * i .. 32 * i + 31, moved up by `weight`, of words that begin with word 0. */
static uint moved_global(__global const uint *words, ulong i, ulong weight)
{
    ulong far = weight >> 5;
    uint shift = weight & 31;
    uint high = i >= far ? words[i - far] : 0;
    uint low = i > far ? words[i - far - 1] : 0;
    return high << shift | low >> 1 >> (31 - shift);
}

static uint moved_local(__local const uint *words, int i, int weight)
{
    int far = weight >> 5;
    uint shift = weight & 31;
    uint high = i >= far ? words[i - far] : 0;
    uint low = i > far ? words[i - far - 1] : 0;
    return high << shift | low >> 1 >> (31 - shift);
}

/* knapsack_pair for bits: `cells` is a number of words, no item a weight of so many words' bits. */
__kernel void knapsack_sums_pair(
    __global const uint *source,
    __global uint *target,
    ulong cells,
    ulong first,
    ulong weight_a,
    ulong weight_b)
{
    ulong base = first + get_group_id(0) * (ulong)(GROUP * PAIR_EACH) + get_local_id(0);
#pragma unroll
    for (uint k = 0; k < PAIR_EACH; ++k) {
        ulong i = base + k * GROUP;
        if (i < cells) {
            target[i] = source[i] | moved_global(source, i, weight_a) | moved_global(source, i, weight_b)
                        | moved_global(source, i, weight_a + weight_b);
        }
    }
}

/* knapsack_fused for bits, one item at a time: `halo` is a number of words, and an item makes the words wrong that it
 * moves over and one more. Words that are not there are 0. */
__kernel void knapsack_sums_fused(
    __global const uint *source,
    __global uint *target,
    ulong cells,
    ulong first,
    __global const ulong2 *items,
    uint items_first,
    uint items_end,
    uint halo,
    __local uint *local_words)
{
    int lane = get_local_id(0);
    long low = (long)(first + get_group_id(0) * (ulong)(GROUP * SUM_EACH - halo)) - halo;
    uint own[SUM_EACH];
#pragma unroll
    for (uint k = 0; k < SUM_EACH; ++k) {
        long c = low + k * GROUP + lane;
        own[k] = c >= 0 && c < (long)cells ? source[c] : 0;
    }
    for (uint i = items_first; i < items_end; ++i) {
#pragma unroll
        for (uint k = 0; k < SUM_EACH; ++k) {
            local_words[k * GROUP + lane] = own[k];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int weight = (int)items[i].x;
#pragma unroll
        for (uint k = 0; k < SUM_EACH; ++k) {
            own[k] |= moved_local(local_words, k * GROUP + lane, weight);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#pragma unroll
    for (uint k = 0; k < SUM_EACH; ++k) {
        uint x = k * GROUP + lane;
        long c = low + x;
        if (x >= halo && c < (long)cells) {
            target[c] = own[k];
        }
    }
}

/* Copies `count` words from word `first` on. */
__kernel void knapsack_window(__global const uint *source, __global uint *target, ulong first, ulong count)
{
    ulong i = get_global_id(0);
    if (i < count) {
        target[i] = source[first + i];
    }
}

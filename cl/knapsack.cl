/* Rows of the dense knapsack table, see src/knapsack/dense/mod.rs. Cell c of `target` is the
 * largest profit for capacity c if some more items than those of `source` may be taken, or a word
 * of bits, one for each reachable sum. Cells below the first one count as missing.
 *
 * `items` holds weight and profit of each item. Padding items at the end of a launch are too heavy
 * for any cell. Work-groups are numbered from `group_first` on.
 *
 * Defines:
 * - CELL_BYTES: 4 or 8, the size of a profit;
 * - GROUP: work-items of a work-group;
 * - EACH: cells of a work-item in the fused kernels, so that local memory holds GROUP * EACH of
 *   them;
 * - QUAD_EACH: cells of a work-item in the other kernels;
 * - SUM_GROUP, SUM_EACH and SUM_QUAD_EACH: the same for words of bits;
 * - SUMS: 1 for the kernels of bits, 0 for those of profits;
 * - KEEP: the kernels of profits also write decisions, for every cell and item one bit that is 1 if
 *   the item is taken after all earlier ones. A work-item packs the bits of its cells into one
 *   word, QUAD_EACH cells of four items or EACH cells of two. */

#if SUMS
typedef uint cell_t;
#elif CELL_BYTES == 8
typedef long cell_t;
#else
typedef int cell_t;
#endif

#ifdef KEEP
#define DECISIONS , global uint *decisions, ulong decisions_first, uint groups
#else
#define DECISIONS
#endif

#if !SUMS
/* The largest profit of cell c after some of four items. If all of them fit, no weight needs to be
 * compared. */
static cell_t after_one(global const cell_t *source, ulong c, ulong2 a, bool fits, uint *taken)
{
    cell_t kept = source[c];
    if (fits || c >= a.x) {
        cell_t other = source[c - a.x] + (cell_t)a.y;
        *taken |= other > kept;
        return max(kept, other);
    }
    return kept;
}

static cell_t after_two(
    global const cell_t *source, ulong c, ulong2 a, ulong2 b, bool fits, uint *taken)
{
    uint ignored = 0;
    cell_t kept = after_one(source, c, a, fits, taken);
    if (fits || c >= b.x) {
        cell_t other = after_one(source, c - b.x, a, fits, &ignored) + (cell_t)b.y;
        *taken |= (uint)(other > kept) << 1;
        return max(kept, other);
    }
    return kept;
}

static cell_t after_three(
    global const cell_t *source, ulong c, ulong2 a, ulong2 b, ulong2 d, bool fits, uint *taken)
{
    uint ignored = 0;
    cell_t kept = after_two(source, c, a, b, fits, taken);
    if (fits || c >= d.x) {
        cell_t other = after_two(source, c - d.x, a, b, fits, &ignored) + (cell_t)d.y;
        *taken |= (uint)(other > kept) << 2;
        return max(kept, other);
    }
    return kept;
}

static cell_t after_four(
    global const cell_t *source, ulong c, global const ulong2 *items, bool fits, uint *taken)
{
    uint ignored = 0;
    cell_t kept = after_three(source, c, items[0], items[1], items[2], fits, taken);
    if (fits || c >= items[3].x) {
        cell_t other =
            after_three(source, c - items[3].x, items[0], items[1], items[2], fits, &ignored)
            + (cell_t)items[3].y;
        *taken |= (uint)(other > kept) << 3;
        return max(kept, other);
    }
    return kept;
}

/* Four items of any weight. Fastest if the weights are similar, since then the cells read are close
 * together. */
kernel void knapsack_quad(global const cell_t *source,
    global cell_t *target,
    ulong cells,
    ulong group_first,
    global const ulong2 *items,
    uint items_first DECISIONS)
{
    ulong group = group_first + get_group_id(0);
    ulong base = group * (ulong)(GROUP * QUAD_EACH) + get_local_id(0);
    items += items_first;
    ulong all = items[0].x + items[1].x + items[2].x + items[3].x;
    uint bits = 0;
#pragma unroll 2
    for (uint k = 0; k < QUAD_EACH; ++k) {
        ulong c = base + k * GROUP;
        if (c < cells) {
            uint taken = 0;
            target[c] = c >= all ? after_four(source, c, items, true, &taken)
                                 : after_four(source, c, items, false, &taken);
            bits |= taken << 4 * k;
        }
    }
#ifdef KEEP
    decisions[decisions_first + group * GROUP + get_local_id(0)] = bits;
#endif
}

/* Several items with a sum of weights of `halo`, two at a time. A group reads the cells from `halo`
 * below its first one on into local memory. Each item makes as many of them wrong as its weight,
 * from the lowest on. */
kernel void knapsack_fused(global const cell_t *source,
    global cell_t *target,
    ulong cells,
    ulong group_first,
    global const ulong2 *items,
    uint items_first,
    uint items_end,
    uint halo,
    local cell_t *local_cells DECISIONS)
{
    TAKE_PART(local_cells);
    int lane = get_local_id(0);
    ulong group = group_first + get_group_id(0);
    long low = (long)(group * (ulong)(GROUP * EACH - halo)) - halo;
    /* For cell x of local memory, min(x, x + low) cells exist below it. */
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
        uint bits = 0;
#pragma unroll
        for (uint k = 0; k < EACH; ++k) {
            int x = k * GROUP + lane;
            int there = x - missing;
            if (there >= weight_a) {
                cell_t other = local_cells[x - weight_a] + profit_a;
                bits |= (uint)(other > own[k]) << 2 * k;
                own[k] = max(own[k], other);
            }
            if (there >= weight_b) {
                cell_t other = local_cells[x - weight_b];
                if (there >= weight_a + weight_b) {
                    other = max(other, local_cells[x - weight_a - weight_b] + profit_a);
                }
                other += profit_b;
                bits |= (uint)(other > own[k]) << 2 * k + 1;
                own[k] = max(own[k], other);
            }
        }
#ifdef KEEP
        decisions[decisions_first + ((ulong)((i - items_first) / 2) * groups + group) * GROUP
            + lane] = bits;
#endif
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

/* Traceback through the items of one launch with KEEP, the last one first: moves the cell `state`
 * to the cell before these items. `together` items are packed into a word of the cells of a
 * work-item. Wrong decisions, or a cell beyond `last`, never lead to a cell outside the table. */
kernel void knapsack_traceback(global const uint *decisions,
    ulong decisions_first,
    uint groups,
    global const ulong2 *items,
    uint items_first,
    uint items_end,
    uint span,
    uint halo,
    uint together,
    ulong last,
    global ulong *state,
    global uchar *taken)
{
    ulong c = min(*state, last);
    for (uint i = items_end; i-- > items_first;) {
        uint index = i - items_first;
        ulong group = c / (span - halo);
        uint x = (uint)(c % (span - halo)) + halo;
        uint word = decisions[decisions_first + ((ulong)(index / together) * groups + group) * GROUP
            + x % GROUP];
        uint bit = word >> (x / GROUP * together + index % together) & 1;
        taken[i] = (uchar)bit;
        ulong weight = bit ? items[i].x : 0;
        c -= weight <= c ? weight : 0;
    }
    *state = c;
}

#else

/* A word of bits shifted up by up to 31, with bits from the word below it. */
static uint moved(uint high, uint low, uint shift)
{
    return (uint)(upsample(high, low) << shift >> 32);
}

/* knapsack_quad for bits: `cells` is a number of words. The sum of weights of each choice of items
 * is computed once for all words of a work-item, so that each word only takes loads and shifts. */
kernel void knapsack_sums_quad(global const cell_t *source,
    global cell_t *target,
    ulong cells,
    ulong group_first,
    global const ulong2 *items,
    uint items_first DECISIONS)
{
    ulong first = (group_first + get_group_id(0)) * (ulong)(SUM_GROUP * SUM_QUAD_EACH);
    ulong base = first + get_local_id(0);
    /* The lighter items come first, so that those that fit are the first ones. */
    ulong weights[4];
    ulong all = 0;
    uint choices = 1;
    for (uint item = 0; item < 4; ++item) {
        weights[item] = items[items_first + item].x;
        if (weights[item] >> 5 < cells) {
            all += weights[item];
            choices *= 2;
        }
    }
    /* Whether all the group's words exist, and all words that they read. */
    bool inside = first > all >> 5 && first + SUM_GROUP * SUM_QUAD_EACH <= cells;
    uint own[SUM_QUAD_EACH];
#pragma unroll
    for (uint k = 0; k < SUM_QUAD_EACH; ++k) {
        own[k] = base + k * SUM_GROUP < cells ? source[base + k * SUM_GROUP] : 0;
    }
    for (uint choice = 1; choice < choices; ++choice) {
        ulong weight = 0;
#pragma unroll
        for (uint item = 0; item < 4; ++item) {
            weight += choice >> item & 1 ? weights[item] : 0;
        }
        ulong far = weight >> 5;
        uint shift = weight & 31;
        if (inside) {
            global const cell_t *from = source + (base - far);
#pragma unroll
            for (int k = 0; k < SUM_QUAD_EACH; ++k) {
                own[k] |= moved(from[k * SUM_GROUP], from[k * SUM_GROUP - 1], shift);
            }
        } else {
#pragma unroll
            for (uint k = 0; k < SUM_QUAD_EACH; ++k) {
                ulong i = base + k * SUM_GROUP;
                if (i >= far && i < cells) {
                    own[k] |= moved(source[i - far], i > far ? source[i - far - 1] : 0, shift);
                }
            }
        }
    }
#pragma unroll
    for (uint k = 0; k < SUM_QUAD_EACH; ++k) {
        if (base + k * SUM_GROUP < cells) {
            target[base + k * SUM_GROUP] = own[k];
        }
    }
}

/* knapsack_fused for bits, one item at a time: `halo` is a number of words. A work-item has
 * SUM_EACH neighbouring words, so that one load from local memory serves two of them. Their number
 * is odd, so that the loads of a group use different banks. An item makes those words wrong that it
 * shifts past, one more, and the words of a work-item that lacks some of them, SUM_EACH - 1 in
 * total. Missing words are 0. */
kernel void knapsack_sums_fused(global const cell_t *source,
    global cell_t *target,
    ulong cells,
    ulong group_first,
    global const ulong2 *items,
    uint items_first,
    uint items_end,
    uint halo,
    local cell_t *local_cells DECISIONS)
{
    TAKE_PART(local_cells);
    int lane = get_local_id(0);
    int mine = lane * SUM_EACH;
    long low =
        (long)((group_first + get_group_id(0)) * (ulong)(SUM_GROUP * SUM_EACH - halo)) - halo;
#pragma unroll
    for (uint k = 0; k < SUM_EACH; ++k) {
        int x = k * SUM_GROUP + lane;
        local_cells[x] = low + x >= 0 && low + x < (long)cells ? source[low + x] : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint own[SUM_EACH];
#pragma unroll
    for (uint k = 0; k < SUM_EACH; ++k) {
        own[k] = local_cells[mine + k];
    }
    for (uint i = items_first; i < items_end; ++i) {
        uint weight = (uint)items[i].x;
        uint shift = weight & 31;
        int from = mine - (int)(weight >> 5);
        if (from > 0) {
            uint below = local_cells[from - 1];
#pragma unroll
            for (uint k = 0; k < SUM_EACH; ++k) {
                uint here = local_cells[from + k];
                own[k] |= moved(here, below, shift);
                below = here;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (from > 0) {
#pragma unroll
            for (uint k = 0; k < SUM_EACH; ++k) {
                local_cells[mine + k] = own[k];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#pragma unroll
    for (uint k = 0; k < SUM_EACH; ++k) {
        uint x = k * SUM_GROUP + lane;
        long c = low + x;
        if (x >= halo && c < (long)cells) {
            target[c] = local_cells[x];
        }
    }
}

#endif

/* Copies `count` cells or words from number `first` on. */
kernel void knapsack_window(
    global const cell_t *source, global cell_t *target, ulong first, ulong count)
{
    ulong i = get_global_id(0);
    if (i < count) {
        target[i] = source[first + i];
    }
}

/* Many small knapsacks with the same weights, see src/knapsack/batch/mod.rs. A work-group fills one
 * table after the other in local memory and traces its solution back.
 *
 * Defines: CELL_BYTES, 4 or 8, the size of a profit; GROUP, work-items of a work-group; EACH, cells
 * of a work-item, at most 16. */

#if CELL_BYTES == 8
typedef long cell_t;
#else
typedef int cell_t;
#endif

/* Weight of no bundle: too heavy for any cell, and its sum with a weight fits into 32 bits. */
#define NO_WEIGHT (1 << 30)

/* `profits` holds those of all bundles of each instance; `weights` is the same for all instances.
 * `decisions` has space for one instance of each group: for two bundles and the cells of a
 * work-item one word, whose bits 2 k and 2 k + 1 for cell k are 1 if they are taken. `values` gets
 * the largest profit of each instance, `taken` one bit for each bundle. */
kernel void knapsack_batch(global const cell_t *profits,
    global const int *weights,
    uint bundles,
    uint cells,
    uint instances_first,
    uint instances_end,
    global uint *decisions,
    global cell_t *values,
    global uint *taken,
    local cell_t *local_cells)
{
    TAKE_PART(local_cells);
    int lane = get_local_id(0);
    decisions += get_group_id(0) * (size_t)((bundles + 1) / 2 * GROUP);
    for (uint instance = instances_first + get_group_id(0); instance < instances_end;
        instance += get_num_groups(0)) {
        global const cell_t *own_profits = profits + instance * (size_t)bundles;
        cell_t own[EACH];
#pragma unroll
        for (uint k = 0; k < EACH; ++k) {
            own[k] = 0;
        }
        for (uint i = 0; i < bundles; i += 2) {
            bool two = i + 1 < bundles;
            int weight_a = weights[i];
            int weight_b = two ? weights[i + 1] : NO_WEIGHT;
            cell_t profit_a = own_profits[i];
            cell_t profit_b = two ? own_profits[i + 1] : 0;
#pragma unroll
            for (uint k = 0; k < EACH; ++k) {
                local_cells[k * GROUP + lane] = own[k];
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            uint bits = 0;
#pragma unroll
            for (uint k = 0; k < EACH; ++k) {
                int c = k * GROUP + lane;
                if (c >= weight_a) {
                    cell_t other = local_cells[c - weight_a] + profit_a;
                    bits |= (uint)(other > own[k]) << 2 * k;
                    own[k] = max(own[k], other);
                }
                if (c >= weight_b) {
                    cell_t other = local_cells[c - weight_b];
                    if (c >= weight_a + weight_b) {
                        other = max(other, local_cells[c - weight_a - weight_b] + profit_a);
                    }
                    other += profit_b;
                    bits |= (uint)(other > own[k]) << 2 * k + 1;
                    own[k] = max(own[k], other);
                }
            }
            decisions[i / 2 * GROUP + lane] = bits;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
#pragma unroll
        for (uint k = 0; k < EACH; ++k) {
            if (k * GROUP + lane == cells - 1) {
                values[instance] = own[k];
            }
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (lane == 0) {
            uint words = (bundles + 31) / 32;
            uint c = cells - 1;
            uint word = 0;
            for (uint i = bundles; i-- > 0;) {
                uint bit = decisions[i / 2 * GROUP + c % GROUP] >> (c / GROUP * 2 + i % 2) & 1;
                word |= bit << i % 32;
                c -= bit ? weights[i] : 0;
                if (i % 32 == 0) {
                    taken[instance * (size_t)words + i / 32] = word;
                    word = 0;
                }
            }
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

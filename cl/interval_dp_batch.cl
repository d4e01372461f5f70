/* Many small tables: work-group g solves instance g, of sizes[g] points up to `padded`, in its
 * local memory. `numbers` holds the lists of one instance after those of another. The value of the
 * last cell is written to `values`. If the value is that of one tree, splits[g * padded + k] gets
 * the cell that is split at point k, with its last point in the upper byte. */
kernel void interval_batch(global const VALUE *numbers,
    uint padded,
    global const uint *sizes,
    global VALUE *values,
    global ushort *splits,
    local VALUE *cells,
    local uchar *places)
{
    TAKE_PART(cells);
    TAKE_PART(places);
    uint group = get_group_id(0);
    uint lane = get_local_id(0);
    uint lanes = get_local_size(0);
    uint points = sizes[group];
    numbers += (ulong)group * LISTS * padded;
    splits += (ulong)group * padded;
    for (uint length = 1; length < points; ++length) {
        for (uint i = lane; i + length < points; i += lanes) {
            uint j = i + length;
            VALUE row = row_factor(numbers, padded, i);
            VALUE best = ZERO;
            uint split = i;
            for (uint k = i + 1; k < j; ++k) {
                VALUE parts = TIMES(cells[i * padded + k], cells[k * padded + j]);
                VALUE value = THROUGH(parts, row, factor(numbers, padded, k, j), i, k, j);
#if SELECTS
                if (k == i + 1 || (value != best && PLUS(value, best) == value)) {
                    best = value;
                    split = k;
                }
#else
                best = PLUS(best, value);
#endif
            }
            VALUE cost = weight(numbers, numbers, padded, points, i, j);
            cells[i * padded + j] = length == 1 ? cost : TIMES(best, cost);
            places[i * padded + j] = (uchar)split;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane == 0) {
        values[group] = cells[points - 1];
    }
#if SELECTS
    /* A cell is split at one point. Each item finds the cells of its own points: cell (i, j)
     * belongs to the tree if the path from the root to the point passes it. */
    for (uint point = 1 + lane; point + 1 < points; point += lanes) {
        uint i = 0;
        uint j = points - 1;
        uint split = places[j];
        while (split != point) {
            if (split < point) {
                i = split;
            } else {
                j = split;
            }
            split = places[i * padded + j];
        }
        splits[point] = (ushort)(i | j << 8);
    }
#endif
}

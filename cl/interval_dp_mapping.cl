/* The mappings of Diwan and Tembhurne (2019): one launch for each phase, which solves the `count`
 * cells (i, i + length) in a square table. */

/* The sum over the splits first .. end - 1 in steps. */
static VALUE sum_of(global const VALUE *cells,
    global const VALUE *numbers,
    uint padded,
    uint points,
    uint i,
    uint j,
    uint first,
    uint end,
    uint step)
{
    VALUE row = row_factor(numbers, padded, i);
    VALUE sum = ZERO;
    for (uint k = first; k < end; k += step) {
        VALUE parts = TIMES(cells[PLACE(i, k)], cells[PLACE(k, j)]);
        VALUE value = THROUGH(parts, row, factor(numbers, padded, k, j), i, k, j);
        sum = PLUS(sum, value);
    }
    return sum;
}

static VALUE cell_of(VALUE sum,
    global const VALUE *weights,
    global const VALUE *numbers,
    uint padded,
    uint points,
    uint i,
    uint j)
{
    VALUE cost = weight(weights, numbers, padded, points, i, j);
    return j == i + 1 ? cost : TIMES(sum, cost);
}

/* The sum over a work-group's own values. All its items call it, and the first one gets the
 * result. */
static VALUE group_sum(VALUE mine, local VALUE *values)
{
    uint lane = get_local_id(0);
    uint active = get_local_size(0);
    values[lane] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    while (active > 1) {
        uint half_up = (active + 1) / 2;
        if (lane + half_up < active) {
            values[lane] = PLUS(values[lane], values[lane + half_up]);
        }
        active = half_up;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    VALUE sum = values[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum;
}

/* One item for one cell, or for several. */
kernel void interval_mapping_items(global VALUE *cells,
    global const VALUE *weights,
    global const VALUE *numbers,
    uint padded,
    uint points,
    uint length,
    uint count)
{
    for (uint i = get_global_id(0); i < count; i += get_global_size(0)) {
        uint j = i + length;
        VALUE sum = sum_of(cells, numbers, padded, points, i, j, i + 1, j, 1);
        cells[PLACE(i, j)] = cell_of(sum, weights, numbers, padded, points, i, j);
    }
}

/* One work-group for a cell. */
kernel void interval_mapping_groups(global VALUE *cells,
    global const VALUE *weights,
    global const VALUE *numbers,
    uint padded,
    uint points,
    uint length,
    uint count,
    local VALUE *values)
{
    TAKE_PART(values);
    for (uint i = get_group_id(0); i < count; i += get_num_groups(0)) {
        uint j = i + length;
        uint lane = get_local_id(0);
        VALUE mine =
            sum_of(cells, numbers, padded, points, i, j, i + 1 + lane, j, get_local_size(0));
        VALUE sum = group_sum(mine, values);
        if (lane == 0) {
            cells[PLACE(i, j)] = cell_of(sum, weights, numbers, padded, points, i, j);
        }
    }
}

/* `parts` work-groups for a cell, each with its own range of splits; the next kernel combines their
 * sums. */
kernel void interval_mapping_parts(global VALUE *cells,
    global const VALUE *weights,
    global const VALUE *numbers,
    uint padded,
    uint points,
    uint length,
    uint parts,
    global VALUE *sums,
    local VALUE *values)
{
    TAKE_PART(values);
    uint i = get_group_id(0) / parts;
    uint part = get_group_id(0) % parts;
    uint j = i + length;
    uint share = (length - 1 + parts - 1) / parts;
    uint first = i + 1 + part * share;
    uint lane = get_local_id(0);
    VALUE mine = sum_of(cells, numbers, padded, points, i, j, first + lane, min(j, first + share),
        get_local_size(0));
    VALUE sum = group_sum(mine, values);
    if (lane == 0) {
        sums[get_group_id(0)] = sum;
    }
}

kernel void interval_mapping_combine(global VALUE *cells,
    global const VALUE *weights,
    global const VALUE *numbers,
    uint padded,
    uint points,
    uint length,
    uint count,
    uint parts,
    global const VALUE *sums)
{
    uint i = get_global_id(0);
    if (i < count) {
        VALUE sum = ZERO;
        for (uint part = 0; part < parts; ++part) {
            sum = PLUS(sum, sums[i * parts + part]);
        }
        cells[PLACE(i, i + length)] = cell_of(sum, weights, numbers, padded, points, i, i + length);
    }
}

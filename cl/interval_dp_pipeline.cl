/* The recurrence as a pipeline over the diagonals of the table, one after the other. An element is
 * a cell of length 2 or more; in each step another one begins, and stage t takes split t of its
 * element. src/interval_dp/pipeline.rs explains the order of the splits. */

/* The elements that are shorter than `length`. */
static ulong shorter_than(uint length, uint points)
{
    return (ulong)(length - 2) * points - ((ulong)length * (length - 1) / 2 - 1);
}

/* The length of an element. */
static uint length_of(ulong element, uint points)
{
    uint least = 2, end = points;
    while (end - least > 1) {
        uint middle = least + (end - least) / 2;
        if (shorter_than(middle, points) <= element) {
            least = middle;
        } else {
            end = middle;
        }
    }
    return least;
}

/* Makes the steps first_step to end_step - 1, at least one. One work-group runs it. */
kernel void interval_pipeline(global VALUE *cells,
    global const VALUE *weights,
    global const VALUE *numbers,
    uint padded,
    uint points,
    ulong first_step,
    ulong end_step)
{
    ulong elements = shorter_than(points, points);
    for (ulong step = first_step; step < end_step; ++step) {
        /* All work-items make the same rounds, so that none leaves the loop early. */
        for (uint first = 0; first + 2 < points; first += get_local_size(0)) {
            uint stage = first + get_local_id(0);
            int has_element = stage + 2 < points && stage <= step && step - stage < elements;
            ulong element = has_element ? step - stage : 0;
            uint length = length_of(element, points);
            if (has_element && stage + 2 <= length) {
                uint i = (uint)(element - shorter_than(length, points)), j = i + length;
                uint left = length - 2 - stage, distance = left / 2 + 1;
                uint k = left % 2 == 0 ? i + distance : j - distance;
                VALUE through = sum_of(cells, numbers, padded, points, i, j, k, k + 1, 1);
                VALUE sum = stage == 0 ? through : PLUS(cells[PLACE(i, j)], through);
                cells[PLACE(i, j)] =
                    left == 0 ? cell_of(sum, weights, numbers, padded, points, i, j) : sum;
            }
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

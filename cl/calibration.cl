/* What a device takes for the operations that solvers consist of. Every kernel does a known number
 * of them and writes results that the host can compute as well. */

/* One launch after the other: each adds to the same number. */
kernel void calibration_launch(global uint *sum, uint step)
{
    if (get_global_id(0) == 0) {
        sum[0] += step;
    }
}

/* A round of eight pairs of an addition and a minimum, seven of them independent. Each minimum is
 * between two chains, so that no compiler can do several rounds in one. */
#define ADD_MIN_ROUNDS(number) \
    number a = (number)get_global_id(0), b = a + 7, c = a + 3, d = a + 11; \
    number e = a + 5, f = a + 2, g = a + 13, h = a + 1; \
    for (uint round = 0; round < rounds; round++) { \
        a = min(a + step, b); \
        b = min(b + step, c); \
        c = min(c + step, d); \
        d = min(d + step, e); \
        e = min(e + step, f); \
        f = min(f + step, g); \
        g = min(g + step, h); \
        h = min(h + step, a); \
    } \
    results[get_global_id(0)] = a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;

kernel void calibration_add_min(global uint *results, uint step, uint rounds){ADD_MIN_ROUNDS(uint)}

kernel void calibration_wide_add_min(global ulong *results, ulong step, uint rounds){
    ADD_MIN_ROUNDS(ulong)}

/* Reads and writes 16 bytes for each work-item. */
kernel void calibration_global(global const uint4 *source, global uint4 *target)
{
    size_t place = get_global_id(0);
    target[place] = source[place] + (uint)place;
}

/* Eight reads of local memory in each round, next to those of the neighbours. The work-items of a
 * group are a power of two. */
kernel void calibration_local(global uint *results, local uint *cells, uint rounds)
{
    TAKE_PART(cells);
    uint item = (uint)get_local_id(0);
    uint items = (uint)get_local_size(0);
    for (uint row = 0; row < 8; row++) {
        cells[row * items + item] = row * 16 + (item & 15);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = (uint)get_group_id(0);
    for (uint round = 0; round < rounds; round++) {
        uint place = (item + round) & (items - 1);
        sum += cells[place];
        sum ^= cells[place + items];
        sum += cells[place + 2 * items];
        sum ^= cells[place + 3 * items];
        sum += cells[place + 4 * items];
        sum ^= cells[place + 5 * items];
        sum += cells[place + 6 * items];
        sum ^= cells[place + 7 * items];
    }
    results[get_global_id(0)] = sum;
}

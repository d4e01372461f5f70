/* Tabu search for the permutation flow shop: moves by number, and the best of them.
 *
 * ATTRIBUTES       1 if a forbidden move that leads to a new best sequence is allowed, 0 if no forbidden one can */

#define BLOCK 32u

/* The first position of swap number `number`, counted row by row. */
uint swap_first(uint number, uint jobs)
{
    ulong from_end = (ulong)jobs * (jobs - 1) / 2 - 1 - number;
    long row = (long)((sqrt((float)(8 * from_end + 1)) - 1.0f) * 0.5f);
    /* The root is not exact. */
    while (row > 0 && (ulong)row * (row + 1) / 2 > from_end)
        row--;
    while ((ulong)(row + 1) * (row + 2) / 2 <= from_end)
        row++;
    return jobs - 2 - (uint)row;
}

uint swap_number(uint first, uint second, uint jobs)
{
    return (uint)((ulong)first * (2 * jobs - first - 1) / 2) + second - first - 1;
}

uint insertion_number(uint from, uint to, uint jobs)
{
    return (from / BLOCK * jobs + to) * BLOCK + from % BLOCK;
}

/* The position that a job of position `position` had before move `number`. */
uint before_swap(uint position, uint first, uint second)
{
    return position == first ? second : position == second ? first : position;
}

uint before_insertion(uint position, uint from, uint to)
{
    if (position == to)
        return from;
    if (from <= position && position < to)
        return position + 1;
    if (to < position && position <= from)
        return position - 1;
    return position;
}

/* Forbidden moves of a trajectory have to lead below this. */
uint goal(global const uint *bests, uint jobs)
{
#if ATTRIBUTES
    return bests[get_global_id(1) * (jobs + 1) + jobs];
#else
    return 0;
#endif
}

uint is_forbidden(global const uint *forbidden, uint count, uint number)
{
    for (uint i = 0; i < count; i++)
        if (forbidden[i] == number)
            return 1;
    return 0;
}

/* The least makespan of the group, and of those with it the least number. */
uint2 least(uint2 own, local uint2 *leasts)
{
    uint item = get_local_id(0);
    leasts[item] = own;
    for (uint span = get_local_size(0) / 2; span > 0; span /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < span) {
            uint2 other = leasts[item + span];
            if (other.x < leasts[item].x || (other.x == leasts[item].x && other.y < leasts[item].y))
                leasts[item] = other;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return leasts[0];
}

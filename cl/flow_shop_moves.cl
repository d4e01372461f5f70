/* Tabu search for the permutation flow shop: move indices, positions that are closed to insertions,
 * and the best move.
 *
 * BLOCK            jobs whose insertions at a position have adjacent move indices
 * ATTRIBUTES       1 if a forbidden move that leads to a new best sequence is allowed, 0 if no
 * forbidden one can */

/* No move. */
#define NO_MOVE ((ulong) - 1)

/* The row that contains a number, in a triangle with rows of one, two, three numbers and so on. */
uint triangle_row(ulong number)
{
    long row = (long)((sqrt((float)(8 * number + 1)) - 1.0f) * 0.5f);
    /* The square root is rounded. */
    while (row > 0 && (ulong)row * (row + 1) / 2 > number) {
        row--;
    }
    while ((ulong)(row + 1) * (row + 2) / 2 <= number) {
        row++;
    }
    return (uint)row;
}

/* The first position of the swap with index `number`, counted row by row. */
uint swap_first(uint number, uint jobs)
{
    return jobs - 2 - triangle_row((ulong)jobs * (jobs - 1) / 2 - 1 - number);
}

uint swap_number(uint first, uint second, uint jobs)
{
    return (uint)((ulong)first * (2 * jobs - first - 1) / 2) + second - first - 1;
}

uint insertion_number(uint from, uint to, uint jobs)
{
    return (from / BLOCK * jobs + to) * BLOCK + from % BLOCK;
}

/* The earlier position of the job now at `position`, before the jobs at `first` and `second` were
 * exchanged. */
uint before_swap(uint position, uint first, uint second)
{
    return position == first ? second : position == second ? first : position;
}

/* The same before the job at `from` moved to `to`. */
uint before_insertion(uint position, uint from, uint to)
{
    if (position == to) {
        return from;
    }
    if (from <= position && position < to) {
        return position + 1;
    }
    if (to < position && position <= from) {
        return position - 1;
    }
    return position;
}

/* The cutoff: a trajectory's forbidden moves must lead below this. */
uint cutoff(global const uint *bests, uint trajectory, uint jobs)
{
#if ATTRIBUTES
    return bests[(size_t)trajectory * (jobs + 1) + jobs];
#else
    return 0;
#endif
}

/* Compares with all entries, without an early exit, so that latencies overlap. */
uint is_forbidden(global const uint *forbidden, uint count, uint number)
{
    uint found = 0;
    for (uint i = 0; i < count; ++i) {
        found |= forbidden[i] == number;
    }
    return found;
}

/* The bits of word `word` for positions below `position`. */
uint bits_below(uint position, uint word)
{
    return position / 32 > word ? NONE : position / 32 < word ? 0 : (1u << position % 32) - 1;
}

/* Closes all positions but those after `removed` and before `stop`. */
void close_positions(local uint *closed, local uint *barred, uint words, uint removed, uint stop)
{
    for (uint word = get_local_id(0); word < words; word += get_local_size(0)) {
        barred[word] = 0;
        closed[word] = bits_below(removed + 1, word) | ~bits_below(stop, word);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Bars the positions to which the list forbids the job at `from` to move. In direction 1 they are
 * counted from the end. */
void bar_forbidden(local uint *barred,
    global const uint *forbidden,
    uint listed,
    uint jobs,
    uint positions,
    uint from,
    uint direction)
{
    for (uint i = get_local_id(0); i < listed; i += get_local_size(0)) {
        uint number = forbidden[i], row = number / BLOCK;
        if (number != NONE && row / jobs * BLOCK + number % BLOCK == from) {
            uint to = direction ? positions - 1 - row % jobs : row % jobs;
            atomic_or(&barred[to / 32], 1u << to % 32);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* A move and its makespan as one number; smaller numbers are better. On ties the smallest move
 * index is best. */
ulong ranked(uint makespan, uint number)
{
    return (ulong)makespan << 32 | number;
}

/* The best move of the group. */
ulong least(ulong own, local ulong *leasts)
{
    uint item = get_local_id(0);
    leasts[item] = own;
    for (uint span = get_local_size(0) / 2; span > 0; span /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < span) {
            leasts[item] = min(leasts[item], leasts[item + span]);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return leasts[0];
}

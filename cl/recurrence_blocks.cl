/* Blocks of elements that depend on each other: their history, and the recurrence's response to
 * it. */

#if SEMIRING != SUM_PRODUCT && SEMIRING != CUSTOM && !defined(ROWS)
/* For `count` elements from `first` on: the contributions of elements before `first`, and the
 * terms. */
kernel void recurrence_history(global const value_t *all,
    global value_t *history,
    SHARED,
    ulong first,
    uint count,
    uint block GROUP_ARRAYS)
{
    TAKE_PART(group_arrays);
    GROUP_ARRAY(entry_t, part, PLAN_PART);
    GROUP_ARRAY(partial_t, round, ROUND);
    global const value_t *table = TABLE;
    uint x = (uint)get_group_id(0) * ELEMENTS + PLACE;
    uint place = min(x, count - 1);
    index_t i = (index_t)first + place;
    partial_t partial = lift((value_t)ZERO);
    if (has_terms && SLICE == 0) {
        partial = term_of(terms, term_stride, i, preset);
    }
    for (uint base = 0; base < operands; base += PLAN_PART) {
        uint size = load_part(part, PLAN, base, operands);
        uint share = (size + SLICES - 1) / SLICES;
        uint end = min((SLICE + 1) * share, size);
#pragma unroll UNROLL
        for (uint j = SLICE * share; j < end && (index_t)part[j].x > place; ++j) {
            partial = merge(partial, weigh_((value_t)part[j].y, table[i - (index_t)part[j].x]));
        }
    }
    partial = meet(partial, round);
    if (x < count && SLICE == 0) {
        /* The result is not final: the finished element's range is checked instead. */
        int in_range = 1;
        history[INSTANCE * block + x] = finish(partial, &in_range);
    }
}

/* The elements of a block: its history combined with the recurrence's impulse response, which has
 * `block` values for each instance. */
kernel void recurrence_respond(global value_t *all,
    global const value_t *history,
    global const value_t *responses,
    global uint *out_of_range,
    ulong length,
    ulong response_stride,
    ulong first,
    uint count,
    uint block GROUP_ARRAYS)
{
    TAKE_PART(group_arrays);
    GROUP_ARRAY(partial_t, round, ROUND);
    uint x = (uint)get_group_id(0) * ELEMENTS + PLACE;
    uint place = min(x, count - 1);
    global const value_t *response = responses + INSTANCE * response_stride;
    global const value_t *source = history + INSTANCE * block + place;
    partial_t partial = lift((value_t)ZERO);
    uint share = (place + SLICES) / SLICES;
    uint end = min((SLICE + 1) * share, place + 1);
#pragma unroll UNROLL
    for (uint d = SLICE * share; d < end; ++d) {
        value_t weight = response[d];
#if SEMIRING == MIN_PLUS
        /* The sum of two unreachable values would overflow. */
        weight = weight == LIMIT * 8 ? LIMIT * 4 + LIMIT : weight;
#endif
        partial = merge(partial, weigh_(weight, source[-(int)d]));
    }
    partial = meet(partial, round);
    if (x < count && SLICE == 0) {
        int in_range = 1;
        TABLE[first + x] = finish(partial, &in_range);
        note_range(in_range, out_of_range);
    }
}
#endif

/* Elements that do not depend on each other take all their operands in one launch. */

/* If SLICES work-items share an element's operands, a group has get_local_size(0) / SLICES
 * elements. The first slice's item combines the results of all slices. This requires a commutative
 * operator with a neutral element. */
#define ELEMENTS ((uint)get_local_size(0) / SLICES)
#define PLACE ((uint)get_local_id(0) % ELEMENTS)
#define SLICE ((uint)get_local_id(0) / ELEMENTS)

/* Partial results of a work-group whose slices are combined. */
#if SLICES > 1
#define ROUND GROUP
#else
#define ROUND 1
#endif

static partial_t meet(partial_t partial, local partial_t *round)
{
#if SLICES > 1
    round[get_local_id(0)] = partial;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (SLICE == 0) {
        for (uint slice = 1; slice < SLICES; ++slice) {
            partial = merge(partial, round[slice * ELEMENTS + PLACE]);
        }
    }
#endif
    return partial;
}

/* Loads the plan's entries from `base` on, as many as there are and as fit; returns their
 * number. */
static uint load_part(local entry_t *part, global const entry_t *plan, uint base, uint operands)
{
    uint size = min((uint)PLAN_PART, operands - base);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint j = (uint)get_local_id(0); j < size; j += (uint)get_local_size(0)) {
        part[j] = plan[base + j];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return size;
}

/* Applies all operands to `count` elements from `first` on, which do not depend on each other. Each
 * work-item has OUTPUTS elements, a work-group's width apart, or SLICES work-items share an
 * element. The plan passes through local memory in parts. */
kernel void recurrence_gather(global value_t *all, SHARED, ulong first, ulong count GROUP_ARRAYS)
{
    TAKE_PART(group_arrays);
    GROUP_ARRAY(entry_t, part, PLAN_PART);
    GROUP_ARRAY(partial_t, round, ROUND);
    global value_t *table = TABLE;
    index_t begin = (index_t)get_group_id(0) * ELEMENTS * OUTPUTS + PLACE;
    partial_t partials[OUTPUTS];
    index_t at[OUTPUTS];
    for (uint r = 0; r < OUTPUTS; ++r) {
        /* Surplus work-items repeat the last element. */
        at[r] = (index_t)first + min(begin + r * ELEMENTS, (index_t)count - 1);
#if SLICES > 1
        partials[r] = lift((value_t)ZERO);
#endif
        if (has_terms && SLICE == 0) {
            partials[r] = term_of(terms, term_stride, at[r], preset);
        }
    }
    for (uint base = 0; base < operands; base += PLAN_PART) {
        uint size = load_part(part, PLAN, base, operands);
        uint share = (size + SLICES - 1) / SLICES;
        uint j = SLICE * share;
        uint end = min(j + share, size);
#if SLICES == 1
        if (base == 0 && !has_terms) {
            for (uint r = 0; r < OUTPUTS; ++r) {
                partials[r] = weigh_((value_t)part[0].y, table[at[r] - (index_t)part[0].x]);
            }
            j = 1;
        }
#endif
#pragma unroll UNROLL
        for (; j < end; ++j) {
            entry_t entry = part[j];
            for (uint r = 0; r < OUTPUTS; ++r) {
                partials[r] =
                    merge(partials[r], weigh_((value_t)entry.y, table[at[r] - (index_t)entry.x]));
            }
        }
    }
    /* With several slices there is one output. */
    partials[0] = meet(partials[0], round);
    if (SLICE > 0) {
        return;
    }
    int in_range = 1;
    for (uint r = 0; r < OUTPUTS; ++r) {
        if (begin + r * ELEMENTS < (index_t)count) {
            table[at[r]] = finish(partials[r], &in_range);
        }
    }
    note_range(in_range, out_of_range);
}

#ifdef RING
/* Fills the elements from `first` to `end`, at most `step` at a time, which do not depend on each
 * other. Each instance has one work-group. Its latest elements are in a ring in local memory, whose
 * size is a power of two and at least the largest offset plus one step. The plan is in local memory
 * too. A work-item has up to OUTPUTS elements of a step, a work-group's width apart. */
kernel void recurrence_ring(global value_t *all,
    SHARED,
    ulong first,
    ulong end,
    uint step,
    local entry_t *plan GROUP_ARRAYS)
{
    TAKE_PART(plan);
    TAKE_PART(group_arrays);
    GROUP_ARRAY(value_t, ring, RING);
    global value_t *table = TABLE;
    uint lane = (uint)get_local_id(0);
    uint lanes = (uint)get_local_size(0);
    for (uint j = lane; j < operands; j += lanes) {
        plan[j] = PLAN[j];
    }
    for (uint j = lane; j < (uint)preset; j += lanes) {
        ulong i = first - preset + j;
        ring[(uint)i & (RING - 1)] = table[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int in_range = 1;
    for (ulong head = first; head < end; head += step) {
        uint count = (uint)min((ulong)step, end - head);
        partial_t partials[OUTPUTS];
        if (lane < count) {
            uint at[OUTPUTS];
            uint j = 0;
            for (uint r = 0; r < OUTPUTS; ++r) {
                /* Surplus outputs repeat the last element. */
                uint offset = min(lane + r * lanes, count - 1);
                at[r] = (uint)head + offset;
                if (has_terms) {
                    partials[r] = term_of(terms, term_stride, head + offset, preset);
                } else {
                    partials[r] =
                        weigh_((value_t)plan[0].y, ring[(at[r] - (uint)plan[0].x) & (RING - 1)]);
                    j = 1;
                }
            }
#pragma unroll UNROLL
            for (; j < operands; ++j) {
                entry_t entry = plan[j];
                for (uint r = 0; r < OUTPUTS; ++r) {
                    value_t value = ring[(at[r] - (uint)entry.x) & (RING - 1)];
                    partials[r] = merge(partials[r], weigh_((value_t)entry.y, value));
                }
            }
        }
        for (uint r = 0; r < OUTPUTS; ++r) {
            uint offset = lane + r * lanes;
            if (offset < count) {
                value_t value = finish(partials[r], &in_range);
                ring[(uint)(head + offset) & (RING - 1)] = value;
                table[head + offset] = value;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    note_range(in_range, out_of_range);
}
#endif

/* Recurrences ST[i] = t_i (+) (w_0 (*) ST[i - a_0]) (+) ...; src/recurrence/ has the definitions.
 *
 * SEMIRING and WIDE name the arithmetic of src/recurrence/algebra.rs, WIDE_INDEX stands for tables of 2^32 elements and
 * more. The plan has an entry for each operand: an offset and a weight; with ROWS one for each row: its shift and its
 * gain. Several instances lie one after the other and are the second dimension of every launch. */

#define MIN_PLUS 0
#define SUM_PRODUCT 1
#define MODULAR 2
#define OR_AND 3
#define MAX_MIN 4
#define CUSTOM 5

#ifdef WIDE_INDEX
typedef ulong index_t;
#else
typedef uint index_t;
#endif

#if SEMIRING == MIN_PLUS && !defined(WIDE)
typedef int value_t;
#define LIMIT (1 << 27)
#elif SEMIRING == MODULAR
typedef uint value_t;
#else
typedef long value_t;
#define LIMIT (1L << 59)
#endif

#if SEMIRING == SUM_PRODUCT
typedef struct { ulong low; long high; } partial_t;
#elif SEMIRING == MODULAR
typedef ulong partial_t;
#else
typedef value_t partial_t;
#endif

#if defined(WIDE_INDEX) || (SEMIRING != MODULAR && !(SEMIRING == MIN_PLUS && !defined(WIDE)))
typedef ulong2 entry_t;
#else
typedef uint2 entry_t;
#endif

#if SEMIRING == MIN_PLUS

static partial_t weigh_(value_t weight, value_t value) { return weight + value; }
static partial_t merge(partial_t left, partial_t right) { return min(left, right); }
static partial_t lift(value_t value) { return value; }

static value_t finish(partial_t partial, int *in_range)
{
    int unreachable = partial >= LIMIT * 4;
    *in_range &= unreachable | ((partial <= LIMIT) & (partial >= -LIMIT));
    return unreachable ? LIMIT * 8 : partial;
}

#elif SEMIRING == SUM_PRODUCT

static partial_t weigh_(value_t weight, value_t value)
{
    partial_t product = {(ulong)weight * (ulong)value, mul_hi(weight, value)};
    return product;
}

static partial_t merge(partial_t left, partial_t right)
{
    partial_t sum = {left.low + right.low, left.high + right.high};
    sum.high += sum.low < left.low;
    return sum;
}

static partial_t lift(value_t value)
{
    partial_t partial = {(ulong)value, value >> 63};
    return partial;
}

static value_t finish(partial_t partial, int *in_range)
{
    *in_range &= partial.high == (long)partial.low >> 63;
    return (value_t)partial.low;
}

#elif SEMIRING == MODULAR

static partial_t weigh_(value_t weight, value_t value) { return (ulong)weight * value; }
static partial_t lift(value_t value) { return value; }

static partial_t merge(partial_t left, partial_t right)
{
    ulong sum = left + right;
    return min(sum, sum - (ulong)MODULUS * MODULUS);
}

static value_t finish(partial_t partial, int *in_range) { return (value_t)(partial % MODULUS); }

#else

static partial_t lift(value_t value) { return value; }
static value_t finish(partial_t partial, int *in_range) { return partial; }

#if SEMIRING == OR_AND
static partial_t weigh_(value_t weight, value_t value) { return weight & value; }
static partial_t merge(partial_t left, partial_t right) { return left | right; }
#elif SEMIRING == MAX_MIN
static partial_t weigh_(value_t weight, value_t value) { return min(weight, value); }
static partial_t merge(partial_t left, partial_t right) { return max(left, right); }
#else
#ifdef WEIGHTED
static partial_t weigh_(value_t weight, value_t value) { return weigh(weight, value); }
#else
static partial_t weigh_(value_t weight, value_t value) { return value; }
#endif
static partial_t merge(partial_t left, partial_t right) { return combine(left, right); }
#endif

#endif

/* Where an element's operand lies, and its weight; 0 if the element has no such operand. */
static int operand(__global const entry_t *plan, index_t i, uint j, index_t width, index_t *source, value_t *weight)
{
#ifdef ROWS
    entry_t row = plan[i / width - 1];
    *source = i - width;
    *weight = 0;
    if (j == 0) {
        *source -= (index_t)row.x;
        *weight = (value_t)row.y;
        return i % width >= (index_t)row.x;
    }
    return 1;
#else
    entry_t entry = plan[j];
    *source = i - (index_t)entry.x;
    *weight = (value_t)entry.y;
    return 1;
#endif
}

/* Merges the operands from `first` on up to `end` into an element. */
static partial_t take(
    __global const value_t *table,
    __global const entry_t *plan,
    index_t i,
    index_t width,
    uint first,
    uint end,
    int begin,
    partial_t partial)
{
    for (uint j = first; j < end; ++j) {
        index_t source;
        value_t weight;
        if (operand(plan, i, j, width, &source, &weight)) {
            partial_t next = weigh_(weight, table[source]);
            partial = begin ? next : merge(partial, next);
            begin = 0;
        }
    }
#ifdef ROWS
    if (begin) {
        partial = lift(LIMIT * 8);
    }
#endif
    return partial;
}

#define INSTANCE ((size_t)get_global_id(1))

/* Where an element's operands are spread over SLICES work-items: a group has get_local_size(0) / SLICES elements. The
 * results of the slices meet in the first one's hands. That takes a commutative operator with a neutral element. */
#define ELEMENTS ((uint)get_local_size(0) / SLICES)
#define PLACE ((uint)get_local_id(0) % ELEMENTS)
#define SLICE ((uint)get_local_id(0) / ELEMENTS)

#if SLICES > 1
static partial_t meet(partial_t partial, __local partial_t *round)
{
    round[get_local_id(0)] = partial;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (SLICE == 0) {
        for (uint slice = 1; slice < SLICES; ++slice) {
            partial = merge(partial, round[slice * ELEMENTS + PLACE]);
        }
    }
    return partial;
}
#endif

/* All operands of `count` elements from `first` on, which do not depend on each other; OUTPUTS elements for each
 * work-item, a work-group's width apart, or an element for SLICES work-items. The plan goes through local memory in
 * parts. */
__kernel void recurrence_gather(
    __global value_t *all,
    __global const entry_t *plans,
    __global const value_t *all_terms,
    __global uint *out_of_range,
    ulong length,
    ulong plan_stride,
    ulong term_stride,
    uint has_terms,
    uint operands,
    ulong preset,
    ulong first,
    ulong count)
{
    __local entry_t part[PLAN_PART];
    __global value_t *table = all + INSTANCE * length;
    __global const entry_t *plan = plans + INSTANCE * plan_stride;
    uint lane = (uint)get_local_id(0);
    uint lanes = (uint)get_local_size(0);
    index_t begin = (index_t)get_group_id(0) * ELEMENTS * OUTPUTS + PLACE;
    partial_t partials[OUTPUTS];
    index_t at[OUTPUTS];
    for (uint r = 0; r < OUTPUTS; ++r) {
        /* Surplus work-items go along with the last element. */
        at[r] = (index_t)first + min(begin + r * ELEMENTS, (index_t)count - 1);
#if SLICES > 1
        partials[r] = lift((value_t)ZERO);
#endif
        if (has_terms && SLICE == 0) {
            partials[r] = lift(all_terms[INSTANCE * term_stride + at[r] - (index_t)preset]);
        }
    }
    for (uint base = 0; base < operands; base += PLAN_PART) {
        uint size = min((uint)PLAN_PART, operands - base);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint j = lane; j < size; j += lanes) {
            part[j] = plan[base + j];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
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
        #pragma unroll 8
        for (; j < end; ++j) {
            entry_t entry = part[j];
            for (uint r = 0; r < OUTPUTS; ++r) {
                partials[r] = merge(partials[r], weigh_((value_t)entry.y, table[at[r] - (index_t)entry.x]));
            }
        }
    }
#if SLICES > 1
    __local partial_t round[GROUP];
    partials[0] = meet(partials[0], round);
    if (SLICE > 0) {
        return;
    }
#endif
    int in_range = 1;
    for (uint r = 0; r < OUTPUTS; ++r) {
        if (begin + r * ELEMENTS < (index_t)count) {
            table[at[r]] = finish(partials[r], &in_range);
        }
    }
    if (!in_range) {
        *out_of_range = 1;
    }
}

/* Steps of a pipeline, as src/recurrence/schedule.rs explains it: in one step, every fold of elements that is under
 * way takes the operands of one stage. Partial results stand in `all_partials`, which may be the table itself. More
 * than one step at a time is for one work-group to each instance, which then waits for itself between them. */
__kernel void recurrence_pipeline(
    __global value_t *all,
    __global partial_t *all_partials,
    __global const entry_t *plans,
    __global const value_t *all_terms,
    __global uint *out_of_range,
    ulong length,
    ulong plan_stride,
    ulong term_stride,
    uint has_terms,
    uint operands,
    ulong preset,
    uint visit,
    ulong fold,
    uint stages,
    ulong step_first,
    ulong step_end)
{
    __global value_t *table = all + INSTANCE * length;
    __global partial_t *partials = all_partials + INSTANCE * length;
    __global const entry_t *plan = plans + INSTANCE * plan_stride;
    int in_range = 1;
    for (ulong step = step_first; step < step_end; ++step) {
        for (ulong thread = get_global_id(0); thread < fold * stages; thread += get_global_size(0)) {
            ulong stage = (thread | fold) <= UINT_MAX ? (uint)thread / (uint)fold : thread / fold;
            ulong i = preset + (step - stage) * fold + (thread - stage * fold);
            if (stage > step || i >= length) {
                continue;
            }
            partial_t partial = lift((value_t)0);
            if (stage > 0) {
                partial = partials[i];
            } else if (has_terms) {
                partial = lift(all_terms[INSTANCE * term_stride + i - preset]);
            }
            uint end = min((uint)(stage + 1) * visit, operands);
            int begin = stage == 0 && !has_terms;
            partial = take(table, plan, (index_t)i, (index_t)preset, (uint)stage * visit, end, begin, partial);
            if (end == operands) {
                table[i] = finish(partial, &in_range);
            } else {
                partials[i] = partial;
            }
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
    if (!in_range) {
        *out_of_range = 1;
    }
}

/* Elements from `first` on up to `end`, one after the other; one work-item to each instance. */
__kernel void recurrence_sequential(
    __global value_t *all,
    __global const entry_t *plans,
    __global const value_t *all_terms,
    __global uint *out_of_range,
    ulong length,
    ulong plan_stride,
    ulong term_stride,
    uint has_terms,
    uint operands,
    ulong preset,
    ulong first,
    ulong end)
{
    __global value_t *table = all + INSTANCE * length;
    int in_range = 1;
    for (ulong i = first; i < end; ++i) {
        partial_t partial = lift((value_t)0);
        if (has_terms) {
            partial = lift(all_terms[INSTANCE * term_stride + i - preset]);
        }
        partial = take(table, plans + INSTANCE * plan_stride, (index_t)i, (index_t)preset, 0, operands, !has_terms, partial);
        table[i] = finish(partial, &in_range);
    }
    if (!in_range) {
        *out_of_range = 1;
    }
}

/* The same, with the operands of each element dealt out to the work-items of a group in runs, and the runs' results
 * meeting in pairs; a run may be empty. */
__kernel void recurrence_tournament(
    __global value_t *all,
    __global const entry_t *plans,
    __global const value_t *all_terms,
    __global uint *out_of_range,
    ulong length,
    ulong plan_stride,
    ulong term_stride,
    uint has_terms,
    uint operands,
    ulong preset,
    ulong first,
    ulong end,
    __local partial_t *round)
{
    __global value_t *table = all + INSTANCE * length;
    uint lane = (uint)get_local_id(0);
    uint run = (operands + (uint)get_local_size(0) - 1) / (uint)get_local_size(0);
    uint lanes = (operands + run - 1) / run;
    int in_range = 1;
    for (ulong i = first; i < end; ++i) {
        if (lane < lanes) {
            uint last = min((lane + 1) * run, operands);
            round[lane] = take(
                table, plans + INSTANCE * plan_stride, (index_t)i, (index_t)preset, lane * run, last, 1, lift((value_t)0));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint stride = 1; stride < lanes; stride *= 2) {
            if (lane % (2 * stride) == 0 && lane + stride < lanes) {
                round[lane] = merge(round[lane], round[lane + stride]);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (lane == 0) {
            partial_t partial = round[0];
            if (has_terms) {
                partial = merge(lift(all_terms[INSTANCE * term_stride + i - preset]), partial);
            }
            table[i] = finish(partial, &in_range);
        }
        barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    }
    if (!in_range) {
        *out_of_range = 1;
    }
}

#ifdef RING
/* Elements from `first` on up to `end`, at most `step` at a time, which do not depend on each other; one work-group to
 * each instance. The last elements stand in a ring in local memory, whose size is a power of two and at least the
 * largest offset and one step; so does the plan. A work-item has up to OUTPUTS elements of a step, a work-group's width
 * apart. */
__kernel void recurrence_ring(
    __global value_t *all,
    __global const entry_t *plans,
    __global const value_t *all_terms,
    __global uint *out_of_range,
    ulong length,
    ulong plan_stride,
    ulong term_stride,
    uint has_terms,
    uint operands,
    ulong preset,
    ulong first,
    ulong end,
    uint step,
    __local entry_t *plan)
{
    __local value_t ring[RING];
    __global value_t *table = all + INSTANCE * length;
    uint lane = (uint)get_local_id(0);
    uint lanes = (uint)get_local_size(0);
    for (uint j = lane; j < operands; j += lanes) {
        plan[j] = plans[INSTANCE * plan_stride + j];
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
                /* Surplus outputs go along with the last element. */
                uint offset = min(lane + r * lanes, count - 1);
                at[r] = (uint)head + offset;
                if (has_terms) {
                    partials[r] = lift(all_terms[INSTANCE * term_stride + head + offset - preset]);
                } else {
                    partials[r] = weigh_((value_t)plan[0].y, ring[(at[r] - (uint)plan[0].x) & (RING - 1)]);
                    j = 1;
                }
            }
            #pragma unroll 8
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
    if (!in_range) {
        *out_of_range = 1;
    }
}
#endif

#if SEMIRING != SUM_PRODUCT && SEMIRING != CUSTOM && !defined(ROWS)
/* What `count` elements from `first` on take from the elements before `first`, and their terms. */
__kernel void recurrence_history(
    __global const value_t *all,
    __global const entry_t *plans,
    __global const value_t *all_terms,
    __global value_t *history,
    ulong length,
    ulong plan_stride,
    ulong term_stride,
    uint has_terms,
    uint operands,
    ulong preset,
    ulong first,
    uint count,
    uint block)
{
    __local entry_t part[PLAN_PART];
    __global const value_t *table = all + INSTANCE * length;
    __global const entry_t *plan = plans + INSTANCE * plan_stride;
    uint lane = (uint)get_local_id(0);
    uint lanes = (uint)get_local_size(0);
    uint x = (uint)get_group_id(0) * ELEMENTS + PLACE;
    uint place = min(x, count - 1);
    index_t i = (index_t)first + place;
    partial_t partial = lift((value_t)ZERO);
    if (has_terms && SLICE == 0) {
        partial = lift(all_terms[INSTANCE * term_stride + i - (index_t)preset]);
    }
    for (uint base = 0; base < operands; base += PLAN_PART) {
        uint size = min((uint)PLAN_PART, operands - base);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint j = lane; j < size; j += lanes) {
            part[j] = plan[base + j];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint share = (size + SLICES - 1) / SLICES;
        uint end = min((SLICE + 1) * share, size);
        #pragma unroll 8
        for (uint j = SLICE * share; j < end && (index_t)part[j].x > place; ++j) {
            partial = merge(partial, weigh_((value_t)part[j].y, table[i - (index_t)part[j].x]));
        }
    }
#if SLICES > 1
    __local partial_t round[GROUP];
    partial = meet(partial, round);
#endif
    if (x < count && SLICE == 0) {
        /* It is not final: whether it is in range, the element will tell. */
        int in_range = 1;
        history[INSTANCE * block + x] = finish(partial, &in_range);
    }
}

/* The elements of a block: its history answered by the recurrence's impulse response, which has `block` values for
 * each instance. */
__kernel void recurrence_respond(
    __global value_t *all,
    __global const value_t *history,
    __global const value_t *responses,
    __global uint *out_of_range,
    ulong length,
    ulong response_stride,
    ulong first,
    uint count,
    uint block)
{
    uint x = (uint)get_group_id(0) * ELEMENTS + PLACE;
    uint place = min(x, count - 1);
    __global const value_t *response = responses + INSTANCE * response_stride;
    __global const value_t *source = history + INSTANCE * block + place;
    partial_t partial = lift((value_t)ZERO);
    uint share = (place + SLICES) / SLICES;
    uint end = min((SLICE + 1) * share, place + 1);
    #pragma unroll 8
    for (uint d = SLICE * share; d < end; ++d) {
        value_t weight = response[d];
#if SEMIRING == MIN_PLUS
        /* Two unreachable values may not be added. */
        weight = weight == LIMIT * 8 ? LIMIT * 4 + LIMIT : weight;
#endif
        partial = merge(partial, weigh_(weight, source[-(int)d]));
    }
#if SLICES > 1
    __local partial_t round[GROUP];
    partial = meet(partial, round);
#endif
    if (x < count && SLICE == 0) {
        int in_range = 1;
        all[INSTANCE * length + first + x] = finish(partial, &in_range);
        if (!in_range) {
            *out_of_range = 1;
        }
    }
}
#endif

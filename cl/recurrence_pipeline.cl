/* The methods of the p-fold pipeline's source, operand by operand. */

/* Place and weight of an element's operand; returns 0 if the element has no such operand. */
static int operand(
    global const entry_t *plan, index_t i, uint j, index_t width, index_t *source, value_t *weight)
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

/* Merges the operands from `first` to `end` into an element. */
static partial_t take(global const value_t *table,
    global const entry_t *plan,
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

/* Steps of a pipeline, see src/recurrence/schedule.rs: in one step, every unfinished fold of
 * elements takes the operands of one stage. Partial results are in `all_partials`, which may be the
 * table itself. A launch of several steps has one work-group for each instance, with a barrier
 * between the steps. */
kernel void recurrence_pipeline(global value_t *all,
    global partial_t *all_partials,
    SHARED,
    uint visit,
    ulong fold,
    uint stages,
    ulong step_first,
    ulong step_end)
{
    global value_t *table = TABLE;
    global partial_t *partials = all_partials + INSTANCE * length;
    global const entry_t *plan = PLAN;
    int in_range = 1;
    for (ulong step = step_first; step < step_end; ++step) {
        for (ulong thread = get_global_id(0); thread < fold * stages;
            thread += get_global_size(0)) {
            ulong stage = (thread | fold) <= UINT_MAX ? (uint)thread / (uint)fold : thread / fold;
            ulong i = preset + (step - stage) * fold + (thread - stage * fold);
            if (stage > step || i >= length) {
                continue;
            }
            partial_t partial = lift((value_t)0);
            if (stage > 0) {
                partial = partials[i];
            } else if (has_terms) {
                partial = term_of(terms, term_stride, i, preset);
            }
            uint end = min((uint)(stage + 1) * visit, operands);
            int begin = stage == 0 && !has_terms;
            partial = take(
                table, plan, (index_t)i, (index_t)preset, (uint)stage * visit, end, begin, partial);
            if (end == operands) {
                table[i] = finish(partial, &in_range);
            } else {
                partials[i] = partial;
            }
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
    note_range(in_range, out_of_range);
}

/* An element by its definition, operand after operand. */
static value_t element(global const value_t *table,
    global const entry_t *plan,
    global const value_t *terms,
    ulong i,
    ulong term_stride,
    uint has_terms,
    uint operands,
    ulong preset,
    int *in_range)
{
    partial_t partial = lift((value_t)0);
    if (has_terms) {
        partial = term_of(terms, term_stride, i, preset);
    }
    partial = take(table, plan, (index_t)i, (index_t)preset, 0, operands, !has_terms, partial);
    return finish(partial, in_range);
}

/* Fills the elements from `first` to `end`, one after the other; one work-item for each
 * instance. */
kernel void recurrence_sequential(global value_t *all, SHARED, ulong first, ulong end)
{
    int in_range = 1;
    for (ulong i = first; i < end; ++i) {
        TABLE[i] =
            element(TABLE, PLAN, terms, i, term_stride, has_terms, operands, preset, &in_range);
    }
    note_range(in_range, out_of_range);
}

/* Checks samples of tables that are complete up to `end`: elements `stride` apart, and the last
 * one, each by a work-item. Writes to `different` the first element that differs from its
 * definition. */
kernel void recurrence_check(
    global const value_t *all, global uint *different, SHARED, ulong stride, ulong count, ulong end)
{
    ulong sample = get_global_id(0);
    if (sample < count) {
        int in_range = 1;
        ulong i = min(preset + sample * stride, end - 1);
        if (TABLE[i]
            != element(
                TABLE, PLAN, terms, i, term_stride, has_terms, operands, preset, &in_range)) {
            atomic_min(different, (uint)sample);
        }
    }
}

/* Fills the elements from `first` to `end`. The work-items of a group take runs of an element's
 * operands; the runs' results are merged in pairs. A run may be empty. */
kernel void recurrence_tournament(
    global value_t *all, SHARED, ulong first, ulong end, local partial_t *round)
{
    TAKE_PART(round);
    global value_t *table = TABLE;
    uint lane = (uint)get_local_id(0);
    uint run = (operands + (uint)get_local_size(0) - 1) / (uint)get_local_size(0);
    uint lanes = (operands + run - 1) / run;
    int in_range = 1;
    for (ulong i = first; i < end; ++i) {
        if (lane < lanes) {
            uint last = min((lane + 1) * run, operands);
            round[lane] = take(
                table, PLAN, (index_t)i, (index_t)preset, lane * run, last, 1, lift((value_t)0));
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
                partial = merge(term_of(terms, term_stride, i, preset), partial);
            }
            table[i] = finish(partial, &in_range);
        }
        barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    }
    note_range(in_range, out_of_range);
}

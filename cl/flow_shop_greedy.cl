/* Iterated greedy and tabu search for the flow shop with set-ups, release times, blocking and any
 * objective. In `flow_shop_greedy` a group searches one trajectory. It follows the CPU's search
 * step by step, with the same random numbers, so that both find the same sequences.
 *
 * MACHINES   number of machines
 * SETUPS     1 if there are set-ups
 * BLOCKING   1 if a job stays on a machine until the next one is free
 * RELEASES   1 if there are release times
 * STAGES     numbers of a sequence's value; 0 for the makespan alone
 * PLAN       1 if sequences are compared with a running plan
 * IDLE_TIES  1 if idle time decides between positions of one value, 0 if the makespan does
 * GROUP      work-items of a group, at least MACHINES
 * CHUNK      a number of jobs, at least MACHINES
 * TAKEN      jobs that an iteration removes
 *
 * A placement removes a job, evaluates all positions for it, and inserts it at the best one. For
 * the makespan, heads and tails give the value of each position. For other objectives, a work-item
 * continues the schedule behind the job.
 *
 * No barrier is behind a condition, and loops with barriers have at least one round: PoCL copies
 * the rest of a kernel for both cases of each condition. */

/* Machines are work-items. A job is on a machine one step after it is on the one before. With
 * blocking, the next job follows two steps later: it waits for a start on the next machine. */
#define LAG (1 + BLOCKING)
#define HAS_TAILS (STAGES == 0)
#define VALUES (HAS_TAILS ? 1 : STAGES)
/* Numbers by which positions are compared before the position itself. */
#define KEYS (VALUES + 1)
#define NO_JOB 0xffffffffu
#define NO_LIMIT 0xffffffffu
/* Numbers of a job's score: its due date, then for each stage what it adds. */
#define SCORE (1 + 4 * STAGES)
/* Jobs whose times a walk along the sequence loads together. While it walks along them, its last
 * machines are still at the jobs of the chunk before. */
#define RING (2 * CHUNK)

/* The rows of a trajectory's sequences. */
#define PRESENT 0
#define CURRENT 1
#define BEST 2
#define TURNS 3
#define SEQUENCES 4

/* An instance. */
typedef struct {
    global const uint *times, *releases, *front, *first_setups;
    global const uint *setups, *kinds;
    global const long *scores, *start, *tolerance;
    global const long *factors;
    /* By job, PLAN_WORDS numbers: see PLACE. Then the last pinned job. */
    global const uint *plan;
    uint kind_count, limit, last_pinned;
} shop;

/* A job's place in the running plan, its predecessor there, and how many pinned jobs it should
 * precede. */
#define PLACE 0
#define PLANNED_BEFORE 1
#define PINNED_INVERSIONS 2
/* The place and the predecessor of a job that is not in the plan. */
#define NO_PLACE 0xffffffffu
#define UNPLANNED 0xfffffffeu

/* The present sequence with its tables. Rows of tables by machine have `stride` numbers. Heads
 * begin at the first position, tails at the end of the sequence. */
typedef struct {
    local uint *order;
    uint count, stride, known_heads, known_tails;
    global uint *heads, *tails, *released;
    /* By stage, then the lateness: the score of the jobs before a position. */
    global long *scored;
    /* Inversions and new predecessors. */
    uint2 changes;
} sequence;

/* Memory of a group. */
typedef struct {
    local uint *times, *setups, *links;
    local long *keys;
    local uint *places;
} memory;

/* Random numbers by SplitMix64, as on the host. */
static ulong next_random(ulong *state)
{
    *state += 0x9e3779b97f4a7c15ul;
    ulong mixed = *state;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ul;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebul;
    return mixed ^ (mixed >> 31);
}

static uint below(ulong *state, uint end)
{
    return (uint)mul_hi(next_random(state), (ulong)end);
}

/* The set-up of a machine for a job behind another one, or behind the pinned jobs. */
static uint setup(const shop *s, uint before, uint job, uint machine)
{
#if SETUPS
    return before == NO_JOB
        ? s->first_setups[(size_t)job * MACHINES + machine]
        : s->setups[((size_t)s->kinds[before] * s->kind_count + s->kinds[job]) * MACHINES
              + machine];
#else
    return 0;
#endif
}

static uint release(const shop *s, uint job)
{
    return RELEASES ? s->releases[job] : 0;
}

/* Appends a job behind another one to the machines' free times, and returns when it ends. */
static uint append(const shop *s, uint before, uint job, uint *free)
{
    global const uint *times = s->times + (size_t)job * MACHINES;
    uint end = release(s, job);
    for (uint machine = 0; machine < MACHINES; ++machine) {
        uint start = max(free[machine] + setup(s, before, job, machine), end);
        end = start + times[machine];
        if (BLOCKING && machine > 0) {
            free[machine - 1] = start;
        }
        if (!BLOCKING || machine + 1 == MACHINES) {
            free[machine] = end;
        }
    }
    return end;
}

static uint job_before(const sequence *q, uint position)
{
    return position > 0 ? q->order[position - 1] : NO_JOB;
}

#if STAGES
/* Adds a job's score to the sums of the stages and the largest lateness. */
static void add_score(const shop *s, uint job, uint completion, long *sums)
{
    global const long *score = s->scores + (size_t)job * SCORE;
    long lateness = (long)completion - score[0];
    for (uint stage = 0; stage < STAGES; ++stage) {
        global const long *adds = score + 1 + 4 * stage;
        sums[stage] += adds[0] * completion - adds[1] + adds[2] * max(lateness, 0l)
            + (lateness > 0 ? adds[3] : 0);
    }
    sums[STAGES] = max(sums[STAGES], lateness);
}

/* The value of a stage. */
static long value_of(const shop *s, const long *sums, uint end, uint2 changes, uint stage)
{
    long value = sums[stage] + s->factors[stage] * end + s->factors[STAGES + stage] * sums[STAGES];
#if PLAN
    value +=
        s->factors[2 * STAGES + stage] * changes.x + s->factors[3 * STAGES + stage] * changes.y;
#endif
    return value;
}
#endif

#if PLAN
/* Whether the running plan has two jobs in the opposite order. */
static uint is_inverted(const shop *s, uint earlier, uint later)
{
    uint first = s->plan[earlier * PLAN_WORDS + PLACE];
    uint second = s->plan[later * PLAN_WORDS + PLACE];
    return first != NO_PLACE && second != NO_PLACE && first > second;
}

/* Whether a job does not follow its predecessor in the running plan. */
static uint is_new(const shop *s, uint before, uint job)
{
    uint planned = s->plan[job * PLAN_WORDS + PLANNED_BEFORE];
    return planned != UNPLANNED && planned != before;
}
#endif

/* The inversions and new predecessors that a job adds at a position. */
static uint2 added_changes(const shop *s, const sequence *q, uint job, uint position)
{
    uint2 added = (uint2)(0, 0);
#if PLAN
    added.x = s->plan[job * PLAN_WORDS + PINNED_INVERSIONS];
    for (uint place = 0; place < q->count; ++place) {
        uint other = q->order[place];
        added.x += place < position ? is_inverted(s, other, job) : is_inverted(s, job, other);
    }
    uint before = position > 0 ? q->order[position - 1] : s->last_pinned;
    added.y = is_new(s, before, job);
    if (position < q->count) {
        uint next = q->order[position];
        added.y += is_new(s, job, next) - is_new(s, before, next);
    }
#endif
    return added;
}

/* Loads the times and set-ups of the next CHUNK jobs into the ring of a walk. The first `done` jobs
 * of a walk are in the sequence already. A walk from the end has the set-ups behind each job. */
static void load(
    const shop *s, const sequence *q, memory *m, uint done, uint first, uint jobs, uint from_end)
{
    uint end = min(first + CHUNK, jobs);
    for (uint i = get_local_id(0); i < (end > first ? (end - first) * MACHINES : 0); i += GROUP) {
        uint place = first + i / MACHINES, machine = i % MACHINES;
        uint position = from_end ? q->count - 1 - done - place : done + place;
        uint job = q->order[position], at = (place % RING) * MACHINES + machine;
        m->times[at] = s->times[(size_t)job * MACHINES + machine];
#if SETUPS
        uint has_next = position + 1 < q->count;
        m->setups[at] = !from_end ? setup(s, job_before(q, position), job, machine)
            : has_next            ? setup(s, job, q->order[position + 1], machine)
                                  : 0;
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

static uint ring_setup(const memory *m, uint place, uint machine)
{
    return SETUPS ? m->setups[(place % RING) * MACHINES + machine] : 0;
}

/* Computes all heads if they are wanted: for each position, the time from which on the machine can
 * be set up for the job there. The last machine also sums up the scores. */
static void complete_heads(const shop *s, sequence *q, memory *m, uint are_wanted)
{
    uint machine = get_local_id(0), first = q->known_heads;
    uint jobs = are_wanted ? q->count - first : 0, steps = jobs > 0 ? LAG * jobs + MACHINES : 1;
    uint is_used = machine < MACHINES, step = 0, free = 0, end = 0;
    local uint *ends = m->links, *starts = m->links + 2 * (GROUP + 1);
    global uint *heads = q->heads + machine * q->stride + first;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (is_used) {
        free = first > 0 ? heads[0] : s->front[machine];
        heads[0] = free;
    }
#if STAGES
    long sums[STAGES + 1];
    for (uint stage = 0; stage <= STAGES; ++stage) {
        sums[stage] = first > 0 ? q->scored[stage * q->stride + first] : s->start[stage];
        if (machine == MACHINES - 1) {
            q->scored[stage * q->stride + first] = sums[stage];
        }
    }
#endif
    /* After its last job, a machine still waits for the next one with blocking. */
    do {
        load(s, q, m, first, step / LAG, jobs, 0);
        uint stop = min(step + LAG * CHUNK, steps);
        do {
            uint place = (step - machine) / LAG;
            if (is_used && step >= machine && (step - machine) % LAG == 0 && place <= jobs) {
                uint now = step % 2, before = 1 - now;
                if (place > 0) {
                    free = BLOCKING && machine + 1 < MACHINES
                        ? starts[before * (GROUP + 1) + machine + 1]
                        : end;
                    heads[place] = free;
                }
                if (place < jobs) {
                    uint job = q->order[first + place];
                    uint arrival =
                        machine > 0 ? ends[before * (GROUP + 1) + machine - 1] : release(s, job);
                    uint start = max(arrival, free + ring_setup(m, place, machine));
                    end = start + m->times[(place % RING) * MACHINES + machine];
                    ends[now * (GROUP + 1) + machine] = end;
                    starts[now * (GROUP + 1) + machine] = start;
#if STAGES
                    if (machine == MACHINES - 1) {
                        add_score(s, job, end, sums);
                        for (uint stage = 0; stage <= STAGES; ++stage) {
                            q->scored[stage * q->stride + first + place + 1] = sums[stage];
                        }
                    }
#endif
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        } while (++step < stop);
    } while (step < steps);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    q->known_heads = first + jobs;
}

#if HAS_TAILS || IDLE_TIES
/* The additional idle time of the machines with the job at a position, as the host estimates it. */
static long idle_time(const shop *s, const sequence *q, uint job, uint position)
{
    uint has_next = position < q->count;
    global const uint *times = s->times + (size_t)job * MACHINES;
    global const uint *next = s->times + (size_t)(has_next ? q->order[position] : job) * MACHINES;
    global const uint *heads = q->heads + position;
    uint end = 0, arrival = 0;
    long idle = 0;
    for (uint machine = 0; machine < MACHINES; ++machine) {
        uint free = heads[machine * q->stride], start = max(free, end);
        end = start + times[machine];
        if (!has_next) {
            idle += (long)start - free;
            continue;
        }
        if (machine > 0) {
            uint next_start = heads[machine * q->stride + 1] - next[machine];
            /* No saturating subtraction, which Oclgrind lacks. */
            idle += (long)start - next_start + max((long)arrival - (long)end, 0l);
        }
        arrival = max(arrival, end) + next[machine];
    }
    return idle;
}
#endif

#if HAS_TAILS
/* Computes all tails: for each position, the time from the start of the job there on the machine to
 * the end of the schedule. The first work-item has the last machine. */
static void complete_tails(const shop *s, sequence *q, memory *m)
{
    uint item = get_local_id(0), first = q->known_tails, jobs = q->count - first;
    uint is_used = item < MACHINES, machine = is_used ? MACHINES - 1 - item : 0;
    uint steps = LAG * jobs + MACHINES, step = 0, own = 0, before = 0, later = 0;
    local uint *chains = m->links;
    global uint *tails = q->tails + machine * q->stride + first;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (is_used) {
        if (first == 0) {
            tails[0] = 0;
        }
        own = tails[0];
        before = BLOCKING && machine > 0 && first > 0 ? tails[-(int)q->stride] : 0;
    }
    if (RELEASES && is_used && machine == 0) {
        later = first > 0 ? q->released[first] : 0;
        q->released[first] = later;
    }
    do {
        load(s, q, m, first, step / LAG, jobs, 1);
        uint stop = min(step + LAG * CHUNK, steps);
        do {
            uint place = (step - item) / LAG;
            if (is_used && step >= item && (step - item) % LAG == 0 && place < jobs) {
                uint now = step % 2;
                local uint *last = chains + (1 - now) * (GROUP + 1);
                uint time = m->times[(place % RING) * MACHINES + machine];
                uint link = ring_setup(m, place, machine);
                if (BLOCKING) {
                    before = place > 0 && machine > 0 ? last[item + 1] : before;
                    uint after = machine > 0 ? before + ring_setup(m, place, machine - 1) : 0;
                    uint behind = item > 0 ? last[item - 1] : own + link;
                    own = max(behind + time, after);
                } else {
                    own = max(item > 0 ? last[item - 1] : 0, own + link) + time;
                }
                chains[now * (GROUP + 1) + item] = own;
                tails[place + 1] = own;
                if (RELEASES && machine == 0) {
                    uint job = q->order[q->count - 1 - first - place];
                    later = max(later, s->releases[job] + own);
                    q->released[first + place + 1] = later;
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        } while (++step < stop);
    } while (step < steps);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    q->known_tails = q->count;
}

/* The makespan with the job at a position, and the machines' idle time for ties. */
static void evaluate(const shop *s, const sequence *q, uint job, uint position, long *keys)
{
    uint before = job_before(q, position);
    uint next = position < q->count ? q->order[position] : NO_JOB;
    global const uint *times = s->times + (size_t)job * MACHINES;
    global const uint *heads = q->heads + position, *tails = q->tails + q->count - position;
    uint end = release(s, job), longest = RELEASES ? q->released[q->count - position] : 0;
    uint behind = 0;
    for (uint machine = 0; machine < MACHINES; ++machine) {
        uint start = max(heads[machine * q->stride] + setup(s, before, job, machine), end);
        end = start + times[machine];
        /* With blocking, the machine before is free once this one has the job. */
        longest = BLOCKING && machine > 0 ? max(longest, start + behind) : longest;
        behind = tails[machine * q->stride];
        behind += SETUPS && next != NO_JOB ? setup(s, job, next, machine) : 0;
        longest = BLOCKING ? longest : max(longest, end + behind);
    }
    keys[0] = BLOCKING ? max(longest, end + behind) : longest;
    keys[1] = SETUPS || BLOCKING ? 0 : idle_time(s, q, job, position);
}
#else
/* The value with the job at a position, and the makespan for ties. The work-items of a group walk
 * from their first position on, each from its own, so that they append the same jobs together. */
static void evaluate(const shop *s, const sequence *q, uint job, uint position, long *keys)
{
    uint free[MACHINES], before = job_before(q, position), end = 0;
    long sums[STAGES + 1];
    for (uint machine = 0; machine < MACHINES; ++machine) {
        free[machine] = q->heads[machine * q->stride + position];
    }
    for (uint stage = 0; stage <= STAGES; ++stage) {
        sums[stage] = q->scored[stage * q->stride + position];
    }
    for (uint place = position - get_local_id(0); place <= q->count; ++place) {
        if (place < position) {
            continue;
        }
        uint placed = place == position ? job : q->order[place - 1];
        end = append(s, before, placed, free);
        add_score(s, placed, end, sums);
        before = placed;
    }
    uint2 changes = q->changes + added_changes(s, q, job, position);
    for (uint stage = 0; stage < STAGES; ++stage) {
        keys[stage] = value_of(s, sums, end, changes, stage);
    }
#if IDLE_TIES
    keys[STAGES] = SETUPS || BLOCKING ? 0 : idle_time(s, q, job, position);
#else
    keys[STAGES] = end;
#endif
}
#endif

/* Whether the first of two lists of numbers is smaller. */
static uint is_less(const long *one, const long *other, uint numbers)
{
    for (uint i = 0; i < numbers; ++i) {
        if (one[i] != other[i]) {
            return one[i] < other[i];
        }
    }
    return 0;
}

/* Positions that tabu search leaves out: that from which a job comes, and forbidden ones of all
 * jobs unless they lead below the cutoff. Without `from` there are none. */
typedef struct {
    uint from, jobs;
    global const uint *forbidden;
    const long *cutoff;
} filter;

static uint is_allowed(const filter *f, uint position, const long *keys)
{
    if (f->from == NO_JOB) {
        return 1;
    }
    uint number = f->from * f->jobs + position;
    uint is_forbidden = f->forbidden[number / 32] >> (number % 32) & 1;
    return position != f->from && (!is_forbidden || is_less(keys, f->cutoff, VALUES));
}

/* The best of the work-items' positions, the first of equal ones, or NO_JOB; its value is left in
 * `value`. */
static uint best_of_group(memory *m, uint best, long *least, uint numbers, long *value)
{
    uint item = get_local_id(0);
    long keys[KEYS];
    for (uint span = 1; span < GROUP; span *= 2) {
        m->places[item] = best;
        for (uint key = 0; key < KEYS && best != NO_JOB; ++key) {
            m->keys[key * GROUP + item] = least[key];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint other = item ^ span, place = m->places[other];
        if (place != NO_JOB) {
            for (uint key = 0; key < KEYS; ++key) {
                keys[key] = m->keys[key * GROUP + other];
            }
            uint is_better = best == NO_JOB || is_less(keys, least, numbers)
                || (place < best && !is_less(least, keys, numbers));
            for (uint key = 0; key < KEYS && is_better; ++key) {
                least[key] = keys[key];
            }
            best = is_better ? place : best;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint number = 0; number < VALUES && best != NO_JOB; ++number) {
        value[number] = least[number];
    }
    return best;
}

/* The best allowed position for a job by the first `numbers` keys, or NO_JOB; its value is left in
 * `value`. */
static uint best_place(
    const shop *s, sequence *q, memory *m, uint job, const filter *f, uint numbers, long *value)
{
    uint item = get_local_id(0), best = NO_JOB;
    long least[KEYS], keys[KEYS];
    complete_heads(s, q, m, 1);
#if HAS_TAILS
    complete_tails(s, q, m);
#endif
    for (uint position = item; position <= q->count; position += GROUP) {
        evaluate(s, q, job, position, keys);
        if (is_allowed(f, position, keys) && (best == NO_JOB || is_less(keys, least, numbers))) {
            best = position;
            for (uint key = 0; key < KEYS; ++key) {
                least[key] = keys[key];
            }
        }
    }
    return best_of_group(m, best, least, numbers, value);
}

/* Inserts a job. */
static void insert(const shop *s, sequence *q, uint position, uint job)
{
    q->changes += added_changes(s, q, job, position);
    uint item = get_local_id(0), end = q->count;
    do {
        uint is_moved = item < end - position, place = end - 1 - item;
        uint moved = is_moved ? q->order[place] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (is_moved) {
            q->order[place + 1] = moved;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        end = end > position + GROUP ? end - GROUP : position;
    } while (end > position);
    if (item == 0) {
        q->order[position] = job;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    q->known_heads = min(q->known_heads, position);
    q->known_tails = min(q->known_tails, q->count - position);
    ++q->count;
}

/* Removes the job at a position. Behind the last one there is none. */
static uint remove_at(const shop *s, sequence *q, uint position)
{
    uint item = get_local_id(0), is_there = position < q->count;
    uint removed = is_there ? q->order[position] : NO_JOB;
    barrier(CLK_LOCAL_MEM_FENCE);
    q->count -= is_there;
    uint first = position;
    do {
        uint place = first + item, moved = place < q->count ? q->order[place + 1] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (place < q->count) {
            q->order[place] = moved;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        first += GROUP;
    } while (first < q->count);
    q->known_heads = min(q->known_heads, position);
    q->known_tails = min(q->known_tails, q->count - position);
    if (is_there) {
        q->changes -= added_changes(s, q, removed, position);
    }
    return removed;
}

/* The position of a job, or that behind the last one. */
static uint place_of(const sequence *q, memory *m, uint job)
{
    if (get_local_id(0) == 0) {
        m->places[0] = q->count;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint position = get_local_id(0); position < q->count; position += GROUP) {
        if (q->order[position] == job) {
            m->places[0] = position;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint place = m->places[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return place;
}

/* Shuffles a list. */
static void shuffle_list(local uint *list, uint length, ulong *random)
{
    for (uint first = 0; first < length; ++first) {
        uint other = first + below(random, length - first);
        if (get_local_id(0) == 0) {
            uint swapped = list[first];
            list[first] = list[other];
            list[other] = swapped;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Copies a row of jobs; the sources are complete before, and the copies after. */
static void to_local(local uint *list, global const uint *row, uint length)
{
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (uint i = get_local_id(0); i < length; i += GROUP) {
        list[i] = row[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

static void to_global(global uint *row, local const uint *list, uint length)
{
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_local_id(0); i < length; i += GROUP) {
        row[i] = list[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

/* Whether a random number accepts a worse value instead of the current one. */
static uint tolerates(const shop *s, ulong number, const long *value, const long *current)
{
    global const long *most = s->tolerance + (number >> (64 - CHOICE_BITS)) * VALUES;
    for (uint stage = 0; stage < VALUES; ++stage) {
        if (value[stage] != current[stage]) {
            return value[stage] - current[stage] <= most[stage];
        }
    }
    return 1;
}

/* The value of the present sequence, whose heads are known. */
static void present_value(const shop *s, const sequence *q, long *value)
{
    uint end = q->heads[(MACHINES - 1) * q->stride + q->count];
#if STAGES
    long sums[STAGES + 1];
    for (uint stage = 0; stage <= STAGES; ++stage) {
        sums[stage] = q->scored[stage * q->stride + q->count];
    }
    for (uint stage = 0; stage < STAGES; ++stage) {
        value[stage] = value_of(s, sums, end, q->changes, stage);
    }
#else
    value[0] = end;
#endif
}

/* The numbers of all instances, and those of one of them. */
#define SHOP_PARAMETERS \
    global const uint *restrict times, global const uint *restrict releases, \
        global const uint *restrict fronts, global const uint *restrict first_setups, \
        global const uint *restrict setups, global const uint *restrict kinds, \
        global const long *restrict scores, global const long *restrict starts, \
        global const long *restrict factors, global const long *restrict tolerances, \
        global const uint *restrict limits, global const uint *restrict plans
#define SHOP(number) \
    {times + (number) * jobs * MACHINES, releases + (number) * jobs, fronts + (number) * MACHINES, \
        first_setups + (number) * jobs * MACHINES, setups, kinds, \
        scores + (number) * jobs * SCORE, starts + (number) * (STAGES + 1), \
        tolerances + ((number) << CHOICE_BITS) * VALUES, factors, \
        plans + (number) * (PLAN_WORDS * jobs + 1), kind_count, limits[number], \
        PLAN ? plans[(number) * (PLAN_WORDS * jobs + 1) + PLAN_WORDS * jobs] : NO_JOB}

/* Makes some placements in each trajectory, or less if it has made the iterations. */
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void flow_shop_greedy(SHOP_PARAMETERS,
    global uint *sequences,
    global ulong *states,
    global uint *heads,
    global uint *tails,
    global uint *released,
    global long *scored,
    uint jobs,
    uint kind_count,
    uint each,
    uint stride,
    uint placements,
    ulong iterations,
    local uint *order,
    local uint *turns,
    local uint *ring,
    local uint *links,
    local long *keys,
    local uint *places)
{
    TAKE_PART(order);
    TAKE_PART(turns);
    TAKE_PART(ring);
    TAKE_PART(links);
    TAKE_PART(keys);
    TAKE_PART(places);
    size_t trajectory = get_global_id(1), number = trajectory / each;
    shop s = SHOP(number);
    sequences += trajectory * SEQUENCES * jobs;
    states += trajectory * STATE_WORDS;
    global uint *present_row = sequences + PRESENT * jobs,
                *current_row = sequences + CURRENT * jobs;
    global uint *best_row = sequences + BEST * jobs, *turns_row = sequences + TURNS * jobs;

    sequence q = {order, (uint)states[COUNT], stride, (uint)states[KNOWN_HEADS],
        (uint)states[KNOWN_TAILS], heads + trajectory * MACHINES * stride,
        tails + trajectory * MACHINES * stride, released + trajectory * stride,
        scored + trajectory * (STAGES + 1) * stride,
        (uint2)((uint)states[CHANGES], (uint)(states[CHANGES] >> 32))};
    uint2 current_changes =
        (uint2)((uint)states[CURRENT_CHANGES], (uint)(states[CURRENT_CHANGES] >> 32));
    memory m = {ring, ring + RING * MACHINES, links, keys, places};
    ulong random = states[RANDOM], made = states[ITERATIONS], evaluations = states[EVALUATIONS];
    uint phase = (uint)states[PHASE], turn = (uint)states[TURN], length = (uint)states[LENGTH];
    uint idle = (uint)states[IDLE], put = (uint)states[PUT], all = (uint)states[ALL];
    filter all_places = {NO_JOB, 0, 0, 0};
    uint taken[TAKEN], goes_on = phase != READY || made < iterations;
    if (!goes_on) {
        return;
    }
    for (uint i = 0; i < TAKEN; ++i) {
        taken[i] = (uint)states[FIRST_TAKEN + i];
    }
    long value[VALUES], current[VALUES], best[VALUES], better[VALUES];
    for (uint i = 0; i < VALUES; ++i) {
        value[i] = (long)states[FIRST_VALUE + i];
        current[i] = (long)states[FIRST_VALUE + MOST_STAGES + i];
        best[i] = (long)states[FIRST_VALUE + 2 * MOST_STAGES + i];
    }
    to_local(order, present_row, q.count);
    to_local(turns, turns_row, length);
    uint used = min((uint)TAKEN, all);

    uint placement = 0;
    do {
        /* An iteration begins without some jobs of the current sequence. */
        uint begins = phase == READY;
        made += begins;
        to_local(order, current_row, begins ? all : 0);
        if (begins) {
            q.count = all;
            q.changes = current_changes;
            q.known_heads = q.known_tails = 0;
        }
        for (uint i = 0; i < TAKEN; ++i) {
            uint is_taken = begins && i < used;
            uint removed = remove_at(&s, &q, is_taken ? below(&random, q.count) : q.count);
            taken[i] = is_taken ? removed : taken[i];
        }
        complete_heads(&s, &q, &m, begins);
        if (begins) {
            present_value(&s, &q, value);
            idle = length = put = 0;
            phase = q.count > 0 ? PART : PUTTING;
        }

        /* The next job: a removed one, or the next of a shuffled list. */
        uint is_put = phase == PUTTING, is_new = !is_put && length == 0;
        length = is_new ? q.count : length;
        turn = is_new ? length : turn;
        for (uint i = get_local_id(0); i < (is_new ? length : 0); i += GROUP) {
            turns[i] = order[i];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint is_shuffled = !is_put && turn == length;
        shuffle_list(turns, is_shuffled ? length : 0, &random);
        turn = is_shuffled ? 0 : turn;
        uint job = is_put ? taken[put] : turns[turn];
        put += is_put;
        turn += !is_put;
        remove_at(&s, &q, place_of(&q, &m, job));
        uint position = best_place(&s, &q, &m, job, &all_places, KEYS, better);
        insert(&s, &q, position, job);
        evaluations += q.count;
        idle = is_less(better, value, VALUES) ? 0 : idle + 1;
        for (uint i = 0; i < VALUES; ++i) {
            value[i] = better[i];
        }

        uint ends = is_put ? put == used : idle >= length;
        uint is_whole = ends && (phase == WHOLE || phase == DESCENT), accepted = is_whole;
        if (is_whole && phase == WHOLE && is_less(current, value, VALUES)) {
            accepted = tolerates(&s, next_random(&random), value, current);
        }
        uint is_limited = accepted && phase == WHOLE && s.limit != NO_LIMIT;
        complete_heads(&s, &q, &m, is_limited);
        if (is_limited) {
            accepted = q.heads[(MACHINES - 1) * stride + q.count] <= s.limit;
        }
        uint is_best = accepted && is_less(value, best, VALUES);
        to_global(current_row, order, accepted ? all : 0);
        to_global(best_row, order, is_best ? all : 0);
        current_changes = accepted ? q.changes : current_changes;
        for (uint i = 0; i < VALUES; ++i) {
            current[i] = accepted ? value[i] : current[i];
            best[i] = is_best ? value[i] : best[i];
        }
        if (ends) {
            idle = length = 0;
            phase = is_whole ? READY : phase == PART ? PUTTING : WHOLE;
        }
        goes_on = phase != READY || made < iterations;
    } while (++placement < placements && goes_on);

    to_global(present_row, order, q.count);
    to_global(turns_row, turns, length);
    if (get_local_id(0) == 0) {
        states[RANDOM] = random;
        states[ITERATIONS] = made;
        states[EVALUATIONS] = evaluations;
        states[PHASE] = phase;
        states[COUNT] = q.count;
        states[KNOWN_HEADS] = q.known_heads;
        states[KNOWN_TAILS] = q.known_tails;
        states[TURN] = turn;
        states[LENGTH] = length;
        states[IDLE] = idle;
        states[PUT] = put;
        states[CHANGES] = (ulong)q.changes.y << 32 | q.changes.x;
        states[CURRENT_CHANGES] = (ulong)current_changes.y << 32 | current_changes.x;
        for (uint i = 0; i < TAKEN; ++i) {
            states[FIRST_TAKEN + i] = taken[i];
        }
        for (uint i = 0; i < VALUES; ++i) {
            states[FIRST_VALUE + i] = (ulong)value[i];
            states[FIRST_VALUE + MOST_STAGES + i] = (ulong)current[i];
            states[FIRST_VALUE + 2 * MOST_STAGES + i] = (ulong)best[i];
        }
    }
}

/* The value with the jobs at two positions exchanged. */
static void evaluate_exchange(const shop *s, const sequence *q, uint first, uint second, long *keys)
{
    uint free[MACHINES], before = NO_JOB, end = 0;
    uint2 changes = q->changes;
#if STAGES
    long sums[STAGES + 1];
    for (uint stage = 0; stage <= STAGES; ++stage) {
        sums[stage] = s->start[stage];
    }
#endif
#if PLAN
    uint early = q->order[first], late = q->order[second];
    changes.x += is_inverted(s, late, early) - is_inverted(s, early, late);
#endif
    for (uint machine = 0; machine < MACHINES; ++machine) {
        free[machine] = s->front[machine];
    }
    for (uint place = 0; place < q->count; ++place) {
        uint job = q->order[place == first ? second : place == second ? first : place];
#if PLAN
        if (place > first && place < second) {
            changes.x += is_inverted(s, late, job) + is_inverted(s, job, early);
            changes.x -= is_inverted(s, early, job) + is_inverted(s, job, late);
        }
        changes.y += is_new(s, place > 0 ? before : s->last_pinned, job);
        changes.y -= is_new(s, place > 0 ? q->order[place - 1] : s->last_pinned, q->order[place]);
#endif
        end = append(s, before, job, free);
#if STAGES
        add_score(s, job, end, sums);
#endif
        before = job;
    }
#if STAGES
    for (uint stage = 0; stage < STAGES; ++stage) {
        keys[stage] = value_of(s, sums, end, changes, stage);
    }
#else
    keys[0] = end;
#endif
}

/* What the kernels for neighbours read and write: the sequence, a bit for each forbidden move by
 * the position from which a job comes, the cutoff, and the best position for each one, with its
 * value. */
#define SCAN_PARAMETERS \
    SHOP_PARAMETERS, global const uint *present, global const uint *forbidden, \
        global const long *cutoff, global uint *bests, global long *values, uint jobs, \
        uint kind_count, uint count, ulong changes, local uint *order, local long *keys, \
        local uint *places
#define TAKE_SCAN \
    TAKE_PART(order); \
    TAKE_PART(keys); \
    TAKE_PART(places)

/* Takes down the best position of a group. */
static void take_down(
    global uint *bests, global long *values, uint position, uint best, const long *value)
{
    if (get_local_id(0) == 0) {
        bests[position] = best;
        for (uint i = 0; i < VALUES; ++i) {
            values[(size_t)position * VALUES + i] = value[i];
        }
    }
}

/* Finds the best allowed position for each job of a sequence: a group for each position from which
 * a job comes. Tables are by the group's number in the launch. */
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void flow_shop_greedy_neighbours(
    SCAN_PARAMETERS,
    global uint *heads,
    global uint *tails,
    global uint *released,
    global long *scored,
    uint stride,
    local uint *ring,
    local uint *links)
{
    TAKE_SCAN;
    TAKE_PART(ring);
    TAKE_PART(links);
    size_t table = get_group_id(1), number = 0;
    uint position = (uint)get_global_id(1);
    shop s = SHOP(number);
    sequence q = {order, count, stride, 0, 0, heads + table * MACHINES * stride,
        tails + table * MACHINES * stride, released + table * stride,
        scored + table * (STAGES + 1) * stride, (uint2)((uint)changes, (uint)(changes >> 32))};
    memory m = {ring, ring + RING * MACHINES, links, keys, places};
    long below_this[VALUES], value[VALUES];
    for (uint i = 0; i < VALUES; ++i) {
        below_this[i] = cutoff[i];
        value[i] = 0;
    }
    filter others = {position, count, forbidden, below_this};
    to_local(order, present, count);
    uint job = remove_at(&s, &q, position);
    uint best = best_place(&s, &q, &m, job, &others, VALUES, value);
    take_down(bests, values, position, best, value);
}

/* Finds the best allowed exchange of each job with a later one, in groups likewise. Each work-item
 * computes the whole schedule after an exchange. */
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void flow_shop_greedy_exchanges(
    SCAN_PARAMETERS)
{
    TAKE_SCAN;
    size_t number = 0;
    uint first = (uint)get_global_id(1), best = NO_JOB;
    shop s = SHOP(number);
    sequence q = {order, count, 0, 0, 0, 0, 0, 0, 0, (uint2)((uint)changes, (uint)(changes >> 32))};
    memory m = {0, 0, 0, keys, places};
    long below_this[VALUES], value[VALUES], least[KEYS], found[KEYS];
    for (uint i = 0; i < VALUES; ++i) {
        below_this[i] = cutoff[i];
        value[i] = 0;
    }
    filter others = {first, count, forbidden, below_this};
    to_local(order, present, count);
    for (uint second = first + 1 + get_local_id(0); second < count; second += GROUP) {
        found[VALUES] = 0;
        evaluate_exchange(&s, &q, first, second, found);
        if (is_allowed(&others, second, found)
            && (best == NO_JOB || is_less(found, least, VALUES))) {
            best = second;
            for (uint key = 0; key < KEYS; ++key) {
                least[key] = found[key];
            }
        }
    }
    best = best_of_group(&m, best, least, VALUES, value);
    take_down(bests, values, first, best, value);
}

/* Bounds of single nodes by their sequences, one work-item each, as in the publication of Melab,
 * Chakroun, Mezmaz and Tuyttens. flow_shop_pool.cl bounds pools of children by them,
 * flow_shop_tree_pool.cl explores trees.
 *
 * A node has jobs at the front, free ones and jobs at the back. Six tables: PTM has processing
 * times, LM lags and JM Johnson's order of each pair of machines, RM the earliest starts and QM the
 * smallest tails while an end is empty, MM the pairs of machines.
 *
 * Built with: JOBS, MACHINES; PINNED, jobs at the front of every node; TIME_BYTES, JOB_BYTES,
 * LAG_BYTES, START_BYTES, TAIL_BYTES and MACHINE_BYTES, widths of the tables' numbers; LOCAL_TIMES,
 * whether PTM is copied into local memory; LOCAL_PAIRS, how many pairs of JM are, the first ones;
 * BRANCH_FREE, whether conditions are arithmetic; TWO_MACHINES, whether pairs of machines give
 * bounds; GROUP; PAIR_STEPS, steps along Johnson's order whose data are read in advance. */

#define UNSIGNED_1 uchar
#define UNSIGNED_2 ushort
#define UNSIGNED_4 uint
#define UNSIGNED(bytes) UNSIGNED_(bytes)
#define UNSIGNED_(bytes) UNSIGNED_##bytes
typedef UNSIGNED(TIME_BYTES) TIME_T;
typedef UNSIGNED(JOB_BYTES) JOB_T;
typedef UNSIGNED(LAG_BYTES) LAG_T;
typedef UNSIGNED(START_BYTES) START_T;
typedef UNSIGNED(TAIL_BYTES) TAIL_T;
typedef UNSIGNED(MACHINE_BYTES) MACHINE_T;

#define PAIRS (MACHINES * (MACHINES - 1) / 2)

#if LOCAL_TIMES
#define TIMES_SPACE local
#else
#define TIMES_SPACE global
#endif

/* The larger of two numbers, with or without a branch. */
static int larger(int a, int b)
{
#if BRANCH_FREE
    return max(a, b);
#else
    if (a > b) {
        return a;
    }
    return b;
#endif
}

/* Updates the front's times for one more job. */
static void append(TIMES_SPACE const TIME_T *job, int *front)
{
    int end = 0;
    for (int i = 0; i < MACHINES; ++i) {
        end = larger(end, front[i]) + job[i];
        front[i] = end;
    }
}

/* Updates the back's times for one more job. */
static void prepend(TIMES_SPACE const TIME_T *job, int *back)
{
    int end = 0;
    for (int i = MACHINES - 1; i >= 0; --i) {
        end = larger(end, back[i]) + job[i];
        back[i] = end;
    }
}

/* Fixes a job at one of the ends. Without branches, it is added to both and one of them keeps it. A
 * pointer to that one would be shorter, but Intel's compiler for processors then reads another
 * work-item's times. */
static void fix(TIMES_SPACE const TIME_T *job, int at_back, int *front, int *back)
{
#if BRANCH_FREE
    int in_front = 0, behind = 0;
    for (int i = 0; i < MACHINES; ++i) {
        int mirror = MACHINES - 1 - i;
        in_front = max(in_front, front[i]) + job[i];
        behind = max(behind, back[mirror]) + job[mirror];
        front[i] = select(in_front, front[i], -at_back);
        back[mirror] = select(back[mirror], behind, -at_back);
    }
#else
    if (at_back) {
        prepend(job, back);
    } else {
        append(job, front);
    }
#endif
}

/* Computes the front and back times of a node, and the remaining time for each machine. Sets one
 * bit for each free job. Position k of the node's order is at k * stride. */
static void surroundings(TIMES_SPACE const TIME_T *ptm,
    global const START_T *rm,
    global const TAIL_T *qm,
    global const JOB_T *order,
    ulong stride,
    int at_front,
    int at_back,
    int *front,
    int *back,
    int *remaining,
    uint *is_free)
{
    for (int i = 0; i < MACHINES; ++i) {
        front[i] = rm[i];
        back[i] = qm[i];
        remaining[i] = 0;
    }
    for (int k = PINNED; k < at_front; ++k) {
        append(ptm + order[k * stride] * MACHINES, front);
    }
    for (int k = JOBS - 1; k >= JOBS - at_back; --k) {
        prepend(ptm + order[k * stride] * MACHINES, back);
    }
    for (int i = 0; i < (JOBS + 31) / 32; ++i) {
        is_free[i] = 0;
    }
    for (int k = at_front; k < JOBS - at_back; ++k) {
        uint job = order[k * stride];
        is_free[job / 32] |= 1u << job % 32;
        for (int i = 0; i < MACHINES; ++i) {
            remaining[i] += ptm[job * MACHINES + i];
        }
    }
}

/* Makes a node's times and free jobs those of the child that fixes a job. */
static void become_child(TIMES_SPACE const TIME_T *ptm,
    uint fixed,
    int at_back,
    int *front,
    int *back,
    int *remaining,
    uint *is_free)
{
    is_free[fixed / 32] &= ~(1u << fixed % 32);
    for (int i = 0; i < MACHINES; ++i) {
        remaining[i] -= ptm[fixed * MACHINES + i];
    }
    fix(ptm + fixed * MACHINES, at_back, front, back);
}

/* Johnson's order of a pair of machines, in local or in global memory. */
typedef struct {
    int is_near;
    local const JOB_T *near;
    global const JOB_T *far;
} order_t;

static uint job_at(order_t order, int place)
{
    return order.is_near ? order.near[place] : order.far[place];
}

/* The bound of one pair of machines u < v. */
static int johnson(TIMES_SPACE const TIME_T *ptm,
    global const LAG_T *lm,
    order_t order,
    int u,
    int v,
    const int *front,
    const int *back,
    const uint *is_free)
{
    int first = front[u], second = front[v];
#if BRANCH_FREE
    for (int k = 0; k < JOBS; k += PAIR_STEPS) {
        int on[PAIR_STEPS], on_first[PAIR_STEPS], lag[PAIR_STEPS], on_second[PAIR_STEPS];
#pragma unroll
        for (int s = 0; s < PAIR_STEPS; ++s) {
            /* Places after the end count as not free. */
            uint job = job_at(order, min(k + s, JOBS - 1));
            on[s] = -(int)((is_free[job / 32] >> job % 32) & (k + s < JOBS));
            on_first[s] = ptm[job * MACHINES + u];
            lag[s] = lm[job];
            on_second[s] = ptm[job * MACHINES + v];
        }
#pragma unroll
        for (int s = 0; s < PAIR_STEPS; ++s) {
            first += on_first[s] & on[s];
            int moved = max(second, first + lag[s]) + on_second[s];
            second = select(second, moved, on[s]);
        }
    }
#else
    for (int k = 0; k < JOBS; ++k) {
        uint job = job_at(order, k);
        if (is_free[job / 32] >> job % 32 & 1) {
            first += ptm[job * MACHINES + u];
            if (first + lm[job] > second) {
                second = first + lm[job] + ptm[job * MACHINES + v];
            } else {
                second += ptm[job * MACHINES + v];
            }
        }
    }
#endif
    return larger(first + back[u], second + back[v]);
}

/* The bound of a node. */
static int bound_of(TIMES_SPACE const TIME_T *ptm,
    global const LAG_T *lm,
    local const JOB_T *near_jm,
    global const JOB_T *far_jm,
    global const MACHINE_T *mm,
    const int *front,
    const int *back,
    const int *remaining,
    const uint *is_free)
{
    int bound = 0;
    for (int i = 0; i < MACHINES; ++i) {
        bound = larger(bound, front[i] + remaining[i] + back[i]);
    }
#if TWO_MACHINES
    for (int pair = 0; pair < PAIRS; ++pair) {
        int u = mm[2 * pair], v = mm[2 * pair + 1];
        int is_near = LOCAL_PAIRS == PAIRS || pair < LOCAL_PAIRS;
        order_t order = {is_near, near_jm + (is_near ? pair * JOBS : 0), far_jm + pair * JOBS};
        bound = larger(bound, johnson(ptm, lm + pair * JOBS, order, u, v, front, back, is_free));
    }
#endif
    return bound;
}

/* The six tables, as parameters of a kernel. */
#define TABLE_PARAMETERS \
    global const TIME_T *all_ptm, global const LAG_T *lm, global const JOB_T *far_jm, \
        global const START_T *rm, global const TAIL_T *qm, global const MACHINE_T *mm

/* Declares PTM and JM where bounds read them. A barrier must follow. */
#if LOCAL_TIMES
#define DECLARE_TIMES \
    local TIME_T ptm[JOBS * MACHINES]; \
    for (uint i = get_local_id(0); i < JOBS * MACHINES; i += get_local_size(0)) { \
        ptm[i] = all_ptm[i]; \
    }
#else
#define DECLARE_TIMES global const TIME_T *ptm = all_ptm;
#endif

#if LOCAL_PAIRS
#define DECLARE_JOHNSON \
    local JOB_T near_jm[LOCAL_PAIRS * JOBS]; \
    for (uint i = get_local_id(0); i < LOCAL_PAIRS * JOBS; i += get_local_size(0)) { \
        near_jm[i] = far_jm[i]; \
    }
#else
#define DECLARE_JOHNSON local const JOB_T *near_jm = 0;
#endif

/* Lower bounds of a pool of nodes that the host keeps, one work-item each: the parallel evaluation
 * of bounds of Melab, Chakroun, Mezmaz and Tuyttens. The host's part is in
 * src/flow_shop/exact/pool/.
 *
 * A node is a child of one of the `orders`. Each order has a parent's jobs: those at the front, the
 * free ones and those at the back; `ends` has the number of jobs at each end. `children` has the
 * parent's index, and twice the position of the job that the child fixes, plus 1 at the back. Six
 * tables: PTM has processing times, LM lags and JM Johnson's order of each pair of machines, RM the
 * earliest starts and QM the smallest tails while an end is empty, MM the pairs of machines.
 *
 * Built with: JOBS, MACHINES; PINNED, jobs at the front of every node; TIME_BYTES and JOB_BYTES,
 * widths of times and jobs; LOCAL_TIMES and LOCAL_JOHNSON, whether PTM and JM are copied into local
 * memory; BRANCH_FREE, whether conditions are arithmetic; TWO_MACHINES, whether pairs of machines
 * give bounds; GROUP. */

#define UNSIGNED_1 uchar
#define UNSIGNED_2 ushort
#define UNSIGNED_4 uint
#define UNSIGNED(bytes) UNSIGNED_(bytes)
#define UNSIGNED_(bytes) UNSIGNED_##bytes
typedef UNSIGNED(TIME_BYTES) TIME_T;
typedef UNSIGNED(JOB_BYTES) JOB_T;

#define PAIRS (MACHINES * (MACHINES - 1) / 2)

#if LOCAL_TIMES
#define TIMES_SPACE local
#else
#define TIMES_SPACE global
#endif

#if LOCAL_JOHNSON
#define JOHNSON_SPACE local
#else
#define JOHNSON_SPACE global
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

/* Computes the front and back times of a node, and the remaining time for each machine. Returns one
 * bit for each free job. */
static void surroundings(TIMES_SPACE const TIME_T *ptm,
    global const int *rm,
    global const int *qm,
    global const JOB_T *order,
    int at_front,
    int at_back,
    uint child,
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
        append(ptm + order[k] * MACHINES, front);
    }
    for (int k = JOBS - 1; k >= JOBS - at_back; --k) {
        prepend(ptm + order[k] * MACHINES, back);
    }
    for (int i = 0; i < (JOBS + 31) / 32; ++i) {
        is_free[i] = 0;
    }
    for (int k = at_front; k < JOBS - at_back; ++k) {
        is_free[order[k] / 32] |= 1u << order[k] % 32;
        for (int i = 0; i < MACHINES; ++i) {
            remaining[i] += ptm[order[k] * MACHINES + i];
        }
    }
    uint fixed = order[child / 2];
    is_free[fixed / 32] &= ~(1u << fixed % 32);
    for (int i = 0; i < MACHINES; ++i) {
        remaining[i] -= ptm[fixed * MACHINES + i];
    }
    fix(ptm + fixed * MACHINES, child % 2, front, back);
}

/* Number of steps along Johnson's order whose data are read in advance: their addresses do not
 * depend on earlier steps. */
#define STEPS 8

/* The bound of one pair of machines u < v. */
static int johnson(TIMES_SPACE const TIME_T *ptm,
    global const int *lm,
    JOHNSON_SPACE const JOB_T *jm,
    int u,
    int v,
    const int *front,
    const int *back,
    const uint *is_free)
{
    int first = front[u], second = front[v];
#if BRANCH_FREE
    for (int k = 0; k < JOBS; k += STEPS) {
        int on[STEPS], on_first[STEPS], lag[STEPS], on_second[STEPS];
#pragma unroll
        for (int s = 0; s < STEPS; ++s) {
            /* Places after the end count as not free. */
            uint job = jm[min(k + s, JOBS - 1)];
            on[s] = -(int)((is_free[job / 32] >> job % 32) & (k + s < JOBS));
            on_first[s] = ptm[job * MACHINES + u];
            lag[s] = lm[job];
            on_second[s] = ptm[job * MACHINES + v];
        }
#pragma unroll
        for (int s = 0; s < STEPS; ++s) {
            first += on_first[s] & on[s];
            int moved = max(second, first + lag[s]) + on_second[s];
            second = select(second, moved, on[s]);
        }
    }
#else
    for (int k = 0; k < JOBS; ++k) {
        uint job = jm[k];
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

kernel void flow_shop_pool_bound(global const TIME_T *all_ptm,
    global const int *lm,
    global const JOB_T *all_jm,
    global const int *rm,
    global const int *qm,
    global const int *mm,
    global const JOB_T *orders,
    global const uint *ends,
    global const uint2 *children,
    global uint *bounds,
    uint first_item,
    uint end_item)
{
    uint lane = get_local_id(0), item = first_item + get_global_id(0);
#if LOCAL_TIMES
    local TIME_T ptm[JOBS * MACHINES];
    for (uint i = lane; i < JOBS * MACHINES; i += get_local_size(0)) {
        ptm[i] = all_ptm[i];
    }
#else
    global const TIME_T *ptm = all_ptm;
#endif
#if LOCAL_JOHNSON
    local JOB_T jm[PAIRS * JOBS];
    for (uint i = lane; i < PAIRS * JOBS; i += get_local_size(0)) {
        jm[i] = all_jm[i];
    }
#else
    global const JOB_T *jm = all_jm;
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item >= end_item) {
        return;
    }
    int front[MACHINES], back[MACHINES], remaining[MACHINES];
    uint is_free[(JOBS + 31) / 32];
    uint2 child = children[item];
    global const JOB_T *order = orders + (ulong)child.x * JOBS;
    int at_front = ends[2 * child.x], at_back = ends[2 * child.x + 1];
    surroundings(ptm, rm, qm, order, at_front, at_back, child.y, front, back, remaining, is_free);
    int bound = 0;
    for (int i = 0; i < MACHINES; ++i) {
        bound = larger(bound, front[i] + remaining[i] + back[i]);
    }
#if TWO_MACHINES
    for (int pair = 0; pair < PAIRS; ++pair) {
        int u = mm[2 * pair], v = mm[2 * pair + 1];
        bound = larger(
            bound, johnson(ptm, lm + pair * JOBS, jm + pair * JOBS, u, v, front, back, is_free));
    }
#endif
    bounds[item] = bound;
}

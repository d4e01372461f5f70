/* How good a plan is: columns of each of its rows, and makespan.last_solve(). */
#ifndef MKSPG_VERDICT_H
#define MKSPG_VERDICT_H

#include <postgres.h>

#include <funcapi.h>
#include <makespan.h>

/* Columns of a verdict. */
enum { VERDICT_STATUS, VERDICT_OBJECTIVE, VERDICT_BOUND, VERDICT_WIDTH };

typedef struct Verdict {
    Datum values[VERDICT_WIDTH];
    bool nulls[VERDICT_WIDTH];
    bool has_solution;
} Verdict;

/* The verdict on a result. Objective and bound are of type bigint, or of type double precision if
 * the numbers of the instance are real. makespan.last_solve() describes this result from now on. */
extern Verdict mkspg_verdict(const mks_result *result);

/* The same without an objective and a bound: the value of the solution is unreachable. */
extern Verdict mkspg_without_objective(Verdict verdict);

/* Puts a row whose last columns are those of the verdict, from this position on. It serves
 * interrupts, so that a cancel ends loops over many rows. */
extern void mkspg_put_row(
    const Verdict *verdict, Datum *values, bool *nulls, int first, ReturnSetInfo *to);

#endif

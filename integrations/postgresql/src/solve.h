/* A solve that the backend can cancel. */
#ifndef MKSPG_SOLVE_H
#define MKSPG_SOLVE_H

#include <postgres.h>

#include <makespan.h>

#include "labels.h"

/* The solve function of a problem. */
typedef mks_status (*Solver)(const mks_context *context,
    const void *instance,
    const mks_options *options,
    mks_result **result);

/*
 * Solves an instance. A cancel, a timeout or the end of the session stops the solve; the error
 * rises after that. The result lives as long as the current memory context. The labels are
 * those of the jobs or items that a start solution numbers, and the argument is the one whose
 * query gave their values; both may be NULL.
 */
extern const mks_result *mkspg_solve(Solver solver,
    const void *instance,
    mks_options *options,
    const Labels *labels,
    const char *argument);

#endif

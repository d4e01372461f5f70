/* A stop handle tripped before a solve, by another thread during it, and twice. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include <pthread.h>
#include <time.h>

static void *trip_soon(void *stop)
{
    struct timespec soon = {0, 200000000};
    nanosleep(&soon, NULL);
    CHECK_OK(mks_stop_trip(stop));
    CHECK_OK(mks_stop_trip(stop));
    return NULL;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Solves until something stops it; the seconds it took. */
static double solve(mks_context *context, const mks_stop *stop, double time_limit)
{
    mks_options *options = endless_options();
    CHECK_OK(mks_options_set_stop(options, stop));
    CHECK_OK(mks_options_set_double(options, "time_limit", time_limit));
    mks_parallel_machines_instance *instance = endless();
    mks_result *result = NULL;
    double start = now();
    SOLVED(mks_parallel_machines, context, instance, options, &result);
    double seconds = now() - start;
    const mks_summary summary = summary_of(result);
    CHECK(summary.interrupted == 1 && summary.status == MKS_SOLUTION_STATUS_FEASIBLE);
    mks_result_free(result);
    mks_parallel_machines_instance_free(instance);
    return seconds;
}

int main(void)
{
    /* Wide enough for a slow machine under valgrind, far below the time of the whole solve. */
    const double patience = 5;
    mks_context *context = cpu_context(2);
    mks_stop *stop = NULL;
    int32_t tripped = -1;
    CHECK_OK(mks_stop_create(&stop));
    CHECK_OK(mks_stop_is_tripped(stop, &tripped));
    CHECK(tripped == 0);

    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, trip_soon, stop) == 0);
    CHECK(solve(context, stop, 600) < patience);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK_OK(mks_stop_is_tripped(stop, &tripped));
    CHECK(tripped == 1);
    CHECK(solve(context, stop, 600) < patience);

    CHECK_OK(mks_stop_reset(stop));
    CHECK(solve(context, stop, 0.2) < patience);
    CHECK(solve(context, NULL, 0) < patience);
    mks_stop_free(stop);
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    return 0;
}

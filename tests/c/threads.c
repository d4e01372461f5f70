/* Two contexts and several threads at once; last errors belong to their threads. */
#include "check.h"
#include <pthread.h>

static void *solve_often(void *context)
{
    for (int round = 0; round < 20; round++) {
        mks_parallel_machines_instance *instance = graham();
        mks_result *result = NULL;
        CHECK_OK(mks_parallel_machines_solve(context, instance, NULL, &result));
        CHECK(summary_of(result).objective == 9);
        mks_result_free(result);
        mks_parallel_machines_instance_free(instance);
    }
    CHECK_FAILS(mks_stop_trip(NULL), MKS_STATUS_INVALID_ARGUMENT, "stop");
    return NULL;
}

int main(void)
{
    mks_context *contexts[2] = {cpu_context(1), cpu_context(3)};
    pthread_t threads[4];
    CHECK_FAILS(mks_result_summary(NULL, NULL), MKS_STATUS_INVALID_ARGUMENT, "result");
    for (size_t i = 0; i < 4; i++) {
        CHECK(pthread_create(&threads[i], NULL, solve_often, contexts[i % 2]) == 0);
    }
    for (size_t i = 0; i < 4; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
    CHECK(strstr(mks_last_error(), "result") != NULL);
    CHECK(mks_context_free(contexts[0]) == MKS_STATUS_OK);
    CHECK(mks_context_free(contexts[1]) == MKS_STATUS_OK);
    return 0;
}

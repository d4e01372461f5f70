/* Work beyond the memory limit is refused before it is begun, with the size in the text. */
#include "check.h"

/* Three jobs for each of 15 machines, whose sums never come near the average load. */
static mks_parallel_machines_instance *uneven(void)
{
    enum { JOBS = 45 };
    uint64_t times[JOBS];
    for (size_t job = 0; job < JOBS; job++) {
        times[job] = job < 16 ? 43 : job < 31 ? 37 : 31;
    }
    mks_parallel_machines_instance *instance = NULL;
    CHECK_OK(mks_parallel_machines_instance_create(times, JOBS, 15, &instance));
    return instance;
}

int main(void)
{
    mks_context *context = cpu_context(1);
    mks_parallel_machines_instance *instance = uneven();
    mks_options *options = options_with("parallel_machines", "method", "ptas", NULL);
    CHECK_OK(mks_options_set_double(options, "epsilon", 0.01));
    CHECK_OK(mks_options_set_int64(options, "memory_limit", 1000));
    SOLVE_FAILS(mks_parallel_machines, context, instance, options, MKS_STATUS_OUT_OF_MEMORY,
        "a lattice of 4080 cells needs 4080 bytes, the limit is 1000 bytes");
    mks_parallel_machines_instance_free(instance);
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    return 0;
}

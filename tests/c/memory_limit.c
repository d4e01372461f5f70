/* Work beyond the memory limit is refused before it is begun. */
#include "check.h"

int main(void)
{
    mks_context *context = cpu_context(1);
    mks_parallel_machines_instance *instance = endless();
    mks_parallel_machines_options options = endless_options();
    options.epsilon = 0.001;
    mks_solve_options solve_options;
    CHECK_OK(mks_solve_options_init(&solve_options, sizeof solve_options));
    solve_options.memory_limit_bytes = 1;
    mks_result *result = NULL;
    CHECK_FAILS(mks_parallel_machines_solve(context, instance, &options, &solve_options, &result),
                MKS_STATUS_OUT_OF_MEMORY, "the limit is");
    CHECK(result == NULL);
    mks_parallel_machines_instance_free(instance);
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    return 0;
}

/* Seven jobs on three machines, with one call. */
#include <inttypes.h>
#include <makespan.h>
#include <stdio.h>

int main(void)
{
    const uint64_t times[7] = {5, 5, 4, 4, 3, 3, 3};
    uint32_t machine_of[7];
    uint64_t makespan, bound;
    if (mks_parallel_machines(times, 7, 3, machine_of, &makespan, &bound) != MKS_STATUS_OK) {
        fprintf(stderr, "%s\n", mks_last_error());
        return 1;
    }
    for (int job = 0; job < 7; job++) {
        printf(
            "job %d, %" PRIu64 " hours: machine %" PRIu32 "\n", job, times[job], machine_of[job]);
    }
    printf(
        "all done after %" PRIu64 " hours; nobody needs less than %" PRIu64 "\n", makespan, bound);
    return 0;
}

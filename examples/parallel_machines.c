/* Seven jobs on three machines, with one call of up to ten seconds. */
#include <makespan.h>
#include <stdio.h>

int main(void)
{
    uint64_t times[7] = {5, 5, 4, 4, 3, 3, 3};
    int64_t makespan, bound;
    uint32_t machine_of[7];
    if (mks_parallel_machines(times, 7, 3, 10, machine_of, &makespan, &bound) != MKS_STATUS_OK) {
        fprintf(stderr, "%s\n", mks_last_error());
        return 1;
    }
    for (int job = 0; job < 7; job++) {
        printf("job %d, %d hours: machine %d\n", job, (int)times[job], (int)machine_of[job]);
    }
    printf("all done after %d hours; no schedule takes less than %d\n", (int)makespan, (int)bound);
}

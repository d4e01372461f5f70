/* Eight jobs through four machines in the same sequence, with one call of up to ten seconds. */
#include <inttypes.h>
#include <makespan.h>
#include <stdio.h>

int main(void)
{
    /* A row for each job, a column for each machine. */
    const uint64_t times[8 * 4] = {
        5, 9, 3, 7, /* job 0 */
        2, 6, 8, 4, /* job 1 */
        7, 3, 5, 5, /* job 2 */
        4, 8, 2, 9, /* job 3 */
        6, 4, 7, 3, /* job 4 */
        3, 5, 9, 6, /* job 5 */
        8, 2, 4, 8, /* job 6 */
        5, 7, 6, 2, /* job 7 */
    };
    uint32_t sequence[8];
    int64_t makespan, bound;
    if (mks_flow_shop(times, 8, 4, 10, sequence, &makespan, &bound) != MKS_STATUS_OK) {
        fprintf(stderr, "%s\n", mks_last_error());
        return 1;
    }
    printf("sequence:");
    for (int position = 0; position < 8; position++) {
        printf(" %" PRIu32, sequence[position]);
    }
    printf("\nmakespan %" PRId64 ", bound %" PRId64 "\n", makespan, bound);
    return 0;
}

/* Five repairs for one mechanic, the urgent ones early, with one call of up to ten seconds. */
#include <inttypes.h>
#include <makespan.h>
#include <stdio.h>

int main(void)
{
    const uint64_t hours[5] = {3, 1, 2, 8, 5};
    const uint64_t urgency[5] = {1, 4, 2, 3, 10};
    uint32_t order[5];
    int64_t cost, bound;
    if (mks_single_machine(hours, urgency, 5, 10, order, &cost, &bound) != MKS_STATUS_OK) {
        fprintf(stderr, "%s\n", mks_last_error());
        return 1;
    }
    printf("repairs:");
    for (int position = 0; position < 5; position++) {
        printf(" %" PRIu32, order[position]);
    }
    printf("\ncost %" PRId64 ", bound %" PRId64 "\n", cost, bound);
    return 0;
}

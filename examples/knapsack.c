/* Ten orders for a week of sixty hours, the best choice, with one call of up to ten seconds. */
#include <inttypes.h>
#include <makespan.h>
#include <stdio.h>

int main(void)
{
    const uint64_t profits[10] = {31, 20, 27, 45, 12, 38, 16, 24, 9, 33};
    const uint64_t hours[10] = {14, 9, 13, 22, 5, 17, 8, 11, 4, 16};
    uint64_t taken[10];
    int64_t profit, bound;
    if (mks_knapsack_fill(profits, hours, 10, 60, 10, taken, &profit, &bound) != MKS_STATUS_OK) {
        fprintf(stderr, "%s\n", mks_last_error());
        return 1;
    }
    printf("orders:");
    for (int order = 0; order < 10; order++) {
        if (taken[order] > 0) {
            printf(" %d", order);
        }
    }
    printf("\nprofit %" PRId64 ", bound %" PRId64 "\n", profit, bound);
    return 0;
}

/* The cheapest path through a box of 9 x 8 x 7 cells by moves along one, two or three axes, with
 * one call of up to ten seconds. */
#include <inttypes.h>
#include <makespan.h>
#include <stdio.h>

int main(void)
{
    const uint64_t sizes[3] = {9, 8, 7};
    /* Three numbers for each move, and its cost. */
    const uint64_t moves[6 * 3] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1};
    const uint64_t costs[6] = {3, 3, 3, 4, 4, 5};
    int64_t cost;
    if (mks_lattice_dp_cost(sizes, 3, moves, costs, 6, 10, &cost) != MKS_STATUS_OK) {
        fprintf(stderr, "%s\n", mks_last_error());
        return 1;
    }
    printf("the cheapest path costs %" PRIu64 "\n", cost);
    return 0;
}

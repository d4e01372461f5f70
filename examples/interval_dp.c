/* The cheapest order of multiplying six matrices, with one call of up to ten seconds. */
#include <inttypes.h>
#include <makespan.h>
#include <stdio.h>

int main(void)
{
    /* Matrix i has dimensions[i] rows and dimensions[i + 1] columns. */
    const int64_t dimensions[7] = {30, 35, 15, 5, 10, 20, 25};
    uint32_t splits[5];
    int64_t multiplications;
    if (mks_interval_dp_matrix_chain(dimensions, 7, 10, splits, &multiplications)
        != MKS_STATUS_OK) {
        fprintf(stderr, "%s\n", mks_last_error());
        return 1;
    }
    printf("%" PRId64 " multiplications\n", multiplications);
    for (int product = 0; product < 5; product++) {
        uint32_t split = splits[product];
        printf("product %d removes dimension %" PRIu32 ", of size %" PRId64 "\n", product, split,
            dimensions[split]);
    }
    return 0;
}

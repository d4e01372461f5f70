/* Twelve parcels in as few vans as possible, with one call of up to ten seconds. */
#include <inttypes.h>
#include <makespan.h>
#include <stdio.h>

int main(void)
{
    const uint64_t volumes[12] = {57, 49, 48, 44, 38, 36, 33, 31, 29, 27, 24, 22};
    uint32_t van_of[12];
    int64_t vans, bound;
    if (mks_cutting_stock_pack(volumes, 12, 100, 10, van_of, &vans, &bound) != MKS_STATUS_OK) {
        fprintf(stderr, "%s\n", mks_last_error());
        return 1;
    }
    for (uint32_t van = 0; van < vans; van++) {
        printf("van %" PRIu32 ":", van);
        for (int parcel = 0; parcel < 12; parcel++) {
            if (van_of[parcel] == van) {
                printf(" %" PRIu64, volumes[parcel]);
            }
        }
        printf("\n");
    }
    printf("%" PRId64 " vans; no packing needs fewer than %" PRId64 "\n", vans, bound);
    return 0;
}

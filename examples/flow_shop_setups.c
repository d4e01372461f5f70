/* Four jobs through two machines, with set-ups between colours, due dates and an objective of two
 * stages. */
#include <inttypes.h>
#include <makespan.h>
#include <stdio.h>
#include <stdlib.h>

/* Takes the place of the old instance. */
static mks_flow_shop_instance *replaced(
    mks_flow_shop_instance *old, mks_flow_shop_instance *changed, mks_status status)
{
    mks_flow_shop_instance_free(old);
    if (status != MKS_STATUS_OK) {
        fprintf(stderr, "%s\n", mks_last_error());
        exit(1);
    }
    return changed;
}

int main(void)
{
    const uint64_t times[4 * 2] = {5, 4, 3, 6, 6, 2, 2, 5};
    const uint32_t colour_of[4] = {0, 1, 0, 1};
    /* From white to red takes 3, back takes 7. */
    const uint64_t setups[2 * 2] = {0, 3, 7, 0};
    const int64_t due_dates[4] = {12, 14, 22, 30};
    mks_flow_shop_instance *shop = NULL, *next = NULL;
    mks_status status = mks_flow_shop_instance_create(times, 4, 2, &next);
    shop = replaced(shop, next, status);
    status = mks_flow_shop_instance_with_family_setups(shop, colour_of, 4, 2, setups, 4, &next);
    shop = replaced(shop, next, status);
    status = mks_flow_shop_instance_with_due_dates(shop, due_dates, 4, &next);
    shop = replaced(shop, next, status);
    status = mks_flow_shop_instance_with_objective(shop, "total-tardiness,makespan", &next);
    shop = replaced(shop, next, status);

    mks_context *context = NULL;
    mks_result *result = NULL;
    uint32_t sequence[4];
    int64_t values[2];
    int failed = mks_context_create(NULL, &context) != MKS_STATUS_OK
        || mks_flow_shop_solve(context, shop, NULL, &result) != MKS_STATUS_OK
        || mks_flow_shop_permutation(result, sequence, 4) != MKS_STATUS_OK
        || mks_flow_shop_values(result, values, 2) != MKS_STATUS_OK;
    if (failed) {
        fprintf(stderr, "%s\n", mks_last_error());
    } else {
        printf("sequence: %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", sequence[0],
            sequence[1], sequence[2], sequence[3]);
        printf("total tardiness %" PRId64 ", makespan %" PRId64 "\n", values[0], values[1]);
    }
    mks_result_free(result);
    mks_flow_shop_instance_free(shop);
    return mks_context_free(context) != MKS_STATUS_OK || failed;
}

/* Proves in two parts that no schedule is shorter than 1377, and counts the nodes. */
#include <inttypes.h>
#include <makespan_units.h>
#include <stdio.h>

static int failed(mks_status status)
{
    if (status != MKS_STATUS_OK) {
        fprintf(stderr, "%s\n", mks_last_error());
    }
    return status != MKS_STATUS_OK;
}

int main(void)
{
    mks_context *context = NULL;
    mks_options *options = NULL;
    mks_flow_shop_instance *instance = NULL;
    mks_flow_shop_unit *whole = NULL, *parts[2] = {NULL, NULL};
    mks_flow_shop_upper_bound *bound = NULL;
    uint64_t nodes = 0;
    int64_t limit = 0;
    int32_t done = 0;
    if (failed(mks_context_create(NULL, &context))
        || failed(mks_flow_shop_instance_named("ta014", &instance))
        || failed(mks_options_create("flow_shop", &options))
        || failed(mks_options_set(options, "method", "branch-and-bound"))
        || failed(mks_options_set(options, "upper_bound", "1377"))
        || failed(mks_flow_shop_upper_bound_create(&bound))
        || failed(mks_flow_shop_unit_create(instance, options, &whole))
        || failed(mks_flow_shop_unit_split(whole, 2, parts))) {
        return 1;
    }
    /* Each part could also go to another machine, by mks_flow_shop_unit_bytes_view. */
    for (int part = 0; part < 2; part++) {
        if (failed(mks_flow_shop_unit_run(context, parts[part], NULL, bound, &nodes))) {
            return 1;
        }
    }
    if (failed(mks_flow_shop_unit_merge(parts[0], parts[1]))
        || failed(mks_flow_shop_unit_is_done(parts[0], &done))
        || failed(mks_flow_shop_unit_limit(parts[0], &limit))
        || failed(mks_flow_shop_unit_nodes(parts[0], &nodes)) || !done) {
        return 1;
    }
    printf("no schedule is shorter than %" PRId64 ": %" PRIu64 " nodes\n", limit, nodes);
    mks_flow_shop_unit_free(whole);
    mks_flow_shop_unit_free(parts[0]);
    mks_flow_shop_unit_free(parts[1]);
    mks_flow_shop_upper_bound_free(bound);
    mks_options_free(options);
    mks_flow_shop_instance_free(instance);
    return mks_context_free(context) != MKS_STATUS_OK;
}

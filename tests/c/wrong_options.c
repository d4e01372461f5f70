/* Option structs that are not initialised, too new, or have values without a meaning. */
#include "check.h"
#include <math.h>

static void context_options(void)
{
    mks_context *context = NULL;
    mks_context_options good, bad;
    CHECK_OK(mks_context_options_init(&good, sizeof good));
    REFUSED(mks_context_options_init(&bad, 7), "size 7");
    REFUSED(mks_context_options_init(&bad, 1000000), "size 1000000");
    memset(&bad, 0, sizeof bad);
    REFUSED(mks_context_create(&bad, &context), "struct_size 0");
    memset(&bad, 0xa5, sizeof bad);
    REFUSED(mks_context_create(&bad, &context), "struct_size");
    bad = good, bad.reserved[1] = 1;
    REFUSED(mks_context_create(&bad, &context), "reserved");
    bad = good, bad.engine = 3;
    REFUSED(mks_context_create(&bad, &context), "options.engine: 3");
    bad = good, bad.engine = MKS_ENGINE_INHERIT;
    REFUSED(mks_context_create(&bad, &context), "options.engine: -1");
    bad = good, bad.device = -2;
    REFUSED(mks_context_create(&bad, &context), "options.device: -2");
    bad = good, bad.threads = UINT32_MAX;
    REFUSED(mks_context_create(&bad, &context), "threads");
    bad = good, bad.log_level = 4;
    REFUSED(mks_context_create(&bad, &context), "options.log_level: 4");
    const uint32_t first_again[2] = {1, 0}, further[3] = {2, 1, 2};
    bad = good, bad.further_device_count = 1;
    REFUSED(mks_context_create(&bad, &context), "options.further_devices: is NULL");
    bad.further_devices = first_again, bad.further_device_count = 2;
    REFUSED(mks_context_create(&bad, &context), "further_devices[1]: device 0 is named twice");
    bad.device = 1, bad.further_devices = further, bad.further_device_count = 3;
    REFUSED(mks_context_create(&bad, &context), "further_devices[1]: device 1 is named twice");
    bad.device = 0;
    REFUSED(mks_context_create(&bad, &context), "further_devices[2]: device 2 is named twice");
    bad = good, bad.cache_directory = "";
    REFUSED(mks_context_create(&bad, &context), "options.cache_directory");
    CHECK(context == NULL);

    /* A newer program: fine as long as it does not set fields that this library does not know. */
    struct {
        mks_context_options known;
        uint64_t unknown[2];
    } newer;
    CHECK_OK(mks_context_options_init(&newer.known, sizeof newer));
    CHECK(
        newer.known.struct_size == sizeof newer && newer.unknown[0] == 0 && newer.unknown[1] == 0);
    newer.known.threads = 1;
    CHECK_OK(mks_context_create(&newer.known, &context));
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    newer.unknown[1] = 1;
    REFUSED(mks_context_create(&newer.known, &context), "does not know");
}

static void solve_options(mks_context *context, mks_parallel_machines_instance *instance)
{
    mks_result *result = NULL;
    mks_solve_options good, bad;
    CHECK_OK(mks_solve_options_init(&good, sizeof good));
    REFUSED(mks_solve_options_init(&bad, 0), "size 0");
#define SOLVE() mks_parallel_machines_solve(context, instance, NULL, &bad, &result)
    memset(&bad, 0, sizeof bad);
    REFUSED(SOLVE(), "solve_options: struct_size 0");
    bad = good, bad.struct_size = sizeof bad - 1;
    REFUSED(SOLVE(), "solve_options: struct_size");
    bad = good, bad.reserved[0] = 1;
    REFUSED(SOLVE(), "solve_options: a reserved field");
    bad = good, bad.reserved_flags = 1;
    REFUSED(SOLVE(), "solve_options: a reserved field");
    bad = good, bad.time_limit_seconds = -1;
    REFUSED(SOLVE(), "solve_options.time_limit_seconds: -1");
    bad = good, bad.time_limit_seconds = (double)NAN;
    REFUSED(SOLVE(), "solve_options.time_limit_seconds: NaN");
    bad = good, bad.engine = 99;
    REFUSED(SOLVE(), "solve_options.engine: 99");
#undef SOLVE
    CHECK(result == NULL);

    good.time_limit_seconds = 1e300;
    CHECK_OK(mks_parallel_machines_solve(context, instance, NULL, &good, &result));
    mks_result_free(result);
}

static void problem_options(mks_context *context, mks_parallel_machines_instance *instance)
{
    mks_result *result = NULL;
    mks_parallel_machines_options good, bad;
    CHECK_OK(mks_parallel_machines_options_init(&good, sizeof good));
    REFUSED(mks_parallel_machines_options_init(&bad, 8), "size 8");
#define SOLVE() mks_parallel_machines_solve(context, instance, &bad, NULL, &result)
    bad = good, bad.struct_size = 1;
    REFUSED(SOLVE(), "options: struct_size 1");
    bad = good, bad.reserved[1] = 1;
    REFUSED(SOLVE(), "options: a reserved field");
    bad = good, bad.reserved_flags = 1;
    REFUSED(SOLVE(), "options: a reserved field");
    bad = good, bad.method = -1;
    REFUSED(SOLVE(), "options.method: -1");
    bad = good, bad.epsilon = 0;
    REFUSED(SOLVE(), "epsilon");
    bad = good, bad.epsilon = 1.5;
    REFUSED(SOLVE(), "epsilon");
    bad = good, bad.epsilon = (double)NAN;
    REFUSED(SOLVE(), "epsilon");
    bad = good, bad.segments = 65;
    REFUSED(SOLVE(), "segments: must be from 1 to 64, not 65");
    bad = good, bad.traversal = 3;
    REFUSED(SOLVE(), "options.traversal: 3");
    bad = good, bad.partitioned_dimensions = 4;
    REFUSED(SOLVE(), "options.traversal: takes partitioned dimensions");
    bad = good, bad.divisor_rule = MKS_DIVISOR_RULE_PRINTED;
    REFUSED(SOLVE(), "options.traversal: takes partitioned dimensions");
    bad = good, bad.traversal = MKS_TRAVERSAL_BLOCKS, bad.partitioned_dimensions = 2;
    REFUSED(SOLVE(), "dimensions: must be from 3 to 9, not 2");
    bad = good, bad.traversal = MKS_TRAVERSAL_BLOCKS, bad.divisor_rule = -1;
    REFUSED(SOLVE(), "options.divisor_rule: -1");
    bad = good, bad.launches = 3;
    REFUSED(SOLVE(), "options.launches: 3");
    bad = good, bad.segments = 4;
    REFUSED(SOLVE(), "segments: is for the method ptas alone");
    bad = good, bad.traversal = MKS_TRAVERSAL_LEVELS;
    REFUSED(SOLVE(), "traversal: is for the method ptas alone");
    bad = good, bad.launches = MKS_LAUNCHES_PERSISTENT;
    REFUSED(SOLVE(), "launches: is for the method ptas alone");
    bad = good, bad.reserved_choice = 1;
    REFUSED(SOLVE(), "options: a reserved field is not zero");
#undef SOLVE
    CHECK(result == NULL);
}

static void device_info(mks_context *context)
{
    mks_device_info info;
    REFUSED(mks_device_info_init(&info, 100), "size 100");
    memset(&info, 0, sizeof info);
    REFUSED(mks_context_device_info(context, 0, &info), "info: struct_size 0");
}

int main(void)
{
    context_options();
    mks_context *context = cpu_context(1);
    device_info(context);
    mks_parallel_machines_instance *instance = graham();
    solve_options(context, instance);
    problem_options(context, instance);
    mks_parallel_machines_instance_free(instance);
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    return 0;
}

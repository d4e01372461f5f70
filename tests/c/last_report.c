/* The last report of progress has the values of the result, in every method of the flow shop and
 * for negative values; at the level info the log has a few lines for a solve. */
#include "check.h"
#include <math.h>

static mks_progress last;
static char last_phase[32];
static int lines;

static int32_t remember(const mks_progress *progress, void *user_data)
{
    (void)user_data;
    last = *progress;
    snprintf(last_phase, sizeof last_phase, "%s", progress->phase);
    return MKS_CONTROL_CONTINUE;
}

static void count(int32_t level, const char *message, void *user_data)
{
    (void)user_data;
    lines += level == MKS_LOG_LEVEL_INFO;
    CHECK(strchr(message, '\n') == NULL);
}

static mks_context *logging_context(void)
{
    mks_context_options options;
    mks_context *context = NULL;
    CHECK_OK(mks_context_options_init(&options, sizeof options));
    options.engine = MKS_ENGINE_CPU;
    options.threads = 2;
    options.log_level = MKS_LOG_LEVEL_INFO;
    options.log_callback = count;
    CHECK_OK(mks_context_create(&options, &context));
    return context;
}

static mks_solve_options watched(double seconds)
{
    mks_solve_options options;
    CHECK_OK(mks_solve_options_init(&options, sizeof options));
    options.time_limit_seconds = seconds;
    options.progress_callback = remember;
    memset(&last, 0, sizeof last);
    lines = 0;
    return options;
}

static void compare(const mks_result *result)
{
    double objective = NAN, bound = NAN;
    CHECK_OK(mks_result_objective_f64(result, &objective));
    CHECK_OK(mks_result_bound_f64(result, &bound));
    CHECK(strcmp(last_phase, "end") == 0);
    CHECK(!(last.incumbent_f64 < objective) && !(last.incumbent_f64 > objective));
    CHECK(!(last.bound_f64 < bound) && !(last.bound_f64 > bound));
    CHECK(last.has_incumbent == (objective >= 0) && last.has_bound == (bound >= 0));
    CHECK(lines >= 2 && lines < 40);
}

static void flow_shop(mks_context *context)
{
    mks_flow_shop_instance *instance = NULL;
    CHECK_OK(mks_flow_shop_instance_named("ta001", &instance));
    for (int32_t method = MKS_FLOW_SHOP_METHOD_AUTO; method <= MKS_FLOW_SHOP_METHOD_TABU;
        method++) {
        mks_flow_shop_options options;
        mks_result *result = NULL;
        uint64_t objective = 0, bound = 0;
        CHECK_OK(mks_flow_shop_options_init(&options, sizeof options));
        options.method = method;
        mks_solve_options solve_options = watched(0.2);
        CHECK_OK(mks_flow_shop_solve(context, instance, &options, &solve_options, &result));
        compare(result);
        CHECK_OK(mks_result_objective(result, &objective));
        CHECK_OK(mks_result_bound(result, &bound));
        CHECK(last.incumbent == objective && last.bound == bound);
        mks_result_free(result);
    }
    mks_flow_shop_instance_free(instance);
}

static void negative(mks_context *context)
{
    static const uint64_t OFFSETS[2] = {2, 1};
    static const int64_t INITIAL[2] = {-5, -7};
    mks_recurrence_definition definition;
    mks_recurrence_instance *instance = NULL;
    mks_result *result = NULL;
    CHECK_OK(mks_recurrence_definition_init(&definition, sizeof definition));
    definition.semiring = MKS_RECURRENCE_SEMIRING_MIN_PLUS;
    definition.offsets = OFFSETS;
    definition.offset_count = 2;
    definition.initial = INITIAL;
    definition.initial_count = 2;
    definition.length = 10;
    CHECK_OK(mks_recurrence_instance_create(&definition, &instance));
    mks_solve_options solve_options = watched(10);
    CHECK_OK(mks_recurrence_solve(context, instance, NULL, &solve_options, &result));
    compare(result);
    CHECK(last.has_incumbent == 0 && last.incumbent_f64 < 0);
    mks_result_free(result);
    mks_recurrence_instance_free(instance);
}

int main(void)
{
    mks_context *context = logging_context();
    flow_shop(context);
    negative(context);
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    return 0;
}

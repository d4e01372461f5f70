/* The last report of progress has the values of the result, in every method of the flow shop and
 * for negative values, as the trace has; at the level info the log has a few lines for a solve. */
#include "check.h"

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
    mks_options *options = options_with("context", "engine", "cpu", "threads", "2", NULL);
    mks_context *context = NULL;
    CHECK_OK(mks_options_set_log(options, MKS_LOG_LEVEL_INFO, count, NULL));
    CHECK_OK(mks_context_create(options, &context));
    mks_options_free(options);
    return context;
}

static mks_options *watched(mks_options *options)
{
    CHECK_OK(mks_options_set_progress(options, remember, NULL));
    memset(&last, 0, sizeof last);
    lines = 0;
    return options;
}

static void compare(const mks_result *result)
{
    static mks_trace_point trace[4096];
    size_t count = 0;
    const mks_summary summary = summary_of(result);
    CHECK_OK(mks_result_trace(result, trace, 4096, &count));
    const mks_trace_point *end = &trace[count - 1];
    CHECK(strcmp(last_phase, "end") == 0);
    CHECK(summary.has_objective == 1 && summary.has_bound == 1 && last.sense == summary.sense);
    CHECK(last.has_objective == 1 && last.objective == summary.objective);
    CHECK(last.has_bound == 1 && last.bound == summary.bound);
    CHECK(end->has_objective == 1 && end->objective == summary.objective);
    CHECK(end->has_bound == 1 && end->bound == summary.bound);
    CHECK(end->seconds <= last.elapsed_seconds);
    CHECK(lines >= 2 && lines < 40);
}

static void flow_shop(mks_context *context)
{
    mks_flow_shop_instance *instance = NULL;
    CHECK_OK(mks_flow_shop_instance_named("ta001", &instance));
    static const char *const METHODS[6] = {
        "auto", "neh", "branch-and-bound", "beam", "iterated-greedy", "tabu"};
    for (size_t i = 0; i < 6; i++) {
        mks_result *result = NULL;
        SOLVED(mks_flow_shop, context, instance,
            watched(options_with("flow_shop", "method", METHODS[i], "time_limit", "0.2", NULL)),
            &result);
        compare(result);
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
    SOLVED(mks_recurrence, context, instance,
        watched(options_with("recurrence", "time_limit", "10", NULL)), &result);
    compare(result);
    CHECK(last.objective < 0 && last.objective_f64 < 0);
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

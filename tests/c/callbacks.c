/* Progress and log callbacks: what they receive, what they may do, how they end a solve. */
#include "check.h"

struct listener {
    mks_context *context;
    int calls;
    int32_t answer;
};

static int32_t on_progress(const mks_progress *progress, void *user_data)
{
    struct listener *listener = user_data;
    listener->calls++;
    CHECK(progress->struct_size == sizeof *progress);
    CHECK(progress->elapsed_seconds >= 0 && *progress->phase != '\0');
    CHECK(progress->sense == MKS_SENSE_MINIMISE && progress->stages == 1);
    CHECK(progress->has_objective == 1 && progress->has_bound == 1 && progress->is_real == 0);
    CHECK(progress->objective >= progress->bound);
    CHECK(progress->fraction <= 1);
    /* A context in use is not freed; another solve on it is fine. */
    CHECK_FAILS(mks_context_free(listener->context), MKS_STATUS_BUSY, "context");
    if (listener->calls == 1) {
        mks_parallel_machines_instance *instance = graham();
        mks_result *result = NULL;
        CHECK_OK(mks_parallel_machines_solve(listener->context, instance, NULL, &result));
        mks_result_free(result);
        mks_parallel_machines_instance_free(instance);
    }
    return listener->answer;
}

static int32_t solve(mks_context *context, int32_t answer, const char *iteration_limit)
{
    struct listener listener = {context, 0, answer};
    mks_options *options = endless_options();
    CHECK_OK(mks_options_set(options, "iteration_limit", iteration_limit));
    CHECK_OK(mks_options_set_progress(options, on_progress, &listener));
    mks_parallel_machines_instance *instance = endless();
    mks_result *result = NULL;
    SOLVED(mks_parallel_machines, context, instance, options, &result);
    CHECK(listener.calls > 0);
    const int32_t interrupted = summary_of(result).interrupted;
    mks_result_free(result);
    mks_parallel_machines_instance_free(instance);
    return interrupted;
}

static void on_log(int32_t level, const char *message, void *user_data)
{
    CHECK(level >= MKS_LOG_LEVEL_WARNING && level <= MKS_LOG_LEVEL_DEBUG && *message != '\0');
    ++*(int *)user_data;
}

static int messages(int32_t level)
{
    int count = 0;
    mks_options *options = options_with("context", "threads", "1", "cache", "off", NULL);
    CHECK_OK(mks_options_set_log(options, level, on_log, &count));
    mks_context *context = NULL;
    CHECK_OK(mks_context_create(options, &context));
    mks_options_free(options);
    size_t devices = 0;
    CHECK_OK(mks_context_device_count(context, &devices));
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    return count;
}

int main(void)
{
    mks_context *context = cpu_context(2);
    CHECK(solve(context, MKS_CONTROL_CONTINUE, "0") == 1);
    CHECK(solve(context, MKS_CONTROL_STOP, "none") == 1);
    /* An answer without a meaning stops, too. */
    CHECK(solve(context, 12345, "none") == 1);
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    CHECK(messages(MKS_LOG_LEVEL_OFF) == 0);
    CHECK(messages(MKS_LOG_LEVEL_DEBUG) > 0);
    return 0;
}

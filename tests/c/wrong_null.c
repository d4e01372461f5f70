/* NULL for every pointer that may not be NULL: an error that names the parameter, and no output. */
#include "check.h"

#define NULL_FAILS(call, parameter) \
    CHECK_FAILS(call, MKS_STATUS_INVALID_ARGUMENT, parameter ": is NULL")

static void one_call(void)
{
    uint64_t times[2] = {1, 2};
    int64_t makespan = 77, bound = 77;
    uint32_t assignment[2] = {77, 77};
    NULL_FAILS(mks_parallel_machines(NULL, 2, 1, 60, assignment, &makespan, &bound), "times");
    NULL_FAILS(mks_parallel_machines(times, 2, 1, 60, NULL, &makespan, &bound), "assignment");
    NULL_FAILS(mks_parallel_machines(times, 2, 1, 60, assignment, NULL, &bound), "makespan");
    NULL_FAILS(mks_parallel_machines(times, 2, 1, 60, assignment, &makespan, NULL), "bound");
    CHECK(assignment[0] == 77 && assignment[1] == 77 && makespan == 77 && bound == 77);
}

static void context_functions(mks_context *context)
{
    size_t threads = 0;
    size_t size = 0;
    mks_device_info info;
    mks_device_speeds device;
    mks_processor_speeds processor;
    char text[8];
    NULL_FAILS(mks_context_create(NULL, NULL), "context");
    NULL_FAILS(mks_context_threads(NULL, &threads), "context");
    NULL_FAILS(mks_context_threads(context, NULL), "threads");
    NULL_FAILS(mks_context_device_count(NULL, &size), "context");
    NULL_FAILS(mks_context_device_count(context, NULL), "count");
    NULL_FAILS(mks_device_info_init(NULL, sizeof info), "info");
    CHECK_OK(mks_device_info_init(&info, sizeof info));
    NULL_FAILS(mks_context_device_info(NULL, 0, &info), "context");
    NULL_FAILS(mks_context_device_info(context, 0, NULL), "info");
    NULL_FAILS(mks_device_speeds_init(NULL, sizeof device), "speeds");
    CHECK_OK(mks_device_speeds_init(&device, sizeof device));
    NULL_FAILS(mks_context_device_speeds(NULL, 0, &device), "context");
    NULL_FAILS(mks_context_device_speeds(context, 0, NULL), "speeds");
    NULL_FAILS(mks_processor_speeds_init(NULL, sizeof processor), "speeds");
    CHECK_OK(mks_processor_speeds_init(&processor, sizeof processor));
    NULL_FAILS(mks_context_processor_speeds(NULL, &processor), "context");
    NULL_FAILS(mks_context_processor_speeds(context, NULL), "speeds");
    NULL_FAILS(mks_context_calibrate(NULL), "context");
    NULL_FAILS(mks_context_device_problem(NULL, text, sizeof text, &size), "context");
    NULL_FAILS(mks_context_device_problem(context, NULL, sizeof text, &size), "text");
    NULL_FAILS(mks_context_device_problem(context, text, sizeof text, NULL), "length");
    NULL_FAILS(mks_context_tuning(NULL, 0, text, sizeof text, &size), "context");
    NULL_FAILS(mks_context_tuning(context, 0, NULL, sizeof text, &size), "text");
    NULL_FAILS(mks_context_tuning(context, 0, text, sizeof text, NULL), "length");
}

static void stop_functions(mks_stop *stop)
{
    int32_t tripped = 0;
    NULL_FAILS(mks_stop_create(NULL), "stop");
    NULL_FAILS(mks_stop_trip(NULL), "stop");
    NULL_FAILS(mks_stop_reset(NULL), "stop");
    NULL_FAILS(mks_stop_is_tripped(NULL, &tripped), "stop");
    NULL_FAILS(mks_stop_is_tripped(stop, NULL), "tripped");
}

static void instance_functions(mks_parallel_machines_instance *instance)
{
    mks_parallel_machines_instance *made = NULL;
    uint64_t times[7] = {0};
    int64_t makespan = 0;
    size_t machines = 0;
    uint32_t assignment[7] = {0};
    size_t jobs = 0;
    NULL_FAILS(mks_parallel_machines_instance_create(NULL, 7, 1, &made), "times");
    NULL_FAILS(mks_parallel_machines_instance_create(times, 7, 1, NULL), "instance");
    NULL_FAILS(mks_parallel_machines_instance_parse(NULL, 3, &made), "text");
    NULL_FAILS(mks_parallel_machines_instance_parse("1 0", 3, NULL), "instance");
    NULL_FAILS(mks_parallel_machines_instance_read(NULL, &made), "path");
    NULL_FAILS(mks_parallel_machines_instance_read("x", NULL), "instance");
    NULL_FAILS(mks_parallel_machines_instance_jobs(NULL, &jobs), "instance");
    NULL_FAILS(mks_parallel_machines_instance_jobs(instance, NULL), "jobs");
    NULL_FAILS(mks_parallel_machines_instance_machines(NULL, &machines), "instance");
    NULL_FAILS(mks_parallel_machines_instance_machines(instance, NULL), "machines");
    NULL_FAILS(mks_parallel_machines_instance_times(NULL, times, 7), "instance");
    NULL_FAILS(mks_parallel_machines_instance_times(instance, NULL, 7), "times");
    NULL_FAILS(mks_parallel_machines_check(NULL, assignment, 7, &makespan), "instance");
    NULL_FAILS(mks_parallel_machines_check(instance, NULL, 7, &makespan), "assignment");
    NULL_FAILS(mks_parallel_machines_check(instance, assignment, 7, NULL), "makespan");
    CHECK(made == NULL);
}

static void solve_functions(mks_context *context, mks_parallel_machines_instance *instance)
{
    mks_result *result = NULL;
    NULL_FAILS(mks_parallel_machines_solve(NULL, instance, NULL, &result), "context");
    NULL_FAILS(mks_parallel_machines_solve(context, NULL, NULL, &result), "instance");
    NULL_FAILS(mks_parallel_machines_solve(context, instance, NULL, NULL), "result");
    CHECK(result == NULL);
}

static void option_functions(mks_options *options)
{
    mks_options *made = NULL;
    mks_option_info info;
    size_t size = 77;
    char text[8] = "same";
    const uint32_t list[1] = {0};
    NULL_FAILS(mks_options_create(NULL, &made), "owner");
    NULL_FAILS(mks_options_create("flow_shop", NULL), "options");
    NULL_FAILS(mks_options_set(NULL, "method", "auto"), "options");
    NULL_FAILS(mks_options_set(options, NULL, "auto"), "name");
    NULL_FAILS(mks_options_set(options, "method", NULL), "value");
    NULL_FAILS(mks_options_set_int64(NULL, "tenure", 3), "options");
    NULL_FAILS(mks_options_set_int64(options, NULL, 3), "name");
    NULL_FAILS(mks_options_set_double(NULL, "time_limit", 3), "options");
    NULL_FAILS(mks_options_set_double(options, NULL, 3), "name");
    NULL_FAILS(mks_options_set_list(NULL, "start", list, 1), "options");
    NULL_FAILS(mks_options_set_list(options, NULL, list, 1), "name");
    NULL_FAILS(mks_options_set_list(options, "start", NULL, 1), "values");
    NULL_FAILS(mks_options_read(NULL, "x"), "options");
    NULL_FAILS(mks_options_read(options, NULL), "path");
    NULL_FAILS(mks_options_get(NULL, "method", text, sizeof text, &size), "options");
    NULL_FAILS(mks_options_get(options, NULL, text, sizeof text, &size), "name");
    NULL_FAILS(mks_options_get(options, "method", NULL, sizeof text, &size), "text");
    NULL_FAILS(mks_options_get(options, "method", text, sizeof text, NULL), "length");
    NULL_FAILS(mks_options_count(NULL, &size), "options");
    NULL_FAILS(mks_options_count(options, NULL), "count");
    NULL_FAILS(mks_option_info_init(NULL, sizeof info), "info");
    CHECK_OK(mks_option_info_init(&info, sizeof info));
    NULL_FAILS(mks_options_info(NULL, 0, &info), "options");
    NULL_FAILS(mks_options_info(options, 0, NULL), "info");
    NULL_FAILS(mks_options_set_stop(NULL, NULL), "options");
    NULL_FAILS(mks_options_set_progress(NULL, NULL, NULL), "options");
    NULL_FAILS(mks_options_set_log(NULL, MKS_LOG_LEVEL_OFF, NULL, NULL), "options");
    NULL_FAILS(mks_options_set_tuning(NULL, NULL), "options");
    CHECK(made == NULL && size == 77 && strcmp(text, "same") == 0 && info.name == NULL);
    check_value(options, "method", "auto");
    check_value(options, "start", "none");
}

static void result_functions(mks_result *result)
{
    uint64_t number = 0, starts[7];
    uint32_t machines[7];
    mks_summary summary = {.struct_size = sizeof summary};
    size_t count = 0;
    const char *text = NULL;
    NULL_FAILS(mks_result_problem(NULL, &text), "result");
    NULL_FAILS(mks_result_problem(result, NULL), "problem");
    NULL_FAILS(mks_summary_init(NULL, sizeof summary), "summary");
    NULL_FAILS(mks_result_summary(NULL, &summary), "result");
    NULL_FAILS(mks_result_summary(result, NULL), "summary");
    NULL_FAILS(mks_result_trace(NULL, NULL, 0, &count), "result");
    NULL_FAILS(mks_result_trace(result, NULL, 1, &count), "points");
    NULL_FAILS(mks_result_trace(result, NULL, 0, NULL), "count");
    NULL_FAILS(mks_result_method(NULL, &text), "result");
    NULL_FAILS(mks_result_method(result, NULL), "method");
    NULL_FAILS(mks_result_device(NULL, &text), "result");
    NULL_FAILS(mks_result_device(result, NULL), "device");
    NULL_FAILS(mks_result_fallback(NULL, &text), "result");
    NULL_FAILS(mks_result_fallback(result, NULL), "reason");
    NULL_FAILS(mks_result_warning(NULL, &text), "result");
    NULL_FAILS(mks_result_warning(result, NULL), "warning");
    NULL_FAILS(mks_result_statistic(NULL, "cells", &number), "result");
    NULL_FAILS(mks_result_statistic(result, NULL, &number), "name");
    NULL_FAILS(mks_result_statistic(result, "cells", NULL), "value");
    NULL_FAILS(mks_result_statistic_count(NULL, &count), "result");
    NULL_FAILS(mks_result_statistic_count(result, NULL), "count");
    NULL_FAILS(mks_result_statistic_name(NULL, 0, &text), "result");
    NULL_FAILS(mks_result_statistic_name(result, 0, NULL), "name");
    NULL_FAILS(mks_parallel_machines_assignment(NULL, machines, 7), "result");
    NULL_FAILS(mks_parallel_machines_assignment(result, NULL, 7), "machines");
    NULL_FAILS(mks_parallel_machines_starts(NULL, starts, 7), "result");
    NULL_FAILS(mks_parallel_machines_starts(result, NULL, 7), "starts");
}

int main(void)
{
    /* Freeing NULL is harmless and keeps the text of the failure before. */
    NULL_FAILS(mks_stop_trip(NULL), "stop");
    mks_stop_free(NULL);
    mks_options_free(NULL);
    mks_result_free(NULL);
    mks_parallel_machines_instance_free(NULL);
    CHECK(mks_context_free(NULL) == MKS_STATUS_OK);
    CHECK(strcmp(mks_last_error(), "stop: is NULL") == 0);

    mks_context *context = cpu_context(1);
    mks_parallel_machines_instance *instance = graham();
    mks_result *result = NULL;
    mks_options *options = options_with("flow_shop", NULL);
    mks_stop *stop = NULL;
    CHECK_OK(mks_stop_create(&stop));
    CHECK_OK(mks_parallel_machines_solve(context, instance, NULL, &result));
    one_call();
    context_functions(context);
    option_functions(options);
    stop_functions(stop);
    instance_functions(instance);
    solve_functions(context, instance);
    result_functions(result);
    mks_stop_free(stop);
    mks_options_free(options);
    mks_result_free(result);
    mks_parallel_machines_instance_free(instance);
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    return 0;
}

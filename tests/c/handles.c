/* Context, instance, options and every accessor of the result. */
#include "check.h"

static void read_result(const mks_result *result)
{
    const mks_summary summary = summary_of(result);
    CHECK(summary.struct_size == sizeof summary);
    CHECK(summary.status == MKS_SOLUTION_STATUS_OPTIMAL && summary.interrupted == 0);
    CHECK(summary.sense == MKS_SENSE_MINIMISE && summary.stages == 1);
    CHECK(summary.engine == MKS_ENGINE_CPU && summary.is_real == 0);
    CHECK(summary.has_objective == 1 && summary.objective == 9);
    CHECK(summary.has_bound == 1 && summary.bound == 9);
    CHECK((int)summary.objective_f64 == 9 && (int)summary.bound_f64 == 9);
    CHECK(summary.guarantee <= 1 && summary.guarantee >= 1);
    CHECK(summary.seconds >= 0 && summary.setup_seconds >= 0);

    const char *problem = NULL, *method = NULL, *device = "", *reason = "", *warning = "";
    CHECK_OK(mks_result_problem(result, &problem));
    CHECK_OK(mks_result_method(result, &method));
    CHECK_OK(mks_result_device(result, &device));
    CHECK_OK(mks_result_fallback(result, &reason));
    CHECK_OK(mks_result_warning(result, &warning));
    CHECK(strcmp(problem, "parallel_machines") == 0 && strcmp(method, "ptas") == 0);
    CHECK(device == NULL && reason == NULL && warning == NULL);
}

static void read_trace(const mks_result *result)
{
    mks_trace_point points[5];
    size_t count = 0, again = 0;
    CHECK_OK(mks_result_trace(result, NULL, 0, &count));
    CHECK(count >= 1 && count <= 4);
    points[count].seconds = -7;
    CHECK_OK(mks_result_trace(result, points, 5, &again));
    CHECK(again == count && points[count].seconds < -6);
    for (size_t i = 1; i < count; i++) {
        CHECK(points[i - 1].seconds < points[i].seconds);
        CHECK(points[i - 1].objective >= points[i].objective);
        CHECK(points[i - 1].bound <= points[i].bound);
    }
    const mks_trace_point *last = &points[count - 1];
    CHECK(last->has_objective == 1 && last->objective == 9 && (int)last->objective_f64 == 9);
    CHECK(last->has_bound == 1 && last->bound == 9 && (int)last->bound_f64 == 9);
}

static void read_statistics(const mks_result *result)
{
    size_t count = 0;
    int found = 0;
    CHECK_OK(mks_result_statistic_count(result, &count));
    for (size_t index = 0; index < count; index++) {
        const char *name = NULL;
        uint64_t value = 0;
        CHECK_OK(mks_result_statistic_name(result, index, &name));
        CHECK_OK(mks_result_statistic(result, name, &value));
        found |= strcmp(name, "targets") == 0;
    }
    CHECK(found);
    const char *name = NULL;
    uint64_t value = 0;
    CHECK_FAILS(
        mks_result_statistic_name(result, count, &name), MKS_STATUS_INVALID_ARGUMENT, "index");
    CHECK_FAILS(
        mks_result_statistic(result, "ponies", &value), MKS_STATUS_NOT_AVAILABLE, "'ponies'");
}

static void read_solution(const mks_parallel_machines_instance *instance, const mks_result *result)
{
    uint32_t machines[7];
    uint64_t starts[7];
    int64_t makespan = 0;
    CHECK_OK(mks_parallel_machines_assignment(result, machines, 7));
    CHECK_OK(mks_parallel_machines_starts(result, starts, 7));
    CHECK_OK(mks_parallel_machines_check(instance, machines, 7, &makespan));
    CHECK(makespan == 9);
    for (size_t job = 0; job < 7; job++) {
        CHECK((int64_t)(starts[job] + GRAHAM[job]) <= makespan);
    }
}

int main(void)
{
    mks_context *context = cpu_context(2);
    size_t threads = 0;
    CHECK_OK(mks_context_threads(context, &threads));
    CHECK(threads == 2);

    mks_parallel_machines_instance *instance = NULL;
    const char text[] = "p p_cmax 7 3\n5 5 4 4 3 3 3 0\nbeyond the length";
    CHECK_OK(mks_parallel_machines_instance_parse(
        text, strlen("p p_cmax 7 3\n5 5 4 4 3 3 3 0\n"), &instance));
    size_t jobs = 0;
    size_t machines = 0;
    uint64_t times[8] = {0};
    CHECK_OK(mks_parallel_machines_instance_jobs(instance, &jobs));
    CHECK_OK(mks_parallel_machines_instance_machines(instance, &machines));
    CHECK_OK(mks_parallel_machines_instance_times(instance, times, 8));
    CHECK(jobs == 7 && machines == 3 && memcmp(times, GRAHAM, sizeof GRAHAM) == 0 && times[7] == 0);

    mks_options *options = options_with(
        "parallel_machines", "method", "ptas", "time_limit", "60", "engine", "cpu", NULL);
    mks_result *result = NULL;
    SOLVED(mks_parallel_machines, context, instance, options, &result);

    read_solution(instance, result);
    /* A result needs neither context nor instance. */
    mks_parallel_machines_instance_free(instance);
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    read_result(result);
    read_trace(result);
    read_statistics(result);
    uint64_t starts[7];
    CHECK_OK(mks_parallel_machines_starts(result, starts, 7));
    mks_result_free(result);

    /* Everything by default. */
    CHECK_OK(mks_context_create(NULL, &context));
    instance = graham();
    CHECK_OK(mks_parallel_machines_solve(context, instance, NULL, &result));
    mks_result_free(result);
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    mks_parallel_machines_instance_free(instance);
    return 0;
}

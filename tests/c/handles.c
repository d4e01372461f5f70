/* Context, instance, options and every accessor of the result. */
#include "check.h"

static void read_result(const mks_result *result)
{
    int32_t status = 0, interrupted = -1;
    CHECK_OK(mks_result_status(result, &status));
    CHECK_OK(mks_result_interrupted(result, &interrupted));
    CHECK(status == MKS_SOLUTION_STATUS_OPTIMAL && interrupted == 0);

    uint64_t objective = 0, bound = 0;
    double guarantee = 0, seconds = -1, setup_seconds = -1;
    CHECK_OK(mks_result_objective(result, &objective));
    CHECK_OK(mks_result_bound(result, &bound));
    CHECK_OK(mks_result_guarantee(result, &guarantee));
    CHECK_OK(mks_result_seconds(result, &seconds));
    CHECK_OK(mks_result_setup_seconds(result, &setup_seconds));
    int64_t signed_objective = 0, signed_bound = 0;
    double real_objective = 0, real_bound = 0;
    CHECK_OK(mks_result_objective_i64(result, &signed_objective));
    CHECK_OK(mks_result_objective_f64(result, &real_objective));
    CHECK_OK(mks_result_bound_i64(result, &signed_bound));
    CHECK_OK(mks_result_bound_f64(result, &real_bound));
    CHECK(signed_objective == 9 && signed_bound == 9);
    CHECK((int)real_objective == 9 && (int)real_bound == 9);
    CHECK(objective == 9 && bound == 9 && guarantee <= 1 && guarantee >= 1);
    CHECK(seconds >= 0 && setup_seconds >= 0);

    const char *problem = NULL, *method = NULL, *device = "", *reason = "", *warning = "";
    CHECK_OK(mks_result_problem(result, &problem));
    CHECK_OK(mks_result_method(result, &method));
    CHECK_OK(mks_result_device(result, &device));
    CHECK_OK(mks_result_fallback(result, &reason));
    CHECK_OK(mks_result_warning(result, &warning));
    CHECK(strcmp(problem, "parallel_machines") == 0 && strcmp(method, "ptas") == 0);
    CHECK(device == NULL && reason == NULL && warning == NULL);
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
    uint64_t starts[7], makespan = 0;
    CHECK_OK(mks_parallel_machines_assignment(result, machines, 7));
    CHECK_OK(mks_parallel_machines_starts(result, starts, 7));
    CHECK_OK(mks_parallel_machines_makespan(instance, machines, 7, &makespan));
    CHECK(makespan == 9);
    for (size_t job = 0; job < 7; job++) {
        CHECK(starts[job] + GRAHAM[job] <= makespan);
    }
}

int main(void)
{
    mks_context *context = cpu_context(2);
    uint32_t threads = 0;
    CHECK_OK(mks_context_threads(context, &threads));
    CHECK(threads == 2);

    mks_parallel_machines_instance *instance = NULL;
    const char text[] = "p p_cmax 7 3\n5 5 4 4 3 3 3 0\nbeyond the length";
    CHECK_OK(mks_parallel_machines_instance_parse(
        text, strlen("p p_cmax 7 3\n5 5 4 4 3 3 3 0\n"), &instance));
    size_t jobs = 0;
    uint32_t machines = 0;
    uint64_t times[8] = {0};
    CHECK_OK(mks_parallel_machines_instance_jobs(instance, &jobs));
    CHECK_OK(mks_parallel_machines_instance_machines(instance, &machines));
    CHECK_OK(mks_parallel_machines_instance_times(instance, times, 8));
    CHECK(jobs == 7 && machines == 3 && memcmp(times, GRAHAM, sizeof GRAHAM) == 0 && times[7] == 0);

    mks_parallel_machines_options options;
    CHECK_OK(mks_parallel_machines_options_init(&options, sizeof options));
    options.method = MKS_PARALLEL_MACHINES_METHOD_PTAS;
    mks_solve_options solve_options;
    CHECK_OK(mks_solve_options_init(&solve_options, sizeof solve_options));
    solve_options.time_limit_seconds = 60;
    solve_options.engine = MKS_ENGINE_CPU;
    mks_result *result = NULL;
    CHECK_OK(mks_parallel_machines_solve(context, instance, &options, &solve_options, &result));

    read_solution(instance, result);
    /* A result needs neither context nor instance. */
    mks_parallel_machines_instance_free(instance);
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    read_result(result);
    read_statistics(result);
    uint64_t starts[7];
    CHECK_OK(mks_parallel_machines_starts(result, starts, 7));
    mks_result_free(result);

    /* Everything by default. */
    CHECK_OK(mks_context_create(NULL, &context));
    instance = graham();
    CHECK_OK(mks_parallel_machines_solve(context, instance, NULL, NULL, &result));
    mks_result_free(result);
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    mks_parallel_machines_instance_free(instance);
    return 0;
}

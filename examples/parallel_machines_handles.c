/* The same with handles: engine, method, limits, progress, a log, and what is known about the
   result. Arguments: a file in the format of mks_parallel_machines_instance_read; "cpu",
   "device" or "auto". */
#include <inttypes.h>
#include <makespan.h>
#include <stdio.h>
#include <stdlib.h>

static void must(mks_status status)
{
    if (status != MKS_STATUS_OK) {
        fprintf(stderr, "%s: %s\n", mks_status_text(status), mks_last_error());
        exit(1);
    }
}

static int32_t on_progress(const mks_progress *progress, void *user_data)
{
    int *reports = user_data;
    printf("%d. %s: makespan %" PRId64 ", bound %" PRId64 "\n", ++*reports, progress->phase,
        progress->objective, progress->bound);
    return MKS_CONTROL_CONTINUE;
}

static void on_log(int32_t level, const char *message, void *user_data)
{
    (void)user_data;
    fprintf(stderr, "[%d] %s\n", (int)level, message);
}

int main(int count, char **arguments)
{
    mks_options *context_options;
    must(mks_options_create("context", &context_options));
    must(mks_options_set_log(context_options, MKS_LOG_LEVEL_INFO, on_log, NULL));
    if (count > 2) {
        must(mks_options_set(context_options, "engine", arguments[2]));
    }
    mks_context *context;
    must(mks_context_create(context_options, &context));

    mks_parallel_machines_instance *instance;
    if (count > 1) {
        must(mks_parallel_machines_instance_read(arguments[1], &instance));
    } else {
        const uint64_t times[9] = {81, 64, 59, 46, 37, 35, 29, 17, 11};
        must(mks_parallel_machines_instance_create(times, 9, 3, &instance));
    }

    mks_options *options;
    int reports = 0;
    must(mks_options_create("parallel_machines", &options));
    must(mks_options_set(options, "method", "ptas"));
    must(mks_options_set(options, "epsilon", "0.2"));
    must(mks_options_set(options, "time_limit", "10"));
    must(mks_options_set_progress(options, on_progress, &reports));

    mks_result *result;
    must(mks_parallel_machines_solve(context, instance, options, &result));

    mks_summary summary;
    const char *device;
    must(mks_summary_init(&summary, sizeof summary));
    must(mks_result_summary(result, &summary));
    must(mks_result_device(result, &device));
    printf("makespan %" PRId64 ", %s, at most %.4f times the optimum, on %s\n", summary.objective,
        summary.status == MKS_SOLUTION_STATUS_OPTIMAL ? "optimal" : "feasible", summary.guarantee,
        device ? device : "the CPU");

    size_t jobs;
    must(mks_parallel_machines_instance_jobs(instance, &jobs));
    uint32_t *machine_of = calloc(jobs + 1, sizeof *machine_of);
    if (machine_of == NULL) {
        return 1;
    }
    must(mks_parallel_machines_assignment(result, machine_of, jobs));
    printf("machines:");
    for (size_t job = 0; job < jobs; job++) {
        printf(" %" PRIu32, machine_of[job]);
    }
    printf("\n");
    free(machine_of);

    mks_result_free(result);
    mks_options_free(options);
    mks_options_free(context_options);
    mks_parallel_machines_instance_free(instance);
    must(mks_context_free(context));
    return 0;
}

/* A context inherited over fork() is refused and can be freed; a new one solves in the child, and
 * the parent continues. */
#define _DEFAULT_SOURCE
#include "check.h"
#include <sys/wait.h>
#include <unistd.h>

static void solve(mks_context *context)
{
    mks_parallel_machines_instance *instance = graham();
    mks_result *result = NULL;
    CHECK_OK(mks_parallel_machines_solve(context, instance, NULL, &result));
    CHECK(summary_of(result).objective == 9);
    mks_result_free(result);
    mks_parallel_machines_instance_free(instance);
}

/* Work for all threads, so that the context has some. */
static void start_threads(mks_context *context)
{
    mks_flow_shop_instance *instance = NULL;
    mks_result *result = NULL;
    CHECK_OK(mks_flow_shop_instance_named("ta001", &instance));
    SOLVED(mks_flow_shop, context, instance,
        options_with("flow_shop", "method", "iterated-greedy", "iteration_limit", "4", NULL),
        &result);
    mks_result_free(result);
    mks_flow_shop_instance_free(instance);
}

static void in_child(mks_context *inherited)
{
    mks_parallel_machines_instance *instance = graham();
    mks_result *result = NULL;
    size_t threads = 0;
    /* A call that waits is ended. */
    alarm(60);
    REFUSED(mks_parallel_machines_solve(inherited, instance, NULL, &result),
        "context: belongs to the parent process");
    REFUSED(mks_context_threads(inherited, &threads), "fork()");
    CHECK(result == NULL);
    mks_parallel_machines_instance_free(instance);

    mks_context *own = cpu_context(2);
    start_threads(own);
    solve(own);
    CHECK_OK(mks_context_free(inherited));
    solve(own);
    CHECK_OK(mks_context_free(own));
    /* The parent's threads are not here to free their memory. Checkers of leaks do not look at a
     * process that becomes another program. */
    execlp("true", "true", (char *)NULL);
    _exit(1);
}

static void fork_with(mks_context *context)
{
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        in_child(context);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static int32_t fork_once(const mks_progress *progress, void *context)
{
    static int forked = 0;
    (void)progress;
    if (!forked) {
        forked = 1;
        fork_with(context);
    }
    return MKS_CONTROL_CONTINUE;
}

int main(void)
{
    mks_context *context = cpu_context(3);
    fork_with(context);
    start_threads(context);
    fork_with(context);

    /* From inside a solve. */
    mks_options *options = options_with("parallel_machines", NULL);
    mks_parallel_machines_instance *instance = graham();
    mks_result *result = NULL;
    CHECK_OK(mks_options_set_progress(options, fork_once, context));
    SOLVED(mks_parallel_machines, context, instance, options, &result);
    mks_result_free(result);
    mks_parallel_machines_instance_free(instance);

    solve(context);
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    return 0;
}

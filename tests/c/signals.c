/* Handlers of the host never run on a thread of the library, not even if no other thread takes the
 * signal at once. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum { SIGNALS = 200 };

static _Thread_local volatile sig_atomic_t is_host;
static volatile sig_atomic_t elsewhere, handled;

static void on_signal(int number)
{
    (void)number;
    handled++;
    elsewhere += !is_host;
}

static void *send(void *unused)
{
    struct timespec moment = {0, 1000000};
    is_host = 1;
    for (int i = 0; i < SIGNALS; i++) {
        CHECK(kill(getpid(), i % 2 ? SIGUSR1 : SIGTERM) == 0);
        nanosleep(&moment, NULL);
    }
    return unused;
}

static void search(mks_context *context, double seconds)
{
    mks_options *options = options_with("flow_shop", "method", "iterated-greedy", NULL);
    mks_flow_shop_instance *instance = NULL;
    mks_result *result = NULL;
    CHECK_OK(mks_options_set_double(options, "time_limit", seconds));
    CHECK_OK(mks_flow_shop_instance_named("ta051", &instance));
    SOLVED(mks_flow_shop, context, instance, options, &result);
    mks_result_free(result);
    mks_flow_shop_instance_free(instance);
}

int main(void)
{
    struct sigaction action = {0};
    sigset_t both, before, after;
    pthread_t sender;
    is_host = 1;
    action.sa_handler = on_signal;
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0 && sigaction(SIGTERM, &action, NULL) == 0);
    mks_context *context = cpu_context(3);
    search(context, 0.05);

    /* Only the sender, and a library thread that must not, may take the signals. */
    sigemptyset(&both);
    sigaddset(&both, SIGUSR1);
    sigaddset(&both, SIGTERM);
    CHECK(pthread_create(&sender, NULL, send, NULL) == 0);
    CHECK(pthread_sigmask(SIG_BLOCK, &both, &before) == 0);
    search(context, 0.3);
    CHECK(pthread_join(sender, NULL) == 0);
    CHECK(pthread_sigmask(SIG_SETMASK, NULL, &after) == 0);
    CHECK(sigismember(&after, SIGUSR1) == 1 && sigismember(&after, SIGHUP) == 0);
    CHECK(pthread_sigmask(SIG_SETMASK, &before, NULL) == 0);
    CHECK(handled > 0 && elsewhere == 0);
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    return 0;
}

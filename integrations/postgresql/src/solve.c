/*
 * The solve runs on a thread. Meanwhile the backend waits for its latch, and serves interrupts as
 * usual: cancels, timeouts, a lost client, barriers of other backends. A callback of the library
 * could not do so, since an error must not jump through the library. The thread calls no function
 * of PostgreSQL, and all signals but its own faults go to the backend.
 */
#include "solve.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <miscadmin.h>
#include <storage/fd.h>
#include <storage/ipc.h>
#include <storage/latch.h>
#include <utils/wait_event.h>

#include "handle.h"
#include "options.h"
#include "session.h"
#include "status.h"

typedef struct Solve {
    Solver solver;
    const mks_context *context;
    const void *instance;
    const mks_options *options;
    mks_stop *stop;
    mks_status status;
    mks_result *result;
    char error[2048];
    pthread_t thread;
    bool is_running; /* The thread has been started and not joined. */
    int reader;      /* The end of the pipe that becomes readable when the solve has ended. */
    int writer;      /* The end that the thread closes. */
} Solve;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Returns freed memory to the system after a solve of more than a tenth of a second. The allocator
 * would keep it as long as the session lives, although the next solves may be small. After a short
 * solve the call would take longer than the solve. */
static void trim_memory(double began)
{
#ifdef __GLIBC__
    if (seconds() - began > 0.1) {
        malloc_trim(0);
    }
#else
    (void)began;
#endif
}

static void *run(void *argument)
{
    Solve *solve = argument;
    double began = seconds();
    solve->status = solve->solver(solve->context, solve->instance, solve->options, &solve->result);
    if (solve->status != MKS_STATUS_OK) {
        strlcpy(solve->error, mks_last_error(), sizeof solve->error);
    }
    trim_memory(began);
    close(solve->writer);
    return NULL;
}

/* Opens the pipe. The server counts its two files, so that it keeps enough others free. */
static bool open_pipe(Solve *solve)
{
    int ends[2];
    if (!AcquireExternalFD()) {
        return false;
    }
    if (AcquireExternalFD()) {
        if (pipe(ends) == 0) {
            fcntl(ends[0], F_SETFD, FD_CLOEXEC);
            fcntl(ends[1], F_SETFD, FD_CLOEXEC);
            solve->reader = ends[0];
            solve->writer = ends[1];
            return true;
        }
        ReleaseExternalFD();
    }
    ReleaseExternalFD();
    return false;
}

/* Closes the reader. The writer has been closed. */
static void close_pipe(const Solve *solve)
{
    close(solve->reader);
    ReleaseExternalFD();
    ReleaseExternalFD();
}

static void join(Solve *solve)
{
    if (solve->is_running) {
        pthread_join(solve->thread, NULL);
        solve->is_running = false;
        close_pipe(solve);
    }
}

/* After an error, and when the process exits. */
static void abandon(int code, Datum argument)
{
    Solve *solve = (Solve *)DatumGetPointer(argument);
    (void)code;
    (void)mks_stop_trip(solve->stop);
    join(solve);
    mks_result_free(solve->result);
}

static int start_thread(Solve *solve)
{
    /* A fault of the thread itself must reach a handler. */
    const int faults[] = {SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};
    sigset_t all, before;
    sigfillset(&all);
    for (size_t index = 0; index < lengthof(faults); index++) {
        sigdelset(&all, faults[index]);
    }
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failure = pthread_create(&solve->thread, NULL, run, solve);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failure;
}

static void start(Solve *solve)
{
    if (!open_pipe(solve)) {
        const char *reason = strerror(errno);
        ereport(ERROR, errcode(ERRCODE_INSUFFICIENT_RESOURCES),
            errmsg("could not create a pipe: %s", reason),
            errdetail("The thread of a solve reports its end through a pipe."),
            errhint("Let an administrator raise max_files_per_process."));
    }
    int failure = start_thread(solve);
    if (failure != 0) {
        close(solve->writer);
        close_pipe(solve);
        ereport(ERROR, errcode(ERRCODE_INSUFFICIENT_RESOURCES),
            errmsg("could not start a thread: %s", strerror(failure)),
            errdetail("A solve runs on a thread."),
            errhint("Raise the number of threads that the server may start."));
    }
    solve->is_running = true;
}

static void wait_for_end(const Solve *solve)
{
    for (;;) {
        CHECK_FOR_INTERRUPTS();
        int events =
            WaitLatchOrSocket(MyLatch, WL_LATCH_SET | WL_SOCKET_READABLE | WL_EXIT_ON_PM_DEATH,
                solve->reader, -1, PG_WAIT_EXTENSION);
        if (events & WL_LATCH_SET) {
            ResetLatch(MyLatch);
        }
        if (events & WL_SOCKET_READABLE) {
            return;
        }
    }
}

static mks_stop *create_stop(mks_options *options)
{
    Handle *handle = mkspg_handle(mkspg_free_stop);
    mks_stop *stop;
    mkspg_check(mks_stop_create(&stop));
    handle->pointer = stop;
    mkspg_check(mks_options_set_stop(options, stop));
    return stop;
}

/* The argument at fault, if there is one: the options, the objective, or the query of the values.
 */
static const char *place_of(const Solve *solve, const char *argument)
{
    bool is_unsupported = solve->status == MKS_STATUS_UNSUPPORTED;
    if (mkspg_names_option(solve->options, solve->error)
        || (is_unsupported && mkspg_chooses_method(solve->options))) {
        return IN_ARGUMENT("options");
    }
    if (mkspg_is_about(solve->error, "objective")) {
        return IN_ARGUMENT("objective");
    }
    bool is_fault = is_unsupported || solve->status == MKS_STATUS_INVALID_ARGUMENT
        || solve->status == MKS_STATUS_OVERFLOW;
    return is_fault && argument != NULL ? psprintf(IN_QUERY("%s"), argument) : NULL;
}

const mks_result *mkspg_solve(Solver solver,
    const void *instance,
    mks_options *options,
    const Labels *labels,
    const char *argument)
{
    Handle *result = mkspg_handle(mkspg_free_result);
    Solve *solve = palloc0(sizeof(Solve));
    solve->solver = solver;
    solve->context = mkspg_context();
    solve->instance = instance;
    solve->options = options;
    solve->stop = create_stop(options);
    /* A cancel may have come while the instance was built. The solve would take a while to end. */
    CHECK_FOR_INTERRUPTS();
    PG_ENSURE_ERROR_CLEANUP(abandon, PointerGetDatum(solve));
    {
        start(solve);
        wait_for_end(solve);
    }
    PG_END_ENSURE_ERROR_CLEANUP(abandon, PointerGetDatum(solve));
    join(solve);
    result->pointer = solve->result;
    CHECK_FOR_INTERRUPTS();
    if (solve->status != MKS_STATUS_OK) {
        mkspg_raise(solve->status, solve->error, place_of(solve, argument), labels);
    }
    return solve->result;
}

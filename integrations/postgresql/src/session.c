#include "session.h"

#include <postgres.h>

#include <storage/ipc.h>

#include "handle.h"
#include "settings.h"
#include "status.h"

static mks_context *context;
static int context_threads;
static const char *context_engine;

static void free_context(void)
{
    mks_context *before = context;
    context = NULL;
    /* No solve is running, so the context is not in use. */
    (void)mks_context_free(before);
}

/* No thread of the library runs while the process exits. */
static void at_exit(int code, Datum argument)
{
    (void)code;
    (void)argument;
    free_context();
}

static mks_status create_context(mks_options *options)
{
    mks_status status = mks_options_set_int64(options, "threads", mkspg_threads);
    if (status == MKS_STATUS_OK) {
        status = mks_options_set(options, "engine", mkspg_engine());
    }
    return status == MKS_STATUS_OK ? mks_context_create(options, &context) : status;
}

const mks_context *mkspg_context(void)
{
    static bool frees_at_exit = false;
    if (!frees_at_exit) {
        on_proc_exit(at_exit, 0);
        frees_at_exit = true;
    }
    if (context != NULL && context_threads == mkspg_threads && context_engine == mkspg_engine()) {
        return context;
    }
    free_context();
    Handle *handle = mkspg_handle(mkspg_free_options);
    mks_options *options;
    mkspg_check(mks_options_create("context", &options));
    handle->pointer = options;
    mkspg_check(create_context(options));
    context_threads = mkspg_threads;
    context_engine = mkspg_engine();
    return context;
}

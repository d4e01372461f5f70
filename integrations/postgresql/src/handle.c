#include "handle.h"

static void release(void *argument)
{
    mkspg_replace(argument, NULL);
}

Handle *mkspg_handle(void (*release_pointer)(void *pointer))
{
    Handle *handle = palloc0(sizeof(Handle));
    handle->release = release_pointer;
    handle->callback.func = release;
    handle->callback.arg = handle;
    MemoryContextRegisterResetCallback(CurrentMemoryContext, &handle->callback);
    return handle;
}

void mkspg_replace(Handle *handle, void *pointer)
{
    void *before = handle->pointer;
    handle->pointer = pointer;
    if (before != NULL) {
        handle->release(before);
    }
}

void mkspg_free_options(void *options)
{
    mks_options_free(options);
}

void mkspg_free_result(void *result)
{
    mks_result_free(result);
}

void mkspg_free_stop(void *stop)
{
    mks_stop_free(stop);
}

/* Handles of the library that live as long as a memory context. */
#ifndef MKSPG_HANDLE_H
#define MKSPG_HANDLE_H

#include <postgres.h>

#include <makespan.h>

/* A handle of the library, or NULL. */
typedef struct Handle {
    void *pointer;
    void (*release)(void *pointer);
    MemoryContextCallback callback;
} Handle;

/*
 * A place for a handle, which is freed with the current memory context. The place comes before the
 * handle, so that no error can fall between the two.
 */
extern Handle *mkspg_handle(void (*release)(void *pointer));

/* Frees the handle in this place, and puts another one there. */
extern void mkspg_replace(Handle *handle, void *pointer);

extern void mkspg_free_options(void *options);
extern void mkspg_free_result(void *result);
extern void mkspg_free_stop(void *stop);

#endif

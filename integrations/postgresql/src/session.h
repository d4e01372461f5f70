/* The context of the library that a backend keeps. */
#ifndef MKSPG_SESSION_H
#define MKSPG_SESSION_H

#include <makespan.h>

/* The context for solves with the current settings. It is valid until the next call. */
extern const mks_context *mkspg_context(void);

#endif

/* Failures of the library as SQL errors. */
#ifndef MKSPG_STATUS_H
#define MKSPG_STATUS_H

#include <postgres.h>

#include <makespan.h>

/* Raises an error unless the call that returned this status succeeded. */
extern void mkspg_check(mks_status status);

/* Raises the error of a call that failed with this text. */
extern void mkspg_raise(mks_status status, const char *text);

#endif

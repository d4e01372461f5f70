/* Failures of the library as SQL errors. */
#ifndef MKSPG_STATUS_H
#define MKSPG_STATUS_H

#include <postgres.h>

#include <makespan.h>

#include "labels.h"

/* Raises an error unless the call that returned this status succeeded. */
extern void mkspg_check(mks_status status);

/*
 * Does so with the argument whose query gave the values, and with the label where the library names
 * the position of a job or an item. Both may be NULL.
 */
extern void mkspg_check_query(mks_status status, const char *argument, const Labels *labels);

/* Raises the error of a call that failed with this text; the labels may be NULL. */
extern void mkspg_raise(mks_status status, const char *text, const Labels *labels);

#endif

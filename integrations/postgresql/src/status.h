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

/* Does so with the argument that is not a query. */
extern void mkspg_check_argument(mks_status status, const char *argument);

/* Where the values come from that have this name in the messages of the library. */
typedef struct Origin {
    const char *name;
    const char *place;
} Origin;

#define IN_ARGUMENT(argument) "argument \"" argument "\""
#define IN_QUERY(argument) "query in argument \"" argument "\""

/*
 * Does so with the place of the values that the message begins with. The last origin has no name:
 * its place is that of all other messages. The labels may be NULL.
 */
extern void mkspg_check_origins(mks_status status, const Origin *origins, const Labels *labels);

/* Raises the error of a call that failed with this text; place and labels may be NULL. */
extern void mkspg_raise(
    mks_status status, const char *text, const char *place, const Labels *labels);

/* Whether a message is about a value of this name: it begins with the name. */
extern bool mkspg_is_about(const char *text, const char *name);

#endif

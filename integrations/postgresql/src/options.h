/* Options of a solve, from JSON. */
#ifndef MKSPG_OPTIONS_H
#define MKSPG_OPTIONS_H

#include <postgres.h>

#include <makespan.h>
#include <utils/jsonb.h>

/*
 * The options of a problem with the values of a JSON object, which may be NULL. They live as long
 * as the current memory context.
 */
extern mks_options *mkspg_options(const char *problem, Jsonb *object);

/* Whether a message of the library is about an option that the argument "options" gives. */
extern bool mkspg_names_option(const mks_options *options, const char *text);

/* Whether the argument "options" names the method. */
extern bool mkspg_chooses_method(const mks_options *options);

/* Sets the start solution: numbers[count]. */
extern void mkspg_set_start(mks_options *options, const uint32 *numbers, size_t count);

#endif

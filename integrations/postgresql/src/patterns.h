/* Patterns by which stock pieces are cut. */
#ifndef MKSPG_PATTERNS_H
#define MKSPG_PATTERNS_H

#include <postgres.h>

#include <funcapi.h>
#include <makespan.h>

#include "labels.h"

typedef struct Patterns {
    Labels *names;
    size_t count;
    uint64 *pieces; /* Stock pieces of each pattern. */
    uint64 *counts; /* Items of each type on one piece, pattern by pattern. */
} Patterns;

/* Reads a query with the columns that makespan.cutting_stock() returns. */
extern Patterns mkspg_read_patterns(const char *argument, const char *query, Labels *items);

/* Sets the packing to start from. */
extern void mkspg_set_pattern_start(mks_options *options, const Patterns *patterns, size_t types);

/* Puts a row for each pattern and item, in the order of the patterns. */
extern void mkspg_put_patterns(const mks_result *result, const Labels *items, ReturnSetInfo *to);

#endif

/* Interval programs: binary trees over a row of items that a query numbers. */
#ifndef MKSPG_INTERVAL_DP_H
#define MKSPG_INTERVAL_DP_H

#include <postgres.h>

#include <makespan.h>
#include <utils/jsonb.h>

#include "handle.h"
#include "items.h"
#include "verdict.h"

/* An inner node of the tree joins the points from first to split and those from split to last. */
typedef struct Branch {
    uint32 first;
    uint32 split;
    uint32 last;
} Branch;

/* The tree of a solve. A node comes before its parts, the left part before the right one. */
typedef struct Tree {
    Verdict verdict;
    Branch *nodes;
    size_t count; /* 0 without a solution, and for semirings without a tree. */
} Tree;

/* A place for an instance, which is freed with the current memory context. */
extern Handle *mkspg_interval_dp(void);

/* The options of a function whose rows have no place for the values of cells. */
extern mks_options *mkspg_tree_options(Jsonb *object);

/* Solves the instance in this place, whose numbers are from the query in the argument. */
extern const mks_result *mkspg_interval_dp_result(
    Handle *instance, mks_options *options, const char *argument);

/* The tree of a result. */
extern Tree mkspg_tree(const mks_result *result);

#endif

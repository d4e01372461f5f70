#include "interval_dp.h"

#include "options.h"
#include "rows.h"
#include "solve.h"
#include "status.h"

static void free_instance(void *instance)
{
    mks_interval_dp_instance_free(instance);
}

Handle *mkspg_interval_dp(void)
{
    return mkspg_handle(free_instance);
}

static mks_status solve(const mks_context *context,
    const void *instance,
    const mks_options *options,
    mks_result **result)
{
    return mks_interval_dp_solve(context, instance, options, result);
}

mks_options *mkspg_tree_options(Jsonb *object)
{
    mks_options *options = mkspg_options("interval_dp", object);
    char text[1];
    size_t length;
    mkspg_check(mks_options_get(options, "cells", text, sizeof text, &length));
    if (length > 0) {
        ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
            errmsg("option \"cells\" has no meaning for this function"),
            errdetail("Its rows have no place for the values of cells."),
            errhint("Leave out the option, or use makespan.interval_dp()."),
            errcontext("argument \"options\""));
    }
    return options;
}

const mks_result *mkspg_interval_dp_result(
    Handle *instance, mks_options *options, const char *argument)
{
    return mkspg_solve(solve, instance->pointer, options, NULL, argument);
}

Tree mkspg_tree(const mks_result *result)
{
    /* The library's numbers of a node are those of the struct. */
    enum { NUMBERS = sizeof(Branch) / sizeof(uint32) };
    Tree tree = {mkspg_verdict(result), NULL, 0};
    size_t count;
    if (tree.verdict.has_solution && mks_interval_dp_node_count(result, &count) == MKS_STATUS_OK) {
        tree.count = count;
        tree.nodes = mkspg_array(tree.count, sizeof(Branch), "the nodes");
        mkspg_check(
            mks_interval_dp_nodes(result, (uint32 *)tree.nodes, Max(tree.count, 1) * NUMBERS));
    }
    return tree;
}

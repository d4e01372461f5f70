#include "interval_dp.h"

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

Tree mkspg_solve_interval_dp(Handle *instance, mks_options *options)
{
    /* The library's numbers of a node are those of the struct. */
    enum { NUMBERS = sizeof(Branch) / sizeof(uint32) };
    const mks_result *result = mkspg_solve(solve, instance->pointer, options, NULL);
    Tree tree = {mkspg_verdict(result), NULL, 0};
    if (tree.verdict.has_solution) {
        mkspg_check(mks_interval_dp_node_count(result, &tree.count));
        tree.nodes = mkspg_array(tree.count, sizeof(Branch), "the nodes");
        mkspg_check(
            mks_interval_dp_nodes(result, (uint32 *)tree.nodes, Max(tree.count, 1) * NUMBERS));
    }
    return tree;
}

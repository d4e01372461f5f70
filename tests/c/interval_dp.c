/* Interval dynamic programs: every function, in right use. */
#include "check.h"
#include <math.h>

static const int64_t CHAIN[7] = {30, 35, 15, 5, 10, 20, 25};

static mks_result *solve(
    const mks_context *context, const mks_interval_dp_instance *instance, const char *method)
{
    static const uint32_t CELLS[4] = {1, 5, 0, 1};
    mks_options *options = options_with("interval_dp", "method", method, NULL);
    CHECK_OK(mks_options_set_list(options, "cells", CELLS, 4));
    mks_result *result = NULL;
    SOLVED(mks_interval_dp, context, instance, options, &result);
    const char *problem = NULL;
    CHECK_OK(mks_result_problem(result, &problem));
    CHECK(strcmp(problem, "interval_dp") == 0);
    CHECK(summary_of(result).status == MKS_SOLUTION_STATUS_OPTIMAL);
    return result;
}

static void check_chain(
    const mks_context *context, const mks_interval_dp_instance *instance, const char *method)
{
    mks_result *result = solve(context, instance, method);
    const int64_t *values = NULL;
    const double *reals = NULL;
    double real = 1;
    size_t count = 0;
    uint32_t nodes[15];
    const char *text = NULL, *dot = NULL, *cell_type = NULL;
    CHECK_OK(mks_interval_dp_cell_values_i64_view(result, &values, &count));
    CHECK(count == 2);
    CHECK_FAILS(mks_interval_dp_cell_values_f64_view(result, &reals, &count),
        MKS_STATUS_NOT_AVAILABLE, "of this type");
    CHECK_OK(mks_interval_dp_cell_error(result, &real));
    CHECK(real == 0);
    CHECK_OK(mks_interval_dp_cell_type_used(result, &cell_type));
    CHECK_OK(mks_interval_dp_node_count(result, &count));
    CHECK_OK(mks_interval_dp_nodes(result, nodes, 15));
    CHECK_OK(mks_interval_dp_parenthesisation(result, &text));
    CHECK_OK(mks_interval_dp_dot(result, &dot));
    CHECK(
        summary_of(result).objective == 15125 && values[0] == 7125 && values[1] == 0 && count == 5);
    CHECK(strcmp(cell_type, "i64") == 0 || strcmp(cell_type, "i32") == 0);
    CHECK(nodes[0] == 0 && nodes[1] == 3 && nodes[2] == 6);
    CHECK(strcmp(text, "((A1 (A2 A3)) ((A4 A5) A6))") == 0 && strncmp(dot, "digraph", 7) == 0);
    mks_result_free(result);
}

static void check_chains(const mks_context *context)
{
    mks_interval_dp_instance *created = NULL, *parsed = NULL, *drawn = NULL;
    size_t points = 0;
    static const char text[] = "30 35 15 5 10 20 25";
    CHECK_OK(mks_interval_dp_instance_matrix_chain_i64(CHAIN, 7, &created));
    CHECK_OK(mks_interval_dp_instance_parse(
        MKS_INTERVAL_DP_KIND_MATRIX_CHAIN, text, sizeof text - 1, &parsed));
    CHECK_OK(mks_interval_dp_instance_random(MKS_INTERVAL_DP_KIND_SEARCH_TREE, 10, 1, 9, &drawn));
    CHECK_OK(mks_interval_dp_instance_points(drawn, &points));
    CHECK(points == 12);
    check_chain(context, created, "auto");
    check_chain(context, parsed, "cubic");
    check_chain(context, parsed, "serial");
    mks_interval_dp_instance_free(drawn);
    mks_interval_dp_instance_free(parsed);
    mks_interval_dp_instance_free(created);
}

static void check_one_call(void)
{
    int64_t multiplications = 0;
    uint32_t splits[5];
    CHECK_OK(mks_interval_dp_matrix_chain(CHAIN, 7, INFINITY, splits, &multiplications));
    CHECK(multiplications == 15125 && splits[4] == 3);
    CHECK_OK(mks_interval_dp_matrix_chain(CHAIN, 2, 60, NULL, &multiplications));
    CHECK(multiplications == 0);
}

static void check_trees(const mks_context *context)
{
    static const int64_t keys[5] = {15, 10, 5, 10, 20}, gaps[6] = {5, 10, 5, 5, 5, 10};
    static const double real_keys[2] = {0.5, 0.25}, real_gaps[3] = {0, 0.25, 0};
    static const double square[8] = {0, 0, 3, 0, 3, 4, 0, 4};
    mks_interval_dp_instance *tree = NULL, *real = NULL, *polygon = NULL, *weights = NULL;
    CHECK_OK(mks_interval_dp_instance_search_tree_i64(keys, 5, gaps, &tree));
    mks_result *result = solve(context, tree, "knuth");
    CHECK(summary_of(result).objective == 235);
    mks_result_free(result);

    CHECK_OK(mks_interval_dp_instance_search_tree_f64(real_keys, 2, real_gaps, &real));
    CHECK_OK(mks_interval_dp_solve(context, real, NULL, &result));
    mks_summary summary = summary_of(result);
    CHECK(summary.is_real == 1 && summary.has_objective == 1 && summary.objective == 0);
    CHECK(summary.objective_f64 > 1.499999 && summary.objective_f64 < 1.500001);
    CHECK(summary.bound_f64 <= summary.objective_f64 && summary.bound_f64 > 1.4999);
    mks_result_free(result);

    /* Four sides of 14 in all, and the diagonal on both its sides. */
    CHECK_OK(mks_interval_dp_instance_convex_polygon(square, 4, &polygon));
    CHECK_OK(mks_interval_dp_solve(context, polygon, NULL, &result));
    summary = summary_of(result);
    CHECK(summary.objective_f64 > 23.999999 && summary.objective_f64 < 24.000001);
    mks_result_free(result);

    CHECK_OK(mks_interval_dp_instance_triangulation_i64(CHAIN, 3, &weights));
    CHECK_OK(mks_interval_dp_solve(context, weights, NULL, &result));
    CHECK(summary_of(result).objective == 30 * 35 * 15);
    mks_result_free(result);
    mks_interval_dp_instance_free(weights);
    mks_interval_dp_instance_free(polygon);
    mks_interval_dp_instance_free(real);
    mks_interval_dp_instance_free(tree);
}

static int64_t split_cost(size_t i, size_t k, size_t j, void *user_data)
{
    const int64_t *factors = user_data;
    return factors[i] * factors[k] * factors[j];
}

static void check_forms(const mks_context *context)
{
    static const int64_t zeros[6] = {0};
    int64_t factors[7];
    memcpy(factors, CHAIN, sizeof factors);
    mks_interval_dp_form_i64 form;
    CHECK_OK(mks_interval_dp_form_i64_init(&form, sizeof form));
    form.leaves = zeros;
    form.leaf_count = 6;
    form.split_cost = split_cost;
    form.user_data = factors;
    form.magnitude = 35 * 35 * 35;
    form.split_source = "data[i] * data[k] * data[j]";
    form.data = factors;
    form.data_count = 7;
    mks_interval_dp_instance *instance = NULL;
    CHECK_OK(mks_interval_dp_instance_create_i64(&form, &instance));
    check_chain(context, instance, "auto");
    mks_interval_dp_instance_free(instance);

    CHECK_OK(mks_interval_dp_form_i64_init(&form, sizeof form));
    form.leaves = zeros;
    form.leaf_count = 6;
    form.left = form.split = form.right = CHAIN;
    CHECK_OK(mks_interval_dp_instance_create_i64(&form, &instance));
    check_chain(context, instance, "cubic");
    mks_interval_dp_instance_free(instance);

    /* The number of trees over five leaves. */
    static const double ones[5] = {1, 1, 1, 1, 1};
    size_t nodes = 0;
    mks_interval_dp_form_f64 counting;
    CHECK_OK(mks_interval_dp_form_f64_init(&counting, sizeof counting));
    counting.semiring = MKS_INTERVAL_DP_SEMIRING_PLUS_TIMES;
    counting.leaves = ones;
    counting.leaf_count = 5;
    CHECK_OK(mks_interval_dp_instance_create_f64(&counting, &instance));
    mks_result *result = NULL;
    CHECK_OK(mks_interval_dp_solve(context, instance, NULL, &result));
    const double count = summary_of(result).objective_f64;
    CHECK(count > 13.5 && count < 14.5);
    CHECK_FAILS(mks_interval_dp_node_count(result, &nodes), MKS_STATUS_NOT_AVAILABLE, "tree");
    mks_result_free(result);
    mks_interval_dp_instance_free(instance);
}

/* Chains of whole numbers and a search tree of real ones, in their order. */
static void check_batch(const mks_context *context)
{
    enum { CHAINS = 6 };
    static const double keys[2] = {0.5, 0.25}, gaps[3] = {0, 0.25, 0};
    mks_interval_dp_instance *instances[CHAINS + 1];
    mks_result *results[CHAINS + 1];
    for (size_t chain = 0; chain < CHAINS; chain++) {
        CHECK_OK(mks_interval_dp_instance_matrix_chain_i64(CHAIN, chain + 2, &instances[chain]));
    }
    CHECK_OK(mks_interval_dp_instance_search_tree_f64(keys, 2, gaps, &instances[CHAINS]));
    CHECK_OK(mks_interval_dp_solve_batch(context, instances, CHAINS + 1, NULL, results));
    static const int64_t best[CHAINS] = {0, 15750, 7875, 9375, 11875, 15125};
    for (size_t chain = 0; chain < CHAINS; chain++) {
        CHECK(summary_of(results[chain]).objective == best[chain]);
    }
    const double cost = summary_of(results[CHAINS]).objective_f64;
    CHECK(cost > 1.499999 && cost < 1.500001);
    for (size_t index = 0; index <= CHAINS; index++) {
        mks_result_free(results[index]);
        mks_interval_dp_instance_free(instances[index]);
    }
    CHECK_OK(mks_interval_dp_solve_batch(context, NULL, 0, NULL, NULL));
}

static void check_folding(const mks_context *context)
{
    static const char text[] = ">hairpin\nGGGAAAUCC\n";
    static const uint32_t weights[3] = {3, 2, 1};
    mks_interval_dp_folding *plain = NULL, *weighted = NULL;
    CHECK_OK(mks_interval_dp_folding_nussinov(text, sizeof text - 1, NULL, 3, &plain));
    CHECK_OK(mks_interval_dp_folding_nussinov(text, sizeof text - 1, weights, 3, &weighted));
    int64_t value = 0;
    CHECK_OK(mks_interval_dp_folding_check(weighted, "((.....))", &value));
    CHECK(value == 6);
    CHECK_FAILS(mks_interval_dp_folding_check(weighted, "(....)...", &value),
        MKS_STATUS_INVALID_ARGUMENT, "structure: bases 0 and 5");
    CHECK_FAILS(
        mks_interval_dp_folding_nussinov("GNC", 3, NULL, 3, &plain), MKS_STATUS_PARSE, "'N'");

    mks_result *result = NULL;
    mks_options *options = options_with("interval_dp", "method", "cubic", NULL);
    CHECK_OK(mks_interval_dp_fold(context, weighted, options, &result));
    mks_options_free(options);
    CHECK(summary_of(result).status == MKS_SOLUTION_STATUS_OPTIMAL);
    CHECK(summary_of(result).objective == 7);
    const char *structure = NULL;
    size_t count = 0;
    uint32_t pairs[6];
    CHECK_OK(mks_interval_dp_structure(result, &structure));
    CHECK_OK(mks_interval_dp_pair_count(result, &count));
    CHECK_OK(mks_interval_dp_pairs(result, pairs, 6));
    CHECK(strcmp(structure, "(((...)))") == 0 && count == 3);
    CHECK_OK(mks_interval_dp_folding_check(weighted, structure, &value));
    CHECK(value == 7 && pairs[0] == 0 && pairs[1] == 8);
    mks_result_free(result);
    mks_interval_dp_folding *energy = NULL;
    CHECK_OK(mks_interval_dp_folding_zuker(text, sizeof text - 1, &energy));
    CHECK_OK(mks_interval_dp_fold(context, energy, NULL, &result));
    CHECK(summary_of(result).objective <= 0);
    mks_result_free(result);
    mks_interval_dp_folding_free(energy);
    mks_interval_dp_folding_free(weighted);
    mks_interval_dp_folding_free(plain);
}

int main(void)
{
    mks_context *context = cpu_context(2);
    check_one_call();
    check_chains(context);
    check_trees(context);
    check_forms(context);
    check_batch(context);
    check_folding(context);
    mks_context_free(context);
    return 0;
}

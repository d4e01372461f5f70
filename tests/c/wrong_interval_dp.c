/* Interval dynamic programs: wrong use ends in an error that names the argument. */
#include "check.h"

static void check_instances(void)
{
    static const int64_t chain[3] = {2, 0, 3};
    static const double gaps[3] = {1, -1, 1}, keys[2] = {1, 1}, dent[8] = {0, 0, 4, 0, 1, 1, 0, 4};
    mks_interval_dp_instance *instance = NULL;
    CHECK_FAILS(mks_interval_dp_instance_matrix_chain_i64(chain, 1, &instance),
        MKS_STATUS_INVALID_ARGUMENT, "dimensions: 1 given");
    CHECK_FAILS(mks_interval_dp_instance_matrix_chain_i64(chain, 3, &instance),
        MKS_STATUS_INVALID_ARGUMENT, "dimensions[1]: 0");
    CHECK_FAILS(mks_interval_dp_instance_matrix_chain_f64(NULL, 3, &instance),
        MKS_STATUS_INVALID_ARGUMENT, "dimensions");
    CHECK_FAILS(mks_interval_dp_instance_search_tree_f64(keys, 2, gaps, &instance),
        MKS_STATUS_INVALID_ARGUMENT, "gaps[1]");
    CHECK_FAILS(mks_interval_dp_instance_convex_polygon(dent, 4, &instance),
        MKS_STATUS_INVALID_ARGUMENT, "vertices[2]");
    CHECK_FAILS(mks_interval_dp_instance_parse(7, "1 2", 3, &instance), MKS_STATUS_INVALID_ARGUMENT,
        "kind: 7");
    CHECK_FAILS(mks_interval_dp_instance_read(0, "/no/such/file", &instance), MKS_STATUS_IO,
        "/no/such/file");
    CHECK_FAILS(mks_interval_dp_instance_random(0, 5, 1, 0, &instance), MKS_STATUS_INVALID_ARGUMENT,
        "largest");
    CHECK_FAILS(mks_interval_dp_instance_triangulation_f64(keys, 2, &instance),
        MKS_STATUS_INVALID_ARGUMENT, "weights: 2 given");
    CHECK_FAILS(mks_interval_dp_instance_matrix_chain_i64(chain, 3, NULL),
        MKS_STATUS_INVALID_ARGUMENT, "instance");
    CHECK(instance == NULL);
}

static void check_forms(void)
{
    static const int64_t numbers[3] = {1, 2, 3};
    mks_interval_dp_instance *instance = NULL;
    mks_interval_dp_form_i64 form;
    CHECK_OK(mks_interval_dp_form_i64_init(&form, sizeof form));
    CHECK_FAILS(mks_interval_dp_instance_create_i64(&form, &instance), MKS_STATUS_INVALID_ARGUMENT,
        "leaves");
    form.leaves = numbers;
    form.leaf_count = 2;
    form.semiring = 9;
    CHECK_FAILS(mks_interval_dp_instance_create_i64(&form, &instance), MKS_STATUS_INVALID_ARGUMENT,
        "form.semiring: 9");
    form.semiring = MKS_INTERVAL_DP_SEMIRING_MAX_MIN;
    form.row = numbers;
    CHECK_FAILS(mks_interval_dp_instance_create_i64(&form, &instance), MKS_STATUS_INVALID_ARGUMENT,
        "form.column");
    form.row = NULL;
    form.left = form.split = form.right = numbers;
    CHECK_FAILS(
        mks_interval_dp_instance_create_i64(&form, &instance), MKS_STATUS_UNSUPPORTED, "products");
    form.left = form.split = form.right = NULL;
    form.split_source = "i";
    form.left = numbers;
    CHECK_FAILS(mks_interval_dp_instance_create_i64(&form, &instance), MKS_STATUS_INVALID_ARGUMENT,
        "form.split_cost");
    form.left = NULL;
    form.magnitude = -1;
    CHECK_FAILS(mks_interval_dp_instance_create_i64(&form, &instance), MKS_STATUS_INVALID_ARGUMENT,
        "magnitude");
    CHECK(instance == NULL);
}

/* Split costs without a function are for devices. */
static void check_source(const mks_context *context)
{
    static const int64_t numbers[3] = {1, 2, 3};
    mks_interval_dp_instance *instance = NULL;
    mks_result *result = NULL;
    mks_interval_dp_form_i64 form;
    CHECK_OK(mks_interval_dp_form_i64_init(&form, sizeof form));
    form.leaves = numbers;
    form.leaf_count = 3;
    form.split_source = "i +\n no_name";
    form.magnitude = 9;
    CHECK_OK(mks_interval_dp_instance_create_i64(&form, &instance));
    CHECK_FAILS(mks_interval_dp_solve(context, instance, NULL, &result), MKS_STATUS_UNSUPPORTED,
        "without a function");

    mks_options *options = options_with("context", "engine", "device", NULL);
    mks_context *device = NULL;
    if (mks_context_create(options, &device) == MKS_STATUS_OK) {
        /* The compiler names the line within the source, and the column. */
        CHECK_FAILS(mks_interval_dp_solve(device, instance, NULL, &result),
            MKS_STATUS_INVALID_ARGUMENT, "line 2, column 2: ");
        CHECK(strstr(mks_last_error(), "no_name") != NULL);
        mks_context_free(device);
    }
    CHECK(result == NULL);
    mks_options_free(options);
    mks_interval_dp_instance_free(instance);
}

static void check_options(const mks_context *context)
{
    static const int64_t chain[4] = {2, 3, 4, 5};
    mks_interval_dp_instance *instance = NULL;
    CHECK_OK(mks_interval_dp_instance_matrix_chain_i64(chain, 4, &instance));
    REFUSED_SOLVES(mks_interval_dp, context, instance);
    mks_options *unchanged = options_with("interval_dp", NULL);
    check_refusal(unchanged, "method", "77", "method: must be one of auto, hu-shing, knuth, ");
    check_refusal(unchanged, "groups", "0", "groups: must be from 1 to 1048576, not 0");
    check_refusal(unchanged, "cells", "0 5 3", "cells: must be pairs of numbers, but has 3");
    mks_options_free(unchanged);

    SOLVE_FAILS(mks_interval_dp, context, instance,
        options_with("interval_dp", "method", "knuth", NULL), MKS_STATUS_UNSUPPORTED,
        "split costs");
    SOLVE_FAILS(mks_interval_dp, context, instance,
        options_with("interval_dp", "method", "gmm", NULL), MKS_STATUS_UNSUPPORTED,
        "without a device");
    SOLVE_REFUSED(mks_interval_dp, context, instance,
        options_with("interval_dp", "method", "cubic", "cell_type", "u16", NULL), "cell_type");
    SOLVE_REFUSED(mks_interval_dp, context, instance,
        options_with("interval_dp", "groups", "7", NULL), "groups: applies only to cm-3");
    mks_options *outside = options_with("interval_dp", "method", "cubic", "cells", "2,2", NULL);
    mks_interval_dp_instance *batch[2] = {instance, NULL};
    mks_result *results[2] = {NULL, NULL};
    REFUSED(mks_interval_dp_solve(context, instance, outside, results), "cells[0]");
    REFUSED(mks_interval_dp_solve_batch(context, batch, 1, outside, results), "cells[0]");
    REFUSED(mks_interval_dp_solve_batch(context, batch, 2, NULL, results), "instances[1]: is NULL");
    REFUSED(mks_interval_dp_solve_batch(context, batch, 1, NULL, NULL), "results");
    CHECK(results[0] == NULL);
    mks_options_free(outside);
    mks_interval_dp_instance_free(instance);
}

int main(void)
{
    mks_context *context = cpu_context(1);
    check_instances();
    check_forms();
    check_options(context);
    check_source(context);
    mks_context_free(context);
    return 0;
}

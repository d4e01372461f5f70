/* Cutting stock and bin packing: NULL, wrong arrays, texts, files, options and results. */
#include "check.h"
#include <math.h>

static const uint64_t LENGTHS[2] = {6, 4};
static const uint64_t DEMANDS[2] = {3, 2};

static void one_call(void)
{
    int64_t bins = 77, bound = 77;
    uint32_t bin_of[2] = {77, 77};
    REFUSED(mks_cutting_stock_pack(NULL, 2, 10, 60, bin_of, &bins, &bound), "lengths: is NULL");
    REFUSED(mks_cutting_stock_pack(LENGTHS, 2, 10, 60, NULL, &bins, &bound), "bin_of: is NULL");
    REFUSED(mks_cutting_stock_pack(LENGTHS, 2, 10, 60, bin_of, NULL, &bound), "bins: is NULL");
    REFUSED(mks_cutting_stock_pack(LENGTHS, 2, 10, 60, bin_of, &bins, NULL), "bound: is NULL");
    REFUSED(mks_cutting_stock_pack(LENGTHS, SIZE_MAX, 10, 60, bin_of, &bins, &bound), "lengths");
    REFUSED(mks_cutting_stock_pack(LENGTHS, 2, 5, 60, bin_of, &bins, &bound), "lengths[0]: is 6");
    REFUSED(mks_cutting_stock_pack(LENGTHS, 2, 10, -1, bin_of, &bins, &bound),
        "time_limit_seconds: -1");
    REFUSED(mks_cutting_stock_pack(LENGTHS, 2, 10, (double)NAN, bin_of, &bins, &bound),
        "time_limit_seconds: NaN");
    CHECK(bin_of[0] == 77 && bin_of[1] == 77 && bins == 77 && bound == 77);
}

static void instances(void)
{
    mks_cutting_stock_instance *made = NULL;
    const uint64_t zero[2] = {1, 0}, huge[1] = {(uint64_t)1 << 62};
    const uint64_t many[2] = {UINT32_MAX, 1};
    REFUSED(mks_cutting_stock_instance_create(NULL, DEMANDS, 2, 10, &made), "lengths: is NULL");
    REFUSED(mks_cutting_stock_instance_create(LENGTHS, NULL, 2, 10, &made), "demands: is NULL");
    REFUSED(mks_cutting_stock_instance_create(LENGTHS, DEMANDS, 2, 10, NULL), "instance: is NULL");
    REFUSED(mks_cutting_stock_instance_create(LENGTHS, DEMANDS, 2, 0, &made),
        "stock_length: must be at least 1");
    REFUSED(mks_cutting_stock_instance_create(zero, DEMANDS, 2, 10, &made),
        "lengths[1]: must be at least 1");
    REFUSED(mks_cutting_stock_instance_create(LENGTHS, DEMANDS, 2, 5, &made), "lengths[0]: is 6");
    REFUSED(mks_cutting_stock_instance_create(LENGTHS, many, 2, 10, &made),
        "demands: 4294967296 items");
    CHECK_FAILS(mks_cutting_stock_instance_create(huge, DEMANDS, 1, UINT64_MAX, &made),
        MKS_STATUS_OVERFLOW, "sum");
    REFUSED_SOURCES(mks_cutting_stock);
    REFUSED(mks_cutting_stock_instance_parse("1 9\n\xff", 5, &made), "text[4]: is not UTF-8");
    CHECK_FAILS(mks_cutting_stock_instance_parse("2 9\n4\n4\n4", 9, &made), MKS_STATUS_PARSE,
        "line 4: 2 lengths");
    CHECK_FAILS(mks_cutting_stock_instance_parse("2 9\n4 1", 7, &made), MKS_STATUS_PARSE,
        "line 2: lengths in lines");
    CHECK_FAILS(mks_cutting_stock_instance_read(__FILE__, &made), MKS_STATUS_PARSE, "line 1");
    CHECK(made == NULL);
}

static void instance_functions(const mks_cutting_stock_instance *instance)
{
    size_t types = 77;
    uint64_t lengths[2] = {77}, stock_length = 77;
    uint64_t demands[2] = {77};
    REFUSED(mks_cutting_stock_instance_types(NULL, &types), "instance: is NULL");
    REFUSED(mks_cutting_stock_instance_types(instance, NULL), "types: is NULL");
    REFUSED(mks_cutting_stock_instance_stock_length(NULL, &stock_length), "instance: is NULL");
    REFUSED(mks_cutting_stock_instance_stock_length(instance, NULL), "stock_length: is NULL");
    REFUSED(mks_cutting_stock_instance_lengths(NULL, lengths, 2), "instance: is NULL");
    REFUSED(mks_cutting_stock_instance_lengths(instance, NULL, 2), "lengths: is NULL");
    REFUSED(mks_cutting_stock_instance_lengths(instance, lengths, 1), "lengths: has room for 1");
    REFUSED(mks_cutting_stock_instance_demands(NULL, demands, 2), "instance: is NULL");
    REFUSED(mks_cutting_stock_instance_demands(instance, NULL, 2), "demands: is NULL");
    REFUSED(mks_cutting_stock_instance_demands(instance, demands, 1), "demands: has room for 1");
    CHECK(types == 77 && stock_length == 77 && lengths[0] == 77 && demands[0] == 77);
}

static void options(const mks_context *context, const mks_cutting_stock_instance *instance)
{
    mks_options *options = options_with("cutting_stock", NULL);
    REFUSED_SOLVES(mks_cutting_stock, context, instance);
    check_refusal(options, "method", "3", "method: must be one of auto, ffd, exact, not \"3\"");
    mks_options_free(options);
}

static void result_functions(const mks_context *context, const mks_cutting_stock_instance *instance)
{
    mks_result *result = NULL;
    size_t count = 77;
    uint64_t pieces = 77, counts[2] = {77, 77};
    uint32_t machines[7];
    CHECK_OK(mks_cutting_stock_solve(context, instance, NULL, &result));
    REFUSED(mks_cutting_stock_pattern_count(NULL, &count), "result: is NULL");
    REFUSED(mks_cutting_stock_pattern_count(result, NULL), "count: is NULL");
    REFUSED(mks_cutting_stock_pattern_pieces(NULL, 0, &pieces), "result: is NULL");
    REFUSED(mks_cutting_stock_pattern_pieces(result, 0, NULL), "pieces: is NULL");
    REFUSED(mks_cutting_stock_pattern_pieces(result, 2, &pieces), "index: 2 is not below 2");
    REFUSED(mks_cutting_stock_pattern_counts(NULL, 0, counts, 2), "result: is NULL");
    REFUSED(mks_cutting_stock_pattern_counts(result, 0, NULL, 2), "counts: is NULL");
    REFUSED(mks_cutting_stock_pattern_counts(result, 0, counts, 1), "counts: has room for 1");
    REFUSED(mks_cutting_stock_pattern_counts(result, SIZE_MAX, counts, 2), "index");
    REFUSED(
        mks_parallel_machines_assignment(result, machines, 7), "result: is one of cutting_stock");
    mks_result_free(result);

    mks_parallel_machines_instance *jobs = graham();
    CHECK_OK(mks_parallel_machines_solve(context, jobs, NULL, &result));
    REFUSED(mks_cutting_stock_pattern_count(result, &count), "result: is one of parallel_machines");
    REFUSED(mks_cutting_stock_pattern_pieces(result, 0, &pieces),
        "result: is one of parallel_machines");
    REFUSED(mks_cutting_stock_pattern_counts(result, 0, counts, 2),
        "result: is one of parallel_machines");
    CHECK(count == 77 && pieces == 77 && counts[0] == 77);
    mks_result_free(result);
    mks_parallel_machines_instance_free(jobs);
}

int main(void)
{
    mks_cutting_stock_instance_free(NULL);
    one_call();
    instances();
    mks_context *context = cpu_context(1);
    mks_cutting_stock_instance *instance = NULL;
    CHECK_OK(mks_cutting_stock_instance_create(LENGTHS, DEMANDS, 2, 10, &instance));
    instance_functions(instance);
    options(context, instance);
    result_functions(context, instance);
    mks_cutting_stock_instance_free(instance);
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    return 0;
}

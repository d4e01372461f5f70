/* Set-ups, release times, blocking, due dates and objectives of the flow shop. */
#include "check.h"

enum { JOBS = 3, MACHINES = 2 };

static const uint64_t TIMES[JOBS * MACHINES] = {3, 2, 1, 4, 2, 1};
static const uint32_t ORDER[JOBS] = {1, 0, 2};

/* Ends the first instance and returns the second. */
static mks_flow_shop_instance *replaced(
    mks_flow_shop_instance *old, mks_flow_shop_instance *changed)
{
    mks_flow_shop_instance_free(old);
    return changed;
}

static int64_t end_of(const mks_flow_shop_instance *instance)
{
    int64_t makespan = 0;
    CHECK_OK(mks_flow_shop_check(instance, ORDER, JOBS, &makespan));
    return makespan;
}

static void plain(const mks_flow_shop_instance *instance)
{
    size_t matrices = 7, kinds = 7, rows = 7, count = 7, stages = 0;
    uint64_t amounts[JOBS] = {7, 7, 7};
    int32_t blocking = 7;
    const uint32_t *list = NULL;
    const int64_t *dates = NULL;
    char text[16];
    CHECK_OK(mks_flow_shop_instance_setup_sizes(instance, &matrices, &kinds, &rows));
    CHECK(matrices == 0 && kinds == 0 && rows == 0);
    CHECK_OK(mks_flow_shop_instance_setups(instance, NULL, 0));
    CHECK_OK(mks_flow_shop_instance_first_setups(instance, NULL, 0));
    CHECK_OK(mks_flow_shop_instance_families_view(instance, &list, &count));
    CHECK(count == 0);
    count = 7;
    CHECK_OK(mks_flow_shop_instance_last_kinds_view(instance, &list, &count));
    CHECK(count == 0);
    CHECK_OK(mks_flow_shop_instance_running_plan_view(instance, &list, &count));
    CHECK(count == 0);
    CHECK_OK(mks_flow_shop_instance_due_dates_view(instance, &dates, &count));
    CHECK(count == 0);
    CHECK_OK(mks_flow_shop_instance_release_times(instance, amounts, JOBS));
    CHECK(amounts[0] == 0 && amounts[2] == 0);
    CHECK_OK(mks_flow_shop_instance_weights(instance, amounts, JOBS));
    CHECK(amounts[0] == 1 && amounts[2] == 1);
    CHECK_OK(mks_flow_shop_instance_blocking(instance, &blocking));
    CHECK_OK(mks_flow_shop_instance_objective(instance, text, sizeof text, &count));
    CHECK_OK(mks_flow_shop_instance_stages(instance, &stages));
    CHECK(blocking == 0 && stages == 1 && count == 8 && strcmp(text, "makespan") == 0);
}

static void setups(const mks_flow_shop_instance *instance)
{
    static const uint64_t MATRIX[JOBS * JOBS] = {0, 2, 3, 4, 0, 1, 5, 1, 0};
    static const uint64_t FIRST[JOBS] = {0, 1, 0}, OF_FAMILIES[4] = {0, 9, 8, 0};
    static const uint32_t FAMILY_OF[JOBS] = {0, 1, 0}, LAST[MACHINES] = {0, 2},
                          WHITE[MACHINES] = {0, 0};
    size_t matrices = 0, kinds = 0, rows = 7, count = 0;
    uint64_t read[JOBS * JOBS];
    const uint32_t *family_of = NULL, *last = NULL;
    mks_flow_shop_instance *made = NULL, *more = NULL;
    CHECK_OK(mks_flow_shop_instance_with_setups(instance, MATRIX, 9, &made));
    CHECK_OK(mks_flow_shop_instance_with_first_setups(made, FIRST, JOBS, &more));
    made = replaced(made, more);
    CHECK(end_of(made) == 16);
    CHECK_OK(mks_flow_shop_instance_setup_sizes(made, &matrices, &kinds, &rows));
    CHECK(matrices == 1 && kinds == JOBS && rows == 1);
    CHECK_OK(mks_flow_shop_instance_setups(made, read, 9));
    CHECK(memcmp(read, MATRIX, sizeof MATRIX) == 0);
    CHECK_OK(mks_flow_shop_instance_first_setups(made, read, JOBS));
    CHECK(memcmp(read, FIRST, sizeof FIRST) == 0);
    CHECK_OK(mks_flow_shop_instance_with_last_kinds(made, LAST, MACHINES, &more));
    made = replaced(made, more);
    CHECK_OK(mks_flow_shop_instance_last_kinds_view(made, &last, &count));
    CHECK(count == MACHINES && memcmp(last, LAST, sizeof LAST) == 0);
    CHECK_OK(mks_flow_shop_instance_setup_sizes(made, &matrices, &kinds, &rows));
    CHECK(matrices == 1 && kinds == JOBS && rows == 0);
    /* Job 1 starts after a set-up of 2 on machine 0 and ends at 3 and 7, job 0 at 10 and 13. */
    CHECK(end_of(made) == 17);
    REFUSED(mks_flow_shop_instance_with_last_kinds(made, LAST, 1, &more),
        "last_kinds: 1 elements for 2 machines");
    REFUSED(mks_flow_shop_instance_with_last_kinds(made, LAST, 0, &more),
        "last_kinds: there is no machine");
    mks_flow_shop_instance_free(made);
    CHECK_OK(mks_flow_shop_instance_with_family_setups(
        instance, FAMILY_OF, JOBS, 2, OF_FAMILIES, 4, &made));
    CHECK_OK(mks_flow_shop_instance_families_view(made, &family_of, &count));
    CHECK(count == JOBS && memcmp(family_of, FAMILY_OF, sizeof FAMILY_OF) == 0);
    /* Job 1 ends at 1 and 5, job 0 starts after a set-up of 8 at 9 and 13, job 2 without one. */
    CHECK(end_of(made) == 16);
    REFUSED(mks_flow_shop_instance_with_last_kinds(made, LAST, MACHINES, &more),
        "last_kinds[1]: there is no family 2, only 2");
    CHECK_OK(mks_flow_shop_instance_with_last_kinds(made, WHITE, MACHINES, &more));
    made = replaced(made, more);
    /* Both machines are set up for job 1 until 9, so that everything is 9 later. */
    CHECK(end_of(made) == 25);
    mks_flow_shop_instance_free(made);
}

/* An instance with due dates, weights, a running plan and an objective of two stages. */
static mks_flow_shop_instance *planned(const mks_flow_shop_instance *instance)
{
    static const int64_t DUE[JOBS] = {6, 5, 9};
    static const uint64_t WEIGHTS[JOBS] = {3, 1, 2};
    static const uint32_t PLAN[JOBS] = {0, 2, 1};
    mks_flow_shop_instance *made = NULL, *more = NULL;
    CHECK_OK(mks_flow_shop_instance_with_due_dates(instance, DUE, JOBS, &made));
    CHECK_OK(mks_flow_shop_instance_with_weights(made, WEIGHTS, JOBS, &more));
    made = replaced(made, more);
    CHECK_OK(mks_flow_shop_instance_with_running_plan(made, PLAN, JOBS, &more));
    made = replaced(made, more);
    CHECK_OK(mks_flow_shop_instance_with_objective(
        made, "late-jobs, weighted-tardiness + 5*inversions", &more));
    return replaced(made, more);
}

static void objectives(const mks_context *context, const mks_flow_shop_instance *instance)
{
    mks_flow_shop_instance *made = planned(instance);
    mks_result *result = NULL;
    size_t stages = 0, length = 0, count = 0;
    int64_t values[2] = {0}, checked[2] = {0};
    uint32_t order[JOBS];
    const uint32_t *plan = NULL;
    const int64_t *dates = NULL;
    char text[64];
    CHECK_OK(mks_flow_shop_instance_stages(made, &stages));
    CHECK_OK(mks_flow_shop_instance_objective(made, text, sizeof text, &length));
    CHECK(stages == 2 && strcmp(text, "late-jobs,weighted-tardiness+5*inversions") == 0);
    CHECK_OK(mks_flow_shop_instance_due_dates_view(made, &dates, &count));
    CHECK(count == JOBS && dates[2] == 9);
    CHECK_OK(mks_flow_shop_instance_running_plan_view(made, &plan, &count));
    CHECK(count == JOBS && plan[1] == 2);
    CHECK_OK(mks_flow_shop_check_values(made, ORDER, JOBS, checked, 2));
    CHECK(checked[0] == 1 && checked[1] == 3 + 5 * 2);
    CHECK_OK(mks_flow_shop_solve(context, made, NULL, &result));
    CHECK_OK(mks_flow_shop_permutation(result, order, JOBS));
    CHECK_OK(mks_flow_shop_values(result, values, 2));
    CHECK_OK(mks_flow_shop_check_values(made, order, JOBS, checked, 2));
    CHECK(memcmp(values, checked, sizeof values) == 0);
    CHECK(summary_of(result).objective == values[0]);
    mks_result_free(result);
    mks_flow_shop_instance_free(made);
}

static void releases_and_blocking(const mks_flow_shop_instance *instance)
{
    static const uint64_t RELEASE[JOBS] = {0, 5, 0};
    uint64_t read[JOBS];
    int32_t blocking = 0;
    mks_flow_shop_instance *made = NULL;
    CHECK_OK(mks_flow_shop_instance_with_release_times(instance, RELEASE, JOBS, &made));
    CHECK_OK(mks_flow_shop_instance_release_times(made, read, JOBS));
    CHECK(read[1] == 5 && end_of(made) == 13);
    mks_flow_shop_instance_free(made);
    CHECK_OK(mks_flow_shop_instance_with_blocking(instance, &made));
    CHECK_OK(mks_flow_shop_instance_blocking(made, &blocking));
    CHECK(blocking == 1 && end_of(made) == 8);
    mks_flow_shop_instance_free(made);
}

static void formats(void)
{
    static const char TEXT[] = "2 1\n7 9\n3\n4\n";
    mks_flow_shop_instance *made = NULL;
    const int64_t *dates = NULL;
    size_t count = 0;
    CHECK_OK(mks_flow_shop_instance_parse_as(TEXT, sizeof TEXT - 1, "due-dates", &made));
    CHECK_OK(mks_flow_shop_instance_due_dates_view(made, &dates, &count));
    CHECK(count == 2 && dates[0] == 7 && dates[1] == 9);
    mks_flow_shop_instance_free(made);
    made = NULL;
    REFUSED(mks_flow_shop_instance_parse_as(TEXT, sizeof TEXT - 1, "xml", &made),
        "format: is none of auto, taillard");
    REFUSED(mks_flow_shop_instance_parse_as(TEXT, sizeof TEXT - 1, NULL, &made), "format: is NULL");
    CHECK_FAILS(mks_flow_shop_instance_parse_as(TEXT, sizeof TEXT - 1, "setups", &made),
        MKS_STATUS_PARSE, "line 2: 2 numbers, where the times of job 0 are expected: 1");
    CHECK_FAILS(
        mks_flow_shop_instance_read_as(__FILE__, "setups", &made), MKS_STATUS_PARSE, "line 1");
    CHECK(made == NULL);
}

static void refusals(const mks_flow_shop_instance *instance)
{
    static const uint64_t AMOUNTS[JOBS] = {1, UINT64_MAX, 3};
    static const int64_t DATES[JOBS] = {0, INT64_MIN, 0};
    static const uint32_t LIST[JOBS] = {1, 3, 1};
    int64_t values[1] = {77};
    mks_flow_shop_instance *made = NULL;
    REFUSED(mks_flow_shop_instance_with_setups(instance, AMOUNTS, 1, &made),
        "setups: 1 elements are no matrices of 3 x 3");
    REFUSED(mks_flow_shop_instance_with_setups(instance, AMOUNTS, 3, &made),
        "setups[1]: is 18446744073709551615, 2^32 or more");
    REFUSED(mks_flow_shop_instance_with_family_setups(instance, LIST, JOBS, 2, AMOUNTS, 1, &made),
        "families[1]: there is no family 3, only 2");
    REFUSED(mks_flow_shop_instance_with_first_setups(instance, AMOUNTS, 1, &made),
        "instance: has no set-ups");
    REFUSED(mks_flow_shop_instance_with_last_kinds(instance, LIST, MACHINES, &made),
        "instance: has no set-ups");
    REFUSED(mks_flow_shop_instance_with_release_times(instance, AMOUNTS, JOBS, &made),
        "release_times[1]: is 18446744073709551615");
    REFUSED(mks_flow_shop_instance_with_weights(instance, AMOUNTS, 1, &made),
        "weights: 1 elements for 3 jobs");
    REFUSED(mks_flow_shop_instance_with_due_dates(instance, DATES, JOBS, &made),
        "due_dates[1]: beyond");
    REFUSED(mks_flow_shop_instance_with_running_plan(instance, LIST, JOBS, &made),
        "running_plan[1]: there is no job 3");
    REFUSED(mks_flow_shop_instance_with_objective(instance, "speed", &made),
        "objective: \"speed\" is none of");
    REFUSED(mks_flow_shop_check_values(instance, LIST, JOBS, values, 1),
        "permutation[1]: there is no job 3");
    CHECK(made == NULL && values[0] == 77);
}

int main(void)
{
    mks_context *context = cpu_context(1);
    mks_flow_shop_instance *instance = NULL;
    CHECK_OK(mks_flow_shop_instance_create(TIMES, JOBS, MACHINES, &instance));
    plain(instance);
    setups(instance);
    objectives(context, instance);
    releases_and_blocking(instance);
    refusals(instance);
    formats();
    mks_flow_shop_instance_free(instance);
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    return 0;
}

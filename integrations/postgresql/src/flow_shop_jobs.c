/* What the jobs of a flow shop have: release times, due dates, weights, families, sequences. */
#include "shop.h"

#include "status.h"

enum { JOB, RELEASE, DUE, WEIGHT, FAMILY, PINNED, RUNNING, START, WIDTH };

/* The library's latest due date, and the earliest one without its sign. */
#define FARTHEST_DUE_DATE (INT64CONST(1) << 53)

void mkspg_read_jobs(FlowShop *shop, const char *query)
{
    Labels *families = mkspg_labels("family");
    const Column columns[WIDTH] = {
        [JOB] = KNOWN_LABEL("job", REQUIRED, shop->jobs, "argument \"operations\""),
        [RELEASE] = NUMBER("release", OPTIONAL, 0, PG_INT32_MAX),
        [DUE] = NUMBER("due", OPTIONAL, -FARTHEST_DUE_DATE, FARTHEST_DUE_DATE),
        [WEIGHT] = NUMBER("weight", OPTIONAL, 0, PG_UINT32_MAX),
        [FAMILY] = NEW_LABEL("family", OPTIONAL, families),
        [PINNED] = AMOUNT("pinned", NULLABLE),
        [RUNNING] = AMOUNT("running", NULLABLE),
        [START] = AMOUNT("start", NULLABLE),
    };
    shop->job_rows = mkspg_read_rows("jobs", query, columns, WIDTH);
    (void)mkspg_row_of_each(&shop->job_rows, JOB);
    if (mkspg_has_column(&shop->job_rows, FAMILY)) {
        shop->families = families;
    }
}

/* The numbers of a column, an element for each job. */
static int64 *numbers(const FlowShop *shop, int column)
{
    int64 *values = mkspg_array(shop->jobs->count, sizeof(int64), "the jobs");
    for (size_t row = 0; row < shop->job_rows.count; row++) {
        values[mkspg_cell(&shop->job_rows, row, JOB).number] =
            mkspg_cell(&shop->job_rows, row, column).number;
    }
    return values;
}

uint32 *mkspg_families(const FlowShop *shop)
{
    uint32 *families = mkspg_array(shop->jobs->count, sizeof(uint32), "the jobs");
    for (size_t row = 0; row < shop->job_rows.count; row++) {
        families[mkspg_cell(&shop->job_rows, row, JOB).number] =
            (uint32)mkspg_cell(&shop->job_rows, row, FAMILY).number;
    }
    return families;
}

static void apply_dates(FlowShop *shop)
{
    size_t jobs = shop->jobs->count;
    mks_flow_shop_instance *changed;
    if (mkspg_has_column(&shop->job_rows, RELEASE)) {
        const uint64 *release_times = (const uint64 *)numbers(shop, RELEASE);
        mkspg_change(shop, "jobs", shop->jobs,
            mks_flow_shop_instance_with_release_times(
                mkspg_flow_shop_instance(shop), release_times, jobs, &changed),
            &changed);
    }
    if (mkspg_has_column(&shop->job_rows, DUE)) {
        mkspg_change(shop, "jobs", shop->jobs,
            mks_flow_shop_instance_with_due_dates(
                mkspg_flow_shop_instance(shop), numbers(shop, DUE), jobs, &changed),
            &changed);
    }
    if (mkspg_has_column(&shop->job_rows, WEIGHT)) {
        const uint64 *weights = (const uint64 *)numbers(shop, WEIGHT);
        mkspg_change(shop, "jobs", shop->jobs,
            mks_flow_shop_instance_with_weights(
                mkspg_flow_shop_instance(shop), weights, jobs, &changed),
            &changed);
    }
}

static void apply_sequences(FlowShop *shop)
{
    size_t count;
    mks_flow_shop_instance *changed;
    if (mkspg_has_column(&shop->job_rows, PINNED)) {
        shop->pinned = mkspg_sequence(&shop->job_rows, JOB, PINNED, &shop->pinned_count);
        mkspg_change(shop, "jobs", shop->jobs,
            mks_flow_shop_instance_with_pinned(
                mkspg_flow_shop_instance(shop), shop->pinned, shop->pinned_count, &changed),
            &changed);
    }
    if (mkspg_has_column(&shop->job_rows, RUNNING)) {
        const uint32 *running = mkspg_sequence(&shop->job_rows, JOB, RUNNING, &count);
        mkspg_change(shop, "jobs", shop->jobs,
            mks_flow_shop_instance_with_running_plan(
                mkspg_flow_shop_instance(shop), running, count, &changed),
            &changed);
    }
}

/* Pinned jobs come first, so they move there. */
static uint32 *behind_pinned(const FlowShop *shop, const uint32 *sequence)
{
    size_t jobs = shop->jobs->count, length = shop->pinned_count;
    bool *is_pinned = mkspg_array(jobs, sizeof(bool), "the jobs");
    uint32 *start = mkspg_array(jobs, sizeof(uint32), "the jobs");
    for (size_t place = 0; place < length; place++) {
        start[place] = shop->pinned[place];
        is_pinned[shop->pinned[place]] = true;
    }
    for (size_t place = 0; place < jobs; place++) {
        if (!is_pinned[sequence[place]]) {
            start[length++] = sequence[place];
        }
    }
    return start;
}

/* A start has all jobs; a column of nulls is none. */
static void read_start(FlowShop *shop)
{
    size_t count;
    if (!mkspg_has_column(&shop->job_rows, START)) {
        return;
    }
    const uint32 *sequence = mkspg_sequence(&shop->job_rows, JOB, START, &count);
    if (count > 0 && count < shop->jobs->count) {
        ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
            errmsg("column \"start\" is null in some rows"),
            errdetail("%zu of %u jobs have a position in the sequence to start from.", count,
                shop->jobs->count),
            errhint("Give all jobs a position, or none."),
            errcontext("query in argument \"jobs\""));
    }
    shop->start = count > 0 ? behind_pinned(shop, sequence) : NULL;
}

void mkspg_apply_jobs(FlowShop *shop)
{
    apply_dates(shop);
    apply_sequences(shop);
    read_start(shop);
}

/* What the jobs of a flow shop have: release times, due dates, weights, families, sequences. */
#include "flow_shop.h"

#include "status.h"

enum { JOB, RELEASE, DUE, WEIGHT, FAMILY, PINNED, RUNNING, START, WIDTH };

/* The library's earliest due date. */
#define EARLIEST_DUE_DATE (-(INT64CONST(1) << 53))

void mkspg_read_jobs(FlowShop *shop, const char *query)
{
    Labels *families = mkspg_labels("family");
    const Column columns[WIDTH] = {
        [JOB] = KNOWN_LABEL("job", REQUIRED, shop->jobs, "argument \"operations\""),
        [RELEASE] = AMOUNT("release", OPTIONAL),
        [DUE] = NUMBER("due", OPTIONAL, EARLIEST_DUE_DATE),
        [WEIGHT] = AMOUNT("weight", OPTIONAL),
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
        mkspg_change(shop,
            mks_flow_shop_instance_with_release_times(
                mkspg_flow_shop_instance(shop), release_times, jobs, &changed),
            &changed);
    }
    if (mkspg_has_column(&shop->job_rows, DUE)) {
        mkspg_change(shop,
            mks_flow_shop_instance_with_due_dates(
                mkspg_flow_shop_instance(shop), numbers(shop, DUE), jobs, &changed),
            &changed);
    }
    if (mkspg_has_column(&shop->job_rows, WEIGHT)) {
        const uint64 *weights = (const uint64 *)numbers(shop, WEIGHT);
        mkspg_change(shop,
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
        const uint32 *pinned = mkspg_sequence(&shop->job_rows, JOB, PINNED, &count);
        mkspg_change(shop,
            mks_flow_shop_instance_with_pinned(
                mkspg_flow_shop_instance(shop), pinned, count, &changed),
            &changed);
    }
    if (mkspg_has_column(&shop->job_rows, RUNNING)) {
        const uint32 *running = mkspg_sequence(&shop->job_rows, JOB, RUNNING, &count);
        mkspg_change(shop,
            mks_flow_shop_instance_with_running_plan(
                mkspg_flow_shop_instance(shop), running, count, &changed),
            &changed);
    }
}

/* A start has all jobs; a column of nulls is none. */
static void read_start(FlowShop *shop)
{
    size_t count;
    if (!mkspg_has_column(&shop->job_rows, START)) {
        return;
    }
    uint32 *start = mkspg_sequence(&shop->job_rows, JOB, START, &count);
    if (count > 0 && count < shop->jobs->count) {
        ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
            errmsg("column \"start\" is null in some rows"),
            errdetail("%zu of %u jobs have a position in the sequence to start from.", count,
                shop->jobs->count),
            errhint("Give all jobs a position, or none."),
            errcontext("query in argument \"jobs\""));
    }
    shop->start = count > 0 ? start : NULL;
}

void mkspg_apply_jobs(FlowShop *shop)
{
    apply_dates(shop);
    apply_sequences(shop);
    read_start(shop);
}

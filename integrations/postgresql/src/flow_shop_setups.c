/* Set-ups of a flow shop between jobs or between families. */
#include "shop.h"

#include <miscadmin.h>

#include "status.h"

enum { MACHINE, BEFORE, AFTER, TIME, WIDTH };

/* A set-up that no row gives. */
static const uint64 NOT_GIVEN = PG_UINT64_MAX;

/* Set-ups of matrices * kinds * kinds pairs, or of matrices * kinds first jobs. */
typedef struct Table {
    uint64 *times;
    size_t count;
    bool is_given; /* By at least one row. */
} Table;

typedef struct Setups {
    Rows rows;
    size_t matrices; /* One for all machines, or one for each. */
    size_t kinds;    /* Jobs or families. */
    Table pairs;
    Table firsts;
} Setups;

/* SIZE_MAX if the product is too large. */
static size_t product(size_t one, size_t other)
{
    size_t result;
    return __builtin_mul_overflow(one, other, &result) ? SIZE_MAX : result;
}

static Table empty_table(size_t count)
{
    Table table = {mkspg_array(count, sizeof(uint64), "the set-ups"), count, false};
    memset(table.times, 0xff, count * sizeof(uint64));
    return table;
}

static void put(Setups *setups, const FlowShop *shop, size_t row)
{
    const Rows *rows = &setups->rows;
    Cell before = mkspg_cell(rows, row, BEFORE);
    size_t matrix = setups->matrices > 1 ? (size_t)mkspg_cell(rows, row, MACHINE).number : 0;
    size_t after = (size_t)mkspg_cell(rows, row, AFTER).number;
    Table *table = before.is_null ? &setups->firsts : &setups->pairs;
    size_t place = before.is_null ? matrix : matrix * setups->kinds + (size_t)before.number;
    uint64 *time = &table->times[place * setups->kinds + after];
    if (*time != NOT_GIVEN) {
        const Label *kinds = (shop->families != NULL ? shop->families : shop->jobs)->items;
        const char *name = kinds[after].text;
        ereport(ERROR, errcode(ERRCODE_UNIQUE_VIOLATION),
            before.is_null ? errmsg("first set-up for \"%s\" appears twice", name)
                           : errmsg("set-up from \"%s\" to \"%s\" appears twice",
                                 kinds[before.number].text, name),
            errdetail("Each machine has one set-up for each pair."),
            errhint("Give each pair one row, for example by GROUP BY."), mkspg_at_row(rows, row));
    }
    *time = (uint64)mkspg_cell(rows, row, TIME).number;
    table->is_given = true;
}

/* Pairs without a row need no set-up. */
static void fill(Table *table)
{
    for (size_t index = 0; index < table->count; index++) {
        CHECK_FOR_INTERRUPTS();
        if (table->times[index] == NOT_GIVEN) {
            table->times[index] = 0;
        }
    }
}

static Setups read_setups(const FlowShop *shop, const char *query)
{
    Setups setups = {0};
    Labels *kinds = shop->families != NULL ? shop->families : shop->jobs;
    const char *source = shop->families != NULL ? NULL : "argument \"operations\"";
    const Column columns[WIDTH] = {
        [MACHINE] = KNOWN_LABEL("machine", OPTIONAL, shop->machines, "argument \"operations\""),
        [BEFORE] = KNOWN_LABEL("before", NULLABLE, kinds, source),
        [AFTER] = KNOWN_LABEL("after", REQUIRED, kinds, source),
        [TIME] = NUMBER("time", REQUIRED, 0, PG_INT32_MAX),
    };
    setups.rows = mkspg_read_rows("setups", query, columns, WIDTH);
    setups.matrices = mkspg_has_column(&setups.rows, MACHINE) ? shop->machines->count : 1;
    setups.kinds = kinds->count;
    setups.firsts = empty_table(product(setups.matrices, setups.kinds));
    setups.pairs = empty_table(product(setups.firsts.count, setups.kinds));
    for (size_t row = 0; row < setups.rows.count; row++) {
        put(&setups, shop, row);
    }
    fill(&setups.firsts);
    fill(&setups.pairs);
    return setups;
}

static void apply_pairs(FlowShop *shop, const Setups *setups)
{
    mks_flow_shop_instance *changed;
    const Table *pairs = &setups->pairs;
    mks_status status;
    if (shop->families == NULL) {
        status = mks_flow_shop_instance_with_setups(
            mkspg_flow_shop_instance(shop), pairs->times, pairs->count, &changed);
    } else {
        status = mks_flow_shop_instance_with_family_setups(mkspg_flow_shop_instance(shop),
            mkspg_families(shop), shop->jobs->count, setups->kinds, pairs->times, pairs->count,
            &changed);
    }
    mkspg_change(shop, "setups", NULL, status, &changed);
}

static void apply_first(FlowShop *shop, const Setups *setups, const uint32 *last)
{
    mks_flow_shop_instance *changed;
    if (last != NULL && setups->firsts.is_given) {
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
            errmsg("first set-ups are given twice"),
            errdetail("Argument \"machines\" has the column \"last\", and argument \"setups\" has "
                      "rows without \"before\"."),
            errhint("Leave out one of them."), errcontext("query in argument \"setups\""));
    }
    if (last != NULL) {
        mkspg_change(shop, "machines", shop->machines,
            mks_flow_shop_instance_with_last_kinds(
                mkspg_flow_shop_instance(shop), last, shop->machines->count, &changed),
            &changed);
    } else if (setups->firsts.is_given) {
        mkspg_change(shop, "setups", NULL,
            mks_flow_shop_instance_with_first_setups(mkspg_flow_shop_instance(shop),
                setups->firsts.times, setups->firsts.count, &changed),
            &changed);
    }
}

void mkspg_apply_setups(FlowShop *shop, const char *query)
{
    const uint32 *last = mkspg_last_kinds(shop);
    if (query != NULL) {
        Setups setups = read_setups(shop, query);
        apply_pairs(shop, &setups);
        apply_first(shop, &setups, last);
    } else if (last != NULL || shop->families != NULL) {
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("set-ups are missing"),
            errdetail("The columns \"family\" and \"last\" have no meaning without set-ups."),
            errhint("Give the argument \"setups\", or leave out these columns."),
            errcontext("query in argument \"%s\"", last != NULL ? "machines" : "jobs"));
    }
}

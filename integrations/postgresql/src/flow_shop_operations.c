/* The operations of a flow shop. */
#include "shop.h"

#include <miscadmin.h>

#include "status.h"

enum { JOB, MACHINE_NAME, DURATION, WIDTH };

/* An operation's place in the table of times, and its row. */
typedef struct Operation {
    uint64 place;
    size_t row;
} Operation;

static int compare(const void *one, const void *other)
{
    const Operation *left = one, *right = other;
    CHECK_FOR_INTERRUPTS();
    if (left->place != right->place) {
        return left->place < right->place ? -1 : 1;
    }
    return left->row < right->row ? -1 : left->row > right->row;
}

static Operation *sorted(const FlowShop *shop, const Rows *rows)
{
    Operation *operations = mkspg_array(rows->count, sizeof(Operation), "the operations");
    for (size_t row = 0; row < rows->count; row++) {
        uint64 job = (uint64)mkspg_cell(rows, row, JOB).number;
        uint64 machine = (uint64)mkspg_cell(rows, row, MACHINE_NAME).number;
        operations[row] = (Operation){job * shop->machines->count + machine, row};
    }
    qsort(operations, rows->count, sizeof(Operation), compare);
    return operations;
}

static const char *job_at(const FlowShop *shop, uint64 place)
{
    return shop->jobs->items[place / shop->machines->count].text;
}

static const char *machine_at(const FlowShop *shop, uint64 place)
{
    return shop->machines->items[place % shop->machines->count].text;
}

/* Each job has one operation on each machine. */
static void check_operations(const FlowShop *shop, const Rows *rows, const Operation *operations)
{
    for (size_t index = 1; index < rows->count; index++) {
        CHECK_FOR_INTERRUPTS();
        uint64 place = operations[index].place;
        if (operations[index - 1].place == place) {
            ereport(ERROR, errcode(ERRCODE_UNIQUE_VIOLATION),
                errmsg("job \"%s\" is on machine \"%s\" twice", job_at(shop, place),
                    machine_at(shop, place)),
                errdetail("A job has one operation on each machine; the first one is in row %zu.",
                    operations[index - 1].row + 1),
                errhint("Add up the durations by GROUP BY, or number the visits of the machine."),
                mkspg_at_row(rows, operations[index].row));
        }
    }
    uint64 count = (uint64)shop->jobs->count * shop->machines->count;
    for (uint64 place = 0; place < count; place++) {
        CHECK_FOR_INTERRUPTS();
        if (place == rows->count || operations[place].place != place) {
            ereport(ERROR, errcode(ERRCODE_NO_DATA_FOUND),
                errmsg("job \"%s\" has no operation on machine \"%s\"", job_at(shop, place),
                    machine_at(shop, place)),
                errdetail("Each of the %u jobs passes each of the %u machines.", shop->jobs->count,
                    shop->machines->count),
                errhint("Add a row with the duration 0, if the job only passes the machine."),
                errcontext("query in argument \"%s\"", rows->argument));
        }
    }
}

void mkspg_read_operations(FlowShop *shop, const char *query)
{
    const Column columns[WIDTH] = {
        [JOB] = NEW_LABEL("job", REQUIRED, shop->jobs),
        [MACHINE_NAME] = NEW_LABEL("machine", REQUIRED, shop->machines),
        [DURATION] = NUMBER("duration", REQUIRED, 0, PG_INT32_MAX),
    };
    shop->operations = mkspg_read_rows("operations", query, columns, WIDTH);
    mkspg_renumber_column(&shop->operations, JOB, mkspg_sort_labels(shop->jobs));
}

void mkspg_create_flow_shop(FlowShop *shop)
{
    const Rows *rows = &shop->operations;
    Operation *operations = sorted(shop, rows);
    mks_flow_shop_instance *instance;
    check_operations(shop, rows, operations);
    shop->times = mkspg_array(rows->count, sizeof(uint64), "the operations");
    for (size_t place = 0; place < rows->count; place++) {
        shop->times[place] = (uint64)mkspg_cell(rows, operations[place].row, DURATION).number;
    }
    pfree(operations);
    mkspg_check_query(mks_flow_shop_instance_create(
                          shop->times, shop->jobs->count, shop->machines->count, &instance),
        "operations", NULL);
    mkspg_replace(shop->handle, instance);
}

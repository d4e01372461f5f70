/* The order of the machines of a flow shop, their ready times, and what they have done last. */
#include "shop.h"

#include "status.h"

enum { MACHINE, READY, LAST, WIDTH };

/* Column of the argument "operations". */
enum { OPERATION_MACHINE = 1 };

void mkspg_read_machines(FlowShop *shop, const char *query)
{
    uint32 *ranks;
    if (query == NULL) {
        ranks = mkspg_sort_labels(shop->machines);
    } else {
        const Column columns[WIDTH] = {
            [MACHINE] = KNOWN_LABEL("machine", REQUIRED, shop->machines, "argument \"operations\""),
            [READY] = NUMBER("ready", OPTIONAL, 0, PG_INT32_MAX),
            [LAST] = shop->families != NULL
                ? (Column)NEW_LABEL("last", OPTIONAL, shop->families)
                : (Column)KNOWN_LABEL("last", OPTIONAL, shop->jobs, "argument \"operations\""),
        };
        shop->machine_rows = mkspg_read_rows("machines", query, columns, WIDTH);
        size_t *row_of = mkspg_row_of_each(&shop->machine_rows, MACHINE);
        ranks = mkspg_array(shop->machines->count, sizeof(uint32), "the machines");
        for (size_t machine = 0; machine < shop->machines->count; machine++) {
            ranks[machine] = (uint32)row_of[machine];
        }
        mkspg_renumber_labels(shop->machines, ranks);
    }
    mkspg_renumber_column(&shop->operations, OPERATION_MACHINE, ranks);
}

void mkspg_apply_ready_times(FlowShop *shop)
{
    size_t machines = shop->machines->count;
    mks_flow_shop_instance *changed;
    if (!mkspg_has_column(&shop->machine_rows, READY)) {
        return;
    }
    uint64 *ready_times = mkspg_array(machines, sizeof(uint64), "the machines");
    for (size_t machine = 0; machine < machines; machine++) {
        ready_times[machine] = (uint64)mkspg_cell(&shop->machine_rows, machine, READY).number;
    }
    mkspg_change(shop, "machines", shop->machines,
        mks_flow_shop_instance_with_ready_times(
            mkspg_flow_shop_instance(shop), ready_times, machines, &changed),
        &changed);
}

uint32 *mkspg_last_kinds(const FlowShop *shop)
{
    if (!mkspg_has_column(&shop->machine_rows, LAST)) {
        return NULL;
    }
    uint32 *kinds = mkspg_array(shop->machines->count, sizeof(uint32), "the machines");
    for (size_t machine = 0; machine < shop->machines->count; machine++) {
        kinds[machine] = (uint32)mkspg_cell(&shop->machine_rows, machine, LAST).number;
    }
    return kinds;
}

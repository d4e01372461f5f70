/* makespan.search_tree() and makespan.search_tree_real() */
#include "interval_dp.h"

#include <fmgr.h>
#include <funcapi.h>
#include <miscadmin.h>
#include <utils/builtins.h>

#include "call.h"
#include "options.h"
#include "status.h"

PG_FUNCTION_INFO_V1(makespan_search_tree);
PG_FUNCTION_INFO_V1(makespan_search_tree_real);

/* The function's arguments. */
enum { KEYS, LAST_GAP, OPTIONS };

/* Columns of the argument "keys". */
enum { KEY, WEIGHT, GAP, WIDTH };

/* Where a key stands in the tree. */
typedef struct Place {
    const Branch *parent; /* NULL for the root. */
    int32 depth;          /* Comparisons that find the key. */
} Place;

static bool contains(const Branch *node, const Branch *part)
{
    return node->first <= part->first && part->last <= node->last;
}

/* The place of each key, which is the node with the split of its number + 1. */
static Place *places_of(const Tree *tree)
{
    Place *places = mkspg_array(tree->count, sizeof(Place), "the keys");
    /* The nodes from the root to the one before this one. */
    const Branch **path = mkspg_array(tree->count, sizeof(Branch *), "the keys");
    int32 depth = 0;
    for (size_t index = 0; index < tree->count; index++) {
        CHECK_FOR_INTERRUPTS();
        const Branch *node = &tree->nodes[index];
        while (depth > 0 && !contains(path[depth - 1], node)) {
            depth--;
        }
        const Branch *parent = depth > 0 ? path[depth - 1] : NULL;
        path[depth++] = node;
        places[node->split - 1] = (Place){parent, depth};
    }
    return places;
}

/* A row for each key, in their order. */
static void put_keys(const Tree *tree, const Labels *keys, ReturnSetInfo *to)
{
    enum { NAME, PARENT, DEPTH, VERDICT };
    const Place *places = places_of(tree);
    for (size_t key = 0; key < tree->count; key++) {
        Datum values[VERDICT + VERDICT_WIDTH] = {0};
        bool nulls[VERDICT + VERDICT_WIDTH] = {false};
        const Branch *parent = places[key].parent;
        values[NAME] = mkspg_label_datum(keys, key);
        nulls[PARENT] = parent == NULL;
        if (parent != NULL) {
            values[PARENT] = mkspg_label_datum(keys, parent->split - 1);
        }
        values[DEPTH] = Int32GetDatum(places[key].depth);
        mkspg_put_row(&tree->verdict, values, nulls, VERDICT, to);
    }
}

/* The gaps before each key, and the one after the last key. */
static const Number *gaps_of(const Items *keys, Number last)
{
    size_t count = keys->labels->count;
    Number *gaps = mkspg_array(count + 1, sizeof(Number), "the keys");
    memcpy(gaps, mkspg_item_numbers(keys, GAP), count * sizeof(Number));
    gaps[count] = last;
    return gaps;
}

static mks_status create(const Number *weights,
    size_t count,
    const Number *gaps,
    bool is_real,
    mks_interval_dp_instance **instance)
{
    return is_real
        ? mks_interval_dp_instance_search_tree_f64(&weights->real, count, &gaps->real, instance)
        : mks_interval_dp_instance_search_tree_i64(&weights->whole, count, &gaps->whole, instance);
}

static Datum arrange_keys(FunctionCallInfo fcinfo, Number last_gap, bool is_real)
{
    Call call = mkspg_begin(fcinfo);
    mks_options *options = mkspg_tree_options(mkspg_optional_object(fcinfo, OPTIONS));
    Labels *labels = mkspg_labels("key");
    Handle *handle = mkspg_interval_dp();
    mks_interval_dp_instance *instance;
    const Column columns[WIDTH] = {
        [KEY] = NEW_LABEL("key", REQUIRED, labels),
        [WEIGHT] = WHOLE_OR_REAL("weight", REQUIRED, 0, is_real),
        [GAP] = WHOLE_OR_REAL("gap", OPTIONAL, 0, is_real),
    };
    Items keys = mkspg_read_items("keys", mkspg_text(fcinfo, KEYS, "keys"), columns, WIDTH);
    const Number *weights = mkspg_item_numbers(&keys, WEIGHT);
    const Number *gaps = gaps_of(&keys, last_gap);
    mkspg_check_query(create(weights, labels->count, gaps, is_real, &instance), "keys", labels);
    mkspg_replace(handle, instance);
    Tree tree = mkspg_tree(mkspg_interval_dp_result(handle, options, "keys"));
    put_keys(&tree, labels, call.rows);
    return mkspg_end(&call);
}

Datum makespan_search_tree(PG_FUNCTION_ARGS)
{
    Number last_gap = {.whole = (int64)mkspg_amount(fcinfo, LAST_GAP, "last_gap")};
    return arrange_keys(fcinfo, last_gap, false);
}

Datum makespan_search_tree_real(PG_FUNCTION_ARGS)
{
    Number last_gap = {.real = mkspg_real_amount(fcinfo, LAST_GAP, "last_gap")};
    return arrange_keys(fcinfo, last_gap, true);
}

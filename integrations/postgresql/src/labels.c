#include "labels.h"

#include <catalog/pg_collation_d.h>
#include <common/hashfn.h>
#include <miscadmin.h>
#include <utils/builtins.h>
#include <utils/datum.h>
#include <utils/lsyscache.h>
#include <utils/typcache.h>

typedef struct Entry {
    const char *text;
    uint32 number;
} Entry;

/* What a sort of labels needs. */
typedef struct Order {
    const Label *items;
    FmgrInfo *compare; /* NULL: by their texts. */
    Oid collation;
} Order;

static const char *text_of(const void *key)
{
    return *(const char *const *)key;
}

static uint32 hash_text(const void *key, Size size)
{
    const char *text = text_of(key);
    (void)size;
    return hash_bytes((const unsigned char *)text, (int)strlen(text));
}

static int match_texts(const void *one, const void *other, Size size)
{
    (void)size;
    return strcmp(text_of(one), text_of(other));
}

Labels *mkspg_labels(const char *noun)
{
    HASHCTL control = {0};
    control.keysize = sizeof(const char *);
    control.entrysize = sizeof(Entry);
    control.hash = hash_text;
    control.match = match_texts;
    control.hcxt = CurrentMemoryContext;
    Labels *labels = palloc0(sizeof(Labels));
    labels->noun = noun;
    labels->capacity = 16;
    labels->items = palloc(labels->capacity * sizeof(Label));
    labels->memory = CurrentMemoryContext;
    labels->numbers = hash_create(
        "makespan labels", 64, &control, HASH_ELEM | HASH_FUNCTION | HASH_COMPARE | HASH_CONTEXT);
    return labels;
}

Datum mkspg_label_datum(const Labels *labels, size_t number)
{
    return CStringGetTextDatum(labels->items[number].text);
}

int64 mkspg_find_label(const Labels *labels, const char *text)
{
    const Entry *entry = hash_search(labels->numbers, &text, HASH_FIND, NULL);
    return entry == NULL ? -1 : (int64)entry->number;
}

/* The values of one type can be compared. */
static void unite_types(Labels *labels, Oid type, Oid collation)
{
    if (labels->count == 0) {
        labels->type = type;
        labels->collation = collation;
    } else if (labels->type != type) {
        labels->type = InvalidOid;
    }
}

static void make_room(Labels *labels)
{
    if (labels->count == labels->capacity) {
        if (labels->capacity > PG_INT32_MAX / 2) {
            ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                errmsg("too many labels of one kind"),
                errdetail("There are more than %u.", labels->capacity),
                errhint("Plan fewer rows."));
        }
        labels->capacity *= 2;
        labels->items = repalloc_huge(labels->items, labels->capacity * sizeof(Label));
    }
}

int64 mkspg_add_label(Labels *labels, const char *text, Datum value, Oid type, Oid collation)
{
    int16 length;
    bool by_value;
    int64 known = mkspg_find_label(labels, text);
    if (known >= 0) {
        return known;
    }
    MemoryContext before = MemoryContextSwitchTo(labels->memory);
    unite_types(labels, type, collation);
    make_room(labels);
    get_typlenbyval(type, &length, &by_value);
    Label *label = &labels->items[labels->count];
    label->text = pstrdup(text);
    label->value = datumCopy(value, by_value, length);
    Entry *entry = hash_search(labels->numbers, &label->text, HASH_ENTER, NULL);
    entry->number = labels->count;
    MemoryContextSwitchTo(before);
    return (int64)labels->count++;
}

static int compare(const void *one, const void *other, void *argument)
{
    const Order *order = argument;
    const Label *left = &order->items[*(const uint32 *)one];
    const Label *right = &order->items[*(const uint32 *)other];
    int result = 0;
    CHECK_FOR_INTERRUPTS();
    if (order->compare != NULL) {
        result = DatumGetInt32(
            FunctionCall2Coll(order->compare, order->collation, left->value, right->value));
    }
    return result != 0 ? result : strcmp(left->text, right->text);
}

uint32 *mkspg_sort_labels(Labels *labels)
{
    Order order = {labels->items, NULL, labels->collation};
    if (OidIsValid(labels->type)) {
        TypeCacheEntry *type = lookup_type_cache(labels->type, TYPECACHE_CMP_PROC_FINFO);
        if (OidIsValid(type->cmp_proc)) {
            order.compare = &type->cmp_proc_finfo;
        }
        if (!OidIsValid(order.collation) && type_is_collatable(labels->type)) {
            order.collation = DEFAULT_COLLATION_OID;
        }
    }
    uint32 *sorted = MemoryContextAllocHuge(CurrentMemoryContext, labels->count * sizeof(uint32));
    uint32 *ranks = MemoryContextAllocHuge(CurrentMemoryContext, labels->count * sizeof(uint32));
    for (uint32 number = 0; number < labels->count; number++) {
        sorted[number] = number;
    }
    qsort_arg(sorted, labels->count, sizeof(uint32), compare, &order);
    for (uint32 rank = 0; rank < labels->count; rank++) {
        ranks[sorted[rank]] = rank;
    }
    pfree(sorted);
    mkspg_renumber_labels(labels, ranks);
    return ranks;
}

void mkspg_renumber_labels(Labels *labels, const uint32 *ranks)
{
    Label *items = MemoryContextAllocHuge(labels->memory, labels->capacity * sizeof(Label));
    for (uint32 number = 0; number < labels->count; number++) {
        CHECK_FOR_INTERRUPTS();
        Entry *entry = hash_search(labels->numbers, &labels->items[number].text, HASH_FIND, NULL);
        entry->number = ranks[number];
        items[ranks[number]] = labels->items[number];
    }
    pfree(labels->items);
    labels->items = items;
}

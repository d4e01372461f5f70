/* Names of jobs, machines, families and items, numbered from 0 as the library needs them. */
#ifndef MKSPG_LABELS_H
#define MKSPG_LABELS_H

#include <postgres.h>

#include <utils/hsearch.h>

typedef struct Label {
    const char *text;
    Datum value;
} Label;

typedef struct Labels {
    const char *noun; /* What they name: "job", "machine". */
    Label *items;
    uint32 count;
    uint32 capacity;
    HTAB *numbers; /* From texts to numbers. */
    Oid type;      /* Of all values; invalid if queries gave several types. */
    Oid collation;
    MemoryContext memory;
} Labels;

/* Labels that live in the current memory context. */
extern Labels *mkspg_labels(const char *noun);

/* The text of a label as an SQL value. */
extern Datum mkspg_label_datum(const Labels *labels, size_t number);

/* The number of a label, or -1 if it is unknown. */
extern int64 mkspg_find_label(const Labels *labels, const char *text);

/* The number of a label, which is added if it is unknown. */
extern int64 mkspg_add_label(
    Labels *labels, const char *text, Datum value, Oid type, Oid collation);

/*
 * Numbers the labels in the order of their type, as ORDER BY does. Returns the new number of each
 * old one.
 */
extern uint32 *mkspg_sort_labels(Labels *labels);

/* Gives label i the number ranks[i]. */
extern void mkspg_renumber_labels(Labels *labels, const uint32 *ranks);

#endif

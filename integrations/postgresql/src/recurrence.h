/* The definition of a recurrence, or of a batch of them, from queries. */
#ifndef MKSPG_RECURRENCE_H
#define MKSPG_RECURRENCE_H

#include <postgres.h>

#include <makespan.h>

#include "labels.h"

typedef struct Semiring {
    const char *name;
    int32 number;
    int64 unreachable; /* What a null stands for; 0 if the semiring has no such value. */
} Semiring;

/* The queries of a call, and its numbers. */
typedef struct RecurrenceText {
    const char *offsets;
    const char *initial;
    const char *terms;   /* May be NULL. */
    const char *weights; /* Of the tables of a batch; may be NULL. */
    uint64 length;
    uint64 modulus;
} RecurrenceText;

extern const Semiring *mkspg_find_semiring(const char *name);

/*
 * Reads the definition. The labels name the tables of a batch, which the query of the initial
 * values adds; they are NULL for a single table.
 */
extern mks_recurrence_definition mkspg_read_recurrence(
    const RecurrenceText *text, const Semiring *semiring, Labels *tables);

#endif

/* Rows of the caller's queries, checked and copied. */
#ifndef MKSPG_ROWS_H
#define MKSPG_ROWS_H

#include <postgres.h>

#include "labels.h"

/* What a column may lack. */
typedef enum Need {
    REQUIRED, /* Nothing. */
    OPTIONAL, /* The query may lack the column. */
    NULLABLE, /* The query may lack the column, and its values may be null. */
} Need;

typedef struct Column {
    const char *name;
    Need need;
    Labels *labels;     /* What the values name; NULL if they are numbers. */
    const char *source; /* Where all labels are known from; NULL if the column adds labels. */
    int64 minimum;      /* Of numbers. */
    int64 maximum;
    bool is_real;  /* Real numbers, without a minimum and a maximum. */
    int attribute; /* Position in the rows of the query, from 1; 0 if the query lacks it. */
} Column;

/* A whole or a real number, as the column says. */
typedef union Number {
    int64 whole;
    double real;
} Number;

typedef struct Cell {
    union {
        int64 number; /* The whole number, or that of the label. */
        Number value;
    };
    bool is_null; /* The query lacks the column, or the value is null. */
} Cell;

typedef struct Rows {
    const char *argument; /* The function's argument with the query. */
    Column *columns;      /* NULL if there was no query. */
    int width;
    size_t count;
    Cell *cells;
} Rows;

/* Amounts are not negative. */
#define AMOUNT(name, need) {name, need, NULL, NULL, 0, PG_INT64_MAX, false, 0}
#define NUMBER(name, need, minimum, maximum) {name, need, NULL, NULL, minimum, maximum, false, 0}
#define REAL(name, need) {name, need, NULL, NULL, 0, 0, true, 0}
/* Whole numbers from a minimum on, or real ones, which the library checks. */
#define WHOLE_OR_REAL(name, need, minimum, is_real) \
    {name, need, NULL, NULL, minimum, PG_INT64_MAX, is_real, 0}
#define NEW_LABEL(name, need, labels) {name, need, labels, NULL, 0, 0, false, 0}
#define KNOWN_LABEL(name, need, labels, source) {name, need, labels, source, 0, 0, false, 0}

/* Reads all rows of a query, with the rights of the caller. It refuses a query without rows. */
extern Rows mkspg_read_rows(
    const char *argument, const char *query, const Column *columns, int width);

/* The value in a row, counted from 0, of a column. It serves interrupts, so that a cancel ends
 * loops over many rows. */
extern Cell mkspg_cell(const Rows *rows, size_t row, int column);

extern bool mkspg_has_column(const Rows *rows, int column);

/* Replaces the numbers of labels in a column by their ranks. */
extern void mkspg_renumber_column(Rows *rows, int column, const uint32 *ranks);

/* The row of each label that this column can have. Each one must be in one row. */
extern size_t *mkspg_row_of_each(const Rows *rows, int column);

/* The rows in the order of the numbers in a column, without rows that have none. A number that
 * appears twice is refused. */
extern size_t *mkspg_rows_in_order(const Rows *rows, int positions, size_t *count);

/* The labels of a column in this order. */
extern uint32 *mkspg_sequence(const Rows *rows, int labels, int positions, size_t *count);

/* Says in the context of an error that it is about this row. */
extern int mkspg_at_row(const Rows *rows, size_t row);

/* Raises an error if this memory and `further` bytes exceed makespan.memory_limit. */
extern void mkspg_limit_memory(MemoryContext memory, Size further, const char *what);

/* An array in the current memory context of count elements, all zero; refused beyond the limit. */
extern void *mkspg_array(size_t count, size_t size, const char *what);

#endif

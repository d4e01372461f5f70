/* Items with their amounts, and how many of each are chosen. */
#ifndef MKSPG_ITEMS_H
#define MKSPG_ITEMS_H

#include <postgres.h>

#include <funcapi.h>
#include <makespan.h>

#include "rows.h"
#include "verdict.h"

typedef struct Items {
    Rows rows;
    Labels *labels;
    size_t *row_of; /* The row of each item. */
} Items;

/* Reads the query of an argument. Column 0 names the items. */
extern Items mkspg_read_items(
    const char *argument, const char *query, const Column *columns, int width);

/* The amounts of a column, one for each item; `absent` where the query lacks the column. */
extern uint64 *mkspg_item_amounts(const Items *items, int column, uint64 absent);

/* The numbers of a column, one for each item, whole or real; 0 where the query lacks the column. */
extern Number *mkspg_item_numbers(const Items *items, int column);

/* The numbers of copies: 1 where the query lacks the column; a null means as many as fit. */
extern uint64 *mkspg_item_copies(const Items *items, int column);

/*
 * The amounts that items have in places: in dimensions or in instances. All items of the first
 * place come first. A pair without a row has the amount 0; a second row for a pair is refused with
 * the names of the argument and of the columns.
 */
extern uint64 *mkspg_item_table(const Rows *rows, int place, int item, int amount);

/* Sets the start selection of the options, if the query has the column. */
extern void mkspg_set_item_start(mks_options *options, const Items *items, int column);

/* Puts a row for each item with its count. */
extern void mkspg_put_counts(
    const Items *items, const uint64 *counts, const Verdict *verdict, ReturnSetInfo *to);

#endif

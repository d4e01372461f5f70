/* One value of a query: a number or a label. */
#ifndef MKSPG_VALUE_H
#define MKSPG_VALUE_H

#include <postgres.h>

#include <catalog/pg_attribute.h>
#include <fmgr.h>

#include "rows.h"

/* How the values of a column are read. */
typedef struct ValueReader {
    Oid type;       /* Of labels as it is, of numbers without its domain. */
    bool is_padded; /* The type is character(n): blanks at the end have no meaning. */
    Oid collation;
    FmgrInfo output;
} ValueReader;

/* Refuses a column of numbers of another type. */
extern ValueReader mkspg_value_reader(const Column *column, Form_pg_attribute attribute);

/* The number, or that of the label. */
extern Number mkspg_read_value(ValueReader *reader, const Column *column, Datum value);

/* Refuses a null where it has no meaning. */
extern void mkspg_allow_null(const Column *column);

#endif

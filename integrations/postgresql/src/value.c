#include "value.h"

#include <math.h>

#include <catalog/pg_type_d.h>
#include <utils/builtins.h>
#include <utils/lsyscache.h>

static bool is_whole(Oid type)
{
    return type == INT2OID || type == INT4OID || type == INT8OID || type == NUMERICOID;
}

static bool is_real(Oid type)
{
    return is_whole(type) || type == FLOAT4OID || type == FLOAT8OID;
}

static void refuse_type(const Column *column, Oid type)
{
    ereport(ERROR, errcode(ERRCODE_DATATYPE_MISMATCH),
        errmsg("column \"%s\" is of type %s", column->name, format_type_be(type)),
        errdetail("It must be of type smallint, integer, bigint%s.",
            column->is_real ? ", numeric, real or double precision" : " or numeric"),
        errhint("Cast it in the query, for example by %s::%s.", column->name,
            column->is_real ? "double precision" : "bigint"));
}

ValueReader mkspg_value_reader(const Column *column, Form_pg_attribute attribute)
{
    Oid base = getBaseType(attribute->atttypid);
    ValueReader reader = {attribute->atttypid, base == BPCHAROID, attribute->attcollation, {0}};
    Oid function;
    bool is_varlena;
    if (column->labels == NULL) {
        reader.type = base;
        if (column->is_real ? !is_real(base) : !is_whole(base)) {
            refuse_type(column, attribute->atttypid);
        }
    }
    getTypeOutputInfo(attribute->atttypid, &function, &is_varlena);
    fmgr_info(function, &reader.output);
    return reader;
}

void mkspg_allow_null(const Column *column)
{
    if (column->need != NULLABLE) {
        ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
            errmsg("column \"%s\" is null", column->name),
            errdetail("Each row needs a value in this column."),
            errhint("Leave such rows out by a condition, or give a value by coalesce()."));
    }
}

static void refuse_number(const Column *column, const char *text)
{
    ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
        errmsg("column \"%s\" has the value %s", column->name, text),
        errdetail("It must be a whole number from " INT64_FORMAT " to " INT64_FORMAT ".",
            column->minimum, column->maximum),
        errhint("Choose another unit, or round the number in the query."));
}

/* Numerics may have zeros behind the point. */
static int64 whole_of_numeric(const Column *column, const char *text)
{
    char *rest;
    errno = 0;
    long long number = strtoll(text, &rest, 10);
    bool fits = errno == 0 && rest != text;
    if (*rest == '.') {
        rest += 1 + strspn(rest + 1, "0");
    }
    if (!fits || *rest != '\0') {
        refuse_number(column, text);
    }
    return number;
}

static int64 read_number(ValueReader *reader, const Column *column, Datum value)
{
    int64 number;
    switch (reader->type) {
    case INT2OID:
        number = DatumGetInt16(value);
        break;
    case INT4OID:
        number = DatumGetInt32(value);
        break;
    case INT8OID:
        number = DatumGetInt64(value);
        break;
    default:
        number = whole_of_numeric(column, OutputFunctionCall(&reader->output, value));
    }
    if (number < column->minimum || number > column->maximum) {
        refuse_number(column, psprintf(INT64_FORMAT, number));
    }
    return number;
}

static double read_real(ValueReader *reader, const Column *column, Datum value)
{
    double number;
    switch (reader->type) {
    case INT2OID:
        number = DatumGetInt16(value);
        break;
    case INT4OID:
        number = DatumGetInt32(value);
        break;
    case INT8OID:
        number = (double)DatumGetInt64(value);
        break;
    case FLOAT4OID:
        number = DatumGetFloat4(value);
        break;
    case FLOAT8OID:
        number = DatumGetFloat8(value);
        break;
    default:
        number = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, value));
    }
    if (!isfinite(number)) {
        ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
            errmsg("column \"%s\" has the value %s", column->name,
                OutputFunctionCall(&reader->output, value)),
            errdetail("It must be a finite number within the range of double precision."),
            errhint("Choose another unit, or leave such rows out by a condition."));
    }
    return number;
}

static int64 read_label(ValueReader *reader, const Column *column, Datum value)
{
    Labels *labels = column->labels;
    char *text = OutputFunctionCall(&reader->output, value);
    if (reader->is_padded) {
        text[bpchartruelen(text, (int)strlen(text))] = '\0';
    }
    if (column->source == NULL) {
        return mkspg_add_label(labels, text, value, reader->type, reader->collation);
    }
    int64 number = mkspg_find_label(labels, text);
    if (number < 0) {
        ereport(ERROR, errcode(ERRCODE_FOREIGN_KEY_VIOLATION),
            errmsg("%s \"%s\" is unknown", labels->noun, text),
            errdetail("The %s in column \"%s\" is not in %s.", labels->noun, column->name,
                column->source),
            errhint(
                "Join the two queries to the same rows, and spell the %s alike.", labels->noun));
    }
    return number;
}

Number mkspg_read_value(ValueReader *reader, const Column *column, Datum value)
{
    Number number;
    if (column->labels != NULL) {
        number.whole = read_label(reader, column, value);
    } else if (column->is_real) {
        number.real = read_real(reader, column, value);
    } else {
        number.whole = read_number(reader, column, value);
    }
    return number;
}

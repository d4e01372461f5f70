#include "call.h"

#include <math.h>

#include <utils/builtins.h>
#include <utils/memutils.h>

Call mkspg_begin(FunctionCallInfo fcinfo)
{
    Call call;
    InitMaterializedSRF(fcinfo, 0);
    call.rows = (ReturnSetInfo *)fcinfo->resultinfo;
    call.memory = AllocSetContextCreate(CurrentMemoryContext, "makespan", ALLOCSET_DEFAULT_SIZES);
    call.before = MemoryContextSwitchTo(call.memory);
    return call;
}

Datum mkspg_end(Call *call)
{
    MemoryContextSwitchTo(call->before);
    MemoryContextDelete(call->memory);
    return (Datum)0;
}

static void refuse_null(FunctionCallInfo fcinfo, int index, const char *name)
{
    if (PG_ARGISNULL(index)) {
        ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
            errmsg("argument \"%s\" is null", name), errdetail("The function needs its value."),
            errhint("Give a value."), errcontext("argument \"%s\"", name));
    }
}

const char *mkspg_text(FunctionCallInfo fcinfo, int index, const char *name)
{
    refuse_null(fcinfo, index, name);
    return text_to_cstring(PG_GETARG_TEXT_PP(index));
}

uint64 mkspg_amount(FunctionCallInfo fcinfo, int index, const char *name)
{
    refuse_null(fcinfo, index, name);
    int64 value = PG_GETARG_INT64(index);
    if (value < 0) {
        ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
            errmsg("argument \"%s\" is negative", name),
            errdetail("Its value is " INT64_FORMAT ".", value), errhint("Give 0 or more."),
            errcontext("argument \"%s\"", name));
    }
    return (uint64)value;
}

double mkspg_real_amount(FunctionCallInfo fcinfo, int index, const char *name)
{
    refuse_null(fcinfo, index, name);
    double value = PG_GETARG_FLOAT8(index);
    if (!(value >= 0 && isfinite(value))) {
        ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
            errmsg("argument \"%s\" is negative or not finite", name),
            errdetail("Its value is %g.", value), errhint("Give 0 or more."),
            errcontext("argument \"%s\"", name));
    }
    return value;
}

const char *mkspg_optional_text(FunctionCallInfo fcinfo, int index)
{
    return PG_ARGISNULL(index) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(index));
}

Jsonb *mkspg_optional_object(FunctionCallInfo fcinfo, int index)
{
    return PG_ARGISNULL(index) ? NULL : PG_GETARG_JSONB_P(index);
}

/* makespan.nussinov() and makespan.zuker(): the folding of RNA sequences. */
#include <postgres.h>

#include <fmgr.h>
#include <funcapi.h>
#include <makespan.h>
#include <utils/builtins.h>

#include "call.h"
#include "interval_dp.h"
#include "rows.h"
#include "solve.h"
#include "status.h"
#include "verdict.h"

PG_FUNCTION_INFO_V1(makespan_nussinov);
PG_FUNCTION_INFO_V1(makespan_zuker);

static void free_folding(void *folding)
{
    mks_interval_dp_folding_free(folding);
}

static mks_status solve(const mks_context *context,
    const void *folding,
    const mks_options *options,
    mks_result **result)
{
    return mks_interval_dp_fold(context, folding, options, result);
}

/* The partner of each base, counted from 1; 0 without a partner. */
static int32 *partners_of(const mks_result *result, size_t bases)
{
    size_t count;
    mkspg_check(mks_interval_dp_pair_count(result, &count));
    uint32 *pairs = mkspg_array(2 * count, sizeof(uint32), "the pairs");
    int32 *partners = mkspg_array(bases, sizeof(int32), "the bases");
    mkspg_check(mks_interval_dp_pairs(result, pairs, 2 * count));
    for (size_t pair = 0; pair < count; pair++) {
        uint32 first = pairs[2 * pair], last = pairs[2 * pair + 1];
        partners[first] = (int32)last + 1;
        partners[last] = (int32)first + 1;
    }
    return partners;
}

/* A row for each base. */
static void put_bases(const mks_result *result, ReturnSetInfo *to)
{
    enum { BASE, PARTNER, SYMBOL, VERDICT };
    Verdict verdict = mkspg_verdict(result);
    const char *structure;
    if (!verdict.has_solution) {
        return;
    }
    mkspg_check(mks_interval_dp_structure(result, &structure));
    size_t bases = strlen(structure);
    const int32 *partners = partners_of(result, bases);
    for (size_t base = 0; base < bases; base++) {
        Datum values[VERDICT + VERDICT_WIDTH];
        bool nulls[VERDICT + VERDICT_WIDTH] = {false};
        values[BASE] = Int32GetDatum((int32)base + 1);
        values[PARTNER] = Int32GetDatum(partners[base]);
        nulls[PARTNER] = partners[base] == 0;
        values[SYMBOL] = PointerGetDatum(cstring_to_text_with_len(&structure[base], 1));
        mkspg_put_row(&verdict, values, nulls, VERDICT, to);
    }
}

static uint32 weight(FunctionCallInfo fcinfo, int index, const char *name)
{
    uint64 value = mkspg_amount(fcinfo, index, name);
    if (value > PG_UINT32_MAX) {
        ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
            errmsg("argument \"%s\" is " UINT64_FORMAT, name, value),
            errdetail("A weight is at most %u.", PG_UINT32_MAX),
            errhint("Choose another unit for all weights."), errcontext("argument \"%s\"", name));
    }
    return (uint32)value;
}

/* Folds the sequence of the problem that a call with this status has put into this place. */
static Datum fold(Call *call, mks_status status, const Handle *folding, mks_options *options)
{
    mkspg_check_argument(status, "sequence");
    put_bases(mkspg_solve(solve, folding->pointer, options, NULL, NULL), call->rows);
    return mkspg_end(call);
}

Datum makespan_nussinov(PG_FUNCTION_ARGS)
{
    enum { SEQUENCE, GC_WEIGHT, AU_WEIGHT, GU_WEIGHT, HAIRPIN, OPTIONS };
    Call call = mkspg_begin(fcinfo);
    mks_options *options = mkspg_tree_options(mkspg_optional_object(fcinfo, OPTIONS));
    const char *sequence = mkspg_text(fcinfo, SEQUENCE, "sequence");
    const uint32 weights[] = {
        weight(fcinfo, GC_WEIGHT, "gc_weight"),
        weight(fcinfo, AU_WEIGHT, "au_weight"),
        weight(fcinfo, GU_WEIGHT, "gu_weight"),
    };
    uint64 hairpin = mkspg_amount(fcinfo, HAIRPIN, "hairpin");
    Handle *handle = mkspg_handle(free_folding);
    mks_interval_dp_folding *folding = NULL;
    mks_status status =
        mks_interval_dp_folding_nussinov(sequence, strlen(sequence), weights, hairpin, &folding);
    mkspg_replace(handle, folding);
    return fold(&call, status, handle, options);
}

Datum makespan_zuker(PG_FUNCTION_ARGS)
{
    enum { SEQUENCE, OPTIONS };
    Call call = mkspg_begin(fcinfo);
    mks_options *options = mkspg_tree_options(mkspg_optional_object(fcinfo, OPTIONS));
    const char *sequence = mkspg_text(fcinfo, SEQUENCE, "sequence");
    Handle *handle = mkspg_handle(free_folding);
    mks_interval_dp_folding *folding = NULL;
    mks_status status = mks_interval_dp_folding_zuker(sequence, strlen(sequence), &folding);
    mkspg_replace(handle, folding);
    return fold(&call, status, handle, options);
}

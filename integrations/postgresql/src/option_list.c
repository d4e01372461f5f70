/* makespan.options(): the options of a problem, as the library describes them. */
#include <postgres.h>

#include <fmgr.h>
#include <funcapi.h>
#include <makespan.h>
#include <utils/builtins.h>

#include "call.h"
#include "handle.h"
#include "status.h"

PG_FUNCTION_INFO_V1(makespan_options);

static void put(ReturnSetInfo *to, const mks_option_info *info)
{
    const char *texts[] = {info->name, info->kind, info->choices, info->default_value,
        info->methods, info->tier, info->text};
    Datum values[lengthof(texts)];
    bool nulls[lengthof(texts)] = {false};
    for (size_t index = 0; index < lengthof(texts); index++) {
        values[index] = CStringGetTextDatum(texts[index]);
        nulls[index] = texts[index][0] == '\0';
    }
    tuplestore_putvalues(to->setResult, to->setDesc, values, nulls);
}

Datum makespan_options(PG_FUNCTION_ARGS)
{
    Call call = mkspg_begin(fcinfo);
    Handle *handle = mkspg_handle(mkspg_free_options);
    mks_options *options;
    mks_option_info info;
    size_t count;
    const char *problem = mkspg_text(fcinfo, 0, "problem");
    if (mks_options_create(problem, &options) != MKS_STATUS_OK) {
        /* "owner: \"x\" is none of ..." */
        const char *reason = strstr(mks_last_error(), ": ");
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
            errmsg("problem%s", reason != NULL ? reason : ""),
            errdetail("Each problem has its own options."),
            errhint("Give the name of a problem, such as flow_shop."),
            errcontext("argument \"problem\""));
    }
    handle->pointer = options;
    mkspg_check(mks_options_count(options, &count));
    mkspg_check(mks_option_info_init(&info, sizeof info));
    for (size_t index = 0; index < count; index++) {
        mkspg_check(mks_options_info(options, index, &info));
        put(call.rows, &info);
    }
    return mkspg_end(&call);
}

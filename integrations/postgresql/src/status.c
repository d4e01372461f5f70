#include "status.h"

static int sqlstate(mks_status status)
{
    switch (status) {
    case MKS_STATUS_INVALID_ARGUMENT:
    case MKS_STATUS_PARSE:
        return ERRCODE_INVALID_PARAMETER_VALUE;
    case MKS_STATUS_IO:
        return ERRCODE_IO_ERROR;
    case MKS_STATUS_OVERFLOW:
        return ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE;
    case MKS_STATUS_OUT_OF_MEMORY:
        return ERRCODE_OUT_OF_MEMORY;
    case MKS_STATUS_UNSUPPORTED:
        return ERRCODE_FEATURE_NOT_SUPPORTED;
    case MKS_STATUS_DEVICE_UNAVAILABLE:
    case MKS_STATUS_DEVICE_FAILED:
        return ERRCODE_SYSTEM_ERROR;
    case MKS_STATUS_STOPPED:
        return ERRCODE_OPERATOR_INTERVENTION;
    case MKS_STATUS_THREADS_UNAVAILABLE:
        return ERRCODE_INSUFFICIENT_RESOURCES;
    default:
        return ERRCODE_INTERNAL_ERROR;
    }
}

static const char *hint(mks_status status)
{
    switch (status) {
    case MKS_STATUS_INVALID_ARGUMENT:
    case MKS_STATUS_PARSE:
        return "Correct the value that the message names.";
    case MKS_STATUS_OVERFLOW:
        return "Use a coarser unit for the numbers of the queries.";
    case MKS_STATUS_OUT_OF_MEMORY:
        return "Let an administrator raise makespan.memory_limit, or choose another method.";
    case MKS_STATUS_UNSUPPORTED:
        return "Choose another method, or leave the option to the library.";
    case MKS_STATUS_DEVICE_UNAVAILABLE:
    case MKS_STATUS_DEVICE_FAILED:
        return "Set makespan.engine to cpu.";
    case MKS_STATUS_STOPPED:
        return "Raise the option time_limit or iteration_limit.";
    case MKS_STATUS_THREADS_UNAVAILABLE:
        return "Lower makespan.threads.";
    default:
        return "This is a defect of the library. Please report it.";
    }
}

/* "weights[3]: too large" becomes "item \"bolt\": too large". */
static const char *named(const char *text, const Labels *labels)
{
    unsigned int position;
    int length = 0;
    if (labels == NULL || sscanf(text, "%*[a-z_][%u]%n", &position, &length) != 1 || length == 0
        || position >= labels->count) {
        return text;
    }
    return psprintf("%s \"%s\"%s", labels->noun, labels->items[position].text, text + length);
}

void mkspg_raise(mks_status status, const char *text, const Labels *labels)
{
    ereport(ERROR, errcode(sqlstate(status)), errmsg("%s", named(text, labels)),
        errdetail("makespan says: %s.", mks_status_text(status)), errhint("%s", hint(status)));
}

void mkspg_check_named(mks_status status, const Labels *labels)
{
    if (status != MKS_STATUS_OK) {
        mkspg_raise(status, mks_last_error(), labels);
    }
}

void mkspg_check(mks_status status)
{
    mkspg_check_named(status, NULL);
}

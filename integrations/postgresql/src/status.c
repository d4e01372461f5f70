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
    case MKS_STATUS_IO:
        return "Check that the server may read and write the file.";
    case MKS_STATUS_THREADS_UNAVAILABLE:
        return "Lower makespan.threads.";
    default:
        return "This is a defect of the library. Please report it.";
    }
}

/*
 * "weights[3]: too large" becomes "weights of item \"bolt\": too large", and "patterns[0]" becomes
 * "pattern \"A\"".
 */
static const char *named(const char *text, const Labels *labels)
{
    unsigned int position;
    int name = 0, length = 0;
    if (labels == NULL || sscanf(text, "%*[a-z_]%n[%u]%n", &name, &position, &length) != 1
        || length == 0 || position >= labels->count) {
        return text;
    }
    bool is_noun = strncmp(text, labels->noun, strlen(labels->noun)) == 0;
    return psprintf("%.*s%s%s \"%s\"%s", is_noun ? 0 : name, text, is_noun ? "" : " of ",
        labels->noun, labels->items[position].text, text + length);
}

static const char *query_in(const char *argument)
{
    return argument == NULL ? NULL : psprintf("query in argument \"%s\"", argument);
}

void mkspg_raise(mks_status status, const char *text, const char *place, const Labels *labels)
{
    ereport(ERROR, errcode(sqlstate(status)), errmsg("%s", named(text, labels)),
        errdetail("The library refused the call: %s.", mks_status_text(status)),
        errhint("%s", hint(status)), place == NULL ? 0 : (errcontext("%s", place)));
}

bool mkspg_is_about(const char *text, const char *name)
{
    size_t length = strlen(name);
    return strncmp(text, name, length) == 0 && strchr(":[ ", text[length]) != NULL;
}

void mkspg_check_origins(mks_status status, const Origin *origins, const Labels *labels)
{
    if (status != MKS_STATUS_OK) {
        while (origins->name != NULL && !mkspg_is_about(mks_last_error(), origins->name)) {
            origins++;
        }
        mkspg_raise(status, mks_last_error(), origins->place, labels);
    }
}

void mkspg_check_query(mks_status status, const char *argument, const Labels *labels)
{
    if (status != MKS_STATUS_OK) {
        mkspg_raise(status, mks_last_error(), query_in(argument), labels);
    }
}

void mkspg_check_argument(mks_status status, const char *argument)
{
    if (status != MKS_STATUS_OK) {
        mkspg_raise(status, mks_last_error(), psprintf("argument \"%s\"", argument), NULL);
    }
}

void mkspg_check(mks_status status)
{
    mkspg_check_query(status, NULL, NULL);
}

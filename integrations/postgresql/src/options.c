#include "options.h"

#include <math.h>

#include <catalog/pg_authid_d.h>
#include <catalog/pg_type_d.h>
#include <miscadmin.h>
#include <utils/acl.h>
#include <utils/builtins.h>
#include <utils/numeric.h>
#include <utils/varlena.h>

#include "handle.h"
#include "settings.h"
#include "status.h"

static mks_option_info info_at(const mks_options *options, size_t index)
{
    mks_option_info info;
    mkspg_check(mks_option_info_init(&info, sizeof info));
    mkspg_check(mks_options_info(options, index, &info));
    return info;
}

static size_t count_of(const mks_options *options)
{
    size_t count;
    mkspg_check(mks_options_count(options, &count));
    return count;
}

/* The option whose name needs the fewest edits, if these are few. */
static const char *nearest(const mks_options *options, const char *name)
{
    const char *best = NULL;
    int least = 1 + (int)strlen(name) / 3;
    for (size_t index = 0; index < count_of(options); index++) {
        const char *known = info_at(options, index).name;
        int edits = varstr_levenshtein_less_equal(
            known, (int)strlen(known), name, (int)strlen(name), 1, 1, 1, least, true);
        if (edits <= least) {
            least = edits;
            best = known;
        }
    }
    return best;
}

static const char *names(const mks_options *options)
{
    StringInfoData text;
    initStringInfo(&text);
    for (size_t index = 0; index < count_of(options); index++) {
        appendStringInfo(&text, "%s%s", index > 0 ? ", " : "", info_at(options, index).name);
    }
    return text.data;
}

static mks_option_info find(const mks_options *options, const char *name)
{
    for (size_t index = 0; index < count_of(options); index++) {
        mks_option_info info = info_at(options, index);
        if (strcmp(info.name, name) == 0) {
            return info;
        }
    }
    const char *meant = nearest(options, name);
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
        errmsg("option \"%s\" is unknown", name), errdetail("The options are %s.", names(options)),
        meant != NULL ? errhint("Perhaps you meant \"%s\".", meant)
                      : errhint("makespan.options() lists the options with their meanings."));
    pg_unreachable();
}

/* A solve reads such a file and replaces it, as COPY would do in both directions. */
static void allow_file(const char *option, const char *path)
{
    if (!has_privs_of_role(GetUserId(), ROLE_PG_READ_SERVER_FILES)
        || !has_privs_of_role(GetUserId(), ROLE_PG_WRITE_SERVER_FILES)) {
        ereport(ERROR, errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
            errmsg("permission denied for option \"%s\"", option),
            errdetail("A solve reads and writes this file of the server."),
            errhint("Only roles with the privileges of pg_read_server_files and "
                    "pg_write_server_files may set it."));
    }
    if (!is_absolute_path(path)) {
        ereport(ERROR, errcode(ERRCODE_INVALID_NAME),
            errmsg("option \"%s\" has a relative path", option), errdetail("The path is: %s", path),
            errhint("Give an absolute path."));
    }
}

/* Refuses what the options of a call may not decide. */
static void allow(const mks_option_info *info, const char *text)
{
    if (strcmp(info->kind, "path") == 0 && strcmp(text, info->unset) != 0) {
        allow_file(info->name, text);
    }
    if (strcmp(info->name, "engine") == 0) {
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
            errmsg("option \"engine\" is a setting in SQL"),
            errdetail("Administrators decide which devices the server opens."),
            errhint("Set makespan.engine."));
    }
    if (strcmp(info->name, "start") == 0) {
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
            errmsg("option \"start\" is given by a query in SQL"),
            errdetail("Queries name jobs and items, where the option would number them."),
            errhint("Give the start by the column or the argument \"start\"."));
    }
}

/* The text of a value other than null. */
static const char *scalar_text(const mks_option_info *info, const JsonbValue *value)
{
    switch (value->type) {
    case jbvString:
        return pnstrdup(value->val.string.val, (Size)value->val.string.len);
    case jbvNumeric:
        return DatumGetCString(
            DirectFunctionCall1(numeric_out, NumericGetDatum(value->val.numeric)));
    case jbvBool:
        return value->val.boolean ? "true" : "false";
    default:
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
            errmsg("option \"%s\" has a list or an object as its value", info->name),
            errdetail("The option is of kind %s.", info->kind),
            errhint("Give a number, a text, true, false or null."));
    }
    pg_unreachable();
}

static void set(mks_options *options, const char *name, const JsonbValue *value)
{
    mks_option_info info = find(options, name);
    if (value->type == jbvNull) {
        return; /* It keeps its default. */
    }
    const char *text = scalar_text(&info, value);
    allow(&info, text);
    mks_status status = mks_options_set(options, name, text);
    if (status != MKS_STATUS_OK) {
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
            errmsg("option %s", mks_last_error()),
            errdetail("%s%s%s.", info.text, info.choices[0] != '\0' ? ": " : "", info.choices),
            errhint("makespan.options() lists the options with their meanings."));
    }
}

static void read_object(mks_options *options, Jsonb *object)
{
    JsonbValue key, value;
    JsonbIterator *iterator = JsonbIteratorInit(&object->root);
    JsonbIteratorToken token = JsonbIteratorNext(&iterator, &key, true);
    if (token != WJB_BEGIN_OBJECT) {
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
            errmsg("argument \"options\" is not a JSON object"),
            errdetail("Its members are the options by their names."),
            errhint("Write, for example, '{\"time_limit\": 5}'."));
    }
    while ((token = JsonbIteratorNext(&iterator, &key, true)) == WJB_KEY) {
        const char *name = scalar_text(NULL, &key);
        (void)JsonbIteratorNext(&iterator, &value, true);
        set(options, name, &value);
    }
}

/* The setting is the default of the option and its largest value. */
static void limit_memory(mks_options *options)
{
    char text[64];
    size_t length;
    uint64 limit = mkspg_memory_limit();
    mkspg_check(mks_options_get(options, "memory_limit", text, sizeof text, &length));
    if (strcmp(text, "auto") == 0) {
        mkspg_check(mks_options_set_int64(options, "memory_limit", (int64)limit));
    } else if (strtou64(text, NULL, 10) > limit) {
        ereport(ERROR, errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
            errmsg("option \"memory_limit\" exceeds makespan.memory_limit"),
            errdetail("The option is %s bytes, the setting " UINT64_FORMAT ".", text, limit),
            errhint("Lower the option, or let an administrator raise the setting."));
    }
}

static void describe(void *argument)
{
    (void)argument;
    errcontext("argument \"options\"");
}

mks_options *mkspg_options(const char *problem, Jsonb *object)
{
    Handle *handle = mkspg_handle(mkspg_free_options);
    mks_options *options;
    mkspg_check(mks_options_create(problem, &options));
    handle->pointer = options;
    ErrorContextCallback callback = {error_context_stack, describe, NULL};
    error_context_stack = &callback;
    if (object != NULL) {
        read_object(options, object);
    }
    limit_memory(options);
    error_context_stack = callback.previous;
    return options;
}

/* The text behind a beginning that it may have. */
static const char *without(const char *text, const char *beginning)
{
    size_t length = strlen(beginning);
    return strncmp(text, beginning, length) == 0 ? text + length : text;
}

bool mkspg_names_option(const mks_options *options, const char *text)
{
    text = without(without(text, "not supported: "), "the ");
    for (size_t index = 0; index < count_of(options); index++) {
        const char *name = info_at(options, index).name;
        if (strcmp(name, "start") != 0 && mkspg_is_about(text, name)) {
            return true;
        }
    }
    return false;
}

bool mkspg_chooses_method(const mks_options *options)
{
    char method[64];
    size_t length;
    return mks_options_get(options, "method", method, sizeof method, &length) == MKS_STATUS_OK
        && strcmp(method, "auto") != 0;
}

void mkspg_set_start(mks_options *options, const uint32 *numbers, size_t count)
{
    mkspg_check(mks_options_set_list(options, "start", numbers, count));
}

/* Options by name: values of every type, files, descriptions, stop handles, callbacks. */
#include "check.h"
#include <math.h>

static const char *const OWNERS[9] = {"context", "cutting_stock", "flow_shop", "interval_dp",
    "knapsack", "lattice_dp", "multidimensional_knapsack", "parallel_machines", "recurrence"};

static void values(void)
{
    const uint32_t start[3] = {2, 0, 1};
    mks_options *options = options_with(
        "flow_shop", "method", "tabu", "checkpoint", "a folder/a file", "memory_limit", "3K", NULL);
    check_value(options, "method", "tabu");
    check_value(options, "checkpoint", "a folder/a file");
    check_value(options, "memory_limit", "3072");
    CHECK_OK(mks_options_set_int64(options, "tenure", 12));
    check_value(options, "tenure", "12");
    CHECK_OK(mks_options_set_int64(options, "iteration_limit", INT64_MAX));
    check_value(options, "iteration_limit", "9223372036854775807");
    CHECK_OK(mks_options_set_int64(options, "local_columns", 1));
    check_value(options, "local_columns", "true");
    CHECK_OK(mks_options_set_double(options, "time_limit", 0.25));
    check_value(options, "time_limit", "0.25");
    CHECK_OK(mks_options_set_double(options, "time_limit", INFINITY));
    check_value(options, "time_limit", "none");
    CHECK_OK(mks_options_set_double(options, "time_limit", 1e300));
    check_value(options, "time_limit", "none");
    CHECK_OK(mks_options_set_int64(options, "time_limit", 5));
    CHECK_OK(mks_options_set(options, "time_limit", "none"));
    check_value(options, "time_limit", "none");
    CHECK_OK(mks_options_set_list(options, "start", start, 3));
    check_value(options, "start", "2 0 1");
    CHECK_OK(mks_options_set(options, "start", "1,0, 2"));
    check_value(options, "start", "1 0 2");
    CHECK_OK(mks_options_set(options, "start", "auto"));
    check_value(options, "start", "none");
    mks_options_free(options);

    options = options_with("parallel_machines", "epsilon", "0.2", NULL);
    check_value(options, "epsilon", "0.2");
    mks_options_free(options);

    options = options_with("interval_dp", NULL);
    check_value(options, "cells", "");
    CHECK_OK(mks_options_set_list(options, "cells", start + 1, 2));
    check_value(options, "cells", "0,1");
    CHECK_OK(mks_options_set_list(options, "cells", NULL, 0));
    check_value(options, "cells", "");
    mks_options_free(options);

    options = options_with("context", "device", "2,0", "cache", "off", NULL);
    check_value(options, "device", "2 0");
    check_value(options, "cache", "off");
    mks_options_free(options);
}

/* Texts are cut to the capacity. */
static void capacities(void)
{
    mks_options *options = options_with("flow_shop", "method", "iterated-greedy", NULL);
    char text[16] = "unchanged";
    size_t length = 0;
    CHECK_OK(mks_options_get(options, "method", NULL, 0, &length));
    CHECK(length == 15);
    CHECK_OK(mks_options_get(options, "method", text, 0, &length));
    CHECK(strcmp(text, "unchanged") == 0);
    CHECK_OK(mks_options_get(options, "method", text, 1, &length));
    CHECK(*text == '\0' && length == 15);
    CHECK_OK(mks_options_get(options, "method", text, 9, &length));
    CHECK(strcmp(text, "iterated") == 0 && length == 15);
    CHECK_OK(mks_options_get(options, "method", text, 16, &length));
    CHECK(strcmp(text, "iterated-greedy") == 0 && length == 15);
    mks_options_free(options);
}

static void files(void)
{
    const char path[] = "options.test";
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    CHECK(fputs("# a search\nmethod = tabu\n\n tenure=7 # generations\nstart = 1 0\n"
                "time_limit = 2.5\n",
              file)
        >= 0);
    CHECK(fclose(file) == 0);
    mks_options *options = options_with("flow_shop", "tenure", "9", "seed", "3", NULL);
    CHECK_OK(mks_options_read(options, path));
    CHECK(remove(path) == 0);
    check_value(options, "method", "tabu");
    check_value(options, "tenure", "7");
    check_value(options, "start", "1 0");
    check_value(options, "time_limit", "2.5");
    check_value(options, "seed", "3");
    mks_options_free(options);
}

/* The words of a text with spaces between include this one. */
static int has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = words; (at = strstr(at, word)) != NULL; at += length) {
        const int begins = at == words || at[-1] == ' ';
        if (begins && (at[length] == ' ' || at[length] == '\0')) {
            return 1;
        }
    }
    return 0;
}

/* Sets each of the choices. */
static void choose(mks_options *options, const char *name, const char *choices)
{
    char choice[64];
    for (const char *rest = choices; *rest != '\0';) {
        const size_t length = strcspn(rest, " ");
        CHECK(length > 0 && length < sizeof choice);
        memcpy(choice, rest, length);
        choice[length] = '\0';
        CHECK_OK(mks_options_set(options, name, choice));
        check_value(options, name, choice);
        rest += length + (rest[length] == ' ');
    }
}

/* Sets the smallest and the largest number, and those beyond them. */
static void check_range(mks_options *options, const mks_option_info *info)
{
    char text[32];
    const int64_t least = (int64_t)info->minimum;
    CHECK(least >= 0 && info->minimum < info->maximum);
    CHECK_OK(mks_options_set_int64(options, info->name, least));
    snprintf(text, sizeof text, "%d", (int)least);
    check_value(options, info->name, text);
    REFUSED(mks_options_set_int64(options, info->name, least - 1), info->name);
    check_value(options, info->name, text);
    if (!isinf(info->maximum)) {
        const int64_t most = (int64_t)info->maximum;
        REFUSED(mks_options_set_int64(options, info->name, most + 1), info->name);
        CHECK_OK(mks_options_set_int64(options, info->name, most));
    }
}

/* Every default can be set again; the description tells the truth. */
static void describe(mks_options *options, const mks_option_info *info)
{
    CHECK(*info->name != '\0' && *info->text != '\0');
    CHECK(has_word("flag whole real seconds bytes choice path list", info->kind));
    CHECK(has_word("basic advanced experimental", info->tier));
    CHECK((strcmp(info->kind, "choice") == 0) == (*info->choices != '\0'));
    check_value(options, info->name, info->default_value);
    choose(options, info->name, info->choices);
    if (strcmp(info->kind, "whole") == 0) {
        check_range(options, info);
    }
    if (strcmp(info->kind, "flag") == 0) {
        CHECK_OK(mks_options_set(options, info->name, "true"));
        check_value(options, info->name, "true");
    }
    if (*info->unset != '\0') {
        CHECK(has_word("auto none", info->unset));
        const int is_auto = strcmp(info->unset, "auto") == 0;
        CHECK(strstr(info->text, is_auto ? "; none " : "; auto ") == NULL);
        CHECK_OK(mks_options_set(options, info->name, info->unset));
        check_value(options, info->name, info->unset);
    } else if (strcmp(info->kind, "choice") != 0) {
        REFUSED(mks_options_set(options, info->name, "none"), info->name);
    }
    CHECK_OK(mks_options_set(options, info->name, info->default_value));
    check_value(options, info->name, info->default_value);
}

/* The method of a problem's options. */
static const char *methods_of(const mks_options *options)
{
    mks_option_info info;
    CHECK_OK(mks_option_info_init(&info, sizeof info));
    CHECK_OK(mks_options_info(options, 0, &info));
    return strcmp(info.name, "method") == 0 ? info.choices : "slabs levels blocks";
}

static void descriptions(void)
{
    for (size_t owner = 0; owner < 9; owner++) {
        mks_options *options = options_with(OWNERS[owner], NULL);
        mks_option_info info;
        size_t count = 0;
        int own = 0, limits = 0;
        CHECK_OK(mks_option_info_init(&info, sizeof info));
        CHECK(info.struct_size == sizeof info && info.name == NULL);
        CHECK_OK(mks_options_count(options, &count));
        for (size_t index = 0; index < count; index++) {
            CHECK_OK(mks_options_info(options, index, &info));
            CHECK(info.struct_size == sizeof info);
            describe(options, &info);
            limits += strcmp(info.name, "time_limit") == 0;
            own += limits == 0;
            char method[32];
            for (const char *rest = info.methods; *rest != '\0';) {
                const size_t length = strcspn(rest, " ");
                snprintf(method, sizeof method, "%.*s", (int)length, rest);
                CHECK(has_word(methods_of(options), method));
                rest += length + (rest[length] == ' ');
            }
        }
        /* The common options come last. */
        CHECK(own > 0 && limits == (owner > 0));
        mks_options_free(options);
    }
}

/* Two descriptions that programs may rely on. */
static void known_descriptions(void)
{
    mks_options *options = options_with("parallel_machines", NULL);
    mks_option_info info;
    CHECK_OK(mks_option_info_init(&info, sizeof info));
    CHECK_OK(mks_options_info(options, 0, &info));
    CHECK(strcmp(info.name, "method") == 0 && strcmp(info.kind, "choice") == 0);
    CHECK(strcmp(info.choices, "auto lpt multifit ptas exact") == 0);
    CHECK(strcmp(info.default_value, "auto") == 0 && strcmp(info.tier, "basic") == 0);
    CHECK(*info.methods == '\0' && isinf(info.minimum) && isinf(info.maximum));
    CHECK_OK(mks_options_info(options, 1, &info));
    CHECK(strcmp(info.name, "epsilon") == 0 && strcmp(info.kind, "real") == 0);
    CHECK(strcmp(info.methods, "auto ptas exact") == 0 && *info.choices == '\0');
    CHECK(!(info.minimum < 0 || info.minimum > 0) && info.maximum <= 1 && info.maximum >= 1);
    mks_options_free(options);
}

struct calls {
    mks_options *options;
    int count;
};

/* Changes the options of the solve that runs, and ends them. */
static int32_t change(const mks_progress *progress, void *user_data)
{
    struct calls *calls = user_data;
    (void)progress;
    if (calls->count++ == 0) {
        CHECK_OK(mks_options_set(calls->options, "iteration_limit", "0"));
        CHECK_OK(mks_options_set(calls->options, "method", "lpt"));
        CHECK_OK(mks_options_set_progress(calls->options, NULL, NULL));
        mks_options_free(calls->options);
    }
    return MKS_CONTROL_CONTINUE;
}

static const char *solve(
    const mks_context *context, const mks_options *options, int32_t expected_status)
{
    static char method[32];
    mks_parallel_machines_instance *instance = graham();
    mks_result *result = NULL;
    const char *name = NULL;
    CHECK_OK(mks_parallel_machines_solve(context, instance, options, &result));
    CHECK_OK(mks_result_method(result, &name));
    CHECK(summary_of(result).status == expected_status);
    snprintf(method, sizeof method, "%s", name);
    mks_result_free(result);
    mks_parallel_machines_instance_free(instance);
    return method;
}

static void solves(const mks_context *context)
{
    /* A solve reads its options when it begins. */
    struct calls calls = {options_with("parallel_machines", "method", "ptas", NULL), 0};
    CHECK_OK(mks_options_set_progress(calls.options, change, &calls));
    CHECK(strcmp(solve(context, calls.options, MKS_SOLUTION_STATUS_OPTIMAL), "ptas") == 0);
    CHECK(calls.count > 0);

    /* One handle serves several solves. */
    mks_options *options = options_with("parallel_machines", "method", "lpt", NULL);
    CHECK(strcmp(solve(context, options, MKS_SOLUTION_STATUS_FEASIBLE), "lpt") == 0);
    CHECK_OK(mks_options_set(options, "method", "exact"));
    CHECK_OK(mks_options_set_double(options, "time_limit", INFINITY));
    CHECK(strcmp(solve(context, options, MKS_SOLUTION_STATUS_OPTIMAL), "exact") == 0);

    /* NULL takes callbacks and stop handles away. */
    mks_stop *stop = NULL;
    calls.count = 1;
    CHECK_OK(mks_stop_create(&stop));
    CHECK_OK(mks_stop_trip(stop));
    CHECK_OK(mks_options_set_stop(options, stop));
    CHECK_OK(mks_options_set_progress(options, change, &calls));
    solve(context, options, MKS_SOLUTION_STATUS_FEASIBLE);
    CHECK(calls.count > 1);
    calls.count = 1;
    CHECK_OK(mks_options_set_stop(options, NULL));
    CHECK_OK(mks_options_set_progress(options, NULL, NULL));
    solve(context, options, MKS_SOLUTION_STATUS_OPTIMAL);
    CHECK(calls.count == 1);

    /* A stop handle may end before the options that have it. */
    CHECK_OK(mks_stop_reset(stop));
    CHECK_OK(mks_options_set_stop(options, stop));
    mks_stop_free(stop);
    solve(context, options, MKS_SOLUTION_STATUS_OPTIMAL);
    mks_options_free(options);
}

int main(void)
{
    mks_context *context = cpu_context(2);
    values();
    capacities();
    files();
    descriptions();
    known_descriptions();
    solves(context);
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    return 0;
}

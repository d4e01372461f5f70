/* Shared by the test programs: checks that name the line at fault, and inputs. */
#ifndef CHECK_H
#define CHECK_H

#include <makespan.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            exit(1); \
        } \
    } while (0)

#define CHECK_OK(call) check_status(__FILE__, __LINE__, (call), MKS_STATUS_OK, "")

/* The call fails with this status, and the text contains these words. */
#define CHECK_FAILS(call, status, words) check_status(__FILE__, __LINE__, (call), (status), (words))

/* The call refuses an argument, and the text contains these words. */
#define REFUSED(call, words) CHECK_FAILS(call, MKS_STATUS_INVALID_ARGUMENT, words)

/* Wrong arguments that `group`_instance_parse and _read of every group refuse. */
#define REFUSED_SOURCES(group) \
    do { \
        group##_instance *source = NULL; \
        REFUSED(group##_instance_parse(NULL, 3, &source), "text: is NULL"); \
        REFUSED(group##_instance_parse("1 1", 3, NULL), "instance: is NULL"); \
        REFUSED(group##_instance_read(NULL, &source), "path: is NULL"); \
        REFUSED(group##_instance_read("x", NULL), "instance: is NULL"); \
        CHECK_FAILS(group##_instance_read("/nowhere/x", &source), MKS_STATUS_IO, \
            "/nowhere/x: No such file"); \
        CHECK(source == NULL); \
    } while (0)

/* Wrong arguments that `group`_solve of every group refuses. */
#define REFUSED_SOLVES(group, context, instance) \
    do { \
        mks_result *none = NULL; \
        REFUSED(group##_solve(NULL, instance, NULL, &none), "context: is NULL"); \
        REFUSED(group##_solve(context, NULL, NULL, &none), "instance: is NULL"); \
        REFUSED(group##_solve(context, instance, NULL, NULL), "result: is NULL"); \
        CHECK(none == NULL); \
        SOLVE_REFUSED(group, context, instance, options_with("context", NULL), \
            "options: are those of context, not of "); \
    } while (0)

/* `group`_solve succeeds with options, which end here. */
#define SOLVED(group, context, instance, options, result) \
    do { \
        mks_options *given = (options); \
        CHECK_OK(group##_solve(context, instance, given, result)); \
        mks_options_free(given); \
    } while (0)

/* `group`_solve fails with options, which end here. */
#define SOLVE_FAILS(group, context, instance, options, status, words) \
    do { \
        mks_options *given = (options); \
        mks_result *none = NULL; \
        CHECK_FAILS(group##_solve(context, instance, given, &none), status, words); \
        CHECK(none == NULL); \
        mks_options_free(given); \
    } while (0)

/* `group`_solve refuses options, which end here. */
#define SOLVE_REFUSED(group, context, instance, options, words) \
    SOLVE_FAILS(group, context, instance, options, MKS_STATUS_INVALID_ARGUMENT, words)

static inline void check_status(
    const char *file, int line, mks_status actual, mks_status expected, const char *words)
{
    const char *text = mks_last_error();
    int told =
        expected == MKS_STATUS_OK ? *text == '\0' : *text != '\0' && strstr(text, words) != NULL;
    if (actual != expected || !told) {
        fprintf(stderr, "%s:%d: status %d, expected %d with '%s'; text: %s\n", file, line,
            (int)actual, (int)expected, words, text);
        exit(1);
    }
}

/* Options of a problem or of a "context": names and values in turn, then NULL. */
static inline mks_options *options_with(const char *owner, ...)
{
    mks_options *options = NULL;
    CHECK_OK(mks_options_create(owner, &options));
    va_list texts;
    va_start(texts, owner);
    for (const char *name; (name = va_arg(texts, const char *)) != NULL;) {
        CHECK_OK(mks_options_set(options, name, va_arg(texts, const char *)));
    }
    va_end(texts);
    return options;
}

/* The option has this value. */
static inline void check_value(const mks_options *options, const char *name, const char *value)
{
    char text[256];
    size_t length = 0;
    CHECK_OK(mks_options_get(options, name, text, sizeof text, &length));
    if (strcmp(text, value) != 0 || length != strlen(value)) {
        fprintf(stderr, "%s is '%s', expected '%s'\n", name, text, value);
        exit(1);
    }
}

/* The option refuses a value with these words and keeps the one it has. */
static inline void check_refusal(
    mks_options *options, const char *name, const char *value, const char *words)
{
    char before[256];
    size_t length = 0;
    CHECK_OK(mks_options_get(options, name, before, sizeof before, &length));
    REFUSED(mks_options_set(options, name, value), words);
    check_value(options, name, before);
}

/* A context that never looks for a device. */
static inline mks_context *cpu_context(uint32_t threads)
{
    mks_options *options = options_with("context", "engine", "cpu", NULL);
    CHECK_OK(mks_options_set_int64(options, "threads", threads));
    mks_context *context = NULL;
    CHECK_OK(mks_context_create(options, &context));
    mks_options_free(options);
    return context;
}

/* The figures of a result. */
static inline mks_summary summary_of(const mks_result *result)
{
    mks_summary summary;
    CHECK_OK(mks_summary_init(&summary, sizeof summary));
    CHECK_OK(mks_result_summary(result, &summary));
    return summary;
}

/* Graham's example: LPT plans 11, the optimum is 9. */
static const uint64_t GRAHAM[7] = {5, 5, 4, 4, 3, 3, 3};

static inline mks_parallel_machines_instance *graham(void)
{
    mks_parallel_machines_instance *instance = NULL;
    CHECK_OK(mks_parallel_machines_instance_create(GRAHAM, 7, 3, &instance));
    return instance;
}

/* An instance whose whole scheme takes far longer than a test may. */
static inline mks_parallel_machines_instance *endless(void)
{
    enum { JOBS = 60 };
    uint64_t times[JOBS];
    uint64_t state = 1;
    for (size_t job = 0; job < JOBS; job++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        times[job] = 100 + (state >> 33) % 1000;
    }
    mks_parallel_machines_instance *instance = NULL;
    CHECK_OK(mks_parallel_machines_instance_create(times, JOBS, 22, &instance));
    return instance;
}

static inline mks_options *endless_options(void)
{
    return options_with("parallel_machines", "method", "ptas", NULL);
}

#endif

/* Shared by the test programs: checks that name the line at fault, and inputs. */
#ifndef CHECK_H
#define CHECK_H

#include <makespan.h>
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

/* Wrong arguments that `group`_options_init and `group`_solve of every group refuse. */
#define REFUSED_SOLVES(group, context, instance) \
    do { \
        mks_result *none = NULL; \
        group##_options wrong; \
        REFUSED(group##_options_init(NULL, sizeof wrong), "options: is NULL"); \
        REFUSED(group##_options_init(&wrong, 8), "size 8"); \
        CHECK_OK(group##_options_init(&wrong, sizeof wrong)); \
        wrong.struct_size = 1; \
        REFUSED(group##_solve(context, instance, &wrong, NULL, &none), "options: struct_size 1"); \
        CHECK_OK(group##_options_init(&wrong, sizeof wrong)); \
        wrong.reserved_flags = 1; \
        REFUSED( \
            group##_solve(context, instance, &wrong, NULL, &none), "options: a reserved field"); \
        CHECK_OK(group##_options_init(&wrong, sizeof wrong)); \
        wrong.reserved[0] = 1; \
        REFUSED( \
            group##_solve(context, instance, &wrong, NULL, &none), "options: a reserved field"); \
        REFUSED(group##_solve(NULL, instance, NULL, NULL, &none), "context: is NULL"); \
        REFUSED(group##_solve(context, NULL, NULL, NULL, &none), "instance: is NULL"); \
        REFUSED(group##_solve(context, instance, NULL, NULL, NULL), "result: is NULL"); \
        CHECK(none == NULL); \
    } while (0)

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

/* A context that never looks for a device. */
static inline mks_context *cpu_context(uint32_t threads)
{
    mks_context_options options;
    CHECK_OK(mks_context_options_init(&options, sizeof options));
    options.engine = MKS_ENGINE_CPU;
    options.threads = threads;
    mks_context *context = NULL;
    CHECK_OK(mks_context_create(&options, &context));
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

static inline mks_parallel_machines_options endless_options(void)
{
    mks_parallel_machines_options options;
    CHECK_OK(mks_parallel_machines_options_init(&options, sizeof options));
    options.method = MKS_PARALLEL_MACHINES_METHOD_PTAS;
    return options;
}

#endif

/* Arrays, numbers, texts and files that make no instance or no plan. */
#include "check.h"

static void numbers(void)
{
    const uint64_t half = (uint64_t)1 << 62, times[2] = {half, half};
    int64_t makespan = 77, bound = 77;
    uint32_t assignment[2] = {77, 77};
    mks_parallel_machines_instance *instance = NULL;
    CHECK_FAILS(mks_parallel_machines(times, 1, 0, 60, assignment, &makespan, &bound),
        MKS_STATUS_INVALID_ARGUMENT, "machines: must be at least 1");
    CHECK_FAILS(mks_parallel_machines(times, 2, 1, 60, assignment, &makespan, &bound),
        MKS_STATUS_OVERFLOW, "sum of the processing times");
    CHECK_FAILS(mks_parallel_machines(times, SIZE_MAX, 1, 60, assignment, &makespan, &bound),
        MKS_STATUS_INVALID_ARGUMENT, "times");
    CHECK(assignment[0] == 77 && assignment[1] == 77 && makespan == 77 && bound == 77);
    CHECK_FAILS(
        mks_parallel_machines_instance_create(times, 2, 1, &instance), MKS_STATUS_OVERFLOW, "sum");
    CHECK_FAILS(mks_parallel_machines_instance_create(times, 2, 0, &instance),
        MKS_STATUS_INVALID_ARGUMENT, "machines");
    CHECK_FAILS(mks_parallel_machines_instance_create(times, SIZE_MAX / 8, 1, &instance),
        MKS_STATUS_INVALID_ARGUMENT, "times");
    const char *bytes = (const char *)times;
    CHECK_FAILS(mks_parallel_machines_instance_create(
                    (const uint64_t *)(const void *)(bytes + 1), 1, 1, &instance),
        MKS_STATUS_INVALID_ARGUMENT, "times: is not aligned");
    CHECK(instance == NULL);
}

static void parse_fails(const char *text, size_t length, mks_status status, const char *words)
{
    mks_parallel_machines_instance *instance = NULL;
    CHECK_FAILS(mks_parallel_machines_instance_parse(text, length, &instance), status, words);
    CHECK(instance == NULL);
}

static void texts(void)
{
    static const struct {
        const char *text, *words;
    } faults[] = {
        {"", "line 1: the file is empty"},
        {"p cmax 3 2", "line 1: 'p p_cmax n m' is expected"},
        {"p p_cmax 3 0\n1 2 3 0", "line 1: there must be at least 1 machine"},
        {"p p_cmax 3 2\n1 2", "line 2: the file ends where the time of job 2 of 3 is expected"},
        {"2 3\n1 -2 3", "line 2: the time of job 1 of 3: -2 is negative"},
        {"2 3\n1 x 3", "line 2: the time of job 1 of 3: 'x' is not a whole number"},
        {"2 3\n1 2 3 4", "line 2: '4' follows the 3 times"},
        {"2 99999999999\n1", "line 1: 99999999999 jobs are more than"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        parse_fails(faults[i].text, strlen(faults[i].text), MKS_STATUS_PARSE, faults[i].words);
    }
    parse_fails("1 2\n9223372036854775807 1", 25, MKS_STATUS_OVERFLOW, "sum");
    parse_fails("1 2\n\xff\xfe", 6, MKS_STATUS_INVALID_ARGUMENT, "text[4]: is not UTF-8");
    parse_fails("1 0", SIZE_MAX, MKS_STATUS_INVALID_ARGUMENT, "text");
    parse_fails("1 1\n5", 4, MKS_STATUS_PARSE, "line 1: the file ends");
    parse_fails(NULL, 0, MKS_STATUS_PARSE, "empty");
}

static void files(void)
{
    mks_parallel_machines_instance *instance = NULL;
    CHECK_FAILS(mks_parallel_machines_instance_read("/nowhere/instance.txt", &instance),
        MKS_STATUS_IO, "/nowhere/instance.txt: No such file");
    CHECK_FAILS(mks_parallel_machines_instance_read("/", &instance), MKS_STATUS_IO, "directory");
    CHECK_FAILS(mks_parallel_machines_instance_read("", &instance), MKS_STATUS_IO, "");
    CHECK_FAILS(
        mks_parallel_machines_instance_read(__FILE__, &instance), MKS_STATUS_PARSE, "line 1");
    CHECK(instance == NULL);
}

static void plans(void)
{
    mks_parallel_machines_instance *instance = graham();
    uint32_t assignment[7] = {0, 0, 0, 0, 0, 0, 3};
    uint64_t times[7] = {77};
    int64_t makespan = 77;
    CHECK_FAILS(mks_parallel_machines_check(instance, assignment, 7, &makespan),
        MKS_STATUS_INVALID_ARGUMENT, "assignment[6]: there is no machine 3");
    CHECK_FAILS(mks_parallel_machines_check(instance, assignment, 6, &makespan),
        MKS_STATUS_INVALID_ARGUMENT, "assignment: 6 machines for 7 jobs");
    CHECK_FAILS(mks_parallel_machines_instance_times(instance, times, 6),
        MKS_STATUS_INVALID_ARGUMENT, "times: has room for 6 elements, 7 are needed");
    CHECK_FAILS(mks_parallel_machines_instance_times(instance, NULL, 0),
        MKS_STATUS_INVALID_ARGUMENT, "times");
    CHECK(makespan == 77 && times[0] == 77);

    mks_context *context = cpu_context(1);
    mks_result *result = NULL;
    uint32_t machines[7] = {77};
    uint64_t starts[7] = {77};
    CHECK_OK(mks_parallel_machines_solve(context, instance, NULL, &result));
    CHECK_FAILS(mks_parallel_machines_assignment(result, machines, 6), MKS_STATUS_INVALID_ARGUMENT,
        "machines");
    CHECK_FAILS(
        mks_parallel_machines_starts(result, starts, 0), MKS_STATUS_INVALID_ARGUMENT, "starts");
    CHECK(machines[0] == 77 && starts[0] == 77);
    mks_result_free(result);
    mks_parallel_machines_instance_free(instance);
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
}

int main(void)
{
    numbers();
    texts();
    files();
    plans();
    return 0;
}

/* Options: unknown names, values that do not fit, wrong files, options of another owner, structs
 * that are not initialised or too new. */
#include "check.h"
#include <math.h>

static void owners(const mks_context *context)
{
    static const char *const WRONG[5] = {"", "Flow_shop", "flow-shop", "flow_shop ", "solve"};
    mks_options *none = NULL;
    for (size_t i = 0; i < 5; i++) {
        REFUSED(mks_options_create(WRONG[i], &none),
            "is none of context, cutting_stock, flow_shop, interval_dp, knapsack, lattice_dp, "
            "multidimensional_knapsack, parallel_machines, recurrence");
    }
    REFUSED(mks_options_create("\xff", &none), "owner[0]: is not UTF-8");
    CHECK(none == NULL);

    mks_context *made = NULL;
    mks_options *options = options_with("knapsack", NULL);
    REFUSED(mks_context_create(options, &made), "options: are those of knapsack, not of context");
    CHECK(made == NULL);
    mks_options_free(options);
    const uint64_t times[1] = {1};
    mks_flow_shop_instance *instance = NULL;
    CHECK_OK(mks_flow_shop_instance_create(times, 1, 1, &instance));
    SOLVE_REFUSED(mks_flow_shop, context, instance, options_with("knapsack", NULL),
        "options: are those of knapsack, not of flow_shop");
    mks_flow_shop_instance_free(instance);
}

static void names(void)
{
    mks_options *options = options_with("knapsack", NULL), *context = options_with("context", NULL);
    char text[8] = "same";
    size_t length = 77;
    /* The text lists the options, the common ones too. */
    const char words[] =
        "name: there is no option \"tenure\"; the options are method, start, time_limit, "
        "iteration_limit, memory_limit, seed, engine";
    REFUSED(mks_options_set(options, "tenure", "3"), words);
    REFUSED(mks_options_set_int64(options, "tenure", 3), words);
    REFUSED(mks_options_set_double(options, "tenure", 3), words);
    REFUSED(mks_options_set_list(options, "tenure", NULL, 0), words);
    REFUSED(mks_options_get(options, "tenure", text, sizeof text, &length), words);
    REFUSED(mks_options_set(options, "", "3"), "name: there is no option \"\"");
    REFUSED(mks_options_set(options, "Method", "auto"), "name: there is no option \"Method\"");
    REFUSED(mks_options_set(options, "\xff", "auto"), "name[0]: is not UTF-8");
    REFUSED(mks_options_set(options, "method", "\xff"), "method: is not UTF-8");
    REFUSED(mks_options_set(context, "time_limit", "3"),
        "name: there is no option \"time_limit\"; the options are engine, device, threads, cache");
    CHECK(strcmp(text, "same") == 0 && length == 77);
    mks_options_free(options);
    mks_options_free(context);
}

static void values_of_solves(void)
{
    mks_options *options = options_with("parallel_machines", "time_limit", "7", NULL);
    check_refusal(options, "time_limit", "-1", "time_limit: must be 0 or more, not -1");
    check_refusal(options, "time_limit", "nan", "time_limit: must be 0 or more");
    check_refusal(options, "time_limit", "soon", "time_limit: must be a number of seconds");
    REFUSED(mks_options_set_double(options, "time_limit", -0.5), "time_limit: must be 0 or more");
    REFUSED(
        mks_options_set_double(options, "time_limit", -INFINITY), "time_limit: must be 0 or more");
    REFUSED(mks_options_set_double(options, "time_limit", (double)NAN),
        "time_limit: must be 0 or more");
    REFUSED(mks_options_set_int64(options, "time_limit", -1), "time_limit: must be 0 or more");
    check_value(options, "time_limit", "7");
    check_refusal(
        options, "engine", "99", "engine: must be one of context, auto, cpu, device, not");
    check_refusal(options, "seed", "-1", "seed: must be a whole number");
    check_refusal(options, "seed", "18446744073709551616", "seed: must be a whole number");
    check_refusal(options, "iteration_limit", "1.5", "iteration_limit: must be a whole number");
    check_refusal(options, "memory_limit", "1T", "memory_limit: must be a whole number with or");
    check_refusal(
        options, "memory_limit", "17179869184G", "memory_limit: 17179869184G does not fit");
    mks_options_free(options);
}

static void values_of_problems(void)
{
    mks_options *options = options_with("parallel_machines", NULL);
    check_refusal(
        options, "method", "-1", "method: must be one of auto, lpt, multifit, ptas, exact");
    check_refusal(options, "epsilon", "0", "epsilon: must be above 0 and at most 1, not 0");
    check_refusal(options, "epsilon", "1.5", "epsilon: must be above 0 and at most 1, not 1.5");
    check_refusal(options, "epsilon", "1/0", "epsilon: must be a number or a fraction");
    REFUSED(mks_options_set_double(options, "epsilon", (double)NAN), "epsilon: must be above 0");
    check_refusal(options, "segments", "65", "segments: must be from 1 to 64, not 65");
    check_refusal(options, "traversal", "3", "traversal: must be one of slabs, levels, blocks");
    check_refusal(options, "partition", "2", "partition: must be from 3 to 9, not 2");
    check_refusal(options, "divisors", "-1", "divisors: must be one of tabulated, printed");
    check_refusal(options, "launches", "3", "launches: must be one of auto, stepwise, persistent");
    /* Values of another type. */
    const uint32_t list[2] = {1, 2};
    REFUSED(mks_options_set_list(options, "segments", list, 2), "segments: must be a whole number");
    REFUSED(mks_options_set_int64(options, "method", 1), "method: must be one of");
    REFUSED(mks_options_set_double(options, "segments", 1.5), "segments: must be a whole number");
    check_value(options, "segments", "1");
    mks_options_free(options);
}

/* Options that do not fit together are refused when the solve begins. */
static void combinations(const mks_context *context, const mks_parallel_machines_instance *instance)
{
    static const struct {
        const char *name, *value, *method, *words;
    } WRONG[] = {
        {"partition", "4", "ptas", "partition: applies only to the traversal 'blocks'"},
        {"divisors", "printed", "ptas", "divisors: applies only to the traversal 'blocks'"},
        {"segments", "4", "auto", "segments: applies only to ptas"},
        {"traversal", "levels", "auto", "traversal: applies only to ptas"},
        {"launches", "persistent", "auto", "launches: applies only to ptas"},
        {"epsilon", "0.5", "lpt", "epsilon: applies only to auto, ptas, exact"},
    };
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        SOLVE_REFUSED(mks_parallel_machines, context, instance,
            options_with("parallel_machines", "method", WRONG[i].method, WRONG[i].name,
                WRONG[i].value, NULL),
            WRONG[i].words);
    }
    REFUSED_SOLVES(mks_parallel_machines, context, instance);
}

static void contexts(void)
{
    mks_options *options = options_with("context", NULL);
    check_refusal(options, "engine", "3", "engine: must be one of auto, cpu, device, not \"3\"");
    check_refusal(options, "engine", "context", "engine: must be one of auto, cpu, device, not");
    check_refusal(options, "device", "-2", "device: \"-2\" is not a whole number that fits");
    check_refusal(options, "device", "0,1 0", "device: 0 is named twice");
    check_refusal(options, "device", "2 1 2", "device: 2 is named twice");
    check_refusal(options, "threads", "0", "threads: must be from 1 to 1024, not 0");
    check_refusal(options, "threads", "4294967295", "threads: must be from 1 to 1024");
    check_refusal(options, "cache", "", "cache: must be a folder, off or auto, but is empty");
    mks_options_free(options);
}

static int32_t never(const mks_progress *progress, void *user_data)
{
    (void)progress, (void)user_data;
    CHECK(0);
    return MKS_CONTROL_STOP;
}

static void unheard(int32_t level, const char *message, void *user_data)
{
    (void)level, (void)message, (void)user_data;
    CHECK(0);
}

static void wrong_kinds(void)
{
    mks_options *solves = options_with("flow_shop", NULL), *context = options_with("context", NULL);
    mks_stop *stop = NULL;
    CHECK_OK(mks_stop_create(&stop));
    const char of_solves[] = "options: are those of a context, not of solves";
    REFUSED(mks_options_set_stop(context, stop), of_solves);
    REFUSED(mks_options_set_stop(context, NULL), of_solves);
    REFUSED(mks_options_set_progress(context, never, NULL), of_solves);
    REFUSED(mks_options_set_log(solves, MKS_LOG_LEVEL_DEBUG, unheard, NULL),
        "options: are not those of a context, which has the log");
    REFUSED(mks_options_set_tuning(solves, "makespan tuning 1"),
        "options: are not those of a context, which has the tuning rows");
    REFUSED(mks_options_set_log(context, 4, unheard, NULL), "level: 4 has no meaning");
    REFUSED(mks_options_set_log(context, -1, unheard, NULL), "level: -1 has no meaning");
    mks_stop_free(stop);
    mks_options_free(solves);
    mks_options_free(context);
}

/* Nothing changes if a line is wrong. */
static void file_fails(mks_options *options, const char *content, const char *words)
{
    const char path[] = "wrong_options.test";
    FILE *file = fopen(path, "w");
    CHECK(file != NULL && fputs(content, file) >= 0 && fclose(file) == 0);
    CHECK_FAILS(mks_options_read(options, path), MKS_STATUS_PARSE, words);
    CHECK(remove(path) == 0);
    check_value(options, "method", "tabu");
    check_value(options, "tenure", "9");
    check_value(options, "seed", "3");
    check_value(options, "start", "none");
}

static void files(void)
{
    mks_options *options =
        options_with("flow_shop", "method", "tabu", "tenure", "9", "seed", "3", NULL);
    CHECK_FAILS(mks_options_read(options, "/nowhere/x"), MKS_STATUS_IO, "/nowhere/x: No such file");
    CHECK_FAILS(mks_options_read(options, "/"), MKS_STATUS_IO, "directory");
    file_fails(options, "method = neh\nseed = 4\n\ntenure = 0\n",
        "line 4: tenure: must be from 1 to 4096, not 0");
    file_fails(options, "method = neh\nstart = 0 1\nponies = 3\n",
        "line 3: name: there is no option \"ponies\"");
    file_fails(options, "seed = 4\nmethod\n", "line 2: expected NAME = VALUE, found \"method\"");
    file_fails(options, "seed = 4\n# again\nseed = 5\n", "line 3: seed is already set in line 1");
    file_fails(options, "threads = 4\n", "line 1: name: there is no option \"threads\"");
    file_fails(options, "seed =\n", "line 1: seed: must be a whole number");
    mks_options_free(options);
}

static void descriptions(void)
{
    mks_options *options = options_with("knapsack", NULL);
    mks_option_info info;
    size_t count = 0;
    REFUSED(mks_option_info_init(&info, 79), "info: size 79");
    REFUSED(mks_option_info_init(&info, 1000000), "info: size 1000000");
    memset(&info, 0, sizeof info);
    REFUSED(mks_options_info(options, 0, &info), "info: struct_size 0");
    CHECK_OK(mks_option_info_init(&info, sizeof info));
    CHECK_OK(mks_options_count(options, &count));
    CHECK(count == 7);
    REFUSED(mks_options_info(options, count, &info), "index: 7 is not below 7");
    REFUSED(mks_options_info(options, SIZE_MAX, &info), "index: ");
    CHECK(info.name == NULL);

    /* A newer program has fields that this library does not fill. */
    struct {
        mks_option_info known;
        uint64_t unknown[2];
    } newer;
    memset(&newer, 0xa5, sizeof newer);
    CHECK_OK(mks_option_info_init(&newer.known, sizeof newer));
    CHECK_OK(mks_options_info(options, 0, &newer.known));
    CHECK(newer.known.struct_size == sizeof newer && strcmp(newer.known.name, "method") == 0);
    CHECK(newer.unknown[0] == 0 && newer.unknown[1] == 0);
    mks_options_free(options);
}

/* Structs that the caller fills, by the example of a recurrence. */
static void structs(void)
{
    const uint64_t offset[1] = {1};
    const int64_t initial[1] = {5};
    mks_recurrence_instance *instance = NULL;
    mks_recurrence_definition good, bad;
    CHECK_OK(mks_recurrence_definition_init(&good, sizeof good));
    REFUSED(mks_recurrence_definition_init(&bad, 7), "size 7");
    REFUSED(mks_recurrence_definition_init(&bad, 1000000), "size 1000000");
    memset(&bad, 0, sizeof bad);
    REFUSED(mks_recurrence_instance_create(&bad, &instance), "struct_size 0");
    memset(&bad, 0xa5, sizeof bad);
    REFUSED(mks_recurrence_instance_create(&bad, &instance), "struct_size");
    bad = good, bad.struct_size = sizeof bad - 1;
    REFUSED(mks_recurrence_instance_create(&bad, &instance), "definition: struct_size");
    bad = good, bad.reserved[1] = 1;
    REFUSED(mks_recurrence_instance_create(&bad, &instance), "definition: a reserved field");

    /* A newer program: fine as long as it does not set fields that this library does not know. */
    struct {
        mks_recurrence_definition known;
        uint64_t unknown[2];
    } newer;
    CHECK_OK(mks_recurrence_definition_init(&newer.known, sizeof newer));
    CHECK(
        newer.known.struct_size == sizeof newer && newer.unknown[0] == 0 && newer.unknown[1] == 0);
    newer.known.length = 3;
    newer.known.offsets = offset, newer.known.offset_count = 1;
    newer.known.initial = initial, newer.known.initial_count = 1;
    newer.unknown[1] = 1;
    REFUSED(mks_recurrence_instance_create(&newer.known, &instance), "does not know");
    CHECK(instance == NULL);
    newer.unknown[1] = 0;
    CHECK_OK(mks_recurrence_instance_create(&newer.known, &instance));
    mks_recurrence_instance_free(instance);
}

static void device_info(const mks_context *context)
{
    mks_device_info info;
    REFUSED(mks_device_info_init(&info, 100), "size 100");
    memset(&info, 0, sizeof info);
    REFUSED(mks_context_device_info(context, 0, &info), "info: struct_size 0");
}

static void speeds(const mks_context *context)
{
    mks_device_speeds device;
    mks_processor_speeds processor;
    REFUSED(mks_device_speeds_init(&device, 16), "size 16");
    REFUSED(mks_processor_speeds_init(&processor, 16), "size 16");
    memset(&device, 0, sizeof device);
    memset(&processor, 0, sizeof processor);
    REFUSED(mks_context_device_speeds(context, 0, &device), "speeds: struct_size 0");
    REFUSED(mks_context_processor_speeds(context, &processor), "speeds: struct_size 0");
}

int main(void)
{
    mks_context *context = cpu_context(1);
    mks_parallel_machines_instance *instance = graham();
    owners(context);
    names();
    values_of_solves();
    values_of_problems();
    combinations(context, instance);
    contexts();
    wrong_kinds();
    files();
    descriptions();
    structs();
    device_info(context);
    speeds(context);
    mks_parallel_machines_instance_free(instance);
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    return 0;
}

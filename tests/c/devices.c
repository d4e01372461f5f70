/* Devices, whether there are any or none: both are normal. */
#include "check.h"

static void describe(const mks_context *context, size_t count)
{
    mks_device_info info;
    CHECK_OK(mks_device_info_init(&info, sizeof info));
    for (size_t index = 0; index < count; index++) {
        CHECK_OK(mks_context_device_info(context, index, &info));
        CHECK(info.name[0] != '\0' && info.compute_units > 0 && info.max_allocation_bytes > 0);
    }
    CHECK_FAILS(
        mks_context_device_info(context, count, &info), MKS_STATUS_INVALID_ARGUMENT, "index");
}

static void explain(const mks_context *context)
{
    char text[256], start[5] = "....";
    size_t length = 0, again = 0;
    CHECK_OK(mks_context_device_problem(context, text, sizeof text, &length));
    CHECK(length > 4 && strlen(text) <= length);
    CHECK_OK(mks_context_device_problem(context, start, sizeof start, &again));
    CHECK(strlen(start) == 4 && strncmp(start, text, 4) == 0 && again == length);
    CHECK_OK(mks_context_device_problem(context, NULL, 0, &again));
    CHECK(again == length);
}

static void speeds(const mks_context *context, size_t count, int measured)
{
    mks_device_speeds device;
    CHECK_OK(mks_device_speeds_init(&device, sizeof device));
    for (size_t index = 0; index < count; index++) {
        CHECK_OK(mks_context_device_speeds(context, index, &device));
        CHECK(device.struct_size == sizeof device);
        CHECK(device.launch_seconds > 0 && device.round_trip_seconds > 0);
        CHECK(device.add_min_rate > 0 && device.wide_add_min_rate > 0);
        CHECK(device.global_rate > 0 && device.local_rate > 0);
        CHECK(device.to_device_rate > 0 && device.to_host_rate > 0);
        CHECK((device.barrier_seconds > 0) == device.has_barrier);
        CHECK((device.measured_at > 0) == device.measured);
        CHECK(measured || !device.measured);
    }
    CHECK_FAILS(
        mks_context_device_speeds(context, count, &device), MKS_STATUS_INVALID_ARGUMENT, "index");
    mks_processor_speeds processor;
    CHECK_OK(mks_processor_speeds_init(&processor, sizeof processor));
    CHECK_OK(mks_context_processor_speeds(context, &processor));
    CHECK(processor.measured == measured && (processor.measured_at > 0) == measured);
    CHECK(processor.threads == 1 && processor.core_serial_rate > 0);
    CHECK(processor.core_add_min_rate > 0 && processor.core_memory_rate > 0);
    CHECK(processor.memory_rate > 0);
}

/* Without a folder for built kernels, nothing is known before. */
static void calibrate(void)
{
    mks_options *options = options_with("context", "threads", "1", "cache", "off", NULL);
    mks_context *context = NULL;
    CHECK_OK(mks_context_create(options, &context));
    mks_options_free(options);
    size_t count = 0;
    CHECK_OK(mks_context_device_count(context, &count));
    speeds(context, count, 0);
    CHECK_OK(mks_context_calibrate(context));
    speeds(context, count, 1);
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
}

/* Unknown names are refused with the known ones; a missing device is a problem and no error. */
static void prewarm(void)
{
    mks_options *options = options_with("context", "threads", "1", "device", "1000", NULL);
    mks_context *context = NULL;
    CHECK_OK(mks_context_create(options, &context));
    mks_options_free(options);
    mks_prewarm *prewarm = NULL;
    CHECK_FAILS(mks_context_prewarm(context, "knapsack, job-shop", &prewarm),
        MKS_STATUS_INVALID_ARGUMENT,
        "names[1]: \"job-shop\" is no problem and no kernel family; known: cutting_stock, ");
    CHECK(prewarm == NULL);
    const uint64_t times[4] = {3, 1, 2, 4};
    mks_flow_shop_instance *shop = NULL;
    CHECK_OK(mks_flow_shop_instance_create(times, 2, 2, &shop));
    for (int i = 0; i < 3; i++) {
        CHECK_OK(i == 0  ? mks_context_prewarm(context, "", &prewarm)
                : i == 1 ? mks_context_prewarm(context, "knapsack,lattice_slabs", &prewarm)
                         : mks_context_prewarm_flow_shop(context, shop, &prewarm));
        int32_t is_over = 0;
        CHECK_OK(mks_prewarm_wait(prewarm, 60, &is_over));
        CHECK(is_over == 1);
        size_t done = 1, total = 0, length = 1;
        CHECK_OK(mks_prewarm_progress(prewarm, &done, &total));
        CHECK(done == 0 && total >= 3);
        char text[40];
        CHECK_OK(mks_prewarm_family(prewarm, text, sizeof text, &length));
        CHECK(length == 0 && text[0] == '\0');
        CHECK_OK(mks_prewarm_problem(prewarm, text, sizeof text, &length));
        CHECK(length > 17 && strncmp(text, "no OpenCL device:", 17) == 0);
        CHECK_OK(mks_prewarm_stop(prewarm));
        CHECK_OK(mks_prewarm_wait(prewarm, -1, &is_over));
        CHECK(is_over == 1);
        mks_prewarm_free(prewarm);
    }
    mks_flow_shop_instance_free(shop);
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
}

/* Creates a context with these rows, which may be NULL. */
static mks_status with_rows(const char *rows, mks_context **context)
{
    mks_options *options = options_with("context", "threads", "1", "cache", "off", NULL);
    CHECK_OK(mks_options_set_tuning(options, "makespan tuning 2"));
    CHECK_OK(mks_options_set_tuning(options, rows));
    mks_status status = mks_context_create(options, context);
    mks_options_free(options);
    return status;
}

/* Rows are set as text, and shown as text that can be set. */
static void tune(void)
{
    static char text[1 << 14], again[1 << 14];
    mks_context *context = NULL;
    CHECK_FAILS(with_rows("makespan tuning 1\nknapsack default GROUP 3", &context),
        MKS_STATUS_INVALID_ARGUMENT, "tuning: line 2: GROUP");
    CHECK(context == NULL);
    CHECK_OK(with_rows("makespan tuning 1\nknapsack default GROUP 32", &context));
    size_t count = 0, length = 0;
    CHECK_OK(mks_context_device_count(context, &count));
    CHECK_FAILS(mks_context_tuning(context, count, text, sizeof text, &length),
        MKS_STATUS_INVALID_ARGUMENT, "index");
    if (count > 0) {
        CHECK_OK(mks_context_tuning(context, 0, text, sizeof text, &length));
        CHECK(length < sizeof text && strlen(text) == length);
        CHECK(strncmp(text, "makespan tuning 1\n", 18) == 0 && strstr(text, " GROUP 32 "));
        mks_context *other = NULL;
        CHECK_OK(with_rows(text, &other));
        CHECK_OK(mks_context_tuning(other, 0, again, sizeof again, &length));
        CHECK(strcmp(text, again) == 0);
        CHECK(mks_context_free(other) == MKS_STATUS_OK);
    }
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    CHECK_OK(with_rows(NULL, &context));
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
}

int main(void)
{
    mks_context *context = cpu_context(1);
    size_t count = 0;
    CHECK_OK(mks_context_device_count(context, &count));
    describe(context, count);
    if (count == 0) {
        explain(context);
    }
    mks_options *options = options_with("context", "engine", "device", "device", "1000", NULL);
    mks_context *none = NULL;
    CHECK_FAILS(mks_context_create(options, &none), MKS_STATUS_DEVICE_UNAVAILABLE, "");
    mks_options_free(options);
    CHECK(none == NULL);
    calibrate();
    prewarm();
    tune();
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    return 0;
}

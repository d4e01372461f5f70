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
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    return 0;
}

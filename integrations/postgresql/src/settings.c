#include "settings.h"

#include <limits.h>

#include <utils/guc.h>

enum { ENGINE_CPU, ENGINE_AUTO, ENGINE_DEVICE };

static const struct config_enum_entry engines[] = {
    {"cpu", ENGINE_CPU, false},
    {"auto", ENGINE_AUTO, false},
    {"device", ENGINE_DEVICE, false},
    {NULL, 0, false},
};

int mkspg_threads = 1;
static int engine = ENGINE_CPU;
static int memory_limit_megabytes = 256;

/* They take the server's processors and memory, so that only administrators may change them. */
void mkspg_define_settings(void)
{
    DefineCustomIntVariable("makespan.threads", "Threads of a solve.",
        "Each session has its own threads.", &mkspg_threads, 1, 1, 1024, PGC_SUSET, 0, NULL, NULL,
        NULL);
    DefineCustomEnumVariable("makespan.engine", "What does the heavy work of a solve.",
        "With \"auto\" or \"device\", sessions open OpenCL devices.", &engine, ENGINE_CPU, engines,
        PGC_SUSET, 0, NULL, NULL, NULL);
    DefineCustomIntVariable("makespan.memory_limit",
        "Most memory for the rows of a call, and for the tables of its solve.",
        "The option memory_limit may only be lower.", &memory_limit_megabytes, 256, 1,
        MAX_KILOBYTES, PGC_SUSET, GUC_UNIT_MB, NULL, NULL, NULL);
    MarkGUCPrefixReserved("makespan");
}

const char *mkspg_engine(void)
{
    return engines[engine].name;
}

uint64 mkspg_memory_limit(void)
{
    return (uint64)memory_limit_megabytes << 20;
}

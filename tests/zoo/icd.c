/* Loads PoCL, and replaces entries of its dispatch table. */
#include "zoo.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

cl_icd_dispatch pocl;

static void *library;
static clIcdGetPlatformIDsKHR_fn platforms_of_pocl;

/* An entry of PoCL's library that is no part of the table. ISO C has no cast from an object's
 * address to that of a function. */
static void *function(const char *name)
{
    return library != NULL ? dlsym(library, name) : NULL;
}

/* The part of the table that OpenCL 1.2 knows; a table may end there. */
static const size_t known = offsetof(cl_icd_dispatch, clCreateCommandQueueWithProperties);

static bool replace(cl_icd_dispatch *table)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = (uintptr_t)table / page * page;
    uintptr_t end = ((uintptr_t)table + known + page - 1) / page * page;
    if (mprotect((void *)first, end - first, PROT_READ | PROT_WRITE) != 0) {
        perror("zoo: PoCL's table");
        return false;
    }
    memcpy(&pocl, table, known);
    disguise(table);
    spoil_programs(table);
    spoil_commands(table);
    return true;
}

static void load(void)
{
    const char *description = getenv("MAKESPAN_ZOO"), *name = getenv("MAKESPAN_ZOO_POCL");
    if (!read_animal(description != NULL ? description : "")) {
        return;
    }
    library = dlopen(name != NULL ? name : "libpocl.so.2", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "zoo: %s\n", dlerror());
        return;
    }
    cl_api_clGetExtensionFunctionAddress extension;
    void *address = function("clGetExtensionFunctionAddress");
    memcpy(&extension, &address, sizeof extension);
    address = extension != NULL ? extension("clIcdGetPlatformIDsKHR") : NULL;
    clIcdGetPlatformIDsKHR_fn list;
    memcpy(&list, &address, sizeof list);
    cl_platform_id platform;
    if (list != NULL && list(1, &platform, NULL) == CL_SUCCESS
        && replace(*(cl_icd_dispatch **)platform)) {
        platforms_of_pocl = list;
    }
}

static cl_int CL_API_CALL list_platforms(cl_uint room, cl_platform_id *platforms, cl_uint *count)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return platforms_of_pocl != NULL ? platforms_of_pocl(room, platforms, count)
                                     : CL_PLATFORM_NOT_FOUND_KHR;
}

static cl_int CL_API_CALL platform_info(
    cl_platform_id platform, cl_platform_info name, size_t room, void *target, size_t *needed)
{
    return pocl.clGetPlatformInfo(platform, name, room, target, needed);
}

/* What the loader looks for. */
CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
    void *address = NULL;
    clIcdGetPlatformIDsKHR_fn list = list_platforms;
    cl_api_clGetPlatformInfo info = platform_info;
    if (strcmp(name, "clIcdGetPlatformIDsKHR") == 0) {
        memcpy(&address, &list, sizeof address);
    } else if (strcmp(name, "clGetPlatformInfo") == 0) {
        memcpy(&address, &info, sizeof address);
    }
    return address;
}

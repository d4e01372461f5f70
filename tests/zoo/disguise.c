/* What the device says about itself and its kernels. */
#include "zoo.h"

#include <string.h>

static cl_int answer(const void *value, size_t size, size_t room, void *target, size_t *needed)
{
    if (needed != NULL) {
        *needed = size;
    }
    if (target == NULL) {
        return CL_SUCCESS;
    }
    if (room < size) {
        return CL_INVALID_VALUE;
    }
    memcpy(target, value, size);
    return CL_SUCCESS;
}

/* PoCL's extensions without those that the animal lacks. */
static cl_int extensions(cl_device_id device, size_t room, void *target, size_t *needed)
{
    static const char *const doubles[] = {"cl_khr_fp64"};
    static const char *const atomics[] = {
        "cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics"};
    char all[4096], kept[4096] = "";
    cl_int code = pocl.clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof all - 1, all, NULL);
    if (code != CL_SUCCESS) {
        return code;
    }
    char *rest;
    for (char *name = strtok_r(all, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest)) {
        bool lacks = animal.no_doubles && strcmp(name, doubles[0]) == 0;
        for (size_t i = 0; animal.no_atomics && i < sizeof atomics / sizeof *atomics; ++i) {
            lacks |= strcmp(name, atomics[i]) == 0;
        }
        if (!lacks) {
            strcat(strcat(kept, *kept == '\0' ? "" : " "), name);
        }
    }
    return answer(kept, strlen(kept) + 1, room, target, needed);
}

static cl_ulong memory_of(cl_device_id device)
{
    cl_ulong bytes = 0;
    pocl.clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof bytes, &bytes, NULL);
    cl_ulong wanted = (cl_ulong)animal.memory << 20;
    return animal.memory != 0 && wanted < bytes ? wanted : bytes;
}

static cl_ulong allocation_of(cl_device_id device)
{
    cl_ulong bytes = 0;
    pocl.clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof bytes, &bytes, NULL);
    cl_ulong most = memory_of(device) / (animal.allocation != 0 ? animal.allocation : 1);
    return most < bytes ? most : bytes;
}

static size_t group_of(cl_device_id device)
{
    size_t items = 0;
    pocl.clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof items, &items, NULL);
    return animal.group != 0 && animal.group < items ? animal.group : items;
}

static cl_int item_sizes(cl_device_id device, size_t room, void *target, size_t *needed)
{
    size_t sizes[3];
    cl_int code =
        pocl.clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes, NULL);
    for (int axis = 0; axis < 3; ++axis) {
        size_t most = group_of(device);
        sizes[axis] = sizes[axis] < most ? sizes[axis] : most;
    }
    return code != CL_SUCCESS ? code : answer(sizes, sizeof sizes, room, target, needed);
}

static cl_int CL_API_CALL device_info(
    cl_device_id device, cl_device_info name, size_t room, void *target, size_t *needed)
{
    cl_device_type type = CL_DEVICE_TYPE_GPU;
    cl_ulong local = animal.no_local ? 0 : animal.local;
    cl_uint units = (cl_uint)animal.units;
    cl_device_fp_config no_doubles = 0;
    cl_ulong number;
    size_t items;
    switch (name) {
    case CL_DEVICE_NAME:
        return answer(animal_name, strlen(animal_name) + 1, room, target, needed);
    case CL_DEVICE_VENDOR:
        return answer("Zoo", 4, room, target, needed);
    case CL_DEVICE_TYPE:
        if (animal.gpu) {
            return answer(&type, sizeof type, room, target, needed);
        }
        break;
    case CL_DEVICE_LOCAL_MEM_SIZE:
        if (animal.no_local || animal.local != 0) {
            return answer(&local, sizeof local, room, target, needed);
        }
        break;
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
        items = group_of(device);
        return answer(&items, sizeof items, room, target, needed);
    case CL_DEVICE_MAX_WORK_ITEM_SIZES:
        return item_sizes(device, room, target, needed);
    case CL_DEVICE_GLOBAL_MEM_SIZE:
        number = memory_of(device);
        return answer(&number, sizeof number, room, target, needed);
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
        number = allocation_of(device);
        return answer(&number, sizeof number, room, target, needed);
    case CL_DEVICE_MAX_COMPUTE_UNITS:
        if (units != 0) {
            return answer(&units, sizeof units, room, target, needed);
        }
        break;
    case CL_DEVICE_DOUBLE_FP_CONFIG:
        if (animal.no_doubles) {
            return answer(&no_doubles, sizeof no_doubles, room, target, needed);
        }
        break;
    case CL_DEVICE_EXTENSIONS:
        return extensions(device, room, target, needed);
    default:
        break;
    }
    return pocl.clGetDeviceInfo(device, name, room, target, needed);
}

static cl_int CL_API_CALL kernel_group_info(cl_kernel kernel,
    cl_device_id device,
    cl_kernel_work_group_info name,
    size_t room,
    void *target,
    size_t *needed)
{
    cl_int code = pocl.clGetKernelWorkGroupInfo(kernel, device, name, room, target, needed);
    if (code != CL_SUCCESS || target == NULL) {
        return code;
    }
    size_t *items = target;
    if (name == CL_KERNEL_WORK_GROUP_SIZE) {
        *items = *items < group_of(device) ? *items : group_of(device);
        if (animal.kernel_group != 0 && animal.kernel_group < *items) {
            *items = animal.kernel_group;
        }
    } else if (name == CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE && animal.wave != 0) {
        *items = animal.wave;
    }
    return code;
}

void disguise(cl_icd_dispatch *table)
{
    table->clGetDeviceInfo = device_info;
    table->clGetKernelWorkGroupInfo = kernel_group_info;
}

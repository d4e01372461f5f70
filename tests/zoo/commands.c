/* Contexts, buffers, launches and copies that are slow, fail, hang, or lose the device. */
#include "zoo.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_CONTEXTS = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Contexts that were lost, and the launches of contexts. */
static struct {
    cl_context context;
    unsigned long launches;
    bool is_lost;
} contexts[MOST_CONTEXTS];
static unsigned long launches, buffers;
static bool was_armed, lost_once;

bool is_armed(void)
{
    const char *file = getenv("MAKESPAN_ZOO_ARMED");
    bool armed = file == NULL || access(file, F_OK) == 0;
    pthread_mutex_lock(&lock);
    if (armed && !was_armed) {
        launches = buffers = 0;
        lost_once = false;
    }
    was_armed = armed;
    pthread_mutex_unlock(&lock);
    return armed;
}

void happened(const char *what)
{
    fprintf(stderr, "zoo: fault, %s\n", what);
}

/* The place of a context in the table, which it gets if it has none; the lock is held. */
static size_t place_of(cl_context context)
{
    size_t free_place = 0;
    for (size_t i = 0; i < MOST_CONTEXTS; ++i) {
        if (contexts[i].context == context) {
            return i;
        }
        free_place = contexts[i].context == NULL ? i : free_place;
    }
    memset(&contexts[free_place], 0, sizeof contexts[free_place]);
    contexts[free_place].context = context;
    return free_place;
}

cl_int lost_context(cl_context context)
{
    pthread_mutex_lock(&lock);
    bool is_lost = contexts[place_of(context)].is_lost;
    pthread_mutex_unlock(&lock);
    return is_lost ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

static cl_context context_of(cl_command_queue queue)
{
    cl_context context = NULL;
    pocl.clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    return context;
}

cl_int lost_queue(cl_command_queue queue)
{
    return lost_context(context_of(queue)) == CL_SUCCESS ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
}

static cl_context CL_API_CALL create_context(const cl_context_properties *properties,
    cl_uint count,
    const cl_device_id *devices,
    void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
    void *data,
    cl_int *code)
{
    cl_context context = pocl.clCreateContext(properties, count, devices, notify, data, code);
    pthread_mutex_lock(&lock);
    size_t place = place_of(context);
    /* The address may be that of an earlier context. */
    contexts[place].is_lost = false;
    contexts[place].launches = 0;
    pthread_mutex_unlock(&lock);
    return context;
}

static cl_command_queue CL_API_CALL create_queue(
    cl_context context, cl_device_id device, cl_command_queue_properties wanted, cl_int *code)
{
    *code = lost_context(context);
    wanted |= animal.slow != 0 ? CL_QUEUE_PROFILING_ENABLE : 0;
    return *code != CL_SUCCESS ? NULL : pocl.clCreateCommandQueue(context, device, wanted, code);
}

static cl_ulong fact(cl_context context, cl_device_info name)
{
    cl_device_id device;
    cl_ulong value = 0;
    cl_icd_dispatch *table = *(cl_icd_dispatch **)context;
    pocl.clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof device, &device, NULL);
    table->clGetDeviceInfo(device, name, sizeof value, &value, NULL);
    return value;
}

static cl_mem CL_API_CALL create_buffer(
    cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *code)
{
    *code = lost_context(context);
    if (*code != CL_SUCCESS) {
        return NULL;
    }
    if (size > fact(context, CL_DEVICE_MAX_MEM_ALLOC_SIZE)) {
        *code = CL_INVALID_BUFFER_SIZE;
        return NULL;
    }
    if (animal.exhaust != 0 && is_armed()
        && __atomic_add_fetch(&buffers, 1, __ATOMIC_SEQ_CST) == animal.exhaust) {
        happened("no memory");
        *code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
        return NULL;
    }
    /* New memory may hold a kernel's earlier results, and a lie changes only what a launch changes.
     */
    void *nonsense = *animal.liar != '\0' && host == NULL ? malloc(size) : NULL;
    if (nonsense != NULL) {
        memset(nonsense, 0xa5, size);
        flags |= CL_MEM_COPY_HOST_PTR;
        host = nonsense;
    }
    cl_mem buffer = pocl.clCreateBuffer(context, flags, size, host, code);
    free(nonsense);
    if (buffer != NULL) {
        note_buffer(buffer);
    }
    return buffer;
}

/* The library does not share buffers. */
static cl_int CL_API_CALL release_buffer(cl_mem buffer)
{
    forget_buffer(buffer);
    return pocl.clReleaseMemObject(buffer);
}

static cl_kernel CL_API_CALL create_kernel(cl_program program, const char *name, cl_int *code)
{
    cl_context context;
    pocl.clGetProgramInfo(program, CL_PROGRAM_CONTEXT, sizeof context, &context, NULL);
    *code = lost_context(context);
    return *code != CL_SUCCESS ? NULL : pocl.clCreateKernel(program, name, code);
}

static cl_int CL_API_CALL set_argument(
    cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    note_argument(kernel, index, size, value);
    return pocl.clSetKernelArg(kernel, index, size, value);
}

static cl_int CL_API_CALL release_kernel(cl_kernel kernel)
{
    forget_arguments(kernel);
    return pocl.clReleaseKernel(kernel);
}

/* Whether the device has enough local memory, and allows groups of this size. */
static cl_int fits(cl_command_queue queue, cl_kernel kernel, cl_uint axes, const size_t *group)
{
    cl_device_id device;
    pocl.clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    cl_icd_dispatch *table = *(cl_icd_dispatch **)queue;
    cl_ulong local = 0, has_local = 0;
    table->clGetKernelWorkGroupInfo(
        kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local, NULL);
    table->clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof has_local, &has_local, NULL);
    size_t items = 1, most = 0;
    for (cl_uint axis = 0; group != NULL && axis < axes; ++axis) {
        items *= group[axis];
    }
    table->clGetKernelWorkGroupInfo(
        kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL);
    if (items > most) {
        return CL_INVALID_WORK_GROUP_SIZE;
    }
    return local > has_local ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

static void pause_for(double seconds)
{
    struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&time, NULL);
}

/* Systems end launches of a few seconds, and people notice those of some tenths. */
static void note_long_launch(cl_kernel kernel, double seconds)
{
    char name[64] = "";
    if (seconds > 0.2) {
        pocl.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
        fprintf(stderr, "zoo: a launch of %.2f s, %s\n", seconds, name);
    }
}

/* Seconds that the kernel of a complete launch ran. PoCL compiles some kernels at their launch. */
static double run_seconds(cl_event event)
{
    cl_ulong begun = 0, ended = 0;
    pocl.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof begun, &begun, NULL);
    pocl.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof ended, &ended, NULL);
    return (double)(ended - begun) * 1e-9;
}

/* Counts a launch, and does what the animal does at this one. */
static cl_int accident(cl_command_queue queue)
{
    cl_context context = context_of(queue);
    bool armed = is_armed();
    pthread_mutex_lock(&lock);
    size_t place = place_of(context);
    if (armed) {
        ++launches;
        ++contexts[place].launches;
        if ((animal.lose != 0 && launches >= animal.lose && !lost_once)
            || (animal.fragile != 0 && contexts[place].launches >= animal.fragile)) {
            happened("the device is lost");
            lost_once = true;
            contexts[place].is_lost = true;
        }
    }
    bool is_lost = contexts[place].is_lost;
    unsigned long number = armed ? launches : 0;
    pthread_mutex_unlock(&lock);
    if (number != 0 && number == animal.hang) {
        happened("a launch hangs");
        pause_for((double)animal.hang_ms * 1e-3);
    }
    bool fails = number != 0 && number == animal.fail;
    if (fails) {
        happened("a launch fails");
    }
    return is_lost || fails ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

static cl_int CL_API_CALL launch(cl_command_queue queue,
    cl_kernel kernel,
    cl_uint axes,
    const size_t *offset,
    const size_t *global,
    const size_t *group,
    cl_uint count,
    const cl_event *after,
    cl_event *event)
{
    cl_int code = fits(queue, kernel, axes, group);
    code = code != CL_SUCCESS ? code : accident(queue);
    if (code != CL_SUCCESS) {
        return code;
    }
    struct lie *lie = *animal.liar != '\0' && is_armed() ? before_lie(queue, kernel) : NULL;
    cl_event own = NULL;
    code = pocl.clEnqueueNDRangeKernel(
        queue, kernel, axes, offset, global, group, count, after, animal.slow == 0 ? event : &own);
    if (own != NULL) {
        pocl.clWaitForEvents(1, &own);
        double took = run_seconds(own);
        double pause = (double)(animal.slow - 1) * took;
        pause_for(pause);
        note_long_launch(kernel, took + pause);
        if (event != NULL) {
            *event = own;
        } else {
            pocl.clReleaseEvent(own);
        }
    }
    if (lie != NULL) {
        tell_lie(queue, lie);
    }
    return code;
}

static cl_int CL_API_CALL write_buffer(cl_command_queue queue,
    cl_mem buffer,
    cl_bool blocks,
    size_t offset,
    size_t size,
    const void *source,
    cl_uint count,
    const cl_event *after,
    cl_event *event)
{
    cl_int code = lost_queue(queue);
    return code != CL_SUCCESS ? code
                              : pocl.clEnqueueWriteBuffer(queue, buffer, blocks, offset, size,
                                    source, count, after, event);
}

static cl_int CL_API_CALL read_buffer(cl_command_queue queue,
    cl_mem buffer,
    cl_bool blocks,
    size_t offset,
    size_t size,
    void *target,
    cl_uint count,
    const cl_event *after,
    cl_event *event)
{
    cl_int code = lost_queue(queue);
    return code != CL_SUCCESS ? code
                              : pocl.clEnqueueReadBuffer(queue, buffer, blocks, offset, size,
                                    target, count, after, event);
}

static cl_int CL_API_CALL fill_buffer(cl_command_queue queue,
    cl_mem buffer,
    const void *pattern,
    size_t width,
    size_t offset,
    size_t size,
    cl_uint count,
    const cl_event *after,
    cl_event *event)
{
    cl_int code = lost_queue(queue);
    return code != CL_SUCCESS ? code
                              : pocl.clEnqueueFillBuffer(queue, buffer, pattern, width, offset,
                                    size, count, after, event);
}

static cl_int CL_API_CALL marker(
    cl_command_queue queue, cl_uint count, const cl_event *after, cl_event *event)
{
    cl_int code = lost_queue(queue);
    return code != CL_SUCCESS ? code : pocl.clEnqueueMarkerWithWaitList(queue, count, after, event);
}

static cl_int CL_API_CALL flush(cl_command_queue queue)
{
    cl_int code = lost_queue(queue);
    return code != CL_SUCCESS ? code : pocl.clFlush(queue);
}

/* The memory of commands on their way must stay valid, so that a lost queue ends first. */
static cl_int CL_API_CALL finish(cl_command_queue queue)
{
    cl_int code = pocl.clFinish(queue), lost = lost_queue(queue);
    return lost != CL_SUCCESS ? lost : code;
}

void spoil_commands(cl_icd_dispatch *table)
{
    table->clCreateContext = create_context;
    table->clCreateCommandQueue = create_queue;
    table->clCreateBuffer = create_buffer;
    table->clReleaseMemObject = release_buffer;
    table->clCreateKernel = create_kernel;
    table->clSetKernelArg = set_argument;
    table->clReleaseKernel = release_kernel;
    table->clEnqueueNDRangeKernel = launch;
    table->clEnqueueWriteBuffer = write_buffer;
    table->clEnqueueReadBuffer = read_buffer;
    table->clEnqueueFillBuffer = fill_buffer;
    table->clEnqueueMarkerWithWaitList = marker;
    table->clFlush = flush;
    table->clFinish = finish;
}

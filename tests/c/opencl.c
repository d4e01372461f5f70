/* A program with its own OpenCL context, queue and kernel, and a library that works with these. */
#define _DEFAULT_SOURCE
#include "check.h"
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

/* What the test needs of OpenCL's headers, which need not be installed. */
typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef uint64_t cl_bitfield;
typedef struct _cl_platform_id *cl_platform_id;
typedef struct _cl_device_id *cl_device_id;
typedef struct _cl_context *cl_context;
typedef struct _cl_command_queue *cl_command_queue;
typedef struct _cl_mem *cl_mem;
typedef struct _cl_program *cl_program;
typedef struct _cl_kernel *cl_kernel;
typedef struct _cl_event *cl_event;

enum {
    CL_CONTEXT_REFERENCE_COUNT = 0x1080,
    CL_QUEUE_REFERENCE_COUNT = 0x1092,
    CL_MEM_READ_WRITE = 1,
    CL_QUEUE_OUT_OF_ORDER = 1,
    MAX_DEVICES = 8
};
#define CL_DEVICE_TYPE_ALL 0xFFFFFFFFu

static struct {
    cl_int (*GetPlatformIDs)(cl_uint, cl_platform_id *, cl_uint *);
    cl_int (*GetDeviceIDs)(cl_platform_id, cl_bitfield, cl_uint, cl_device_id *, cl_uint *);
    cl_context (*CreateContext)(
        const intptr_t *, cl_uint, const cl_device_id *, void *, void *, cl_int *);
    cl_int (*GetContextInfo)(cl_context, cl_uint, size_t, void *, size_t *);
    cl_int (*ReleaseContext)(cl_context);
    cl_command_queue (*CreateCommandQueue)(cl_context, cl_device_id, cl_bitfield, cl_int *);
    cl_int (*GetCommandQueueInfo)(cl_command_queue, cl_uint, size_t, void *, size_t *);
    cl_int (*ReleaseCommandQueue)(cl_command_queue);
    cl_mem (*CreateBuffer)(cl_context, cl_bitfield, size_t, void *, cl_int *);
    cl_int (*ReleaseMemObject)(cl_mem);
    cl_program (*CreateProgramWithSource)(
        cl_context, cl_uint, const char **, const size_t *, cl_int *);
    cl_int (*BuildProgram)(cl_program, cl_uint, const cl_device_id *, const char *, void *, void *);
    cl_int (*ReleaseProgram)(cl_program);
    cl_kernel (*CreateKernel)(cl_program, const char *, cl_int *);
    cl_int (*SetKernelArg)(cl_kernel, cl_uint, size_t, const void *);
    cl_int (*ReleaseKernel)(cl_kernel);
    cl_int (*EnqueueNDRangeKernel)(cl_command_queue,
        cl_kernel,
        cl_uint,
        const size_t *,
        const size_t *,
        const size_t *,
        cl_uint,
        const cl_event *,
        cl_event *);
    cl_int (*EnqueueReadBuffer)(cl_command_queue,
        cl_mem,
        cl_uint,
        size_t,
        size_t,
        void *,
        cl_uint,
        const cl_event *,
        cl_event *);
    cl_event (*CreateUserEvent)(cl_context, cl_int *);
    cl_int (*SetUserEventStatus)(cl_event, cl_int);
    cl_int (*EnqueueBarrierWithWaitList)(cl_command_queue, cl_uint, const cl_event *, cl_event *);
    cl_int (*ReleaseEvent)(cl_event);
    cl_int (*Finish)(cl_command_queue);
} cl;

/* Whether the system has OpenCL. */
static int load(void)
{
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW);
    if (library == NULL) {
        return 0;
    }
#define LOAD(name) CHECK((*(void **)&cl.name = dlsym(library, "cl" #name)) != NULL)
    LOAD(GetPlatformIDs);
    LOAD(GetDeviceIDs);
    LOAD(CreateContext);
    LOAD(GetContextInfo);
    LOAD(ReleaseContext);
    LOAD(CreateCommandQueue);
    LOAD(GetCommandQueueInfo);
    LOAD(ReleaseCommandQueue);
    LOAD(CreateBuffer);
    LOAD(ReleaseMemObject);
    LOAD(CreateProgramWithSource);
    LOAD(BuildProgram);
    LOAD(ReleaseProgram);
    LOAD(CreateKernel);
    LOAD(SetKernelArg);
    LOAD(ReleaseKernel);
    LOAD(EnqueueNDRangeKernel);
    LOAD(EnqueueReadBuffer);
    LOAD(CreateUserEvent);
    LOAD(SetUserEventStatus);
    LOAD(EnqueueBarrierWithWaitList);
    LOAD(ReleaseEvent);
    LOAD(Finish);
    return 1;
}

/* The program's objects: a context of all devices of a platform, and a queue of the last one. */
typedef struct host {
    cl_device_id devices[MAX_DEVICES];
    cl_uint count;
    cl_context context;
    cl_device_id device;
    cl_command_queue queue;
    cl_mem numbers;
    cl_program program;
} host;

static cl_context context_of(const cl_device_id *devices, cl_uint count)
{
    cl_int code = -1;
    cl_context context = cl.CreateContext(NULL, count, devices, NULL, NULL, &code);
    CHECK(code == 0);
    return context;
}

static cl_command_queue queue_of(cl_context context, cl_device_id device, cl_bitfield properties)
{
    cl_int code = -1;
    cl_command_queue queue = cl.CreateCommandQueue(context, device, properties, &code);
    CHECK(code == 0);
    return queue;
}

static const char *SOURCE =
    "kernel void triple(global uint *numbers) { numbers[get_global_id(0)] *= 3; }"
    "kernel void count(global uint *numbers) { numbers[get_global_id(0)] = get_global_id(0); }";

enum { NUMBERS = 4096 };

static host host_of(cl_platform_id platform)
{
    host own;
    cl_int code = -1;
    CHECK(cl.GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MAX_DEVICES, own.devices, &own.count) == 0);
    CHECK(own.count > 0 && own.count <= MAX_DEVICES);
    own.context = context_of(own.devices, own.count);
    own.device = own.devices[own.count - 1];
    own.queue = queue_of(own.context, own.device, 0);
    own.numbers =
        cl.CreateBuffer(own.context, CL_MEM_READ_WRITE, NUMBERS * sizeof(cl_uint), NULL, &code);
    CHECK(code == 0);
    own.program = cl.CreateProgramWithSource(own.context, 1, &SOURCE, NULL, &code);
    CHECK(code == 0);
    CHECK(cl.BuildProgram(own.program, 1, &own.device, "", NULL, NULL) == 0);
    return own;
}

static void end(const host *own)
{
    CHECK(cl.ReleaseProgram(own->program) == 0);
    CHECK(cl.ReleaseMemObject(own->numbers) == 0);
    CHECK(cl.ReleaseCommandQueue(own->queue) == 0);
    CHECK(cl.ReleaseContext(own->context) == 0);
}

/* Queues one of the program's kernels. */
static void launch(const host *own, const char *name)
{
    cl_int code = -1;
    size_t size = NUMBERS;
    cl_kernel kernel = cl.CreateKernel(own->program, name, &code);
    CHECK(code == 0);
    CHECK(cl.SetKernelArg(kernel, 0, sizeof own->numbers, &own->numbers) == 0);
    CHECK(cl.EnqueueNDRangeKernel(own->queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL) == 0);
    CHECK(cl.ReleaseKernel(kernel) == 0);
}

static void check_numbers(const host *own, cl_uint factor)
{
    static cl_uint numbers[NUMBERS];
    CHECK(
        cl.EnqueueReadBuffer(own->queue, own->numbers, 1, 0, sizeof numbers, numbers, 0, NULL, NULL)
        == 0);
    for (cl_uint number = 0; number < NUMBERS; number++) {
        CHECK(numbers[number] == factor * number);
    }
}

static cl_uint context_references(const host *own)
{
    cl_uint count = 0;
    CHECK(cl.GetContextInfo(own->context, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, NULL)
        == 0);
    return count;
}

static cl_uint queue_references(const host *own)
{
    cl_uint count = 0;
    CHECK(cl.GetCommandQueueInfo(own->queue, CL_QUEUE_REFERENCE_COUNT, sizeof count, &count, NULL)
        == 0);
    return count;
}

static mks_context *context_on(const host *own, const char *engine)
{
    mks_options *options = options_with("context", "engine", engine, "threads", "2", NULL);
    mks_context *context = NULL;
    CHECK_OK(
        mks_context_create_from_opencl(own->context, own->device, own->queue, options, &context));
    mks_options_free(options);
    return context;
}

/* Solves a matrix chain, whose table the device computes, and compares with the CPU. */
static void solve(mks_context *context, mks_context *cpu)
{
    enum { POINTS = 60, NODES = 4 * POINTS };
    int64_t dimensions[POINTS];
    uint32_t tree[NODES] = {0}, right[NODES] = {0};
    for (int64_t point = 0; point < POINTS; point++) {
        dimensions[point] = 1 + point * point * 31 % 97;
    }
    mks_interval_dp_instance *instance = NULL;
    mks_result *found = NULL, *expected = NULL;
    CHECK_OK(mks_interval_dp_instance_matrix_chain_i64(dimensions, POINTS, &instance));
    SOLVED(mks_interval_dp, context, instance, options_with("interval_dp", "method", "cubic", NULL),
        &found);
    SOLVED(mks_interval_dp, cpu, instance, options_with("interval_dp", "method", "cubic", NULL),
        &expected);
    CHECK(summary_of(found).engine == MKS_ENGINE_DEVICE);
    CHECK(summary_of(expected).engine == MKS_ENGINE_CPU);
    CHECK(summary_of(found).objective == summary_of(expected).objective);
    CHECK_OK(mks_interval_dp_nodes(found, tree, NODES));
    CHECK_OK(mks_interval_dp_nodes(expected, right, NODES));
    CHECK(memcmp(tree, right, sizeof tree) == 0);
    mks_result_free(found);
    mks_result_free(expected);
    mks_interval_dp_instance_free(instance);
}

/* The program's kernels and solves in turn, and then at once. */
static void solve_beside(const host *own, mks_context *cpu)
{
    /* The driver keeps the last command, and this the queue. */
    launch(own, "count");
    check_numbers(own, 1);
    cl_uint contexts = context_references(own), queues = queue_references(own);
    mks_context *context = context_on(own, "device");
    CHECK(context_references(own) > contexts && queue_references(own) > queues);

    size_t count = 0;
    CHECK_OK(mks_context_device_count(context, &count));
    CHECK(count == 1);
    launch(own, "count");
    solve(context, cpu);
    launch(own, "triple");
    solve(context, cpu);
    launch(own, "triple");
    check_numbers(own, 9);

    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    CHECK(context_references(own) == contexts && queue_references(own) == queues);
    check_numbers(own, 9);
}

typedef struct gate {
    cl_event event;
    int opened;
} gate;

static void *open_later(void *user_data)
{
    gate *closed = user_data;
    usleep(300000);
    __atomic_store_n(&closed->opened, 1, __ATOMIC_SEQ_CST);
    CHECK(cl.SetUserEventStatus(closed->event, 0) == 0);
    return NULL;
}

/* The library's commands wait for the program's in the same queue. */
static void solve_behind(const host *own, mks_context *cpu)
{
    mks_context *context = context_on(own, "device");
    cl_int code = -1;
    gate closed = {cl.CreateUserEvent(own->context, &code), 0};
    CHECK(code == 0);
    CHECK(cl.EnqueueBarrierWithWaitList(own->queue, 1, &closed.event, NULL) == 0);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, open_later, &closed) == 0);
    solve(context, cpu);
    CHECK(__atomic_load_n(&closed.opened, __ATOMIC_SEQ_CST));
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(cl.ReleaseEvent(closed.event) == 0);
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
}

typedef struct solver {
    mks_context *context, *cpu;
} solver;

static void *solve_often(void *user_data)
{
    solver *both = user_data;
    for (int round = 0; round < 5; round++) {
        solve(both->context, both->cpu);
    }
    return NULL;
}

/* Two solves and the program's kernels in one queue at the same time. */
static void solve_at_once(const host *own, mks_context *cpu)
{
    mks_context *context = context_on(own, "device");
    solver both = {context, cpu};
    pthread_t threads[2];
    for (int thread = 0; thread < 2; thread++) {
        CHECK(pthread_create(&threads[thread], NULL, solve_often, &both) == 0);
    }
    for (int round = 0; round < 50; round++) {
        launch(own, "count");
        launch(own, "triple");
        check_numbers(own, 3);
    }
    for (int thread = 0; thread < 2; thread++) {
        CHECK(pthread_join(threads[thread], NULL) == 0);
    }
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
}

/* The program ends its objects before the library's context. */
static void outlive(const host *own, mks_context *cpu)
{
    mks_context *context = context_on(own, "device");
    end(own);
    solve(context, cpu);
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
}

static void refuse(const host *own)
{
    mks_context *none = NULL;
    cl_context other = context_of(&own->device, 1);
    cl_command_queue unordered = queue_of(own->context, own->device, CL_QUEUE_OUT_OF_ORDER);
    REFUSED(mks_context_create_from_opencl(NULL, own->device, own->queue, NULL, &none),
        "opencl_context: is NULL");
    REFUSED(mks_context_create_from_opencl(own->context, NULL, own->queue, NULL, &none),
        "opencl_device: is NULL");
    REFUSED(mks_context_create_from_opencl(own->context, own->device, NULL, NULL, &none),
        "opencl_queue: is NULL");
    REFUSED(mks_context_create_from_opencl(own->context, own->device, own->queue, NULL, NULL),
        "context: is NULL");
    REFUSED(mks_context_create_from_opencl(other, own->device, own->queue, NULL, &none),
        "opencl_queue: belongs to another OpenCL context");
    REFUSED(mks_context_create_from_opencl(own->context, own->device, unordered, NULL, &none),
        "opencl_queue: runs its commands out of order");
    if (own->count > 1) {
        REFUSED(
            mks_context_create_from_opencl(own->context, own->devices[0], own->queue, NULL, &none),
            "opencl_queue: belongs to another device");
        REFUSED(mks_context_create_from_opencl(other, own->devices[0], own->queue, NULL, &none),
            "opencl_device: does not belong to opencl_context");
    }
    mks_options *options = options_with("context", "engine", "device", "device", "1", NULL);
    CHECK_FAILS(
        mks_context_create_from_opencl(own->context, own->device, own->queue, options, &none),
        MKS_STATUS_DEVICE_UNAVAILABLE, "there is no device 1, only 1");
    mks_options_free(options);
    CHECK(none == NULL);
    CHECK(cl.ReleaseCommandQueue(unordered) == 0);
    CHECK(cl.ReleaseContext(other) == 0);
}

int main(void)
{
    cl_platform_id platforms[8];
    cl_uint count = 0;
    /* PoCL then has two devices. */
    setenv("POCL_DEVICES", "pthread basic", 0);
    if (!load() || cl.GetPlatformIDs(8, platforms, &count) != 0 || count == 0) {
        mks_context *none = NULL;
        REFUSED(mks_context_create_from_opencl(NULL, NULL, NULL, NULL, &none),
            "opencl_context: is NULL");
        CHECK(none == NULL);
        return 0;
    }
    mks_context *cpu = cpu_context(1);
    host own = host_of(platforms[0]);
    refuse(&own);
    solve_beside(&own, cpu);
    solve_behind(&own, cpu);
    solve_at_once(&own, cpu);
    outlive(&own, cpu);
    CHECK(mks_context_free(cpu) == MKS_STATUS_OK);
    return 0;
}

/* A test ICD: PoCL's device in the disguise of another one, with faults on order.
 *
 * The ICD loads PoCL and replaces entries of PoCL's own dispatch table. PoCL's objects thus reach
 * the functions of the zoo first. Those call the original entry, and change what it says or does.
 */
#ifndef MAKESPAN_ZOO_H
#define MAKESPAN_ZOO_H

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl_icd.h>
#include <stdbool.h>
#include <stddef.h>

/* One animal: how the device differs from PoCL's. A number 0 leaves a property as it is, unless the
 * comment says otherwise. */
struct animal {
    bool gpu;                   /* calls itself a graphics processor */
    bool no_local;              /* has no local memory */
    bool no_doubles;            /* has no double precision */
    bool no_atomics;            /* has no 64-bit atomics */
    unsigned long local;        /* bytes of local memory */
    unsigned long group;        /* most work-items of a work-group */
    unsigned long kernel_group; /* most work-items of a work-group of every kernel */
    unsigned long allocation;   /* the largest buffer is the memory divided by this */
    unsigned long memory;       /* MiB of memory */
    unsigned long wave;         /* preferred multiple of work-items */
    unsigned long units;        /* compute units */
    unsigned long slow;         /* each launch takes this many times as long */
    bool no_build;              /* no program builds */
    char broken_family[64];     /* programs of this kernel family do not build */
    unsigned long fail;         /* this launch fails */
    unsigned long exhaust;      /* this buffer finds no memory */
    unsigned long lose;         /* this launch loses the device */
    unsigned long fragile;      /* this launch of every context loses the device */
    unsigned long hang;         /* this launch hangs */
    unsigned long hang_ms;      /* for this many milliseconds */
    char liar[64];              /* a kernel that returns wrong numbers */
    long lied_about;            /* index of the argument with them; negative for all buffers */
};

/* The animal that MAKESPAN_ZOO describes, and the name of its device. */
extern struct animal animal;
extern char animal_name[256];

/* Reads the description; false, with a message on stderr, if it is wrong. */
bool read_animal(const char *description);

/* PoCL's own entries. */
extern cl_icd_dispatch pocl;

/* Replace entries of the table. */
void disguise(cl_icd_dispatch *table);
void spoil_programs(cl_icd_dispatch *table);
void spoil_commands(cl_icd_dispatch *table);

/* Whether faults may happen now: MAKESPAN_ZOO_ARMED names no file, or one that exists. */
bool is_armed(void);

/* The error of a call to a context that was lost, else CL_SUCCESS. */
cl_int lost_context(cl_context context);
cl_int lost_queue(cl_command_queue queue);

/* Says on stderr that a fault happened: scripts/test-zoo.sh expects that of each animal with one.
 */
void happened(const char *what);

/* Buffers that exist. */
void note_buffer(cl_mem buffer);
void forget_buffer(cl_mem buffer);

/* Buffers that are arguments of kernels, as clSetKernelArg has seen them. */
void note_argument(cl_kernel kernel, cl_uint index, size_t size, const void *value);
cl_mem argument_of(cl_kernel kernel, cl_uint index);
void forget_arguments(cl_kernel kernel);

/* A launch that the device lies about: remembers the buffers before it, and changes some of the
 * words that the launch wrote after it. */
struct lie;
struct lie *before_lie(cl_command_queue queue, cl_kernel kernel);
void tell_lie(cl_command_queue queue, struct lie *lie);

#endif

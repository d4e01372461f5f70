/* A kernel that returns wrong numbers: some of the words that it writes. */
#include "zoo.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARGUMENTS = 32, MOST_KERNELS = 256, MOST_BUFFERS = 4096, ONE_WORD_OF = 500 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    cl_kernel kernel;
    cl_mem buffers[MOST_ARGUMENTS];
} kernels[MOST_KERNELS];

struct lie {
    cl_mem buffers[MOST_ARGUMENTS];
    unsigned char *before[MOST_ARGUMENTS];
    size_t sizes[MOST_ARGUMENTS];
};

static bool lies(cl_kernel kernel)
{
    char name[128] = "";
    pocl.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
    return *animal.liar != '\0' && strcmp(name, animal.liar) == 0;
}

/* The buffers that exist. PoCL does not tell an argument's kind, so a value that is the address of
 * one of them counts as a buffer. */
static cl_mem known[MOST_BUFFERS];

static void replace_buffer(cl_mem old, cl_mem new)
{
    if (*animal.liar == '\0') {
        return;
    }
    pthread_mutex_lock(&lock);
    size_t i = 0;
    while (i < MOST_BUFFERS && known[i] != old) {
        ++i;
    }
    if (i < MOST_BUFFERS) {
        known[i] = new;
    }
    pthread_mutex_unlock(&lock);
}

void note_buffer(cl_mem buffer)
{
    replace_buffer(NULL, buffer);
}

void forget_buffer(cl_mem buffer)
{
    replace_buffer(buffer, NULL);
}

static bool is_buffer(const void *value)
{
    cl_mem buffer;
    memcpy(&buffer, value, sizeof buffer);
    bool is_known = false;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < MOST_BUFFERS; ++i) {
        is_known |= buffer != NULL && known[i] == buffer;
    }
    pthread_mutex_unlock(&lock);
    return is_known;
}

void note_argument(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    if (index >= MOST_ARGUMENTS || size != sizeof(cl_mem) || value == NULL || !lies(kernel)
        || !is_buffer(value)) {
        return;
    }
    pthread_mutex_lock(&lock);
    size_t place = MOST_KERNELS;
    for (size_t i = 0; i < MOST_KERNELS && (place == MOST_KERNELS || kernels[place].kernel == NULL);
        ++i) {
        bool free_first = kernels[i].kernel == NULL && place == MOST_KERNELS;
        place = kernels[i].kernel == kernel || free_first ? i : place;
    }
    if (place < MOST_KERNELS) {
        kernels[place].kernel = kernel;
        memcpy(&kernels[place].buffers[index], value, sizeof(cl_mem));
    }
    pthread_mutex_unlock(&lock);
}

cl_mem argument_of(cl_kernel kernel, cl_uint index)
{
    cl_mem found = NULL;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < MOST_KERNELS; ++i) {
        found = kernels[i].kernel == kernel ? kernels[i].buffers[index] : found;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

void forget_arguments(cl_kernel kernel)
{
    cl_uint references = 0;
    pocl.clGetKernelInfo(kernel, CL_KERNEL_REFERENCE_COUNT, sizeof references, &references, NULL);
    if (references > 1) {
        return;
    }
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < MOST_KERNELS; ++i) {
        if (kernels[i].kernel == kernel) {
            memset(&kernels[i], 0, sizeof kernels[i]);
        }
    }
    pthread_mutex_unlock(&lock);
}

static unsigned char *contents(cl_command_queue queue, cl_mem buffer, size_t size)
{
    unsigned char *bytes = malloc(size);
    if (bytes != NULL
        && pocl.clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, size, bytes, 0, NULL, NULL)
            != CL_SUCCESS) {
        free(bytes);
        bytes = NULL;
    }
    return bytes;
}

struct lie *before_lie(cl_command_queue queue, cl_kernel kernel)
{
    struct lie *lie = lies(kernel) ? calloc(1, sizeof *lie) : NULL;
    for (cl_uint i = 0; lie != NULL && i < MOST_ARGUMENTS; ++i) {
        if (animal.lied_about >= 0 && animal.lied_about != (long)i) {
            continue;
        }
        lie->buffers[i] = argument_of(kernel, i);
        if (lie->buffers[i] != NULL) {
            pocl.clGetMemObjectInfo(
                lie->buffers[i], CL_MEM_SIZE, sizeof lie->sizes[i], &lie->sizes[i], NULL);
            lie->before[i] = contents(queue, lie->buffers[i], lie->sizes[i]);
        }
    }
    return lie;
}

/* Changes the last bit of the first byte that changed, and of some later ones. */
static bool change(unsigned char *after, const unsigned char *before, size_t size)
{
    size_t changed = 0;
    for (size_t i = 0; i < size; ++i) {
        if (after[i] != before[i] && changed++ % ONE_WORD_OF == 0) {
            after[i] ^= 1;
        }
    }
    return changed > 0;
}

void tell_lie(cl_command_queue queue, struct lie *lie)
{
    for (cl_uint i = 0; i < MOST_ARGUMENTS; ++i) {
        unsigned char *after =
            lie->before[i] != NULL ? contents(queue, lie->buffers[i], lie->sizes[i]) : NULL;
        if (after != NULL && change(after, lie->before[i], lie->sizes[i])) {
            happened("a lie");
            pocl.clEnqueueWriteBuffer(
                queue, lie->buffers[i], CL_TRUE, 0, lie->sizes[i], after, 0, NULL, NULL);
        }
        free(after);
        free(lie->before[i]);
    }
    free(lie);
}

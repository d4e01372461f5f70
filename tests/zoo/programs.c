/* Programs that do not build, or miss a type or an extension. */
#include "zoo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Programs that refuse to build. A handful at most exist at a time. */
static cl_program refused[64];

static void refuse(cl_program program)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i) {
        cl_program none = NULL;
        if (__atomic_compare_exchange_n(
                &refused[i], &none, program, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
            return;
        }
    }
}

/* Whether the program was refused; it is forgotten then. */
static bool take_refused(cl_program program)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i) {
        cl_program expected = program;
        if (__atomic_compare_exchange_n(
                &refused[i], &expected, NULL, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
            return true;
        }
    }
    return false;
}

/* A text before the source that makes missing types errors. Only sources that use them get it, so
 * that PoCL's cache serves the others of all animals. */
static const char *missing(const char *source)
{
    static const char doubles[] = "#undef cl_khr_fp64\n#define double this_device_has_no_doubles\n"
                                  "#line 1\n";
    static const char atomics[] =
        "#undef cl_khr_int64_base_atomics\n#undef cl_khr_int64_extended_atomics\n"
        "#define atom_add this_device_has_no_64_bit_atomics\n#line 1\n";
    if (animal.no_doubles && strstr(source, "double") != NULL) {
        return doubles;
    }
    return animal.no_atomics && strstr(source, "atom_") != NULL ? atomics : "";
}

/* The library passes one text. */
static cl_program CL_API_CALL create_program(
    cl_context context, cl_uint count, const char **texts, const size_t *lengths, cl_int *code)
{
    cl_int lost = lost_context(context);
    if (lost != CL_SUCCESS) {
        *code = lost;
        return NULL;
    }
    size_t length = lengths != NULL && lengths[0] != 0 ? lengths[0] : strlen(texts[0]);
    char *source = malloc(length + 1);
    if (count != 1 || source == NULL) {
        free(source);
        *code = CL_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    memcpy(source, texts[0], length);
    source[length] = '\0';
    const char *both[] = {missing(source), source};
    /* The library's sources begin with the name of their family. */
    char mark[80];
    snprintf(mark, sizeof mark, "\"%s[0]\"", animal.broken_family);
    bool breaks =
        animal.no_build || (*animal.broken_family != '\0' && strstr(source, mark) != NULL);
    bool plain = *both[0] == '\0';
    cl_program program =
        pocl.clCreateProgramWithSource(context, plain ? 1 : 2, plain ? both + 1 : both, NULL, code);
    if (program != NULL && breaks) {
        refuse(program);
    }
    free(source);
    return program;
}

static cl_int CL_API_CALL build_program(cl_program program,
    cl_uint count,
    const cl_device_id *devices,
    const char *options,
    void(CL_CALLBACK *notify)(cl_program, void *),
    void *data)
{
    if (take_refused(program)) {
        happened("a program does not build");
        return CL_BUILD_PROGRAM_FAILURE;
    }
    return pocl.clBuildProgram(program, count, devices, options, notify, data);
}

void spoil_programs(cl_icd_dispatch *table)
{
    table->clCreateProgramWithSource = create_program;
    table->clBuildProgram = build_program;
}

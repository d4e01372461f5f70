/* A call of a set-returning function: its arguments, its memory, its rows. */
#ifndef MKSPG_CALL_H
#define MKSPG_CALL_H

#include <postgres.h>

#include <fmgr.h>
#include <funcapi.h>
#include <utils/jsonb.h>

typedef struct Call {
    ReturnSetInfo *rows;
    MemoryContext memory; /* Ends with the call. */
    MemoryContext before;
} Call;

/* Begins a call: the current memory context is then that of the call. */
extern Call mkspg_begin(FunctionCallInfo fcinfo);

/* Ends a call and frees its memory and handles. The value is that of the function. */
extern Datum mkspg_end(Call *call);

/* An argument that must not be null. */
extern const char *mkspg_text(FunctionCallInfo fcinfo, int index, const char *name);
extern uint64 mkspg_amount(FunctionCallInfo fcinfo, int index, const char *name);
extern double mkspg_real_amount(FunctionCallInfo fcinfo, int index, const char *name);

/* An argument that may be null. */
extern const char *mkspg_optional_text(FunctionCallInfo fcinfo, int index);
extern Jsonb *mkspg_optional_object(FunctionCallInfo fcinfo, int index);

#endif

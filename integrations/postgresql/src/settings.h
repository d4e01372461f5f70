/* The settings of the extension: makespan.threads, makespan.engine, makespan.memory_limit. */
#ifndef MKSPG_SETTINGS_H
#define MKSPG_SETTINGS_H

#include <postgres.h>

extern int mkspg_threads;

extern void mkspg_define_settings(void);

/* The engine as the library spells it. */
extern const char *mkspg_engine(void);

/* Most bytes that the rows of a call, and the tables of a solve, may take. */
extern uint64 mkspg_memory_limit(void);

#endif

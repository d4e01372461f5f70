/* A flow shop that is read from queries, piece by piece. */
#ifndef MKSPG_SHOP_H
#define MKSPG_SHOP_H

#include <postgres.h>

#include <makespan.h>

#include "handle.h"
#include "labels.h"
#include "rows.h"

/* Rows without columns: the caller gave no query. */
typedef struct FlowShop {
    Labels *jobs;
    Labels *machines;
    Labels *families; /* NULL if the jobs have none. */
    Rows operations;
    Rows job_rows;
    Rows machine_rows;
    uint64 *times;  /* times[jobs * machines], all machines of job 0 first. */
    uint32 *pinned; /* Jobs at the beginning of every sequence: pinned[pinned_count]. */
    size_t pinned_count;
    uint32 *start; /* The sequence to start from, or NULL. */
    Handle *handle;
} FlowShop;

/* The instance as it is now. */
extern const mks_flow_shop_instance *mkspg_flow_shop_instance(const FlowShop *shop);

/*
 * Takes the changed instance of a call that returned this status. The argument's query gave the
 * values, and the labels name their jobs or machines; both may be NULL.
 */
extern void mkspg_change(FlowShop *shop,
    const char *argument,
    const Labels *labels,
    mks_status status,
    mks_flow_shop_instance *const *changed);

/* Reads the operations, and numbers the jobs. */
extern void mkspg_read_operations(FlowShop *shop, const char *query);

/* Reads release times, due dates, weights, families and sequences of jobs. */
extern void mkspg_read_jobs(FlowShop *shop, const char *query);

/* Reads the machines in the order in which jobs pass them, and numbers them; the query may be NULL.
 */
extern void mkspg_read_machines(FlowShop *shop, const char *query);

/* Creates the instance of the operations. */
extern void mkspg_create_flow_shop(FlowShop *shop);

/* Gives the instance what the jobs have. */
extern void mkspg_apply_jobs(FlowShop *shop);

/* Reads set-ups, and gives them to the instance, with the last jobs or families of machines. */
extern void mkspg_apply_setups(FlowShop *shop, const char *query);

/* Gives the instance the ready times of machines. */
extern void mkspg_apply_ready_times(FlowShop *shop);

/* The family of each job; only if the jobs have families. */
extern uint32 *mkspg_families(const FlowShop *shop);

/* The job or family that each machine has done last, or NULL. */
extern uint32 *mkspg_last_kinds(const FlowShop *shop);

#endif

/*
 * makespan: production scheduling and the dynamic programs behind it
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * ONE CALL
 *
 * Each problem has a function that takes arrays, solves on all cores, or on a device where that is faster, and fills
 * arrays. It needs no handles:
 *
 *     mks_cutting_stock_pack(lengths, items, capacity, time_limit_seconds, bin_of, &bins, &bound)
 *     mks_flow_shop(times, jobs, machines, time_limit_seconds, permutation, &makespan, &bound)
 *     mks_interval_dp_matrix_chain(dimensions, count, time_limit_seconds, splits, &multiplications)
 *     mks_knapsack_fill(profits, weights, items, capacity, time_limit_seconds, counts, &profit, &bound)
 *     mks_lattice_dp_cost(sizes, dimensions, offsets, costs, count, time_limit_seconds, &cost)
 *     mks_multidimensional_knapsack_fill(profits, weights, items, capacities, dimensions, time_limit_seconds, counts, &profit, &bound)
 *     mks_parallel_machines(times, jobs, machines, time_limit_seconds, assignment, &makespan, &bound)
 *     mks_recurrence_min_plus(offsets, weights, count, initial, length, time_limit_seconds, values)
 *
 * time_limit_seconds ends the call with the best solution so far; INFINITY sets no limit: calls that search then end
 * after a fixed amount of work, some seconds at most. A bound that equals the objective proves that the solution is
 * optimal.
 *
 * HANDLES
 *
 * For limits, progress, devices or many solves in a row, create a context (threads, devices, built kernels, log), an
 * instance (input, checked once) and options. The problem's _solve function takes them and returns a result. Read the
 * result with the functions named mks_result_ and those of the problem.
 *
 * - Functions named _create, _parse, _read and _solve make a handle. The _free function of its type ends it; call it
 *   once. Freeing NULL is harmless. Do not use a handle after it is freed.
 * - Handles do not depend on each other: free them in any order. Only a context in use refuses to be freed.
 * - Instances and results never change.
 * - Options have names and values: mks_options_set(options, "time_limit", "5"). mks_options_info() lists them, and a
 *   file may hold them. NULL in place of options means the defaults.
 * - Structs of the caller begin with struct_size. Fill them with their _init function before any other call takes
 *   them, then change what you need.
 * - Outputs are the last parameters. They are written on success only and must not overlap the inputs.
 * - Everything here exists since version 0.1, unless its comment names a later one.
 *
 * ARRAYS AND TEXTS
 *
 * - Lengths of arrays are in brackets: times[jobs]. An array of length 0 may be NULL. No other pointer may be NULL
 *   unless its function says so. Arrays of inputs are copied.
 * - An output array has as many elements as the brackets say. A parameter `capacity` is the number of elements that fit
 *   into the caller's array. It must not be less.
 * - Functions named _view copy nothing: they set a pointer to an array inside the handle, and its length. The array is
 *   valid as long as the handle, and must not be changed. An empty one may be NULL.
 * - Texts are UTF-8 and end with NUL where no length is given; paths are in the operating system's encoding (UTF-8 on
 *   Windows). Texts that a handle returns are valid as long as the handle. Functions with text[capacity] copy the text
 *   there, and cut it if it is too long. They set *length to the length of the whole text without its NUL. With a
 *   capacity of 0, text may be NULL.
 * - Enumerations are passed as int32_t. The library refuses unknown numbers. Later versions may return numbers that
 *   this header does not define.
 *
 * WIDTHS
 *
 * - size_t: the number of jobs, machines, items, threads and the like; a position in an array or list.
 * - uint32_t: a job, a machine, a bin or a point, by its number from 0. Also small counts in structs.
 * - uint64_t: an amount: a time, a length, a weight, a profit, a size, a demand, a number of copies, bytes.
 * - int64_t: objectives, bounds and the numbers of tables, which may be negative.
 * - double: seconds and real numbers. int32_t: enumerations, and flags, which are 0 or 1.
 *
 * BATCHES
 *
 * Functions named _solve_batch solve many instances at once: each small one on one thread, with all threads busy, or
 * many at a time on a device if the problem has kernels for that. On success results[count] holds the results of
 * instances[count] in the same order; free each. If an instance fails, there are no results. The limits hold for the
 * whole batch, except that the iteration limit holds for each instance. Instances that a limit leaves out are
 * MKS_SOLUTION_STATUS_STOPPED and have no solution. Flow shops have equal shares of the time. Progress reports the share
 * of the instances that are solved.
 *
 * THREAD SAFETY
 *
 * Functions may be called on any thread. Any number of functions may use one handle at once, but nothing may use it
 * while it is freed. Contexts share neither threads nor devices nor logs, and freeing a context joins its
 * threads. Nothing is printed. Several solves at once on one context have equal shares of the
 * processor, each with the context's number of threads.
 *
 * SIGNALS AND FORK
 *
 * Threads of the library, and those that drivers start for it, block all signals except those of their own faults.
 * Handlers of the program therefore run on its own threads. After fork(), the child process has none of the library's
 * threads. There, calls with a context of the parent are refused, except that mks_context_free() frees the child's copy
 * as far as possible. Results and instances can be read and freed. A context created in the child works; it has no
 * devices if the parent has used OpenCL before.
 *
 * ERRORS
 *
 * A function that can fail returns a status: MKS_STATUS_OK or a negative number. mks_last_error() returns the text of
 * the failure on this thread, with the argument, index or line at fault. mks_status_text() returns the fixed text of a
 * status. The status of a call is not the status of a solution: a solve that reached its time limit returns
 * MKS_STATUS_OK, and mks_result_summary() says whether its solution is proved optimal.
 *
 * CALLBACKS
 *
 * Progress callbacks run on the thread that called the solver, log callbacks on any thread. They receive their user
 * data unchanged. A callback must return normally: a C++ exception or a longjmp through the library is undefined
 * behaviour. Callbacks and their user data must stay valid until their solve ends or their context is freed.
 */

#ifndef MAKESPAN_H
#define MAKESPAN_H

/* Generated by cbindgen from src/capi: do not edit. */

#include <stddef.h>
#include <stdint.h>

#define MKS_VERSION_MAJOR 0
#define MKS_VERSION_MINOR 1
#define MKS_VERSION_PATCH 0
#define MKS_VERSION_STRING "0.1.0"
#define MKS_VERSION_NUMBER \
    (MKS_VERSION_MAJOR * 10000 + MKS_VERSION_MINOR * 100 + MKS_VERSION_PATCH)

#ifndef MKS_API
#if defined(_WIN32) && defined(MKS_SHARED)
#define MKS_API __declspec(dllimport)
#elif defined(__GNUC__) || defined(__clang__)
#define MKS_API __attribute__((visibility("default")))
#else
#define MKS_API
#endif
#endif

#if defined(MKS_NO_DEPRECATED_WARNINGS)
#define MKS_DEPRECATED(why)
#elif defined(__GNUC__) || defined(__clang__)
#define MKS_DEPRECATED(why) __attribute__((deprecated(why)))
#elif defined(_MSC_VER)
#define MKS_DEPRECATED(why) __declspec(deprecated(why))
#else
#define MKS_DEPRECATED(why)
#endif

#if defined(__GNUC__) || defined(__clang__)
#define MKS_MUST_USE __attribute__((warn_unused_result))
#else
#define MKS_MUST_USE
#endif

/// Number of the ABI that this header describes. It changes, and the library's soname with it, whenever programs must
/// be compiled again.
#define MKS_ABI_NUMBER 1

/// Status of a call. 0 is success, all failures are negative; a later version may add numbers. The status of a solution
/// is ::mks_solution_status.
enum {
    MKS_STATUS_OK = 0,                    ///< Success.
    MKS_STATUS_INVALID_ARGUMENT = -1,     ///< An argument is invalid: NULL, too short, unknown or out of range.
    MKS_STATUS_PARSE = -2,                ///< A text does not follow its file format.
    MKS_STATUS_IO = -3,                   ///< A file could not be read or written.
    /// A sum or product of the input does not fit into 63 bits, or into the range that the last error names.
    MKS_STATUS_OVERFLOW = -4,
    MKS_STATUS_OUT_OF_MEMORY = -5,        ///< The call needs more memory than is allowed or free.
    MKS_STATUS_UNSUPPORTED = -6,          ///< The library does not support this.
    MKS_STATUS_DEVICE_UNAVAILABLE = -7,   ///< There is no OpenCL device, or the requested one does not exist.
    MKS_STATUS_DEVICE_FAILED = -8,        ///< A kernel failed to build or to run.
    MKS_STATUS_STOPPED = -9,              ///< A limit or a stop request ended the work before it had a result.
    MKS_STATUS_BUSY = -10,                ///< The context is in use, perhaps by a call of the same thread.
    MKS_STATUS_NOT_AVAILABLE = -11,       ///< The result or the instance has no such value.
    MKS_STATUS_INTERNAL = -12,            ///< A defect of the library: a result failed its check. Please report it.
    MKS_STATUS_PANIC = -13,               ///< A defect of the library: a panic, which was caught. Please report it.
    MKS_STATUS_THREADS_UNAVAILABLE = -14, ///< The operating system refused to start threads of the CPU engine.
};
typedef int32_t mks_status;

/// Answers of a progress callback.
enum {
    MKS_CONTROL_CONTINUE = 0, ///< Continue the solve.
    /// End the solve soon and return the best solution so far. Every other number means the same.
    MKS_CONTROL_STOP = 1,
};
typedef int32_t mks_control;

/// Kinds of OpenCL devices. A later version may add numbers.
enum {
    MKS_DEVICE_KIND_OTHER = 0,       ///< Any other kind.
    MKS_DEVICE_KIND_CPU = 1,         ///< The processor of the machine.
    MKS_DEVICE_KIND_GPU = 2,         ///< A graphics processor.
    MKS_DEVICE_KIND_ACCELERATOR = 3, ///< Another accelerator.
};
typedef int32_t mks_device_kind;

/// The engine that did the heavy work of a solve. A later version may add numbers.
enum {
    MKS_ENGINE_CPU = 1,    ///< The CPU.
    MKS_ENGINE_DEVICE = 2, ///< One or several OpenCL devices, which ::mks_result_device names.
};
typedef int32_t mks_engine;

/// Kinds of instances.
enum {
    MKS_INTERVAL_DP_KIND_MATRIX_CHAIN = 0,  ///< The order of multiplying a chain of matrices.
    MKS_INTERVAL_DP_KIND_SEARCH_TREE = 1,   ///< An optimal binary search tree.
    MKS_INTERVAL_DP_KIND_TRIANGULATION = 2, ///< A triangulation of a convex polygon.
};
typedef int32_t mks_interval_dp_kind;

/// Semirings of interval programs: the operations (+) and (*).
enum {
    MKS_INTERVAL_DP_SEMIRING_MIN_PLUS = 0,   ///< Least sum.
    MKS_INTERVAL_DP_SEMIRING_MAX_PLUS = 1,   ///< Largest sum.
    MKS_INTERVAL_DP_SEMIRING_MAX_MIN = 2,    ///< Largest minimum.
    MKS_INTERVAL_DP_SEMIRING_OR_AND = 3,     ///< Bitwise or of ands; for whole numbers only, without a tree.
    MKS_INTERVAL_DP_SEMIRING_PLUS_TIMES = 4, ///< Sum of products; without a tree.
};
typedef int32_t mks_interval_dp_semiring;

/// Importance of log messages; each level includes the ones above it.
enum {
    MKS_LOG_LEVEL_OFF = 0,     ///< No messages.
    MKS_LOG_LEVEL_WARNING = 1, ///< Failures that the library worked around.
    MKS_LOG_LEVEL_INFO = 2,    ///< Also milestones of a solve.
    MKS_LOG_LEVEL_DEBUG = 3,   ///< Also details for developers: kernel builds, cache hits and misses.
};
typedef int32_t mks_log_level;

/// The operations (+) and (*) of ST[i] = (+)_j (w_j (*) ST[i - a_j]). Values are int64_t in all semirings.
enum {
    /// (min,+). INT64_MAX means unreachable. Other values and weights are from -2^59 to 2^59; beyond that is an
    /// overflow.
    MKS_RECURRENCE_SEMIRING_MIN_PLUS = 0,
    /// (max,+). INT64_MIN means unreachable. Other values and weights are limited as for (min,+).
    MKS_RECURRENCE_SEMIRING_MAX_PLUS = 1,
    MKS_RECURRENCE_SEMIRING_SUM_PRODUCT = 2, ///< (+,*), exact; an element beyond int64_t is an overflow.
    MKS_RECURRENCE_SEMIRING_MODULAR = 3,     ///< (+,*) modulo a number from 2 to 2^31; values and weights are residues.
    MKS_RECURRENCE_SEMIRING_OR_AND = 4,      ///< (or,and) on all 64 bits.
    MKS_RECURRENCE_SEMIRING_MAX_MIN = 5,     ///< (max,min).
    MKS_RECURRENCE_SEMIRING_CUSTOM = 6,      ///< An associative operator of the program.
};
typedef int32_t mks_recurrence_semiring;

/// Whether lower or higher objectives are better.
enum {
    MKS_SENSE_MINIMISE = 0, ///< Lower ones, such as costs. Also set if neither is better, as in recurrences that count.
    MKS_SENSE_MAXIMISE = 1, ///< Higher ones, such as profits.
};
typedef int32_t mks_sense;

/// Status of a solution. A later version may add numbers.
enum {
    MKS_SOLUTION_STATUS_OPTIMAL = 1,  ///< Proved optimal: the objective equals the bound.
    MKS_SOLUTION_STATUS_FEASIBLE = 2, ///< There is a solution, not proved optimal.
    /// Proved: no solution exists, or none as good as requested. The bound then says how good a solution can be.
    MKS_SOLUTION_STATUS_INFEASIBLE = 3,
    MKS_SOLUTION_STATUS_STOPPED = 4,  ///< A limit or a stop request ended the solve before it had a solution.
};
typedef int32_t mks_solution_status;

/// A cl_command_queue of OpenCL's headers is a pointer to this.
typedef struct _cl_command_queue _cl_command_queue;

/// A cl_context of OpenCL's headers is a pointer to this.
typedef struct _cl_context _cl_context;

/// A cl_device_id of OpenCL's headers is a pointer to this.
typedef struct _cl_device_id _cl_device_id;

/// Threads, devices, built kernels and log of one user of the library. Contexts share nothing, except that launches on
/// PoCL's processor take turns: a time limit may then wait for the launch of another context. Several threads may solve
/// on one context at once; the solves have equal shares of the processor. Free a context on one thread, after the last
/// call that uses it. After fork() the child may only free it and create another: all other calls are refused.
typedef struct mks_context mks_context;

/// Item types with lengths and demands, to be cut from stock pieces of one length.
typedef struct mks_cutting_stock_instance mks_cutting_stock_instance;

/// Jobs that pass all machines in the same sequence, with a processing time on each machine.
typedef struct mks_flow_shop_instance mks_flow_shop_instance;

/// An RNA sequence to fold, with the model of its structures.
typedef struct mks_interval_dp_folding mks_interval_dp_folding;

/// An instance of interval dynamic programming.
typedef struct mks_interval_dp_instance mks_interval_dp_instance;

/// Items with profits, weights and numbers of copies, and a capacity.
typedef struct mks_knapsack_instance mks_knapsack_instance;

/// A lattice: a box with offset vectors and their costs. Or a packing: item types for containers of one capacity.
typedef struct mks_lattice_dp_instance mks_lattice_dp_instance;

/// Items with profits, numbers of copies and weights in several dimensions, and the capacities of the dimensions.
typedef struct mks_multidimensional_knapsack_instance mks_multidimensional_knapsack_instance;

/// Options of a problem's solves, or of a context, by name. ::mks_options_info lists them.
///
/// Any number of calls may read the same options at once, but no other call may use them while a function whose
/// parameter is not const changes them. A solve reads them when it begins.
typedef struct mks_options mks_options;

/// Jobs with processing times, to be run on identical machines.
typedef struct mks_parallel_machines_instance mks_parallel_machines_instance;

/// Kernels that a context builds ahead. Its functions may be called on any thread at any time. Freeing the context
/// stops the work; the handle may be freed before or after that.
typedef struct mks_prewarm mks_prewarm;

/// A recurrence, or a batch of recurrences with the same offsets.
typedef struct mks_recurrence_instance mks_recurrence_instance;

/// Result of a solve. It never changes: several threads may read it at once. It does not depend on its context and
/// instance, which may be freed first. Functions named mks_result_ serve every problem. A problem's own functions read
/// the solution and refuse results of other problems.
typedef struct mks_result mks_result;

/// A stop handle ends any number of solves from outside. Its functions may be called on any thread at any time, also
/// inside callbacks, but not in signal handlers. Free it after its other calls have returned.
typedef struct mks_stop mks_stop;

/// Properties of one OpenCL device. Texts that are too long are cut.
typedef struct mks_device_info {
    size_t struct_size;            ///< Size of this struct in the calling program; set by the init function.
    int32_t kind;                  ///< Kind of hardware, one of ::mks_device_kind.
    uint32_t compute_units;        ///< Parallel compute units.
    uint64_t max_work_group_size;  ///< Largest work-group, in work-items; a kernel may allow fewer.
    uint64_t local_memory_bytes;   ///< Local memory of a work-group, in bytes.
    uint64_t global_memory_bytes;  ///< Memory of the device, in bytes.
    uint64_t max_allocation_bytes; ///< Largest single buffer, in bytes.
    char name[128];                ///< Name as the driver spells it.
    char vendor[64];               ///< Short name of the vendor, such as "NVIDIA".
    char platform[128];            ///< Name of the OpenCL implementation.
    char driver_version[64];       ///< Version of the driver.
    char architecture[64];         ///< Architecture, such as "sm_90" or "gfx90a"; empty if unknown.
    /// OpenCL version of the platform, followed by the platform's own version if the driver reports it.
    char platform_version[128];
    char device_version[128];      ///< OpenCL version of the device.
    char opencl_c_version[128];    ///< Newest OpenCL C version that the device's compiler accepts.
} mks_device_info;

/// State of a running solve. The library fills it. Later versions may add fields at the end; a field exists if
/// struct_size includes it. Values have the same fields as in ::mks_summary.
typedef struct mks_progress {
    size_t struct_size;     ///< Size of this struct in the library.
    double elapsed_seconds; ///< Wall-clock seconds since the solve began.
    const char *phase;      ///< Current work of the solver, in a word or two; valid during the call only.
    double fraction;        ///< Completed share of the current phase, from 0 to 1; -1 if unknown.
    int32_t sense;          ///< Whether lower or higher objectives are better, one of ::mks_sense.
    uint32_t stages;        ///< Number of lexicographic stages of the objective.
    int32_t is_real;        ///< 1 if objective and bound are real numbers, 0 if they are whole or not known yet.
    int32_t has_objective;  ///< 1 if there is a solution, else 0.
    int32_t has_bound;      ///< 1 if there is a bound, else 0.
    int64_t objective;      ///< Objective of the best solution so far; 0 if there is none or if it is real.
    int64_t bound;          ///< Best proved bound so far; 0 if there is none or if it is real.
    double objective_f64;   ///< The objective as the nearest double, NaN if there is none.
    double bound_f64;       ///< The bound as the nearest double, NaN if there is none.
    /// The best solution so far, with the values above. Read it with the functions for results, such as
    /// ::mks_flow_shop_permutation and ::mks_result_summary; it is copied only if such a function is called. NULL if
    /// there is no solution, for batches, and for problems that find their only solution at the end: interval programs,
    /// lattices and recurrences. Valid during the call only; ::mks_result_free does nothing with it.
    const struct mks_result *incumbent;
} mks_progress;

/// Receives the progress of a solve, at most about twenty times a second and at each better solution or bound, on the
/// thread that called the solver. Returns one of ::mks_control. The last call, in the phase "end", has the values of
/// the result, and its answer is ignored. It is also the only call after an answer of ::MKS_CONTROL_STOP. The struct is
/// valid during the call only. The callback must return normally, without an exception or a longjmp. It may call any
/// function of the library and even start another solve; an attempt to free its own context returns ::MKS_STATUS_BUSY.
typedef int32_t (*mks_progress_callback)(const struct mks_progress *progress, void *user_data);

/// Receives a log message: its level, one of ::mks_log_level, and its text, which is valid during the call only. It is
/// called on any thread, also on several at once. It must return normally, without an exception or a longjmp, and must
/// not call functions that use its own context.
typedef void (*mks_log_callback)(int32_t level, const char *message, void *user_data);

/// An option. The library fills it; the texts are valid as long as the options.
typedef struct mks_option_info {
    size_t struct_size; ///< Size of this struct in the calling program; set by the init function.
    const char *name;   ///< Name of the option.
    const char *text;   ///< Its meaning.
    const char *kind;   ///< Type of the value: "flag", "whole", "real", "seconds", "bytes", "choice", "path" or "list".
    /// The choices of a "choice" with spaces between, else an empty text.
    const char *choices;
    /// The methods that use the option, with spaces between; empty if all do. Other methods refuse another value than
    /// the default.
    const char *methods;
    /// The default value.
    const char *default_value;
    /// The value "auto" or "none" that leaves the option to the library. Empty if the option always needs a value.
    const char *unset;
    const char *tier;   ///< Who needs the option: "basic", "advanced" or "experimental".
    double minimum;     ///< Smallest number; the values of a "real" must be larger than it. -INFINITY if there is none.
    double maximum;     ///< Largest number; INFINITY if there is none.
} mks_option_info;

/// How fast one OpenCL device is. Rates are per second and of the whole device.
typedef struct mks_device_speeds {
    size_t struct_size;        ///< Size of this struct in the calling program; set by the init function.
    int32_t measured;          ///< 1 if the device was measured, 0 if the figures are estimates from its description.
    int32_t has_barrier;       ///< 1 if the device has a barrier across all work-groups, otherwise 0.
    uint64_t measured_at;      ///< When the device was measured, in seconds since 1970; 0 if it was not.
    double launch_seconds;     ///< Seconds from one launch to the next in a queue that does not run empty.
    double round_trip_seconds; ///< Seconds of a launch and the wait for its end.
    double to_device_rate;     ///< Bytes per second from the host to the device.
    double to_host_rate;       ///< Bytes per second from the device to the host.
    double add_min_rate;       ///< Pairs of an addition and a minimum of 32-bit integers per second, in registers.
    double wide_add_min_rate;  ///< The same for 64-bit integers.
    double global_rate;        ///< Bytes per second that kernels read from and write to global memory.
    double local_rate;         ///< Bytes per second that kernels read from and write to local memory.
    double barrier_seconds;    ///< Seconds of a barrier across all work-groups inside a kernel; 0 without one.
} mks_device_speeds;

/// How fast the processor is. Rates are per second.
typedef struct mks_processor_speeds {
    size_t struct_size;      ///< Size of this struct in the calling program; set by the init function.
    int32_t measured;        ///< 1 if the processor was measured, 0 if the figures are estimates.
    uint32_t threads;        ///< Threads of the context.
    uint64_t measured_at;    ///< When the processor was measured, in seconds since 1970; 0 if it was not.
    /// Pairs of an addition and a minimum of 32-bit integers that one core computes per second, with its widest
    /// vectors.
    double core_add_min_rate;
    double core_serial_rate; ///< The same one by one, each pair after the one before.
    double core_memory_rate; ///< Bytes per second that one core reads from and writes to memory.
    double memory_rate;      ///< Bytes per second that all threads together read from and write to memory.
    double wake_seconds;     ///< Seconds to wake the threads of a context and to join them.
} mks_processor_speeds;

/// Returns the split cost g(i, k, j) of points i < k < j. It is called on several threads at once and must return
/// normally.
typedef int64_t (*mks_interval_dp_split_cost_i64)(size_t i, size_t k, size_t j, void *user_data);

/// The general form of an interval program: in whole numbers for ::mks_interval_dp_instance_create_i64, in real numbers
/// for ::mks_interval_dp_instance_create_f64. Fill it with ::mks_interval_dp_form_i64_init or
/// ::mks_interval_dp_form_f64_init, then change what you need. There are leaf_count + 1 points. With the operations (+)
/// and (*) of the semiring
///
/// ```text
/// cell(i, i + 1) = leaves[i]
/// cell(i, j) = w(i, j) (*) (+)_{i < k < j} cell(i, k) (*) cell(k, j) (*) g(i, k, j)
/// ```
///
/// A cost that is NULL is neutral.
typedef struct mks_interval_dp_form_i64 {
    size_t struct_size;      ///< Size of this struct in the calling program; set by the init function.
    int32_t semiring;        ///< One of ::mks_interval_dp_semiring. Default: ::MKS_INTERVAL_DP_SEMIRING_MIN_PLUS.
    uint32_t reserved_flags; ///< Must be zero.
    const int64_t *leaves;   ///< leaves[leaf_count], at least one.
    size_t leaf_count;       ///< Number of leaves.
    /// Together with column: w(i, j) = row[i] + column[j], with an entry for each point. Default: NULL.
    const int64_t *row;
    const int64_t *column;   ///< See row.
    /// In place of row and column: w(i, j) of all pairs i < j in the order (0, 1), (0, 2), ..., (1, 2), ...:
    /// (leaf_count + 1) * leaf_count / 2 entries. Default: NULL.
    const int64_t *table;
    /// Together with split and right: adds g(i, k, j) = left[i] * split[k] * right[j], with an entry for each point;
    /// for (min,+) and (max,+). Default: NULL.
    const int64_t *left;
    const int64_t *split;    ///< See left.
    const int64_t *right;    ///< See left.
    /// In place of left, split and right: g(i, k, j) as a function. It must stay valid as long as the instance.
    /// Default: NULL.
    mks_interval_dp_split_cost_i64 split_cost;
    void *user_data;         ///< Passed to split_cost. Default: NULL.
    /// No value of split_cost may be larger in magnitude. The library derives from it which cells cannot overflow. The
    /// splits of the tree are checked: one that exceeds it, or costs NaN, is an error. Other splits are not checked and
    /// may overflow. Default: 0.
    int64_t magnitude;
    /// The same function for devices: an expression in OpenCL C of i, k, j and points (uint) and data[...] (of the
    /// cells' type VALUE). Without it the instance runs on the CPU only; without split_cost, on devices only. If both
    /// are given, they are compared on some points. The expression is code that runs with the rights of the program:
    /// take none from strangers. Statements, pointers, preprocessor lines and unbalanced brackets are refused. Default:
    /// NULL.
    const char *split_source;
    const int64_t *data;     ///< data[data_count] of split_source; data[...] beyond data_count is 0. Default: NULL.
    size_t data_count;       ///< Number of entries of data. Default: 0.
    uint64_t reserved[4];    ///< Must be zero.
} mks_interval_dp_form_i64;

/// Returns the split cost g(i, k, j) of points i < k < j. It is called on several threads at once and must return
/// normally.
typedef double (*mks_interval_dp_split_cost_f64)(size_t i, size_t k, size_t j, void *user_data);

/// ::mks_interval_dp_form_i64 in real numbers.
typedef struct mks_interval_dp_form_f64 {
    size_t struct_size;
    int32_t semiring;
    uint32_t reserved_flags;
    const double *leaves;
    size_t leaf_count;
    const double *row;
    const double *column;
    const double *table;
    const double *left;
    const double *split;
    const double *right;
    mks_interval_dp_split_cost_f64 split_cost;
    void *user_data;
    double magnitude;
    const char *split_source;
    const double *data;
    size_t data_count;
    uint64_t reserved[4];
} mks_interval_dp_form_f64;

/// Combines two values, or a weight and a value, into one value. It is called on several threads at once and must
/// return normally.
typedef int64_t (*mks_recurrence_callback)(int64_t left, int64_t right, void *user_data);

/// Definition of a recurrence for ::mks_recurrence_instance_create. Fill it with ::mks_recurrence_definition_init, then
/// change what you need. The table ST[0..length) begins with the initial values, and every further element is
///
/// ```text
/// ST[i] = t_i (+) (w_0 (*) ST[i - a_0]) (+) ... (+) (w_(k-1) (*) ST[i - a_(k-1)])
/// ```
///
/// with offsets a_0 > ... > a_(k-1) > 0, in this order.
typedef struct mks_recurrence_definition {
    size_t struct_size;            ///< Size of this struct in the calling program; set by the init function.
    int32_t semiring;              ///< One of ::mks_recurrence_semiring. Default: ::MKS_RECURRENCE_SEMIRING_MIN_PLUS.
    /// 1 if the custom operator has combine(x, x) == x, else 0. With 1 the solver looks for a period at the end of the
    /// table; the values are the same. Default: 0.
    int32_t idempotent;
    uint64_t modulus;              ///< The modulus of ::MKS_RECURRENCE_SEMIRING_MODULAR. Default: 0.
    uint64_t length;               ///< Elements of each table, including the initial ones. Default: 0.
    size_t instances;              ///< Number of tables of a batch, which share offsets and length. Default: 1.
    const uint64_t *offsets;       ///< offsets[offset_count], decreasing. Default: NULL.
    size_t offset_count;           ///< Number of offsets. Default: 0.
    /// initial[initial_count]: a_0 values per table, one table after the other. Default: NULL.
    const int64_t *initial;
    size_t initial_count;          ///< Number of initial values: a_0 times the number of tables. Default: 0.
    /// weights[weight_count], one per offset: either one list for all tables, or a list for each table, one after the
    /// other. Default: NULL, none.
    const int64_t *weights;
    size_t weight_count;           ///< Number of weights. Default: 0.
    /// terms[term_count], one per element that is not initial: either one list for all tables, or a list for each
    /// table, one after the other. Default: NULL, none.
    const int64_t *terms;
    size_t term_count;             ///< Number of terms. Default: 0.
    /// The custom operator on a device: OpenCL C 1.2 that defines long combine(long left, long right) and, if there are
    /// weights, long weigh(long weight, long value). It is code that runs with the rights of the program: take none
    /// from strangers. It is compiled in one text with the kernels, so all its other names must begin with user_.
    /// Preprocessor lines and unbalanced brackets are refused. Without it the instance runs on the CPU only. Default:
    /// NULL.
    const char *operator_source;
    /// The custom operator on the CPU: the same function as in operator_source. Without it the instance runs on devices
    /// only. Default: NULL.
    mks_recurrence_callback combine;
    mks_recurrence_callback weigh; ///< weight (*) value of the custom operator, on the CPU. Default: NULL.
    void *user_data;               ///< Passed to combine and weigh. Default: NULL.
    uint64_t reserved[4];          ///< Must be zero.
} mks_recurrence_definition;

/// Status, values and times of a solve. Later versions may add fields at the end.
typedef struct mks_summary {
    size_t struct_size;   ///< Size of this struct in the calling program; set by the init function.
    int32_t status;       ///< Status of the solution, one of ::mks_solution_status.
    int32_t sense;        ///< Whether lower or higher objectives are better, one of ::mks_sense.
    uint32_t stages;      ///< Number of lexicographic stages of the objective.
    int32_t interrupted;  ///< 1 if a limit, the stop handle or the callback ended the solve, else 0.
    int32_t engine;       ///< What did the heavy work, one of ::mks_engine.
    int32_t is_real;      ///< 1 if objective and bound are real numbers, 0 if they are whole or if there are none.
    /// 1 if there is an objective, else 0. A solution has one, except a batch with a sum beyond 63 bits.
    int32_t has_objective;
    int32_t has_bound;    ///< 1 if there is a bound, else 0.
    int64_t objective;    ///< The objective, recomputed from the solution; 0 if there is none or if it is real.
    int64_t bound;        ///< The proved bound: no solution is better; 0 if there is none or if it is real.
    double objective_f64; ///< The objective as the nearest double, NaN if there is none.
    double bound_f64;     ///< The bound as the nearest double, NaN if there is none.
    /// Largest possible factor between the objective and the optimum: objective / bound for a cost, bound / objective
    /// for a profit, 1 for a proved optimum. NaN without a solution, or if objective and bound differ and one of them
    /// is not positive.
    double guarantee;
    double seconds;       ///< Wall-clock seconds of the solve, without setup_seconds.
    double setup_seconds; ///< Wall-clock seconds spent finding a device and building its kernels.
} mks_summary;

/// The best values from one improvement of a solve to the next. The fields have the same meaning as in ::mks_summary;
/// its is_real says which of them to read.
typedef struct mks_trace_point {
    double seconds;        ///< Wall-clock seconds since the solve began.
    int32_t has_objective; ///< 1 if there was a solution by then, else 0.
    int32_t has_bound;     ///< 1 if there was a bound by then, else 0.
    int64_t objective;     ///< Objective of the best solution; 0 if there was none or if it is real.
    int64_t bound;         ///< Best proved bound; 0 if there was none or if it is real.
    double objective_f64;  ///< The objective as the nearest double, NaN if there was none.
    double bound_f64;      ///< The bound as the nearest double, NaN if there was none.
} mks_trace_point;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/* One call. */

/// Packs items into as few bins of one capacity as possible. The simplest call. lengths[items] are the sizes of the
/// items, from 1 to the capacity; their sum is below 2^63. On success bin_of[items] holds the bin of each item,
/// numbered from 0, *bins the number of bins, and *bound a proved lower bound on it.
MKS_API MKS_MUST_USE mks_status mks_cutting_stock_pack(const uint64_t *lengths, size_t items, uint64_t capacity,
    double time_limit_seconds, uint32_t *bin_of, int64_t *bins, int64_t *bound);

/// Sequences jobs that pass the machines 0, 1, ... in turn so that the last one ends as early as possible. The simplest
/// call. times[jobs * machines] are the processing times, all machines of job 0 first, whole numbers in any unit; no
/// schedule may last 2^31 or longer. On success permutation[jobs] holds the jobs in their sequence, *makespan the time
/// at which the last job ends, and *bound a proved lower bound on every makespan.
MKS_API MKS_MUST_USE mks_status mks_flow_shop(const uint64_t *times, size_t jobs, size_t machines,
    double time_limit_seconds, uint32_t *permutation, int64_t *makespan, int64_t *bound);

/// Finds the least number of scalar multiplications for a chain of count - 1 matrices, where matrix i has dimensions[i]
/// rows and dimensions[i + 1] columns. The simplest call. On success *multiplications is that number, and
/// splits[count - 2] holds the products in a possible order of computation, each as the index of the dimension that it
/// removes. splits may be NULL. If time_limit_seconds ends the call, it returns a balanced tree and its number, which
/// may not be the least, or else ::MKS_STATUS_STOPPED. INFINITY sets no limit.
MKS_API MKS_MUST_USE mks_status mks_interval_dp_matrix_chain(const int64_t *dimensions, size_t count,
    double time_limit_seconds, uint32_t *splits, int64_t *multiplications);

/// Fills a 0-1 knapsack. The simplest call. The values in profits[items] and weights[items] are 0 or more; each array
/// has a sum below 2^63. On success counts[items] holds 1 for each item taken and 0 for the others, *profit the sum of
/// their profits, and *bound a proved upper bound on the profit.
MKS_API MKS_MUST_USE mks_status mks_knapsack_fill(const uint64_t *profits, const uint64_t *weights, size_t items,
    uint64_t capacity, double time_limit_seconds, uint64_t *counts, int64_t *profit, int64_t *bound);

/// Finds the cost of the cheapest path to the last cell of a lattice. The simplest call. The other arguments are those
/// of ::mks_lattice_dp_instance_create. On success *cost is the cost, or INT64_MAX if no path leads to the last cell.
/// If time_limit_seconds ends the call, it returns ::MKS_STATUS_STOPPED; INFINITY sets no limit.
MKS_API MKS_MUST_USE mks_status mks_lattice_dp_cost(const uint64_t *sizes, size_t dimensions, const uint64_t *offsets,
    const uint64_t *costs, size_t count, double time_limit_seconds, int64_t *cost);

/// Fills a 0-1 knapsack with several capacities. The simplest call. The values in profits[items] and
/// weights[dimensions * items] are 0 or more; the weights of all items in the first dimension come first. The sum of
/// the profits is below 2^63, and so is that of the weights in each dimension. On success counts[items] holds 1 for
/// each item taken and 0 for the others, *profit the sum of their profits, and *bound a proved upper bound on the
/// profit.
MKS_API MKS_MUST_USE mks_status mks_multidimensional_knapsack_fill(const uint64_t *profits, const uint64_t *weights,
    size_t items, const uint64_t *capacities, size_t dimensions, double time_limit_seconds, uint64_t *counts,
    int64_t *profit, int64_t *bound);

/// Plans jobs on identical machines so that the last one ends as early as possible. The simplest call. times[jobs] are
/// the processing times, whole numbers in any unit with a sum below 2^63. On success assignment[jobs] holds the machine
/// of each job, numbered from 0, *makespan the time at which the last job ends, and *bound a proved lower bound on
/// every makespan.
MKS_API MKS_MUST_USE mks_status mks_parallel_machines(const uint64_t *times, size_t jobs, size_t machines,
    double time_limit_seconds, uint32_t *assignment, int64_t *makespan, int64_t *bound);

/// Fills a (min,+) table. The simplest call. offsets[count] decrease; weights[count] are their weights, or NULL if all
/// are 0. initial[offsets[0]] are the first values of the table; their number is the largest offset. A length below
/// that is ::MKS_STATUS_INVALID_ARGUMENT; initial is then not read. On success values[length] holds the whole table;
/// INT64_MAX means unreachable. If time_limit_seconds ends the call, it returns ::MKS_STATUS_STOPPED; INFINITY sets no
/// limit.
MKS_API MKS_MUST_USE mks_status mks_recurrence_min_plus(const uint64_t *offsets, const int64_t *weights, size_t count,
    const int64_t *initial, size_t length, double time_limit_seconds, int64_t *values);

/* Handles. */

/// Text of the failure of the last call on this thread; it names the argument, index or line at fault. Never NULL;
/// empty if the call succeeded. Valid until the next call on this thread that returns a status; functions named `_free`
/// do not change it unless they fail.
MKS_API const char *mks_last_error(void);

/// The fixed text of a status, never NULL; "unknown status" for an unknown number. ::mks_last_error has the details of
/// a failure.
MKS_API const char *mks_status_text(int32_t status);

/// The library's version, such as "0.1.0"; compare with MKS_VERSION_STRING.
MKS_API const char *mks_version_string(void);

/// The library's version as MAJOR * 10000 + MINOR * 100 + PATCH; compare with MKS_VERSION_NUMBER.
MKS_API uint32_t mks_version_number(void);

/// The library's ABI number; compare with ::MKS_ABI_NUMBER.
MKS_API uint32_t mks_abi_number(void);

/// How the library was built, for problem reports. The format of the text may change.
MKS_API const char *mks_build_info(void);

/// Creates a context. The options are those of a "context"; NULL takes the defaults. With the engine "device" it opens
/// the device now, otherwise on first need.
MKS_API MKS_MUST_USE mks_status mks_context_create(const struct mks_options *options, struct mks_context **context);

/// Frees a context and waits until its threads have ended. While a call uses the context, and thus inside its own
/// callbacks, it frees nothing and returns ::MKS_STATUS_BUSY. After fork() the child frees its copy without the
/// threads, which only the parent has.
MKS_API mks_status mks_context_free(struct mks_context *context);

/// Number of threads of the CPU engine.
MKS_API mks_status mks_context_threads(const struct mks_context *context, size_t *threads);

/// Creates options with their defaults. The owner is a problem, spelled as in its functions, such as "flow_shop", or
/// "context".
MKS_API MKS_MUST_USE mks_status mks_options_create(const char *owner, struct mks_options **options);

/// Frees options.
MKS_API void mks_options_free(struct mks_options *options);

/// Sets the option `name` to a value. The text of a value is a number, "true" or "false", one of the option's choices,
/// or a path. A list has spaces or commas between its numbers. "auto" or "none", as ::mks_option_info says, leaves an
/// option to the library. ::MKS_STATUS_INVALID_ARGUMENT for an unknown name and for a value that does not fit; the
/// option then keeps its value.
MKS_API mks_status mks_options_set(struct mks_options *options, const char *name, const char *value);

/// Sets the option `name` to a whole number.
MKS_API mks_status mks_options_set_int64(struct mks_options *options, const char *name, int64_t value);

/// Sets the option `name` to a number; INFINITY as a number of seconds sets no limit.
MKS_API mks_status mks_options_set_double(struct mks_options *options, const char *name, double value);

/// Sets the option `name` to a list of numbers: values[count].
MKS_API mks_status mks_options_set_list(struct mks_options *options, const char *name, const uint32_t *values,
    size_t count);

/// Reads options from a file: a line `name = value` for each, with the values of ::mks_options_set; # begins a comment.
/// If a line is wrong, no option changes.
MKS_API mks_status mks_options_read(struct mks_options *options, const char *path);

/// The value of the option `name` as ::mks_options_set reads it.
MKS_API mks_status mks_options_get(const struct mks_options *options, const char *name, char *text, size_t capacity,
    size_t *length);

/// Lets a stop handle end the solves with these options; NULL removes it. The handle may be freed at any time. Not for
/// options of a context.
MKS_API mks_status mks_options_set_stop(struct mks_options *options, const struct mks_stop *stop);

/// Sends the progress of the solves with these options to a callback, with user_data; NULL removes it. Callback and
/// user data must stay valid until the last such solve has ended. Not for options of a context.
MKS_API mks_status mks_options_set_progress(struct mks_options *options, mks_progress_callback callback,
    void *user_data);

/// Sends the log of the contexts with these options to a callback, with user_data: messages of `level`, one of
/// ::mks_log_level, and of more important levels. NULL removes it. Callback and user data must stay valid until the
/// last such context is freed. Only for options of a context.
MKS_API mks_status mks_options_set_log(struct mks_options *options, int32_t level, mks_log_callback callback,
    void *user_data);

/// Creates a stop handle that is not tripped.
MKS_API MKS_MUST_USE mks_status mks_stop_create(struct mks_stop **stop);

/// Asks every solve with this handle to end soon and return the best solution so far; harmless if repeated.
MKS_API mks_status mks_stop_trip(const struct mks_stop *stop);

/// Makes a tripped handle usable for the next solve. A solve that has noticed the trip ends nevertheless.
MKS_API mks_status mks_stop_reset(const struct mks_stop *stop);

/// Sets *tripped to 1 if the handle is tripped, else to 0.
MKS_API mks_status mks_stop_is_tripped(const struct mks_stop *stop, int32_t *tripped);

/// Frees a stop handle. A running solve with this handle continues and can no longer be stopped by it.
MKS_API void mks_stop_free(struct mks_stop *stop);

/// Creates an instance from the length and the demand of each item type, lengths[types] and demands[types], and the
/// length of a stock piece. Lengths are whole numbers in any unit, from 1 to stock_length. The sum of the lengths of
/// all items is below 2^63, the number of items below 2^32.
MKS_API MKS_MUST_USE mks_status mks_cutting_stock_instance_create(const uint64_t *lengths, const uint64_t *demands,
    size_t types, uint64_t stock_length, struct mks_cutting_stock_instance **instance);

/// Reads an instance from text[length], in either format of BPPLIB: "n c", then n lengths of items with demand 1; or
/// "n c", then n lines with a length and its demand.
MKS_API MKS_MUST_USE mks_status mks_cutting_stock_instance_parse(const char *text, size_t length,
    struct mks_cutting_stock_instance **instance);

/// ::mks_cutting_stock_instance_parse of a file.
MKS_API MKS_MUST_USE mks_status mks_cutting_stock_instance_read(const char *path,
    struct mks_cutting_stock_instance **instance);

/// Creates a copy of an instance with stock pieces that are in use already. Of these, pieces[patterns] are the numbers
/// of pieces and counts[patterns * types] the numbers of items of each type on one piece, pattern by pattern, which are
/// part of the demands. A piece may have no item yet. Other items may join those of a piece. In every packing these
/// pieces come first, in this order: the first pieces[0] pieces have the items of pattern 0, the next pieces[1] those
/// of pattern 1. Patterns of no piece are left out.
MKS_API MKS_MUST_USE mks_status mks_cutting_stock_instance_with_pinned(
    const struct mks_cutting_stock_instance *instance, const uint64_t *pieces, const uint64_t *counts, size_t patterns,
    struct mks_cutting_stock_instance **changed);

/// Number of item types.
MKS_API mks_status mks_cutting_stock_instance_types(const struct mks_cutting_stock_instance *instance, size_t *types);

/// Length of a stock piece: the capacity of a bin.
MKS_API mks_status mks_cutting_stock_instance_stock_length(const struct mks_cutting_stock_instance *instance,
    uint64_t *stock_length);

/// Copies the lengths to lengths[types].
MKS_API mks_status mks_cutting_stock_instance_lengths(const struct mks_cutting_stock_instance *instance,
    uint64_t *lengths, size_t capacity);

/// Copies the demands to demands[types].
MKS_API mks_status mks_cutting_stock_instance_demands(const struct mks_cutting_stock_instance *instance,
    uint64_t *demands, size_t capacity);

/// Number of patterns of stock pieces in use.
MKS_API mks_status mks_cutting_stock_instance_pinned_count(const struct mks_cutting_stock_instance *instance,
    size_t *count);

/// Number of stock pieces in use of pattern `index`, with index from 0 and below
/// ::mks_cutting_stock_instance_pinned_count.
MKS_API mks_status mks_cutting_stock_instance_pinned_pieces(const struct mks_cutting_stock_instance *instance,
    size_t index, uint64_t *pieces);

/// Copies the number of items of each type on one stock piece in use of pattern `index` to counts[types].
MKS_API mks_status mks_cutting_stock_instance_pinned_counts(const struct mks_cutting_stock_instance *instance,
    size_t index, uint64_t *counts, size_t capacity);

/// Frees an instance.
MKS_API void mks_cutting_stock_instance_free(struct mks_cutting_stock_instance *instance);

/// Cuts all items from few stock pieces and proves a lower bound on the number of pieces. The number is the result's
/// objective. The result always has a solution, even if a limit or a stop request ends the solve at once. An iteration
/// is the table of the dynamic program, the configuration LP, or one attempt of column generation to reach or refute a
/// number of pieces. With more than 10,000 items, the solver first cuts the patterns that the LP uses as a whole; if
/// more than 10,000 items are left, it tries no improvement of the rest.
MKS_API MKS_MUST_USE mks_status mks_cutting_stock_solve(const struct mks_context *context,
    const struct mks_cutting_stock_instance *instance, const struct mks_options *options, struct mks_result **result);

/// Checks a packing, pattern by pattern: pieces[patterns] has the number of stock pieces that each pattern cuts,
/// counts[patterns * types] the number of items of each type from one such piece. Sets *stock_pieces to the sum of the
/// pieces. Returns ::MKS_STATUS_INVALID_ARGUMENT if a pattern is too long or lacks items of a stock piece in use, or if
/// the demand of a type is not met exactly; the last error names the first one.
MKS_API mks_status mks_cutting_stock_check(const struct mks_cutting_stock_instance *instance, const uint64_t *pieces,
    const uint64_t *counts, size_t patterns, int64_t *stock_pieces);

/// Number of patterns of the solution.
MKS_API mks_status mks_cutting_stock_pattern_count(const struct mks_result *result, size_t *count);

/// Number of stock pieces that pattern `index` cuts, with index from 0 and below ::mks_cutting_stock_pattern_count. The
/// sum over all patterns is the objective.
MKS_API mks_status mks_cutting_stock_pattern_pieces(const struct mks_result *result, size_t index, uint64_t *pieces);

/// Copies the number of items of each type that pattern `index` cuts from one stock piece to counts[types].
MKS_API mks_status mks_cutting_stock_pattern_counts(const struct mks_result *result, size_t index, uint64_t *counts,
    size_t capacity);

/// Finds a good schedule and proves a lower bound on the objective, which is the makespan unless the instance has
/// another one. The result always has a schedule, even if a limit or a stop request ends the solve at once, with one
/// exception: branch and bound proves that no schedule is shorter than the option upper_bound. Beam, iterated greedy
/// and tabu search, and thus "auto", refuse an iteration limit of 0. Branch and bound with an iteration limit runs on
/// the CPU only: with the device as engine it returns ::MKS_STATUS_UNSUPPORTED.
MKS_API MKS_MUST_USE mks_status mks_flow_shop_solve(const struct mks_context *context,
    const struct mks_flow_shop_instance *instance, const struct mks_options *options, struct mks_result **result);

/// Checks a sequence, permutation[jobs], and sets *makespan to the time at which its last job ends. Each job must come
/// once, and pinned jobs must come first. Otherwise the call returns ::MKS_STATUS_INVALID_ARGUMENT, and the last error
/// names the first wrong position.
MKS_API mks_status mks_flow_shop_check(const struct mks_flow_shop_instance *instance, const uint32_t *permutation,
    size_t jobs, int64_t *makespan);

/// Copies the jobs in their sequence to permutation[jobs].
MKS_API mks_status mks_flow_shop_permutation(const struct mks_result *result, uint32_t *permutation, size_t capacity);

/// Copies the start times of the operations to starts[jobs * machines], all machines of job 0 first.
MKS_API mks_status mks_flow_shop_starts(const struct mks_result *result, uint64_t *starts, size_t capacity);

/// Creates an instance from times[jobs * machines], all machines of job 0 first, with at least one job and one machine.
/// Times are whole numbers in any unit; no schedule may last 2^31 or longer.
MKS_API MKS_MUST_USE mks_status mks_flow_shop_instance_create(const uint64_t *times, size_t jobs, size_t machines,
    struct mks_flow_shop_instance **instance);

/// Reads an instance from text[length], in one of these formats:
///
/// - Taillard's;
/// - "jobs machines", then for each machine a line with a time for each job;
/// - "jobs machines", then for each job a line with a time, or a machine's number and a time, for each machine;
/// - for each job a line with a time for each machine, and nothing else;
/// - the numbers of jobs and of machines; for each job a line with a time for each machine; then for each machine a
///   line for each job with the set-ups after it for each job;
/// - the numbers of jobs and of machines; the due dates; for each job a line with a time for each machine. The
///   objective is the total tardiness.
///
/// Texts that fit an earlier one are not read as one of the last two.
MKS_API MKS_MUST_USE mks_status mks_flow_shop_instance_parse(const char *text, size_t length,
    struct mks_flow_shop_instance **instance);

/// ::mks_flow_shop_instance_parse of a file.
MKS_API MKS_MUST_USE mks_status mks_flow_shop_instance_read(const char *path, struct mks_flow_shop_instance **instance);

/// ::mks_flow_shop_instance_parse of one format alone: "taillard", "vrf" (a line with the numbers of jobs and of
/// machines first), "matrix", "setups", "due-dates"; or "auto" for the first that fits.
MKS_API MKS_MUST_USE mks_status mks_flow_shop_instance_parse_as(const char *text, size_t length, const char *format,
    struct mks_flow_shop_instance **instance);

/// ::mks_flow_shop_instance_parse_as of a file.
MKS_API MKS_MUST_USE mks_status mks_flow_shop_instance_read_as(const char *path, const char *format,
    struct mks_flow_shop_instance **instance);

/// Creates a well-known instance: "ta001" to "ta120" of Taillard 1993.
MKS_API MKS_MUST_USE mks_status mks_flow_shop_instance_named(const char *name,
    struct mks_flow_shop_instance **instance);

/// Creates a copy of an instance with ready_times[machines]: each machine does nothing before its ready time.
MKS_API MKS_MUST_USE mks_status mks_flow_shop_instance_with_ready_times(const struct mks_flow_shop_instance *instance,
    const uint64_t *ready_times, size_t machines, struct mks_flow_shop_instance **changed);

/// Creates a copy of an instance in which every sequence begins with the jobs pinned[count], which have been released
/// already.
MKS_API MKS_MUST_USE mks_status mks_flow_shop_instance_with_pinned(const struct mks_flow_shop_instance *instance,
    const uint32_t *pinned, size_t count, struct mks_flow_shop_instance **changed);

/// Number of jobs.
MKS_API mks_status mks_flow_shop_instance_jobs(const struct mks_flow_shop_instance *instance, size_t *jobs);

/// Number of machines.
MKS_API mks_status mks_flow_shop_instance_machines(const struct mks_flow_shop_instance *instance, size_t *machines);

/// Copies the processing times to times[jobs * machines], all machines of job 0 first.
MKS_API mks_status mks_flow_shop_instance_times(const struct mks_flow_shop_instance *instance, uint64_t *times,
    size_t capacity);

/// Copies the ready times to ready_times[machines]; all are 0 unless they were given.
MKS_API mks_status mks_flow_shop_instance_ready_times(const struct mks_flow_shop_instance *instance,
    uint64_t *ready_times, size_t capacity);

/// The jobs at the beginning of every sequence: pinned[count].
MKS_API mks_status mks_flow_shop_instance_pinned_view(const struct mks_flow_shop_instance *instance,
    const uint32_t **pinned, size_t *count);

/// Frees an instance.
MKS_API void mks_flow_shop_instance_free(struct mks_flow_shop_instance *instance);

/// Creates a copy of an instance with set-ups between jobs on each machine. setups[count] is one matrix for all
/// machines, of jobs * jobs elements, or one for each machine, one after the other. Row i and column j of a matrix is
/// the set-up for job j directly after job i, which may be done before job j arrives.
MKS_API MKS_MUST_USE mks_status mks_flow_shop_instance_with_setups(const struct mks_flow_shop_instance *instance,
    const uint64_t *setups, size_t count, struct mks_flow_shop_instance **changed);

/// ::mks_flow_shop_instance_with_setups for jobs of families: family_of[jobs] is the family of each job, from 0 and
/// below `families`, and a matrix has families * families elements.
MKS_API MKS_MUST_USE mks_status mks_flow_shop_instance_with_family_setups(const struct mks_flow_shop_instance *instance,
    const uint32_t *family_of, size_t jobs, size_t families, const uint64_t *setups, size_t count,
    struct mks_flow_shop_instance **changed);

/// Creates a copy of an instance with set-ups in which machines are also set up for their first job:
/// first_setups[count] is one row for all machines, with an element for each job, or for each family where set-ups are
/// between families; or a row for each machine.
MKS_API MKS_MUST_USE mks_status mks_flow_shop_instance_with_first_setups(const struct mks_flow_shop_instance *instance,
    const uint64_t *first_setups, size_t count, struct mks_flow_shop_instance **changed);

/// ::mks_flow_shop_instance_with_first_setups after a running plan: last_kinds[machines] is the job that each machine
/// has done last, or its family where set-ups are between families. The machine is set up for its first job as after
/// that job. Either call replaces what the other one gave.
MKS_API MKS_MUST_USE mks_status mks_flow_shop_instance_with_last_kinds(const struct mks_flow_shop_instance *instance,
    const uint32_t *last_kinds, size_t machines, struct mks_flow_shop_instance **changed);

/// Creates a copy of an instance with release_times[jobs]: no job starts before its release time.
MKS_API MKS_MUST_USE mks_status mks_flow_shop_instance_with_release_times(const struct mks_flow_shop_instance *instance,
    const uint64_t *release_times, size_t jobs, struct mks_flow_shop_instance **changed);

/// Creates a copy of an instance with due_dates[jobs], from -2^53 to 2^53. Negative ones belong to jobs that are late
/// already.
MKS_API MKS_MUST_USE mks_status mks_flow_shop_instance_with_due_dates(const struct mks_flow_shop_instance *instance,
    const int64_t *due_dates, size_t jobs, struct mks_flow_shop_instance **changed);

/// Creates a copy of an instance with weights[jobs] for the weighted criteria.
MKS_API MKS_MUST_USE mks_status mks_flow_shop_instance_with_weights(const struct mks_flow_shop_instance *instance,
    const uint64_t *weights, size_t jobs, struct mks_flow_shop_instance **changed);

/// Creates a copy of an instance with the sequence that the plant follows now, running_plan[count], which may lack new
/// jobs. The criteria "inversions" and "new-predecessors" compare with it.
MKS_API MKS_MUST_USE mks_status mks_flow_shop_instance_with_running_plan(const struct mks_flow_shop_instance *instance,
    const uint32_t *running_plan, size_t count, struct mks_flow_shop_instance **changed);

/// Creates a copy of an instance without buffers: a job stays on its machine, and blocks it, until the next machine is
/// free and set up for it.
MKS_API MKS_MUST_USE mks_status mks_flow_shop_instance_with_blocking(const struct mks_flow_shop_instance *instance,
    struct mks_flow_shop_instance **changed);

/// Creates a copy of an instance with another objective than the makespan. Its text names criteria:
///
/// - "makespan"; "total-flow-time" and "weighted-flow-time", from release to end;
/// - "total-tardiness", "weighted-tardiness", "max-lateness" and "late-jobs", which need due dates;
/// - "inversions" (pairs of jobs whose order is not that of the running plan) and "new-predecessors" (jobs that follow
///   another job than there).
///
/// Criteria are added with factors, and up to four stages are separated by commas, the most important first:
/// "late-jobs,total-tardiness+5*inversions".
MKS_API MKS_MUST_USE mks_status mks_flow_shop_instance_with_objective(const struct mks_flow_shop_instance *instance,
    const char *objective, struct mks_flow_shop_instance **changed);

/// The sizes of the set-ups: the number of matrices, the number of rows of each, which is that of jobs or of families,
/// and the number of rows of first set-ups. All are 0 without set-ups.
MKS_API mks_status mks_flow_shop_instance_setup_sizes(const struct mks_flow_shop_instance *instance, size_t *matrices,
    size_t *kinds, size_t *first_rows);

/// Copies the set-ups to setups[matrices * kinds * kinds], matrix by matrix; see ::mks_flow_shop_instance_setup_sizes.
MKS_API mks_status mks_flow_shop_instance_setups(const struct mks_flow_shop_instance *instance, uint64_t *setups,
    size_t capacity);

/// Copies the first set-ups to first_setups[first_rows * kinds], row by row; see ::mks_flow_shop_instance_setup_sizes.
MKS_API mks_status mks_flow_shop_instance_first_setups(const struct mks_flow_shop_instance *instance,
    uint64_t *first_setups, size_t capacity);

/// Copies the release times to release_times[jobs]; all are 0 unless they were given.
MKS_API mks_status mks_flow_shop_instance_release_times(const struct mks_flow_shop_instance *instance,
    uint64_t *release_times, size_t capacity);

/// Copies the weights to weights[jobs]; all are 1 unless they were given.
MKS_API mks_status mks_flow_shop_instance_weights(const struct mks_flow_shop_instance *instance, uint64_t *weights,
    size_t capacity);

/// The family of each job: family_of[count], empty unless set-ups are between families.
MKS_API mks_status mks_flow_shop_instance_families_view(const struct mks_flow_shop_instance *instance,
    const uint32_t **family_of, size_t *count);

/// The job or family that each machine is set up for at the beginning: last_kinds[count], empty unless it was given.
MKS_API mks_status mks_flow_shop_instance_last_kinds_view(const struct mks_flow_shop_instance *instance,
    const uint32_t **last_kinds, size_t *count);

/// The due dates of the jobs: due_dates[count], empty unless they were given.
MKS_API mks_status mks_flow_shop_instance_due_dates_view(const struct mks_flow_shop_instance *instance,
    const int64_t **due_dates, size_t *count);

/// The sequence that the plant follows now: running_plan[count], empty unless it was given.
MKS_API mks_status mks_flow_shop_instance_running_plan_view(const struct mks_flow_shop_instance *instance,
    const uint32_t **running_plan, size_t *count);

/// Sets *blocking to 1 if there are no buffers between the machines, else to 0.
MKS_API mks_status mks_flow_shop_instance_blocking(const struct mks_flow_shop_instance *instance, int32_t *blocking);

/// The objective as ::mks_flow_shop_instance_with_objective reads it.
MKS_API mks_status mks_flow_shop_instance_objective(const struct mks_flow_shop_instance *instance, char *text,
    size_t capacity, size_t *length);

/// Number of stages of the objective.
MKS_API mks_status mks_flow_shop_instance_stages(const struct mks_flow_shop_instance *instance, size_t *stages);

/// Copies the value of each stage of the objective to values[stages], the most important first; see
/// ::mks_flow_shop_instance_stages.
MKS_API mks_status mks_flow_shop_values(const struct mks_result *result, int64_t *values, size_t capacity);

/// ::mks_flow_shop_check for any objective: copies the value of each stage to values[stages].
MKS_API mks_status mks_flow_shop_check_values(const struct mks_flow_shop_instance *instance,
    const uint32_t *permutation, size_t jobs, int64_t *values, size_t capacity);

/// Number of pairs of a structure that ::mks_interval_dp_fold found.
MKS_API mks_status mks_interval_dp_pair_count(const struct mks_result *result, size_t *count);

/// Copies the pairs to pairs[capacity], two numbers each: the first and the last base, counted from 0, in the order of
/// the first ones. The capacity must be at least twice the number of pairs.
MKS_API mks_status mks_interval_dp_pairs(const struct mks_result *result, uint32_t *pairs, size_t capacity);

/// The structure as text, a dot for each unpaired base and brackets for pairs, such as "((...))".
MKS_API mks_status mks_interval_dp_structure(const struct mks_result *result, const char **structure);

/// Creates the instance of a matrix chain in whole numbers: matrix i has dimensions[i] rows and dimensions[i + 1]
/// columns, and there are count - 1 matrices. Dimensions are positive.
MKS_API MKS_MUST_USE mks_status mks_interval_dp_instance_matrix_chain_i64(const int64_t *dimensions, size_t count,
    struct mks_interval_dp_instance **instance);

/// ::mks_interval_dp_instance_matrix_chain_i64 in real numbers.
MKS_API MKS_MUST_USE mks_status mks_interval_dp_instance_matrix_chain_f64(const double *dimensions, size_t count,
    struct mks_interval_dp_instance **instance);

/// Creates the instance of an optimal binary search tree in whole numbers: keys[key_count] are the weights of the keys
/// in their order, gaps[key_count + 1] the weights of searches that end before each key and after the last one. No
/// weight is negative. The objective is the weighted number of comparisons.
MKS_API MKS_MUST_USE mks_status mks_interval_dp_instance_search_tree_i64(const int64_t *keys, size_t key_count,
    const int64_t *gaps, struct mks_interval_dp_instance **instance);

/// ::mks_interval_dp_instance_search_tree_i64 in real numbers.
MKS_API MKS_MUST_USE mks_status mks_interval_dp_instance_search_tree_f64(const double *keys, size_t key_count,
    const double *gaps, struct mks_interval_dp_instance **instance);

/// Creates the instance of a polygon's triangulation in whole numbers. weights[count] are the weights of the vertices,
/// at least three and all positive; a triangle costs the product of its vertices' weights.
MKS_API MKS_MUST_USE mks_status mks_interval_dp_instance_triangulation_i64(const int64_t *weights, size_t count,
    struct mks_interval_dp_instance **instance);

/// ::mks_interval_dp_instance_triangulation_i64 in real numbers.
MKS_API MKS_MUST_USE mks_status mks_interval_dp_instance_triangulation_f64(const double *weights, size_t count,
    struct mks_interval_dp_instance **instance);

/// Creates the instance of a convex polygon's triangulation. coordinates[2 * count] are x and y of each vertex, in
/// order; a triangle costs the sum of its edges' lengths.
MKS_API MKS_MUST_USE mks_status mks_interval_dp_instance_convex_polygon(const double *coordinates, size_t count,
    struct mks_interval_dp_instance **instance);

/// Reads an instance from text[length]; kind_number is one of ::mks_interval_dp_kind:
///
/// - a matrix chain: its dimensions;
/// - a search tree: n, then n weights of keys, then n + 1 weights of gaps;
/// - a triangulation: a line for each vertex of the polygon, with its weight or its two coordinates.
///
/// If any number has a decimal point or an exponent, all are real. Whole numbers beyond 63 bits are refused.
MKS_API MKS_MUST_USE mks_status mks_interval_dp_instance_parse(int32_t kind_number, const char *text, size_t length,
    struct mks_interval_dp_instance **instance);

/// ::mks_interval_dp_instance_parse of a file.
MKS_API MKS_MUST_USE mks_status mks_interval_dp_instance_read(int32_t kind_number, const char *path,
    struct mks_interval_dp_instance **instance);

/// Number of points: the number of leaves + 1.
MKS_API mks_status mks_interval_dp_instance_points(const struct mks_interval_dp_instance *instance, size_t *points);

/// Sets *is_real to 1 for an instance of real numbers, to 0 for one of whole numbers.
MKS_API mks_status mks_interval_dp_instance_is_real(const struct mks_interval_dp_instance *instance, int32_t *is_real);

/// Checks the tree of an instance of whole numbers and sets *value to its value. nodes[3 * count] has the inner nodes
/// in the order of ::mks_interval_dp_nodes. Returns ::MKS_STATUS_INVALID_ARGUMENT if a node does not belong to the
/// tree; the last error names the first one.
MKS_API mks_status mks_interval_dp_check_i64(const struct mks_interval_dp_instance *instance, const uint32_t *nodes,
    size_t count, int64_t *value);

/// ::mks_interval_dp_check_i64 for real numbers.
MKS_API mks_status mks_interval_dp_check_f64(const struct mks_interval_dp_instance *instance, const uint32_t *nodes,
    size_t count, double *value);

/// Frees an instance.
MKS_API void mks_interval_dp_instance_free(struct mks_interval_dp_instance *instance);

/// Number of inner nodes of the tree: the number of points - 2. ::MKS_STATUS_NOT_AVAILABLE if the semiring has no tree.
MKS_API mks_status mks_interval_dp_node_count(const struct mks_result *result, size_t *count);

/// Copies the tree's inner nodes to nodes[capacity], three numbers each: first point, split, last point. A node comes
/// before its parts, the left part before the right one. The capacity must be at least three times the number of nodes.
/// In a search tree, the node with split k is key k - 1. If several trees are optimal, the cubic recurrence takes the
/// one with the lowest splits from the root on, and Hu and Shing's algorithm takes any.
MKS_API mks_status mks_interval_dp_nodes(const struct mks_result *result, uint32_t *nodes, size_t capacity);

/// The tree as a product of its leaves A1, A2, ..., such as "((A1 A2) A3)".
MKS_API mks_status mks_interval_dp_parenthesisation(const struct mks_result *result, const char **text);

/// The tree as a graph in the DOT language.
MKS_API mks_status mks_interval_dp_dot(const struct mks_result *result, const char **text);

/// Finds the value of the last cell, with its tree. The value is the result's objective, of type int64_t or double like
/// the instance's numbers. Whole numbers are solved exactly unless cell_type asks for a type that is not exact. For
/// real numbers, and for whole numbers in doubles whose sums may exceed 2^53, the bound allows for all rounding errors.
/// ::MKS_STATUS_UNSUPPORTED for real numbers whose sums or products may exceed the range of a double, and with the
/// engine device for a method without kernels. If a limit or a stop request ends the solve, the result is a balanced
/// tree, feasible and without a bound. It is ::MKS_SOLUTION_STATUS_STOPPED without a solution if the semiring has no
/// tree, if cells are wanted, or if only a device can compute the split costs.
MKS_API MKS_MUST_USE mks_status mks_interval_dp_solve(const struct mks_context *context,
    const struct mks_interval_dp_instance *instance, const struct mks_options *options, struct mks_result **result);

/// Creates an instance from the profit, the weight and the number of copies of each item: profits[items],
/// weights[items] and copies[items]. NULL for copies means one of each item; UINT64_MAX means as many copies as fit.
/// Profits, weights and the capacity are 0 or more. The capacity is below 2^63. So are the sums of profits and of
/// weights over all items, each counted with as many of its copies as fit into the capacity. Unlimited copies of an
/// item with a profit but no weight are refused, since the profit would have no maximum. If the profits equal the
/// weights, the problem is subset sum.
MKS_API MKS_MUST_USE mks_status mks_knapsack_instance_create(const uint64_t *profits, const uint64_t *weights,
    const uint64_t *copies, size_t items, uint64_t capacity, struct mks_knapsack_instance **instance);

/// Reads an instance from text[length], in one of these formats:
///
/// - "n", then n lines of an index, a profit and a weight, then the capacity;
/// - "n capacity", then n lines of a weight (subset sum);
/// - "n capacity", then n lines of a profit and a weight;
/// - "n capacity", then n lines of a profit, a weight and a number of copies, which may be "inf".
MKS_API MKS_MUST_USE mks_status mks_knapsack_instance_parse(const char *text, size_t length,
    struct mks_knapsack_instance **instance);

/// ::mks_knapsack_instance_parse of a file.
MKS_API MKS_MUST_USE mks_status mks_knapsack_instance_read(const char *path, struct mks_knapsack_instance **instance);

/// Creates a copy of an instance in which every selection has at least pinned[items] copies of the items, because these
/// are packed already. No items pin nothing. ::mks_knapsack_profile and ::mks_knapsack_solve_profits refuse such an
/// instance as ::MKS_STATUS_UNSUPPORTED.
MKS_API MKS_MUST_USE mks_status mks_knapsack_instance_with_pinned(const struct mks_knapsack_instance *instance,
    const uint64_t *pinned, size_t items, struct mks_knapsack_instance **changed);

/// Number of items.
MKS_API mks_status mks_knapsack_instance_items(const struct mks_knapsack_instance *instance, size_t *items);

/// The capacity.
MKS_API mks_status mks_knapsack_instance_capacity(const struct mks_knapsack_instance *instance, uint64_t *capacity);

/// Copies the profits to profits[items].
MKS_API mks_status mks_knapsack_instance_profits(const struct mks_knapsack_instance *instance, uint64_t *profits,
    size_t capacity);

/// Copies the weights to weights[items].
MKS_API mks_status mks_knapsack_instance_weights(const struct mks_knapsack_instance *instance, uint64_t *weights,
    size_t capacity);

/// Copies the numbers of copies to copies[items].
MKS_API mks_status mks_knapsack_instance_copies(const struct mks_knapsack_instance *instance, uint64_t *copies,
    size_t capacity);

/// The number of copies of each item that every selection has: pinned[count], with as many numbers as items, or none if
/// nothing is pinned.
MKS_API mks_status mks_knapsack_instance_pinned_view(const struct mks_knapsack_instance *instance,
    const uint64_t **pinned, size_t *count);

/// Frees an instance.
MKS_API void mks_knapsack_instance_free(struct mks_knapsack_instance *instance);

/// Finds the largest profit that fits. It is the result's objective, and the result's bound is an upper bound on it.
/// The result always has a solution, even if a limit or a stop request ends the solve at once. An iteration is one of
/// the two dynamic programs.
MKS_API MKS_MUST_USE mks_status mks_knapsack_solve(const struct mks_context *context,
    const struct mks_knapsack_instance *instance, const struct mks_options *options, struct mks_result **result);

/// Checks counts[items], the number of copies taken of each item, and sets *profit to their profit. Returns
/// ::MKS_STATUS_INVALID_ARGUMENT if an item has fewer copies, if more of them are pinned, or if the copies taken do not
/// fit; the last error names the first such item.
MKS_API mks_status mks_knapsack_check(const struct mks_knapsack_instance *instance, const uint64_t *counts,
    size_t items, int64_t *profit);

/// Copies the number of copies taken of each item, from a result of ::mks_knapsack_solve, to counts[items].
MKS_API mks_status mks_knapsack_counts(const struct mks_result *result, uint64_t *counts, size_t capacity);

/// Creates a lattice. sizes[dimensions] are the numbers of values of the components: each at least 1, their product
/// below 2^40. offsets[count * dimensions] are the offset vectors, one after the other, and costs[count] their costs;
/// no vector is all zeros. The values of all cells must be provably below 65535. The proof multiplies the largest value
/// of each component by the cost of the single step in its direction, or by the largest cost if there is no such
/// offset, and adds the products.
MKS_API MKS_MUST_USE mks_status mks_lattice_dp_instance_create(const uint64_t *sizes, size_t dimensions,
    const uint64_t *offsets, const uint64_t *costs, size_t count, struct mks_lattice_dp_instance **instance);

/// Creates a packing: items of sizes[types], from 1 to the capacity, and counts[types] of each, to be packed into as
/// few containers as possible.
MKS_API MKS_MUST_USE mks_status mks_lattice_dp_packing_create(const uint64_t *sizes, const uint64_t *counts,
    size_t types, uint64_t capacity, struct mks_lattice_dp_instance **instance);

/// Reads a lattice or a packing from text[length]. A lattice is a line "sizes" with the sizes, then lines "offset" with
/// a cost and a vector. A packing is a line "capacity", then lines "item" with a size and a count. '#' begins a
/// comment.
MKS_API MKS_MUST_USE mks_status mks_lattice_dp_instance_parse(const char *text, size_t length,
    struct mks_lattice_dp_instance **instance);

/// ::mks_lattice_dp_instance_parse of a file.
MKS_API MKS_MUST_USE mks_status mks_lattice_dp_instance_read(const char *path,
    struct mks_lattice_dp_instance **instance);

/// Number of dimensions of a lattice, or of item types of a packing.
MKS_API mks_status mks_lattice_dp_instance_dimensions(const struct mks_lattice_dp_instance *instance,
    size_t *dimensions);

/// Number of cells of a lattice; an error for a packing.
MKS_API mks_status mks_lattice_dp_instance_cells(const struct mks_lattice_dp_instance *instance, uint64_t *cells);

/// Copies the sizes of a lattice to sizes[dimensions], or those of the item types of a packing.
MKS_API mks_status mks_lattice_dp_instance_sizes(const struct mks_lattice_dp_instance *instance, uint64_t *sizes,
    size_t capacity);

/// Number of offset vectors of a lattice; an error for a packing.
MKS_API mks_status mks_lattice_dp_instance_offset_count(const struct mks_lattice_dp_instance *instance, size_t *count);

/// Copies the offset vectors of a lattice to offsets[count * dimensions], one after the other.
MKS_API mks_status mks_lattice_dp_instance_offsets(const struct mks_lattice_dp_instance *instance, uint64_t *offsets,
    size_t capacity);

/// Copies the costs of the offset vectors of a lattice to costs[count].
MKS_API mks_status mks_lattice_dp_instance_costs(const struct mks_lattice_dp_instance *instance, uint64_t *costs,
    size_t capacity);

/// Copies the numbers of items of a packing to counts[types]; an error for a lattice.
MKS_API mks_status mks_lattice_dp_packing_counts(const struct mks_lattice_dp_instance *instance, uint64_t *counts,
    size_t capacity);

/// The capacity of a packing's containers; an error for a lattice.
MKS_API mks_status mks_lattice_dp_packing_capacity(const struct mks_lattice_dp_instance *instance, uint64_t *capacity);

/// Frees an instance.
MKS_API void mks_lattice_dp_instance_free(struct mks_lattice_dp_instance *instance);

/// Finds the cheapest path to the last cell of a lattice, or the fewest containers of a packing. The result's objective
/// is the cost or the number. Without a limit the status is ::MKS_SOLUTION_STATUS_OPTIMAL, or
/// ::MKS_SOLUTION_STATUS_INFEASIBLE if no path leads to the last cell. An iteration is one table.
MKS_API MKS_MUST_USE mks_status mks_lattice_dp_solve(const struct mks_context *context,
    const struct mks_lattice_dp_instance *instance, const struct mks_options *options, struct mks_result **result);

/// Checks a path of a lattice from the last cell back to cell 0. steps[count] has the position of each step's offset.
/// Sets *cost to the cost of the path. Returns ::MKS_STATUS_INVALID_ARGUMENT if a step leaves the box, or if the path
/// does not reach cell 0; the last error names the first such step.
MKS_API mks_status mks_lattice_dp_check(const struct mks_lattice_dp_instance *instance, const uint32_t *steps,
    size_t count, int64_t *cost);

/// Checks the containers of a packing. counts[containers * types] has the number of items of each type in each
/// container. Sets *used to the number of containers that hold items. Returns ::MKS_STATUS_INVALID_ARGUMENT if a load
/// is too large, or if not all items of a type are packed; the last error names the first such container or type.
MKS_API mks_status mks_lattice_dp_packing_check(const struct mks_lattice_dp_instance *instance, const uint64_t *counts,
    size_t containers, int64_t *used);

/// Number of steps of the path, or of containers of the packing.
MKS_API mks_status mks_lattice_dp_step_count(const struct mks_result *result, size_t *count);

/// Copies the offset vector of a step, or the item counts of a container, to vector[dimensions]. The index is from 0
/// and below ::mks_lattice_dp_step_count; steps are in the order from the last cell back to cell 0.
MKS_API mks_status mks_lattice_dp_step(const struct mks_result *result, size_t index, uint64_t *vector,
    size_t capacity);

/// Copies the position of each step's offset, counted from 0 in the list of ::mks_lattice_dp_instance_create, to
/// positions[steps]. If several steps are equally cheap, all engines take the same. ::MKS_STATUS_NOT_AVAILABLE for a
/// packing.
MKS_API mks_status mks_lattice_dp_positions(const struct mks_result *result, uint32_t *positions, size_t capacity);

/// Creates an instance from the profit and the number of copies of each item, profits[items] and copies[items], the
/// weights in each dimension, weights[dimensions * items], and capacities[dimensions]. The weights of all items in the
/// first dimension come first. NULL for copies means one of each item; UINT64_MAX means as many copies as fit. Profits,
/// weights and capacities are 0 or more. Capacities are below 2^63. So are the sums of profits and, in each dimension,
/// of weights over all items, each counted with as many of its copies as fit. Unlimited copies of an item with a profit
/// but no weight are refused. There are at most 16 dimensions and 2^18 items.
MKS_API MKS_MUST_USE mks_status mks_multidimensional_knapsack_instance_create(const uint64_t *profits,
    const uint64_t *weights, const uint64_t *copies, size_t items, const uint64_t *capacities, size_t dimensions,
    struct mks_multidimensional_knapsack_instance **instance);

/// Reads an instance from text[length], in the format of the OR-Library: the numbers of items and of dimensions and the
/// best known profit, which is ignored; the profits of all items; for each dimension the weights of all items; the
/// capacities.
MKS_API MKS_MUST_USE mks_status mks_multidimensional_knapsack_instance_parse(const char *text, size_t length,
    struct mks_multidimensional_knapsack_instance **instance);

/// ::mks_multidimensional_knapsack_instance_parse of a file.
MKS_API MKS_MUST_USE mks_status mks_multidimensional_knapsack_instance_read(const char *path,
    struct mks_multidimensional_knapsack_instance **instance);

/// Number of items.
MKS_API mks_status mks_multidimensional_knapsack_instance_items(
    const struct mks_multidimensional_knapsack_instance *instance, size_t *items);

/// Number of dimensions.
MKS_API mks_status mks_multidimensional_knapsack_instance_dimensions(
    const struct mks_multidimensional_knapsack_instance *instance, size_t *dimensions);

/// Copies the profits to profits[items].
MKS_API mks_status mks_multidimensional_knapsack_instance_profits(
    const struct mks_multidimensional_knapsack_instance *instance, uint64_t *profits, size_t capacity);

/// Copies the weights to weights[dimensions * items], those in the first dimension first.
MKS_API mks_status mks_multidimensional_knapsack_instance_weights(
    const struct mks_multidimensional_knapsack_instance *instance, uint64_t *weights, size_t capacity);

/// Copies the numbers of copies to copies[items].
MKS_API mks_status mks_multidimensional_knapsack_instance_copies(
    const struct mks_multidimensional_knapsack_instance *instance, uint64_t *copies, size_t capacity);

/// Copies the capacities to capacities[dimensions].
MKS_API mks_status mks_multidimensional_knapsack_instance_capacities(
    const struct mks_multidimensional_knapsack_instance *instance, uint64_t *capacities, size_t capacity);

/// Frees an instance.
MKS_API void mks_multidimensional_knapsack_instance_free(struct mks_multidimensional_knapsack_instance *instance);

/// Finds the largest profit that fits. It is the result's objective, and the result's bound is an upper bound on it.
/// The result always has a solution, even if a limit or a stop request ends the solve at once. An iteration is a branch
/// and bound or a table. With the method auto, the first iteration is a short branch and bound, and the second is all
/// the rest.
MKS_API MKS_MUST_USE mks_status mks_multidimensional_knapsack_solve(const struct mks_context *context,
    const struct mks_multidimensional_knapsack_instance *instance, const struct mks_options *options,
    struct mks_result **result);

/// Checks counts[items], the number of copies taken of each item, and sets *profit to their profit. Returns
/// ::MKS_STATUS_INVALID_ARGUMENT if an item has fewer copies, or if the copies taken do not fit; the last error names
/// the first such item or dimension.
MKS_API mks_status mks_multidimensional_knapsack_check(const struct mks_multidimensional_knapsack_instance *instance,
    const uint64_t *counts, size_t items, int64_t *profit);

/// Copies the number of copies taken of each item, from a result of ::mks_multidimensional_knapsack_solve, to
/// counts[items].
MKS_API mks_status mks_multidimensional_knapsack_counts(const struct mks_result *result, uint64_t *counts,
    size_t capacity);

/// Creates an instance from the processing times times[jobs], whole numbers in any unit with a sum below 2^63, and at
/// least one machine.
MKS_API MKS_MUST_USE mks_status mks_parallel_machines_instance_create(const uint64_t *times, size_t jobs,
    size_t machines, struct mks_parallel_machines_instance **instance);

/// Reads an instance from text[length], in one of two formats: "p p_cmax n m", then n times and a closing 0; or "m n",
/// then n times.
MKS_API MKS_MUST_USE mks_status mks_parallel_machines_instance_parse(const char *text, size_t length,
    struct mks_parallel_machines_instance **instance);

/// ::mks_parallel_machines_instance_parse of a file.
MKS_API MKS_MUST_USE mks_status mks_parallel_machines_instance_read(const char *path,
    struct mks_parallel_machines_instance **instance);

/// Creates a copy of an instance in which job pinned[k] runs on machine machines[k] in every schedule, because it runs
/// there already: pinned[count] and machines[count], each job once.
MKS_API MKS_MUST_USE mks_status mks_parallel_machines_instance_with_pinned(
    const struct mks_parallel_machines_instance *instance, const uint32_t *pinned, const uint32_t *machines,
    size_t count, struct mks_parallel_machines_instance **changed);

/// Number of jobs.
MKS_API mks_status mks_parallel_machines_instance_jobs(const struct mks_parallel_machines_instance *instance,
    size_t *jobs);

/// Number of machines.
MKS_API mks_status mks_parallel_machines_instance_machines(const struct mks_parallel_machines_instance *instance,
    size_t *machines);

/// Copies the processing times to times[jobs].
MKS_API mks_status mks_parallel_machines_instance_times(const struct mks_parallel_machines_instance *instance,
    uint64_t *times, size_t capacity);

/// The jobs that are pinned to machines: pinned[count].
MKS_API mks_status mks_parallel_machines_instance_pinned_view(const struct mks_parallel_machines_instance *instance,
    const uint32_t **pinned, size_t *count);

/// The machine of each job of ::mks_parallel_machines_instance_pinned_view: machines[count].
MKS_API mks_status mks_parallel_machines_instance_pinned_machines_view(
    const struct mks_parallel_machines_instance *instance, const uint32_t **machines, size_t *count);

/// Frees an instance.
MKS_API void mks_parallel_machines_instance_free(struct mks_parallel_machines_instance *instance);

/// Finds a short schedule and proves a lower bound on the makespan. The result always has a schedule, even if a limit
/// or a stop request ends the solve at once. An iteration is one table of the approximation scheme, or one attempt to
/// find a schedule for a target or to refute it. ::MKS_STATUS_UNSUPPORTED if a device is asked for and the method has
/// no kernels, and for the method "ptas" with pinned jobs.
MKS_API MKS_MUST_USE mks_status mks_parallel_machines_solve(const struct mks_context *context,
    const struct mks_parallel_machines_instance *instance, const struct mks_options *options,
    struct mks_result **result);

/// Checks a schedule in which job j runs on machine assignment[j], with assignment[jobs], and sets *makespan to the
/// time at which its last job ends. Returns ::MKS_STATUS_INVALID_ARGUMENT if a machine does not exist, or if a pinned
/// job is on another machine; the last error names the first such job.
MKS_API mks_status mks_parallel_machines_check(const struct mks_parallel_machines_instance *instance,
    const uint32_t *assignment, size_t jobs, int64_t *makespan);

/// Copies the machine of each job, numbered from 0, to machines[jobs].
MKS_API mks_status mks_parallel_machines_assignment(const struct mks_result *result, uint32_t *machines,
    size_t capacity);

/// Copies the start time of each job to starts[jobs]. Each machine runs its jobs without pause in the order of their
/// numbers.
MKS_API mks_status mks_parallel_machines_starts(const struct mks_result *result, uint64_t *starts, size_t capacity);

/// Fills the tables. The result's objective is the last element of the first table. Its status is optimal, since a
/// table has only one solution, or stopped without a solution if a limit or a stop request ends the solve. An element
/// beyond the semiring's range is ::MKS_STATUS_OVERFLOW. An operator source that does not compile is
/// ::MKS_STATUS_INVALID_ARGUMENT; the last error has the compiler's messages.
///
/// With a custom operator, the library computes elements again in the order of the definition: all elements of a small
/// table, samples of a large one. It uses the callback, or else a separate kernel. A difference is
/// ::MKS_STATUS_INVALID_ARGUMENT: the operator is not associative, or its source and its callback differ.
MKS_API MKS_MUST_USE mks_status mks_recurrence_solve(const struct mks_context *context,
    const struct mks_recurrence_instance *instance, const struct mks_options *options, struct mks_result **result);

/// The whole tables, one after the other: values[count]. ::MKS_STATUS_NOT_AVAILABLE if the option "values" was "last".
MKS_API mks_status mks_recurrence_values_view(const struct mks_result *result, const int64_t **values, size_t *count);

/// The last element of each table: last[count].
MKS_API mks_status mks_recurrence_last_view(const struct mks_result *result, const int64_t **last, size_t *count);

/// The choices, one table after the other: choices[count]. For each element that is not initial, the choice is the
/// position of the first offset that gives its value, or UINT32_MAX for its term or for none. In a knapsack, 0 means
/// that the item is taken, 1 that it is not. ::MKS_STATUS_NOT_AVAILABLE if the option "choices" was false.
MKS_API mks_status mks_recurrence_choices_view(const struct mks_result *result, const uint32_t **choices,
    size_t *count);

/// Checks values[count], whole tables one after the other, and sets *last to the last element of the first one. Returns
/// ::MKS_STATUS_INVALID_ARGUMENT if an element differs from the definition; the last error names the first one.
MKS_API mks_status mks_recurrence_check(const struct mks_recurrence_instance *instance, const int64_t *values,
    size_t count, int64_t *last);

/// Fills in the defaults; `size` is sizeof(mks_recurrence_definition).
MKS_API mks_status mks_recurrence_definition_init(struct mks_recurrence_definition *definition, size_t size);

/// Creates an instance from a definition. Its arrays and text are copied; callbacks and their user data must stay valid
/// as long as the instance and its solves. ::MKS_STATUS_INVALID_ARGUMENT for a modulus or an operator that does not
/// apply to the semiring.
MKS_API MKS_MUST_USE mks_status mks_recurrence_instance_create(const struct mks_recurrence_definition *definition,
    struct mks_recurrence_instance **instance);

/// Creates an instance of a 0-1 knapsack as a linearised recurrence: element i (capacity + 1) + j is the largest profit
/// of the first i items within capacity j. Weights and profits are 0 or more, the capacity is positive. A row that
/// needs more than half of the free memory is ::MKS_STATUS_OUT_OF_MEMORY. To solve knapsacks, the functions named
/// mks_knapsack_ are faster.
MKS_API MKS_MUST_USE mks_status mks_recurrence_instance_create_knapsack(const uint64_t *profits,
    const uint64_t *weights, size_t items, uint64_t capacity, struct mks_recurrence_instance **instance);

/// Reads an instance from text[length]. Each line is a keyword and its content:
///
/// - "semiring min-plus" (or max-plus, sum-product, modular M, or-and, max-min), "length N", "offsets ...",
///   "initial ...", and optionally "weights ...", "terms ..." and "instances B";
/// - or, for a knapsack, "capacity C", "weights ..." and "profits ...".
///
/// "x*n" means n times x, "9..5" means 9 8 7 6 5, "inf" and "-inf" mean unreachable, and # begins a comment.
MKS_API MKS_MUST_USE mks_status mks_recurrence_instance_parse(const char *text, size_t length,
    struct mks_recurrence_instance **instance);

/// ::mks_recurrence_instance_parse of a file.
MKS_API MKS_MUST_USE mks_status mks_recurrence_instance_read(const char *path,
    struct mks_recurrence_instance **instance);

/// Number of elements of each table.
MKS_API mks_status mks_recurrence_instance_length(const struct mks_recurrence_instance *instance, uint64_t *length);

/// Number of initial elements of each table.
MKS_API mks_status mks_recurrence_instance_preset(const struct mks_recurrence_instance *instance, uint64_t *preset);

/// Number of tables of the batch.
MKS_API mks_status mks_recurrence_instance_count(const struct mks_recurrence_instance *instance, size_t *count);

/// Reads the definition of the instance. ::mks_recurrence_instance_create creates an equal instance from it. The arrays
/// and the text are views. ::MKS_STATUS_NOT_AVAILABLE for a knapsack, which has items instead.
MKS_API mks_status mks_recurrence_instance_definition_view(const struct mks_recurrence_instance *instance,
    struct mks_recurrence_definition *definition);

/// Weights of the items of a knapsack: weights[count]. ::MKS_STATUS_NOT_AVAILABLE for other recurrences. The capacity
/// is the number of initial elements - 1.
MKS_API mks_status mks_recurrence_instance_weights_view(const struct mks_recurrence_instance *instance,
    const uint64_t **weights, size_t *count);

/// Profits of the items of a knapsack: profits[count]. ::MKS_STATUS_NOT_AVAILABLE for other recurrences.
MKS_API mks_status mks_recurrence_instance_profits_view(const struct mks_recurrence_instance *instance,
    const int64_t **profits, size_t *count);

/// Frees an instance.
MKS_API void mks_recurrence_instance_free(struct mks_recurrence_instance *instance);

/// Frees a result with all its texts.
MKS_API void mks_result_free(struct mks_result *result);

/// Name of the problem, spelled as in its functions, such as "parallel_machines".
MKS_API mks_status mks_result_problem(const struct mks_result *result, const char **problem);

/// The method that ran, as the makespan command spells it.
MKS_API mks_status mks_result_method(const struct mks_result *result, const char **method);

/// Name of the device that did the heavy work, or NULL if the CPU did.
MKS_API mks_status mks_result_device(const struct mks_result *result, const char **device);

/// Why the CPU did the work although a device was requested or expected to be faster; NULL otherwise.
MKS_API mks_status mks_result_fallback(const struct mks_result *result, const char **reason);

/// A fault that did not end the solve, such as a checkpoint that was not written or a further device that failed; NULL
/// if there was none.
MKS_API mks_status mks_result_warning(const struct mks_result *result, const char **warning);

/// Prepares the struct; `size` is sizeof(mks_summary).
MKS_API mks_status mks_summary_init(struct mks_summary *summary, size_t size);

/// Status, values and times of a result.
MKS_API mks_status mks_result_summary(const struct mks_result *result, struct mks_summary *summary);

/// The best values over time: a point for each improvement, in the order of time. The last point has the values of the
/// result. Copies the first points to points[capacity] and sets *count to the number of all, from 1 to 4096; points may
/// be NULL if the capacity is 0.
MKS_API mks_status mks_result_trace(const struct mks_result *result, struct mks_trace_point *points, size_t capacity,
    size_t *count);

/* Advanced. */

/// Creates a context that works with the program's own OpenCL objects: a cl_context, a device of it and an in-order
/// queue of both, from the OpenCL library of the system. Solves enqueue all their commands there, between those of the
/// program. A long command of the program therefore delays solves and stops. The device is the only one of the context.
/// The context and the queue are retained until ::mks_context_free. `options` are as for ::mks_context_create.
MKS_API MKS_MUST_USE mks_status mks_context_create_from_opencl(struct _cl_context *opencl_context,
    struct _cl_device_id *opencl_device, struct _cl_command_queue *opencl_queue, const struct mks_options *options,
    struct mks_context **context);

/// Prepares the struct; `size` is sizeof(mks_device_info).
MKS_API mks_status mks_device_info_init(struct mks_device_info *info, size_t size);

/// Number of OpenCL devices of this machine. Without OpenCL it is 0, which is no error. The first call on a context
/// searches for devices, which may take some tenths of a second.
MKS_API mks_status mks_context_device_count(const struct mks_context *context, size_t *count);

/// Describes device `index`, from 0 and below ::mks_context_device_count; graphics cards come first.
MKS_API mks_status mks_context_device_info(const struct mks_context *context, size_t index,
    struct mks_device_info *info);

/// Why there is no device, or why the chosen one did not open. The text is empty if there is no problem.
MKS_API mks_status mks_context_device_problem(const struct mks_context *context, char *text, size_t capacity,
    size_t *length);

/// The tuning rows of device `index`, from 0 and below ::mks_context_device_count: a row for each kernel family, with
/// the values of all its tunables. ::mks_options_set_tuning reads such a text.
MKS_API mks_status mks_context_tuning(const struct mks_context *context, size_t index, char *text, size_t capacity,
    size_t *length);

/// Number of options.
MKS_API mks_status mks_options_count(const struct mks_options *options, size_t *count);

/// Sets tuning rows for the contexts with these options, as text with a line for each row; NULL removes them. They take
/// precedence over all other rows, also those of the file that the option "tuning" names. ::mks_context_create refuses
/// a text with a fault, and names the line. Only for options of a context.
MKS_API mks_status mks_options_set_tuning(struct mks_options *options, const char *rows);

/// Prepares the struct; `size` is sizeof(mks_option_info).
MKS_API mks_status mks_option_info_init(struct mks_option_info *info, size_t size);

/// Describes option `index`, from 0 and below ::mks_options_count. The options of the problem or of the context come
/// first. Those that all problems have, such as time_limit, come last.
MKS_API mks_status mks_options_info(const struct mks_options *options, size_t index, struct mks_option_info *info);

/// Builds kernels for the context's device in the background, or loads them from the cache, so that the first solve
/// that needs them does not wait. It opens the device if need be, and returns at once. Solves come first: a kernel that
/// a solve waits for is built next; a build that has begun is not interrupted. `names` are problems, such as flow_shop,
/// and kernel families, such as lattice_slabs, separated by commas; an empty text means all problems. The kernels are
/// those of usual instances. An unknown name is refused, and the message lists the known ones. A device that is missing
/// or fails is no error here: see ::mks_prewarm_problem. At the end, it measures the processor and the device if their
/// speeds are unknown, the cache is on and no solve runs. A solve that begins ends the measurement.
MKS_API MKS_MUST_USE mks_status mks_context_prewarm(const struct mks_context *context, const char *names,
    struct mks_prewarm **prewarm);

/// Like ::mks_context_prewarm, for proofs and searches of this instance: its numbers of jobs and machines are constants
/// of some kernels. Another instance of this size needs the same ones.
MKS_API MKS_MUST_USE mks_status mks_context_prewarm_flow_shop(const struct mks_context *context,
    const struct mks_flow_shop_instance *instance, struct mks_prewarm **prewarm);

/// How far the work has come: *done sets of kernels of *total are ready or have failed. There is one set for each
/// kernel family and usual size.
MKS_API mks_status mks_prewarm_progress(const struct mks_prewarm *prewarm, size_t *done, size_t *total);

/// The kernel family that is being built; empty if there is none.
MKS_API mks_status mks_prewarm_family(const struct mks_prewarm *prewarm, char *text, size_t capacity, size_t *length);

/// Why kernels are missing: the device does not open or lacks something, or its compiler is at fault. The text is empty
/// if there is no problem.
MKS_API mks_status mks_prewarm_problem(const struct mks_prewarm *prewarm, char *text, size_t capacity, size_t *length);

/// Waits until the work is over, but at most for this many seconds; a negative number means without limit. Sets
/// *is_over to 1 if it is over, else to 0.
MKS_API mks_status mks_prewarm_wait(const struct mks_prewarm *prewarm, double seconds, int32_t *is_over);

/// Ends the work soon. Kernels that are ready stay, and a build that has begun is completed.
MKS_API mks_status mks_prewarm_stop(const struct mks_prewarm *prewarm);

/// Frees the handle. The work continues.
MKS_API void mks_prewarm_free(struct mks_prewarm *prewarm);

/// Prepares the struct; `size` is sizeof(mks_device_speeds).
MKS_API mks_status mks_device_speeds_init(struct mks_device_speeds *speeds, size_t size);

/// Prepares the struct; `size` is sizeof(mks_processor_speeds).
MKS_API mks_status mks_processor_speeds_init(struct mks_processor_speeds *speeds, size_t size);

/// Measures how fast the processor and all devices are, and keeps the figures with the built kernels for later
/// processes. Later choices of the engine rest on them. It takes about 50 ms for the processor and 0.3 s for a device,
/// and the time of opening devices and building kernels. Call it while the machine has no other work. A device that
/// fails or computes wrongly keeps its estimate, and the log says why; that is no error.
MKS_API mks_status mks_context_calibrate(const struct mks_context *context);

/// How fast device `index` is, from 0 and below ::mks_context_device_count: as measured in this or an earlier process,
/// otherwise an estimate.
MKS_API mks_status mks_context_device_speeds(const struct mks_context *context, size_t index,
    struct mks_device_speeds *speeds);

/// How fast the processor is: as measured in this or an earlier process, otherwise an estimate.
MKS_API mks_status mks_context_processor_speeds(const struct mks_context *context, struct mks_processor_speeds *speeds);

/// ::mks_cutting_stock_solve for many instances; see BATCHES.
MKS_API MKS_MUST_USE mks_status mks_cutting_stock_solve_batch(const struct mks_context *context,
    struct mks_cutting_stock_instance *const *instances, size_t count, const struct mks_options *options,
    struct mks_result **results);

/// ::mks_flow_shop_solve for many instances; see BATCHES.
MKS_API MKS_MUST_USE mks_status mks_flow_shop_solve_batch(const struct mks_context *context,
    struct mks_flow_shop_instance *const *instances, size_t count, const struct mks_options *options,
    struct mks_result **results);

/// Creates the problem of folding an RNA sequence such that the weights of its pairs have the largest sum. text[length]
/// has the letters A, C, G and U or T, large or small, with a header line as in FASTA's format or without.
/// pair_weights[3] has the weights of a pair of G and C, of A and U, and of G and U; a pair of weight 0 is not allowed,
/// and NULL makes all weights 1. A pair has at least `hairpin` bases inside; 3 is usual.
MKS_API MKS_MUST_USE mks_status mks_interval_dp_folding_nussinov(const char *text, size_t length,
    const uint32_t *pair_weights, size_t hairpin, struct mks_interval_dp_folding **folding);

/// Creates the problem of finding the structure of an RNA sequence with the least energy, in tenths of kcal/mol;
/// text[length] is as for ::mks_interval_dp_folding_nussinov.
MKS_API MKS_MUST_USE mks_status mks_interval_dp_folding_zuker(const char *text, size_t length,
    struct mks_interval_dp_folding **folding);

/// Finds the best structure of a sequence; the objective is its value, of type int64_t. The options are those of
/// ::mks_interval_dp_solve; methods are "auto", "cubic" and, for pairs only, "serial". If a limit or a stop request
/// ends the solve, the result is a structure without pairs, feasible and without a bound.
MKS_API MKS_MUST_USE mks_status mks_interval_dp_fold(const struct mks_context *context,
    const struct mks_interval_dp_folding *folding, const struct mks_options *options, struct mks_result **result);

/// Checks a structure in dots and brackets and sets *value to its value. Returns ::MKS_STATUS_INVALID_ARGUMENT if its
/// brackets do not match or the model does not allow it; the last error names the base or the pair.
MKS_API mks_status mks_interval_dp_folding_check(const struct mks_interval_dp_folding *folding, const char *structure,
    int64_t *value);

/// Frees a folding problem.
MKS_API void mks_interval_dp_folding_free(struct mks_interval_dp_folding *folding);

/// Fills in the defaults; `size` is sizeof(mks_interval_dp_form_i64).
MKS_API mks_status mks_interval_dp_form_i64_init(struct mks_interval_dp_form_i64 *form, size_t size);

/// Fills in the defaults; `size` is sizeof(mks_interval_dp_form_f64).
MKS_API mks_status mks_interval_dp_form_f64_init(struct mks_interval_dp_form_f64 *form, size_t size);

/// Creates an instance of the general form in whole numbers.
MKS_API MKS_MUST_USE mks_status mks_interval_dp_instance_create_i64(const struct mks_interval_dp_form_i64 *form,
    struct mks_interval_dp_instance **instance);

/// ::mks_interval_dp_instance_create_i64 in real numbers.
MKS_API MKS_MUST_USE mks_status mks_interval_dp_instance_create_f64(const struct mks_interval_dp_form_f64 *form,
    struct mks_interval_dp_instance **instance);

/// Creates a random instance of kind_number, one of ::mks_interval_dp_kind, with `size` matrices, keys or vertices and
/// whole numbers up to `largest`. It is refused if it needs more than half of the free memory.
MKS_API MKS_MUST_USE mks_status mks_interval_dp_instance_random(int32_t kind_number, size_t size, uint64_t seed,
    int64_t largest, struct mks_interval_dp_instance **instance);

/// Reads the general form of an instance of whole numbers. ::mks_interval_dp_instance_create_i64 creates an equal
/// instance from it. The arrays are views. ::MKS_STATUS_NOT_AVAILABLE for real numbers.
MKS_API mks_status mks_interval_dp_instance_form_i64_view(const struct mks_interval_dp_instance *instance,
    struct mks_interval_dp_form_i64 *form);

/// ::mks_interval_dp_instance_form_i64_view for real numbers.
MKS_API mks_status mks_interval_dp_instance_form_f64_view(const struct mks_interval_dp_instance *instance,
    struct mks_interval_dp_form_f64 *form);

/// The values of the option "cells" in their order, values[count], for instances of whole numbers.
MKS_API mks_status mks_interval_dp_cell_values_i64_view(const struct mks_result *result, const int64_t **values,
    size_t *count);

/// ::mks_interval_dp_cell_values_i64_view for instances of real numbers.
MKS_API mks_status mks_interval_dp_cell_values_f64_view(const struct mks_result *result, const double **values,
    size_t *count);

/// Largest possible error of the values of the option "cells": 0 if they are exact, infinite if nothing is known.
MKS_API mks_status mks_interval_dp_cell_error(const struct mks_result *result, double *error);

/// Type of the computed cells, as the option "cell_type" spells it.
MKS_API mks_status mks_interval_dp_cell_type_used(const struct mks_result *result, const char **cell_type);

/// ::mks_interval_dp_solve for many instances; see BATCHES.
MKS_API MKS_MUST_USE mks_status mks_interval_dp_solve_batch(const struct mks_context *context,
    struct mks_interval_dp_instance *const *instances, size_t count, const struct mks_options *options,
    struct mks_result **results);

/// ::mks_knapsack_solve for many instances; see BATCHES.
MKS_API MKS_MUST_USE mks_status mks_knapsack_solve_batch(const struct mks_context *context,
    struct mks_knapsack_instance *const *instances, size_t count, const struct mks_options *options,
    struct mks_result **results);

/// Finds the largest profit for every capacity from 0 to the instance's capacity, by the dense table. The last profit
/// is the result's objective. ::MKS_STATUS_OUT_OF_MEMORY if the table exceeds the memory limit. A method other than
/// "auto" and "dense" is refused. If a limit or a stop request ends the solve, the result has no values.
MKS_API MKS_MUST_USE mks_status mks_knapsack_profile(const struct mks_context *context,
    const struct mks_knapsack_instance *instance, const struct mks_options *options, struct mks_result **result);

/// The largest profit of each capacity, from 0 to the instance's: values[count], from a result of
/// ::mks_knapsack_profile.
MKS_API mks_status mks_knapsack_profile_view(const struct mks_result *result, const uint64_t **values, size_t *count);

/// Solves many knapsacks to optimality. They have the weights, copies and capacity of one instance, but different
/// profits, as in the pricing of column generation. profits[instances * items] holds the profits of one knapsack after
/// the other, each 0 or more; the profits of `instance` itself are ignored. A capacity of 2^29 or more times the common
/// divisor of the weights is ::MKS_STATUS_UNSUPPORTED. Profits with a sum of 2^63 or more, over all copies that fit,
/// are ::MKS_STATUS_INVALID_ARGUMENT; the last error names the first such knapsack. An item without weight may have
/// unlimited copies if its profit is 0. Without items every knapsack has profit 0. The result's objective is the sum of
/// all profits; it has none if the sum exceeds 63 bits. If a limit or a stop request ends the solve, the result has no
/// solution. An iteration is one knapsack. A method other than "auto" is refused.
MKS_API MKS_MUST_USE mks_status mks_knapsack_solve_profits(const struct mks_context *context,
    const struct mks_knapsack_instance *instance, const uint64_t *profits, size_t instances,
    const struct mks_options *options, struct mks_result **result);

/// The largest profit of each knapsack, profits[count], from a result of ::mks_knapsack_solve_profits.
MKS_API mks_status mks_knapsack_batch_profits_view(const struct mks_result *result, const uint64_t **profits,
    size_t *count);

/// The number of copies taken of each item, one knapsack after the other: counts[count], from a result of
/// ::mks_knapsack_solve_profits.
MKS_API mks_status mks_knapsack_batch_counts_view(const struct mks_result *result, const uint64_t **counts,
    size_t *count);

/// ::mks_lattice_dp_solve for many lattices or many packings; see BATCHES.
MKS_API MKS_MUST_USE mks_status mks_lattice_dp_solve_batch(const struct mks_context *context,
    struct mks_lattice_dp_instance *const *instances, size_t count, const struct mks_options *options,
    struct mks_result **results);

/// ::mks_multidimensional_knapsack_solve for many instances; see BATCHES.
MKS_API MKS_MUST_USE mks_status mks_multidimensional_knapsack_solve_batch(const struct mks_context *context,
    struct mks_multidimensional_knapsack_instance *const *instances, size_t count, const struct mks_options *options,
    struct mks_result **results);

/// ::mks_parallel_machines_solve for many instances; see BATCHES.
MKS_API MKS_MUST_USE mks_status mks_parallel_machines_solve_batch(const struct mks_context *context,
    struct mks_parallel_machines_instance *const *instances, size_t count, const struct mks_options *options,
    struct mks_result **results);

/// ::mks_recurrence_solve for many instances; see BATCHES. Recurrences with the same offsets and length are faster as
/// the tables of one instance.
MKS_API MKS_MUST_USE mks_status mks_recurrence_solve_batch(const struct mks_context *context,
    struct mks_recurrence_instance *const *instances, size_t count, const struct mks_options *options,
    struct mks_result **results);

/// ::mks_recurrence_instance_parse with a memory limit, for texts that are not trusted: a few words may mean billions
/// of numbers. If lists and rows together need more than memory_limit_bytes, the call fails with
/// ::MKS_STATUS_OUT_OF_MEMORY before it stores anything. 0 takes half of the free memory, as
/// ::mks_recurrence_instance_parse does.
MKS_API MKS_MUST_USE mks_status mks_recurrence_instance_parse_within(const char *text, size_t length,
    uint64_t memory_limit_bytes, struct mks_recurrence_instance **instance);

/// ::mks_recurrence_instance_read with the memory limit of ::mks_recurrence_instance_parse_within.
MKS_API MKS_MUST_USE mks_status mks_recurrence_instance_read_within(const char *path, uint64_t memory_limit_bytes,
    struct mks_recurrence_instance **instance);

/// Largest p for which the p-fold pipeline is correct on this instance.
MKS_API mks_status mks_recurrence_instance_largest_fold(const struct mks_recurrence_instance *instance, uint64_t *fold);

/// Value of the counter `name` ("cells", "nodes", ...). ::MKS_STATUS_NOT_AVAILABLE if the solve has no such counter.
MKS_API mks_status mks_result_statistic(const struct mks_result *result, const char *name, uint64_t *value);

/// Number of counters of a result.
MKS_API mks_status mks_result_statistic_count(const struct mks_result *result, size_t *count);

/// Name of counter `index`, from 0 and below ::mks_result_statistic_count, in alphabetical order.
MKS_API mks_status mks_result_statistic_name(const struct mks_result *result, size_t index, const char **name);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* MAKESPAN_H */

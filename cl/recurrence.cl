/* Recurrences ST[i] = t_i (+) (w_0 (*) ST[i - a_0]) (+) ...; src/recurrence/ has the definitions.
 *
 * SEMIRING and WIDE select the arithmetic, see src/recurrence/algebra.rs; LIMIT is the largest
 * finite value of MIN_PLUS. WIDE_INDEX is for tables of 2^32 elements and more. The plan has an
 * entry for each operand: an offset and a weight. With ROWS it has an entry for each row: its shift
 * and its gain. Several instances lie one after the other and are the second dimension of every
 * launch.
 *
 * This file has the arithmetic and the code that all kernels share. recurrence_pipeline.cl has the
 * methods of the p-fold pipeline's source, recurrence_gather.cl and recurrence_blocks.cl have the
 * general method. */

#ifdef WIDE_INDEX
typedef ulong index_t;
#else
typedef uint index_t;
#endif

#if SEMIRING == MIN_PLUS && !defined(WIDE)
typedef int value_t;
#elif SEMIRING == MODULAR
typedef uint value_t;
#else
typedef long value_t;
#endif

#if SEMIRING == SUM_PRODUCT
typedef struct {
    ulong low;
    long high;
} partial_t;
#elif SEMIRING == MODULAR
typedef ulong partial_t;
#else
typedef value_t partial_t;
#endif

#if defined(WIDE_INDEX) || (SEMIRING != MODULAR && !(SEMIRING == MIN_PLUS && !defined(WIDE)))
typedef ulong2 entry_t;
#else
typedef uint2 entry_t;
#endif

#if SEMIRING == MIN_PLUS

static partial_t weigh_(value_t weight, value_t value)
{
    return weight + value;
}
static partial_t merge(partial_t left, partial_t right)
{
    return min(left, right);
}
static partial_t lift(value_t value)
{
    return value;
}

static value_t finish(partial_t partial, int *in_range)
{
    int unreachable = partial >= LIMIT * 4;
    *in_range &= unreachable | ((partial <= LIMIT) & (partial >= -LIMIT));
    return unreachable ? LIMIT * 8 : partial;
}

#elif SEMIRING == SUM_PRODUCT

static partial_t weigh_(value_t weight, value_t value)
{
    partial_t product = {(ulong)weight * (ulong)value, mul_hi(weight, value)};
    return product;
}

static partial_t merge(partial_t left, partial_t right)
{
    partial_t sum = {left.low + right.low, left.high + right.high};
    sum.high += sum.low < left.low;
    return sum;
}

static partial_t lift(value_t value)
{
    partial_t partial = {(ulong)value, value >> 63};
    return partial;
}

static value_t finish(partial_t partial, int *in_range)
{
    *in_range &= partial.high == (long)partial.low >> 63;
    return (value_t)partial.low;
}

#elif SEMIRING == MODULAR

static partial_t weigh_(value_t weight, value_t value)
{
    return (ulong)weight * value;
}
static partial_t lift(value_t value)
{
    return value;
}

static partial_t merge(partial_t left, partial_t right)
{
    ulong sum = left + right;
    return min(sum, sum - (ulong)MODULUS * MODULUS);
}

static value_t finish(partial_t partial, int *in_range)
{
    return (value_t)(partial % MODULUS);
}

#else

static partial_t lift(value_t value)
{
    return value;
}
static value_t finish(partial_t partial, int *in_range)
{
    return partial;
}

#if SEMIRING == OR_AND
static partial_t weigh_(value_t weight, value_t value)
{
    return weight & value;
}
static partial_t merge(partial_t left, partial_t right)
{
    return left | right;
}
#elif SEMIRING == MAX_MIN
static partial_t weigh_(value_t weight, value_t value)
{
    return min(weight, value);
}
static partial_t merge(partial_t left, partial_t right)
{
    return max(left, right);
}
#else
#ifdef WEIGHTED
static partial_t weigh_(value_t weight, value_t value)
{
    return weigh(weight, value);
}
#else
static partial_t weigh_(value_t weight, value_t value)
{
    return value;
}
#endif
static partial_t merge(partial_t left, partial_t right)
{
    return combine(left, right);
}
#endif

#endif

#define INSTANCE ((size_t)get_global_id(1))
#define TABLE (all + INSTANCE * length)
#define PLAN (plans + INSTANCE * plan_stride)

/* The common parameters of kernels, after the table and other outputs. */
#define SHARED \
    global const entry_t *plans, global const value_t *terms, global uint *out_of_range, \
        ulong length, ulong plan_stride, ulong term_stride, uint has_terms, uint operands, \
        ulong preset

/* The term of an element. */
static partial_t term_of(global const value_t *terms, ulong term_stride, ulong i, ulong preset)
{
    return lift(terms[INSTANCE * term_stride + i - preset]);
}

/* Records that an element is out of the semiring's range. */
static void note_range(int in_range, global uint *out_of_range)
{
    if (!in_range) {
        *out_of_range = 1;
    }
}

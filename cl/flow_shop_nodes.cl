/* Branch-and-bound nodes of the permutation flow shop, whatever the objective.
 *
 * A node has some jobs fixed at the front of the sequence and some at the back. Its record consists
 * of STATE_WORDS words with the state of the objective; a word with the numbers of jobs at the
 * front (low half) and at the back; the node's bound; the sequence, with the open jobs in the
 * middle in any order. It is padded to quads.
 *
 * The bounds of the children that fix a job at the front and at the back are a pair. Unless WIDE,
 * its halves are 16 bits of one word; the host guarantees that no sum needs more. */

#if WIDE
typedef uint value;
typedef uint2 pair;
typedef uint8 quad;
#define P0 s01
#define P1 s23
#define P2 s45
#define P3 s67
#define PAIR_WORDS 2
#define LOAD_QUAD vload8
#define STORE_QUAD vstore8
#else
typedef ushort value;
typedef uint pair;
typedef uint4 quad;
#define P0 s0
#define P1 s1
#define P2 s2
#define P3 s3
#define PAIR_WORDS 1
#define LOAD_QUAD vload4
#define STORE_QUAD vstore4
#endif

#if LONG_NUMBERS
typedef ushort job_number;
#else
typedef uchar job_number;
#endif

#define FIXED STATE_WORDS
#define BOUND (FIXED + 1)
#define SEQUENCE (FIXED + 2)

static pair make_pair(uint first, uint second)
{
#if WIDE
    return (uint2)(first, second);
#else
    return first | second << 16;
#endif
}

static uint first_of(pair both)
{
#if WIDE
    return both.x;
#else
    return both & 0xffff;
#endif
}

static uint second_of(pair both)
{
#if WIDE
    return both.y;
#else
    return both >> 16;
#endif
}

static uint fixed_at_front(local const uint *node)
{
    return node[FIXED] & 0xffff;
}

static uint open_jobs(local const uint *node, uint jobs)
{
    return jobs - (node[FIXED] & 0xffff) - (node[FIXED] >> 16);
}

static uint job_at(local const uint *node, uint position)
{
    return ((local const job_number *)(node + SEQUENCE))[position];
}

/* Copies the records of some nodes into a tile. Record and row sizes are in quads. */
static void load_tile(
    local quad *tile, uint stride, global const quad *records, uint size, uint nodes)
{
    for (uint i = get_local_id(0); i < nodes * size; i += get_local_size(0)) {
        uint node = i / size;
        tile[node * stride + i - node * size] = records[i];
    }
}

static local const uint *node_of(local const quad *tile, uint stride, uint node)
{
    return (local const uint *)(tile + node * stride);
}

/* The first parameters of the kernels that bound children: sizes of records and of all sequences,
 * and a tile of nodes in local memory with the number of children of each node and their bounds. */
#define TILE_PARAMETERS \
    uint size, uint jobs, uint tile_nodes, uint stride, local quad *tile, local uint *open, \
        local pair *near_bounds
#define TAKE_TILE \
    TAKE_PART(tile); \
    TAKE_PART(open); \
    TAKE_PART(near_bounds)

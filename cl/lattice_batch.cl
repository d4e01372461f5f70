/* Many small tables in one launch: a work-group fills one table in its local memory. The recurrence
 * and the slabs are those of lattice_dp.cl; here a vector fits into 32 bits and an index into 16.
 *
 * `tables` holds two words for each table: the start of its plan in `plans` and the start of its
 * result in `results`.
 *
 * A plan begins with PLAN_HEAD words: 1 + its last word, the number of dimensions, the last cell's
 * index, the guard bits, the packed vector of the last cell. Then come:
 * - for each dimension DIMENSION_WORDS words: stride, largest component, shift, mask, first and
 *   last + 1 word of its components, first and last + 1 word of its offsets;
 * - for each component COMPONENT_WORDS words: 2^32 / stride and 2^32 / size, both rounded up (0
 *   encodes 2^32), size, shift;
 * - for each offset OFFSET_WORDS words: packed vector; distance, with the cost in the upper half.
 *
 * A result: the last cell's value and the number of steps, RESULT_HEAD words, then the words of the
 * steps' offsets. */

#if CELL_BYTES == 1
typedef uchar cell_t;
#define UNREACHABLE ((cell_t)255)
#else
typedef ushort cell_t;
#define UNREACHABLE ((cell_t)65535)
#endif

static int fits(uint s, uint v, uint guards)
{
    return (((v | guards) - s) & guards) == guards;
}

/* a / b for values below 2^16. `inverse` is 2^32 / b rounded up; 0 encodes 2^32. */
static uint divide(uint a, uint inverse)
{
    return inverse == 0 ? a : mul_hi(a, inverse);
}

static cell_t through(local const cell_t *table, uint index, uint offset)
{
    return add_sat(table[index - (offset & 0xffff)], (cell_t)(offset >> 16));
}

kernel void lattice_batch(global const uint *plans,
    global const uint *tables,
    global ushort *results,
    local cell_t *table,
    local uint *plan GROUP_ARRAYS)
{
    TAKE_PART(table);
    TAKE_PART(plan);
    TAKE_PART(group_arrays);
    GROUP_ARRAY(uint, nearest, 1);
    uint lane = get_local_id(0);
    uint lanes = get_local_size(0);
    global const uint *own_plan = plans + tables[2 * get_group_id(0)];
    global ushort *result = results + tables[2 * get_group_id(0) + 1];
    uint words = own_plan[0];
    for (uint i = lane; i < words; i += lanes) {
        plan[i] = own_plan[i];
    }
    if (lane == 0) {
        table[0] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    uint guards = plan[3];
    for (uint d = plan[1]; d > 0; --d) {
        local const uint *dimension = plan + PLAN_HEAD + DIMENSION_WORDS * (d - 1);
        uint stride = dimension[0];
        for (uint own = 1; own <= dimension[1]; ++own) {
            for (uint cell = lane; cell < stride; cell += lanes) {
                uint packed = own << dimension[2];
                for (uint i = dimension[4]; i < dimension[5]; i += COMPONENT_WORDS) {
                    uint whole = divide(cell, plan[i]);
                    packed += (whole - divide(whole, plan[i + 1]) * plan[i + 2]) << plan[i + 3];
                }
                uint index = own * stride + cell;
                cell_t best = UNREACHABLE;
                for (uint i = dimension[6]; i < dimension[7]; i += OFFSET_WORDS) {
                    if (fits(plan[i], packed, guards)) {
                        best = min(best, through(table, index, plan[i + 1]));
                    }
                }
                table[index] = best;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }

    uint index = plan[2];
    uint packed = plan[4];
    cell_t value = table[index];
    uint steps = 0;
    if (lane == 0) {
        result[0] = value;
    }
    local const uint *dimension = plan + PLAN_HEAD;
    while (index != 0 && value != UNREACHABLE) {
        while ((packed & (dimension[3] << dimension[2])) == 0) {
            dimension += DIMENSION_WORDS;
        }
        if (lane == 0) {
            *nearest = UINT_MAX;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = dimension[6] + OFFSET_WORDS * lane; i < dimension[7];
            i += OFFSET_WORDS * lanes) {
            if (fits(plan[i], packed, guards) && through(table, index, plan[i + 1]) == value) {
                atomic_min(nearest, i);
                break;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint found = *nearest;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (found == UINT_MAX) {
            break;
        }
        index -= plan[found + 1] & 0xffff;
        packed -= plan[found];
        value -= (cell_t)(plan[found + 1] >> 16);
        if (lane == 0) {
            result[RESULT_HEAD + steps] = (ushort)found;
        }
        ++steps;
    }
    if (lane == 0) {
        result[1] = index == 0 || value == UNREACHABLE ? steps : 0xffff;
    }
}

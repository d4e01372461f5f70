/* Zuker's model of RNA folding, all cells of one length at a time.
 * src/interval_dp/folding/zuker/mod.rs has the recurrences.
 *
 * `paired` and `some` are squares of `points` times `points` cells. Cell (i, j) is in row i and
 * column j. `some` also has it in row j and column i, so that both parts of neighbouring splits lie
 * side by side. `several` has the cells of the last three lengths, by their first points.
 *
 * `numbers` has the kinds of pairs by both bases, KINDS of them, then the energies: stacks by both
 * kinds, hairpins, bulges and interior loops by their unpaired bases, a loop with several pairs,
 * each of its pairs, and each of its unpaired bases.
 *
 * LEFT_SIDES work-items share the right sides of an interior loop. */

#define STACKS (BASES * BASES)
#define HAIRPINS (STACKS + KINDS * KINDS)
#define BULGES (HAIRPINS + LARGEST_LOOP + 1)
#define INTERIORS (BULGES + LARGEST_LOOP + 1)
#define MULTI (INTERIORS + LARGEST_LOOP + 1)
#define BRANCH (MULTI + 1)
#define UNPAIRED (MULTI + 2)

/* One value for all that mean that there is no structure. */
static int known(int value)
{
    return value < NONE / 2 ? value : NONE;
}

/* The kind of the pair at the ends of cell (i, j); KINDS if they can't pair. */
static int kind_of(global const uchar *bases, global const int *numbers, uint i, uint j)
{
    return j < i + 2 + LEAST_HAIRPIN ? KINDS : numbers[bases[i] * BASES + bases[j - 1]];
}

/* The least value of the group's work-items, for the first one. */
static int least_of_group(int value, local int *values)
{
    uint item = get_local_id(0);
    values[item] = value;
    for (uint distance = get_local_size(0) / 2; distance > 0; distance /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < distance) {
            values[item] = min(values[item], values[item + distance]);
        }
    }
    return values[item];
}

/* This work-item's share of the stack, the bulges and the interior loops in cell (i, j). */
static int least_inside(global const int *paired,
    global const uchar *bases,
    global const int *numbers,
    uint points,
    uint i,
    uint j,
    int kind)
{
    int least = NONE;
    uint item = get_local_id(0), items = get_local_size(0);
    uint rights = max(items / LEFT_SIDES, 1u);
    for (uint left = item % LEFT_SIDES; left <= LARGEST_LOOP;
        left += min(items, (uint)LEFT_SIDES)) {
        for (uint right = item / LEFT_SIDES; right <= LARGEST_LOOP - left; right += rights) {
            uint k = i + 1 + left, unpaired = left + right;
            if (k + 2 + LEAST_HAIRPIN + right >= j) {
                break;
            }
            uint l = j - 1 - right;
            int energy = left == 0 || right == 0 ? numbers[BULGES + unpaired]
                                                 : numbers[INTERIORS + unpaired];
            if (unpaired == 0) {
                int inner = kind_of(bases, numbers, k, l);
                energy = inner == KINDS ? NONE : numbers[STACKS + kind * KINDS + inner];
            }
            least = min(least, paired[(ulong)k * points + l] + energy);
        }
    }
    return least;
}

/* Cells of `length` points from point `first` on, a group for each. The number of a group's
 * work-items is a power of two. */
kernel void interval_folding(global int *paired,
    global int *some,
    global int *several,
    global const uchar *bases,
    global const int *numbers,
    uint points,
    uint length,
    uint first,
    local int *values)
{
    TAKE_PART(values);
    uint i = first + (uint)get_group_id(0), j = i + length;
    global const int *row = some + (ulong)i * points, *column = some + (ulong)j * points;
    int split = NONE;
    for (uint k = i + 1 + (uint)get_local_id(0); k < j; k += (uint)get_local_size(0)) {
        split = min(split, row[k] + column[k]);
    }
    split = least_of_group(split, values);
    barrier(CLK_LOCAL_MEM_FENCE);
    int kind = kind_of(bases, numbers, i, j);
    int inside = NONE;
    if (kind != KINDS) {
        inside = least_inside(paired, bases, numbers, points, i, j, kind);
    }
    inside = least_of_group(inside, values);
    if (get_local_id(0) == 0) {
        int least = known(split);
        if (kind == KINDS) {
            inside = NONE;
        } else {
            int loop = several[(length - 2) % 3 * (ulong)points + i + 1];
            int hairpin = numbers[HAIRPINS + min(length - 2, (uint)LARGEST_LOOP)];
            inside = min(inside, min(hairpin, loop + numbers[MULTI] + numbers[BRANCH]));
        }
        inside = known(inside);
        int longer = min(row[points + j], row[j - 1]) + numbers[UNPAIRED];
        int value = known(min(least, min(inside + numbers[BRANCH], longer)));
        several[length % 3 * (ulong)points + i] = least;
        paired[(ulong)i * points + j] = inside;
        some[(ulong)i * points + j] = value;
        some[(ulong)j * points + i] = value;
    }
}

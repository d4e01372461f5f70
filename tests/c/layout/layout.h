/* Sizes and offsets of the structs that programs allocate are part of the ABI. The files of this
 * folder change only by additions. */
#ifndef LAYOUT_H
#define LAYOUT_H

#include <makespan.h>

#define SIZE(type, size) _Static_assert(sizeof(type) == (size), #type)
#define FIELD(type, field, offset) \
    _Static_assert(offsetof(type, field) == (offset), #type "." #field)

#endif

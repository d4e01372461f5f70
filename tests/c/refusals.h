/* Checks that a call is refused with an error about one of its own parameters. */
#ifndef REFUSALS_H
#define REFUSALS_H

#include "check.h"

/* The last error begins with one of these names. */
#define NAMES_ONE_OF(names) names_one_of(__FILE__, __LINE__, names)

#define REFUSES(call, names) \
    do { \
        check_status(__FILE__, __LINE__, (call), MKS_STATUS_INVALID_ARGUMENT, ""); \
        NAMES_ONE_OF(names); \
    } while (0)

static void names_one_of(const char *file, int line, const char *names)
{
    const char *text = mks_last_error();
    const size_t length = strcspn(text, ":[.");
    for (const char *at = names; at != NULL; at = strchr(at, ' ')) {
        at += *at == ' ';
        if (length > 0 && strncmp(at, text, length) == 0
            && (at[length] == ' ' || at[length] == '\0')) {
            return;
        }
    }
    fprintf(stderr, "%s:%d: '%s' names none of %s\n", file, line, text, names);
    exit(1);
}

#endif

/* The description of an animal: words and NAME=VALUE, separated by commas. */
#include "zoo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct animal animal;
char animal_name[256];

/* An option: a word, a number, or a text. `also` takes a second number after a colon. */
struct option {
    const char *name;
    bool *word;
    unsigned long *number;
    char *text;
};

static const struct option options[] = {
    {"gpu", &animal.gpu, NULL, NULL},
    {"no-local", &animal.no_local, NULL, NULL},
    {"no-doubles", &animal.no_doubles, NULL, NULL},
    {"no-atomics", &animal.no_atomics, NULL, NULL},
    {"no-build", &animal.no_build, NULL, NULL},
    {"local", NULL, &animal.local, NULL},
    {"group", NULL, &animal.group, NULL},
    {"kernel-group", NULL, &animal.kernel_group, NULL},
    {"allocation", NULL, &animal.allocation, NULL},
    {"memory", NULL, &animal.memory, NULL},
    {"wave", NULL, &animal.wave, NULL},
    {"units", NULL, &animal.units, NULL},
    {"slow", NULL, &animal.slow, NULL},
    {"fail", NULL, &animal.fail, NULL},
    {"exhaust", NULL, &animal.exhaust, NULL},
    {"lose", NULL, &animal.lose, NULL},
    {"fragile", NULL, &animal.fragile, NULL},
    {"hang", NULL, &animal.hang, NULL},
    {"hang-ms", NULL, &animal.hang_ms, NULL},
    {"broken", NULL, NULL, animal.broken_family},
    {"liar", NULL, NULL, animal.liar},
};

static bool read_number(const char *text, unsigned long *number)
{
    char *end;
    *number = strtoul(text, &end, 10);
    return *text != '\0' && *end == '\0' && *number > 0;
}

static bool read_option(const char *name, const char *value)
{
    for (size_t i = 0; i < sizeof options / sizeof *options; ++i) {
        const struct option *option = &options[i];
        if (strcmp(option->name, name) != 0) {
            continue;
        }
        if (option->word != NULL) {
            *option->word = true;
            return value == NULL;
        }
        if (value == NULL) {
            return false;
        }
        if (option->number != NULL) {
            return read_number(value, option->number);
        }
        snprintf(option->text, sizeof animal.liar, "%s", value);
        return true;
    }
    return false;
}

/* `liar=KERNEL:3` names an argument, too. */
static bool split_liar(void)
{
    char *colon = strchr(animal.liar, ':');
    animal.lied_about = -1;
    if (colon == NULL) {
        return true;
    }
    *colon = '\0';
    char *end;
    animal.lied_about = strtol(colon + 1, &end, 10);
    return colon[1] != '\0' && *end == '\0';
}

bool read_animal(const char *description)
{
    animal.hang_ms = 2000;
    snprintf(animal_name, sizeof animal_name, "Zoo: %s", description);
    char copy[sizeof animal_name];
    snprintf(copy, sizeof copy, "%s", description);
    char *rest;
    for (char *word = strtok_r(copy, ",", &rest); word != NULL; word = strtok_r(NULL, ",", &rest)) {
        char *value = strchr(word, '=');
        if (value != NULL) {
            *value++ = '\0';
        }
        if (!read_option(word, value)) {
            fprintf(stderr, "zoo: no animal has '%s%s%s'\n", word, value ? "=" : "",
                value ? value : "");
            return false;
        }
    }
    return split_liar();
}

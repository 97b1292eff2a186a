/* Values that may be absent, and lists with their length. Items belong to the arena that made
 * them. */
#ifndef ASSAY_BASE_OPTIONAL_H
#define ASSAY_BASE_OPTIONAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct optional_number {
    bool given;
    double value;
};

struct optional_integer {
    bool given;
    int64_t value;
};

struct optional_boolean {
    bool given;
    bool value;
};

struct number_list {
    size_t count;
    double *items;
};

struct integer_list {
    size_t count;
    int64_t *items;
};

struct boolean_list {
    size_t count;
    bool *items;
};

struct string_list {
    size_t count;
    const char **items;
};

/* A list of structs, `items` pointing at `count` of them one after the other. */
struct object_list {
    size_t count;
    void *items;
};

/* Declares the member `name`, a list of `type`: rows of schemas are checked against it. */
#define OBJECT_LIST(type, name)                                                                    \
    union {                                                                                        \
        struct object_list name;                                                                   \
        /* For its type only. NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration */         \
        type *name##_item;                                                                         \
    }

#define GIVEN_NUMBER(x) ((struct optional_number){.given = true, .value = (x)})
#define GIVEN_INTEGER(x) ((struct optional_integer){.given = true, .value = (x)})
#define GIVEN_BOOLEAN(x) ((struct optional_boolean){.given = true, .value = (x)})

#endif

/*
 * Settings of a service as one constant table: name, type, default, bounds, secret, one line of
 * help. The table loads the environment into a struct, checks it at start, prints itself for
 * --check-config, and is the source of docs/operate/configuration.md.
 */
#ifndef ASSAY_BASE_SETTINGS_H
#define ASSAY_BASE_SETTINGS_H

#include "base/error.h"
#include "base/optional.h"
#include "base/text.h"

/* The type of the member that a setting fills; strings and lists come from the arena given to
 * settings_load. */
enum setting_type {
    SETTING_TEXT,    /* const char *; NULL when unset or blank and the default is NULL */
    SETTING_INTEGER, /* int64_t */
    SETTING_NUMBER,  /* double */
    SETTING_BOOLEAN, /* bool: 1 true yes on / 0 false no off */
    SETTING_CHOICE,  /* int, the position in `choices` */
    SETTING_LIST,    /* struct string_list: comma list, trimmed, blanks dropped */
    SETTING__MAX
};

struct setting {
    const char *name;
    enum setting_type type;
    size_t offset;
    const char *fallback; /* as written in the environment; NULL = unset */
    double minimum;       /* value of a number; length of a text */
    double maximum;       /* the same; 0 = none */
    bool required;        /* a text must not be blank */
    bool may_be_blank;    /* a blank value stays blank, even with a fallback */
    bool secret;
    const char *const *choices; /* NULL-terminated; compared without case */
    const char *help;
};

/* Fills `values` from `lookup` (getenv when NULL). ERROR_INVALID with a text naming the variable,
 * `AB_PORT must be between 1 and 65535`, for the first one that is wrong. */
MUST_CHECK enum error settings_load(const struct setting *table, size_t count, void *values,
                                    struct arena *arena, const char *(*lookup)(const char *name),
                                    struct problem *problem);

/* ERROR_INVALID unless each origin that the setting lists is `*` or like https://host:port. Also
 * ERROR_INVALID when `*` is listed and the service is open to everybody: `open_by` says why it is
 * open, NULL = it is not. */
MUST_CHECK enum error settings_check_origins(const char *setting, const struct string_list *origins,
                                             const char *open_by, struct problem *problem);

/* A secret that `nginx/stack` made at the first start: file `name` of the state directory (NULL or
 * "" = none is kept). NULL when there is none. */
const char *settings_made_secret(struct arena *arena, const char *state_directory,
                                 const char *name);

/* One line per setting: name, value in force (secrets as ***), help. */
void settings_print(const struct setting *table, size_t count, const void *values,
                    struct text *out);

/* The table in Markdown, for docs/operate/configuration.md. */
void settings_document(const struct setting *table, size_t count, struct text *out);

#endif

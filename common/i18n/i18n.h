/*
 * Words in the reader's language: picks a locale from an Accept-Language header and formats
 * catalogue entries. Catalogues are locales/<tag>.json, nested objects of strings, addressed by dot
 * paths ("results.verdict.uplift"), with {{name}} placeholders. Read once per process, on first
 * use.
 */
#ifndef ASSAY_I18N_I18N_H
#define ASSAY_I18N_I18N_H

#include "base/arena.h"
#include "base/error.h"

enum language {
    LANGUAGE_EN,
    LANGUAGE_RU,
    LANGUAGE_DE,
    LANGUAGE_ES,
    LANGUAGE_FR,
    LANGUAGE_ZH,
    LANGUAGE_AR,
    LANGUAGE__MAX
};

extern const char *const language_tags[LANGUAGE__MAX];

/* The best supported language for an Accept-Language header (NULL or empty: en). Tags are tried by
 * falling quality, ties in the order written; a tag matches by its primary subtag; q=0 excludes;
 * an unreadable q counts as 1. */
enum language language_negotiate(const char *accept_language);

struct locale;

/* Tells where the catalogues are and loads English, so that a broken installation shows at start.
 * `directory` must stay valid. Called once per process. */
MUST_CHECK enum error locale_open_catalogues(const char *directory, struct problem *problem);
void locale_close_catalogues(void);

/* The catalogue of a language; English when its file cannot be read (which is logged once). Owned
 * by the module. */
const struct locale *locale_get(enum language language);
enum language locale_language(const struct locale *locale);

struct text_argument {
    const char *name;
    const char *value;
};

/* The entry with its placeholders filled in, from the arena. A missing key gives the key itself; an
 * unknown placeholder stays as it is. */
const char *locale_format(const struct locale *locale, struct arena *arena, const char *key,
                          const struct text_argument *arguments, size_t count);

/* locale_format(locale, arena, key, TEXT_ARGUMENTS({"alpha", "0.050"})) */
#define TEXT_ARGUMENTS(...)                                                                        \
    (const struct text_argument[]){__VA_ARGS__},                                                   \
        sizeof((const struct text_argument[]){__VA_ARGS__}) / sizeof(struct text_argument)
#define NO_TEXT_ARGUMENTS NULL, 0

#endif

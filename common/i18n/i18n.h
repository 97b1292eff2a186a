/*
 * Texts in the reader's language: picks a locale from an Accept-Language header and formats
 * catalog entries. The languages are those of the files locales/<tag>.json. A catalog holds
 * nested objects of strings, addressed by dot paths ("results.verdict.uplift"), with {{name}}
 * placeholders; "language" has its name and direction. "pages" has the texts of the browser UI,
 * which are not read here. A catalog is read once per process, on first use.
 */
#ifndef ASSAY_I18N_I18N_H
#define ASSAY_I18N_I18N_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>

/* A position in the list of languages: English first, the others by their tags. */
enum language { LANGUAGE_NONE = -1, LANGUAGE_EN = 0, LANGUAGES_MAX = 64 };

/* The number of languages after the catalogs are open; before that English alone. */
int language_count(void);
const char *language_tag(enum language language);
/* LANGUAGE_NONE when there is no catalog of that tag. */
enum language language_find(const char *tag);

/* The best supported language for an Accept-Language header (NULL or empty: en). Tags are tried by
 * falling quality, ties in the order written; a tag matches by its primary subtag; q=0 excludes;
 * an unreadable q counts as 1. */
enum language language_negotiate(const char *accept_language);

struct locale;

/* Lists the catalogs of `directory` and loads English, so that a broken installation shows at
 * start. `directory` must stay valid. Called once per process. */
MUST_CHECK enum error locale_open_catalogues(const char *directory, struct problem *problem);
void locale_close_catalogues(void);

/* The catalog of a language; English for LANGUAGE_NONE and when its file cannot be read (which is
 * logged once). The module owns it. */
const struct locale *locale_get(enum language language);
enum language locale_language(const struct locale *locale);
/* Whether the language is written from right to left. */
bool locale_is_right_to_left(const struct locale *locale);

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

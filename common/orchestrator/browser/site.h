/*
 * Definition of the web provider's pages: the selectors, markers and noise words of
 * `web-provider.json`, the script that reads pages with them, and the rules for the texts it
 * returns.
 */
#ifndef ASSAY_ORCHESTRATOR_BROWSER_SITE_H
#define ASSAY_ORCHESTRATOR_BROWSER_SITE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/optional.h"

#include <stdbool.h>

struct site {
    const char *script; /* a function of (site, question) */
    const char *json;   /* all words, for the script */
    /* The words used in C. */
    struct string_list known_labels, noise_lines, noise_prefixes, blocked_labels;
    const char *thinking;
};

/* Reads both files of a folder. Errors name the file and the invalid word. */
MUST_CHECK enum error site_load(struct arena *arena, const char *directory, struct site *site,
                                struct problem *problem);

/* Extracts the answer from a page's text: the text after the prompt, without lines of the
 * surrounding page. "" when nothing is left. */
const char *site_clean(struct arena *arena, const struct site *site, const char *text,
                       const char *prompt);

/* The text after the last occurrence of the prompt, NULL when there is none. */
const char *site_behind(const char *text, const char *prompt);

bool site_is_noise(const struct site *site, const char *line);

/* Whether a line of the menu is the name of a model: short, few words, none of them blocked, and
 * each word has a digit, is in upper case or is a known size name. */
bool site_is_label(const struct site *site, const char *line);

#endif

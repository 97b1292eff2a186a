/*
 * What is known of the web provider's pages: the selectors, markers and noise words of
 * `web-provider.json`, the script that reads pages with them, and the rules for the texts it
 * brings.
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
    /* Those that are needed here. */
    struct string_list known_labels, noise_lines, noise_prefixes, blocked_labels;
    const char *thinking;
};

/* Reads both files of a folder. Errors name the file and the word that is wrong. */
MUST_CHECK enum error site_load(struct arena *arena, const char *directory, struct site *site,
                                struct problem *problem);

/* The answer in a text of the page: what stands behind the prompt, without the lines that belong to
 * the shell around it. "" when nothing is left. */
const char *site_clean(struct arena *arena, const struct site *site, const char *text,
                       const char *prompt);

/* What stands behind the last place of the prompt, NULL when it is not there. */
const char *site_behind(const char *text, const char *prompt);

bool site_is_noise(const struct site *site, const char *line);

/* Whether a line of the menu is the name of a model: short, a few words, none of the blocked ones,
 * each word with a digit, in upper case or of those that sizes are called by. */
bool site_is_label(const struct site *site, const char *line);

#endif

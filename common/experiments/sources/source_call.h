/* Asks live data over HTTP. Does not depend on the database. */
#ifndef ASSAY_EXPERIMENTS_SOURCES_SOURCE_CALL_H
#define ASSAY_EXPERIMENTS_SOURCES_SOURCE_CALL_H

#include "base/arena.h"
#include "base/json.h"
#include "experiments/sources/source_settings.h"

/* What live data answered to a GET of `path`, which begins with a slash. `words` are of live data,
 * where it refuses; else NULL. ERROR_UNAVAILABLE `livedata_unavailable`; ERROR_INVALID
 * `position_unknown`, or `livedata_refused` for anything else that it does not answer; `about` is
 * what was asked for, for the text of the error. */
MUST_CHECK enum error source_call(const struct source_settings *settings, struct arena *arena,
                                  const char *path, const char *about, json_t **document,
                                  const char **words, struct problem *problem);

/* Names of live data are words of its own files; anything else finds nothing, and stands in no
 * address. */
bool source_is_word(const char *text);

#endif

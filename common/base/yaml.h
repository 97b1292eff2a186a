/*
 * Configuration files in YAML (or JSON, which is part of it), read as JSON values: maps, lists and
 * scalars. Anchors, tags and several documents are refused. Plain scalars are null, booleans and
 * JSON's numbers; all other scalars, and quoted ones, are text.
 */
#ifndef ASSAY_BASE_YAML_H
#define ASSAY_BASE_YAML_H

#include "base/json.h"

/* ERROR_NOT_FOUND when there is no such file, ERROR_MALFORMED naming the file and the line,
 * ERROR_SYSTEM when it cannot be read. An empty document is null. Memory from `arena`. */
MUST_CHECK enum error yaml_read_file(struct arena *arena, const char *path, json_t **document,
                                     struct problem *problem);

/* The same for bytes. `name` replaces the path in problems. */
MUST_CHECK enum error yaml_read(struct arena *arena, const char *name, const char *bytes,
                                size_t length, json_t **document, struct problem *problem);

#endif

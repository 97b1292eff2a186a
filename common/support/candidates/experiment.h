/*
 * Experiments: named changes of settings and prompts, each a YAML file below DATA_DIR. A draft is
 * staged (`running`), deployed, and finally `completed` or `archived`.
 */
#ifndef ASSAY_SUPPORT_CANDIDATES_EXPERIMENT_H
#define ASSAY_SUPPORT_CANDIDATES_EXPERIMENT_H

#include "base/json.h"
#include "support/candidates/overlay.h"

extern const char experiment_folder[], experiment_override_path[], experiment_deployed_path[];

enum { EXPERIMENT_NAME_MAX = 200, EXPERIMENT_ID_MAX = 128 };

struct experiment {
    const char *id, *name, *created_at, *created_by, *description;
    const json_t *prompts, *settings; /* maps; NULL = none */
    const char *parent;               /* NULL = none */
    const char *status;
    struct string_list tags;
};

/* `2026-04-22-warmer-words`: a date and words of lower-case letters and digits. */
bool experiment_is_id(const char *text);

/* ERROR_NOT_FOUND experiment_not_found, also for an invalid id; ERROR_INVALID or ERROR_MALFORMED
 * with the error in the file. */
MUST_CHECK enum error experiment_read(struct arena *arena, const struct support_settings *settings,
                                      const char *id, struct experiment *experiment,
                                      struct problem *problem);

MUST_CHECK enum error experiment_write(struct arena *arena, const struct support_settings *settings,
                                       const struct experiment *experiment,
                                       struct problem *problem);

struct experiment_invalid {
    const char *file, *error;
};
/* Sorted by file name: struct experiment, and struct experiment_invalid. */
MUST_CHECK enum error experiment_list(struct arena *arena, const struct support_settings *settings,
                                      struct object_list *experiments, struct object_list *invalid,
                                      struct problem *problem);

struct experiment_request {
    const char *name, *from, *description, *created_by; /* from: `current` or an id */
    const json_t *prompts, *settings;                   /* changes added to the base; NULL = none */
    bool bare; /* from current: without copying the values in force */
};
/* ERROR_INVALID experiment_name, overlay_invalid; ERROR_CONFLICT experiment_exists;
 * ERROR_NOT_FOUND experiment_not_found. */
MUST_CHECK enum error experiment_new(struct arena *arena, const struct support_settings *settings,
                                     const struct experiment_request *request,
                                     struct experiment *experiment, struct problem *problem);

/* The staged experiment; NULL = none. */
const char *experiment_active(struct arena *arena, const struct support_settings *settings);

/* YAML of nested maps with strings, numbers and booleans. */
void experiment_yaml_map(struct text *out, const char *key, const json_t *map);
void experiment_yaml_text(struct text *out, const char *key, const char *value);

const char *experiment_path(struct arena *arena, const struct support_settings *settings,
                            const char *id);

#endif

/* Templates in the database: presets, and designs that users save for reuse. */
#ifndef ASSAY_EXPERIMENTS_TEMPLATES_TEMPLATE_STORE_H
#define ASSAY_EXPERIMENTS_TEMPLATES_TEMPLATE_STORE_H

#include "experiments/projects/project_store.h"

struct template
{
    const char *id; /* a UUID; for presets the preset's own name */
    const char *name;
    const char *category;
    const char *description;
    bool built_in;
    const char *document; /* JSON text of payload_schema */
    struct string_list tags;
    int64_t usage_count;
};
SCHEMA_OF(template_schema, struct template);

/* A template to store. */
struct new_template {
    const char *name;
    const char *category;
    const char *description;
    struct string_list tags;
    const struct experiment_payload *payload;
};

/*
 * Errors, besides those of the database: ERROR_NOT_FOUND with `not_found`, ERROR_FORBIDDEN with
 * `template_delete_forbidden` for a preset, ERROR_CONFLICT with `template_limit_reached` when there
 * are `most` already.
 */

/* A page, presets first, then by number of uses; `page->items` are struct template. */
MUST_CHECK enum error template_list(const struct project_call *call, struct project_page *page);
MUST_CHECK enum error template_read(const struct project_call *call, const char *id,
                                    struct template *template);
MUST_CHECK enum error template_create(const struct project_call *call,
                                      const struct new_template *new, int64_t most,
                                      struct template *template);
/* Counts one more use. */
MUST_CHECK enum error template_use(const struct project_call *call, const char *id,
                                   struct template *template);
MUST_CHECK enum error template_delete(const struct project_call *call, const char *id);

/* Takes a metric that leaves the catalog out of the designs that name it; inside the transaction
 * that deletes the metric. */
MUST_CHECK enum error template_forget_metric(const struct project_call *call,
                                             const char *metric_id);

/* Writes the presets of this version of the program; keeps their use counts. */
MUST_CHECK enum error template_store_presets(struct db *db, struct problem *problem);

#endif

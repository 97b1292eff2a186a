/* Prompt templates: numbered versions of a list of messages, of which one is in production. */
#ifndef ASSAY_ORCHESTRATOR_STORAGE_PROMPT_TEMPLATE_STORE_H
#define ASSAY_ORCHESTRATOR_STORAGE_PROMPT_TEMPLATE_STORE_H

#include "base/schema.h"
#include "db/db.h"

enum { TEMPLATE_NAME_MAX = 100, TEMPLATE_VERSIONS_MAX = 1000 };

/* A row of orch_templates. */
struct prompt_template {
    const char *name;
    int64_t version;      /* from 1 */
    const char *messages; /* a JSON array of objects with role and content */
    bool production;
    int64_t created_at;     /* microseconds since 1970 */
    const char *created_by; /* NULL = unknown */
};
SCHEMA_OF(prompt_template_schema, struct prompt_template);

struct prompt_template_call {
    struct db *db;
    struct arena *arena;
    struct problem *problem;
};

/* Adds the next version of a name and sets its number. The first one is in production, later ones
 * when `production` is set. ERROR_CONFLICT when two are added at once. */
MUST_CHECK enum error prompt_template_add(const struct prompt_template_call *call,
                                          struct prompt_template *template);

/* A version, or the one in production (0). ERROR_NOT_FOUND template_not_found. */
MUST_CHECK enum error prompt_template_read(const struct prompt_template_call *call,
                                           const char *name, int64_t version,
                                           struct prompt_template *template);

/* Puts a version into production instead of another. ERROR_NOT_FOUND template_not_found. */
MUST_CHECK enum error prompt_template_promote(const struct prompt_template_call *call,
                                              const char *name, int64_t version);

/* Deletes all versions. ERROR_NOT_FOUND template_not_found. */
MUST_CHECK enum error prompt_template_delete(const struct prompt_template_call *call,
                                             const char *name);

/* All versions, by name, the newest first: struct prompt_template. */
MUST_CHECK enum error prompt_template_list(const struct prompt_template_call *call,
                                           struct object_list *list);

#endif

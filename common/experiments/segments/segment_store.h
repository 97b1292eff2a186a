/*
 * Segments in the database: definitions with their versions, lists of users, and the projects whose
 * designs name a segment. Every change writes its audit entry in the same transaction.
 */
#ifndef ASSAY_EXPERIMENTS_SEGMENTS_SEGMENT_STORE_H
#define ASSAY_EXPERIMENTS_SEGMENTS_SEGMENT_STORE_H

#include "experiments/projects/project_store.h"
#include "experiments/segments/segment.h"

struct segment {
    const char *id;
    int64_t number;  /* in the database */
    int64_t version; /* of rules and list */
    const struct segment_definition *definition;
    int64_t user_count; /* of the list */
    int64_t use_count;  /* projects, archived ones included */
    const char *created_at;
    const char *updated_at;
};
SCHEMA_OF(segment_schema, struct segment);

struct segment_use {
    const char *project_id;
    const char *project_name;
    bool is_archived;
};
SCHEMA_OF(segment_use_schema, struct segment_use);

enum { SEGMENT_USES_MAX = 500 };

/*
 * Errors, besides those of the database: ERROR_NOT_FOUND with `not_found`; ERROR_CONFLICT with
 * `segment_name_taken`, `segment_limit_reached`, `segment_changed` where `if_match` (NULL = any)
 * does not name the current version, `segment_in_use` where a project names the segment that is to
 * be deleted or to get another name.
 */

/* A page by name; `page->items` are struct segment. `text`: part of the name, NULL = all. */
MUST_CHECK enum error segment_list(const struct project_call *call, const char *text,
                                   struct project_page *page);
MUST_CHECK enum error segment_read(const struct project_call *call, const char *id,
                                   struct segment *segment);
/* By name of the project, at most SEGMENT_USES_MAX; `uses` are struct segment_use. */
MUST_CHECK enum error segment_uses(const struct project_call *call, const struct segment *segment,
                                   struct object_list *uses);
MUST_CHECK enum error segment_create(const struct project_call *call,
                                     const struct segment_definition *definition, int64_t most,
                                     struct segment *segment);
/* The same definition makes no version. */
MUST_CHECK enum error segment_update(const struct project_call *call, const char *id,
                                     const char *if_match,
                                     const struct segment_definition *definition,
                                     struct segment *segment);
MUST_CHECK enum error segment_delete(const struct project_call *call, const char *id,
                                     const char *if_match);

enum segment_change { SEGMENT_ADD, SEGMENT_REMOVE, SEGMENT_REPLACE, SEGMENT_CHANGE__MAX };
extern const char *const segment_change_names[SEGMENT_CHANGE__MAX];

/* Users that are added, are removed, or replace the list. */
struct segment_upload {
    int change; /* enum segment_change */
    struct segment_lines lines;
    int64_t users_max; /* of a list */
    const char *if_match;
    int64_t lines_read;   /* out: with a user */
    int64_t users_before; /* out */
};

/* Changes the list as a whole or not at all. ERROR_INVALID `segment_line` names the line that is
 * wrong, `segment_too_large` says that there would be more than `users_max` users. */
MUST_CHECK enum error segment_change_users(const struct project_call *call, const char *id,
                                           struct segment_upload *upload, struct segment *segment);

/* A page of the list by bytewise order: the users after `after` (NULL = from the beginning). */
MUST_CHECK enum error segment_users(const struct project_call *call, const struct segment *segment,
                                    const char *after, int64_t limit, struct string_list *users);

#endif

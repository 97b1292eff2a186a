/*
 * The slug of a project: the key of its feature flag, made of the project's name. Unique among all
 * projects.
 */
#ifndef ASSAY_EXPERIMENTS_PROJECTS_PROJECT_SLUG_H
#define ASSAY_EXPERIMENTS_PROJECTS_PROJECT_SLUG_H

#include "base/arena.h"
#include "db/db.h"

enum { SLUG_MAX = 100 /* bytes, all of them ASCII */ };

/* Whether `text` is a slug: letters, digits, `.`, `_` and `-` of ASCII, the first a letter or a
 * digit. */
bool slug_is_valid(const char *text);

/* The letters and digits of ASCII of a name, in lower case and joined by `-`: "checkout-button".
 * "project" when the name has none of them. */
const char *slug_of_name(struct arena *arena, const char *name);

/* Gives a new project a slug, in the transaction that adds the project. A slug that another project
 * has gets the beginning of the project's id as its end. */
MUST_CHECK enum error project_add_slug(struct db *db, struct arena *arena, const char *id,
                                       const char *name, struct problem *problem);

/* Gives every project without a slug one, in batches of a transaction each. */
MUST_CHECK enum error project_slugs_missing(struct db *db, struct problem *problem);

#endif

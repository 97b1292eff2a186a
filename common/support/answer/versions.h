/*
 * Versions of one document: documents with the same name but for a version, a year or a date. The
 * newest is quoted, the one before it is named. Other numbers belong to the name: "order 17" and
 * "order 18" are two things.
 */
#ifndef ASSAY_SUPPORT_ANSWER_VERSIONS_H
#define ASSAY_SUPPORT_ANSWER_VERSIONS_H

#include "support/answer/select.h"

/* Replaces passages of older versions by those of the newest among the chunks, unless the question
 * names the older one. Returns the chunk of the older version that says something else; NULL when
 * there is none. */
const struct found_chunk *versions_settle(const struct question *question, struct arena *arena,
                                          const struct found_chunk *chunks, size_t count,
                                          struct selection *selection);

/* > 0 when `a` is the newer version, < 0 when `b` is, 0 when they are no two versions of one. */
int versions_compare(struct arena *arena, const struct knowledge_chunk *a,
                     const struct knowledge_chunk *b);

#endif

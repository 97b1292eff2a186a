/*
 * Gaps of the knowledge base: topics of unanswered questions, and drafts of documents that would
 * answer them.
 */
#ifndef ASSAY_SUPPORT_DOCUMENTS_DRAFT_STORE_H
#define ASSAY_SUPPORT_DOCUMENTS_DRAFT_STORE_H

#include "support/documents/ingest.h"

enum { DRAFTS_MOST = 500 };

struct gap_row {
    int64_t id;
    const char *tenant_id, *cluster_id, *topic_summary,
        *sample_questions; /* the last one is JSON */
    int64_t question_count;
    const char *created_at, *resolved_at;
};
/* Newest first: struct gap_row. */
MUST_CHECK enum error gap_list(const struct document_call *call, struct object_list *rows);

struct draft_row {
    const char *id, *tenant_id, *topic, *draft_content, *source_ticket_ids, *status, *created_at,
        *reviewed_at;
};
/* Newest first; `status` NULL = all: struct draft_row. */
MUST_CHECK enum error draft_list(const struct document_call *call, const char *status,
                                 struct object_list *rows);

/* ERROR_NOT_FOUND `draft_not_found`; ERROR_CONFLICT `draft_immutable` when it is not pending. */
MUST_CHECK enum error draft_edit(const struct document_call *call, const char *id,
                                 const char *content);
MUST_CHECK enum error draft_reject(const struct document_call *call, const char *id);
/* Ingests it as `kb-builder/<id>`; ERROR_UNAVAILABLE `draft_not_indexed` when that fails: the draft
 * stays pending. */
MUST_CHECK enum error draft_publish(const struct document_call *call,
                                    const struct support_settings *settings, const char *id);

/* Adds a draft; returns its id in `id`. */
MUST_CHECK enum error draft_add(const struct document_call *call, const char *topic,
                                const char *content, const char *ticket_ids, const char **id);

#endif

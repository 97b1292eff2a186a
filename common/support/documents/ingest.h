/*
 * Ingests a file: extracts the text, splits it into chunks, writes a search segment, and replaces
 * the previous version in one transaction. If the process dies, the previous version stays intact;
 * ingesting the file again completes the work.
 */
#ifndef ASSAY_SUPPORT_DOCUMENTS_INGEST_H
#define ASSAY_SUPPORT_DOCUMENTS_INGEST_H

#include "documents/reader.h"
#include "llm/embed.h"
#include "search/search.h"
#include "support/blobs/blobs.h"
#include "support/documents/document_store.h"
#include "support/settings.h"

struct models;

enum {
    INGEST_SEGMENTS_FEW = 10 /* number of segments from which a tenant's small ones are merged */
};

struct ingest_request {
    const char *path;   /* path of the stored file; NULL when `text` is given */
    const char *text;   /* text to ingest instead of a file */
    const char *doc_id; /* name of the document */
    const char *title;  /* NULL = as before; of a new one the doc_id */
    const char *source; /* address of the page it was taken from; NULL = as title */
    bool auto_generated;
    bool again;            /* ingests even if nothing has changed */
    struct models *models; /* models that write contexts if the settings enable it; NULL = none */
    void (*progress)(void *context, const char *step, size_t count); /* may be NULL */
    void *context;
};

struct ingest_result {
    int64_t version;
    int64_t chunks;
    int64_t documents; /* pages or rows with text */
    bool deduplicated; /* the text is unchanged: nothing was written */
    bool replaced;     /* a previous version existed */
    const char *categories;
    const char *unread; /* a sentence about pages that were not read; "" when there are none */
};

/* ERROR_CONFLICT `document_changed` when another process ingested the same document meanwhile;
 * errors of the extraction, the index and the database. After an error nothing has changed. */
MUST_CHECK enum error ingest_document(const struct document_call *call,
                                      const struct support_settings *settings,
                                      const struct ingest_request *request,
                                      struct ingest_result *result);

/* Merges small segments of the tenant while it has INGEST_SEGMENTS_FEW or more, at most `most`
 * times (0 = until it has fewer, or the remaining ones are too large). Only one process per host
 * merges a tenant at a time; in others the call does nothing and succeeds. ERROR_NOT_FOUND
 * `segment_damaged` when a segment cannot be read. */
MUST_CHECK enum error ingest_merge(const struct document_call *call,
                                   const struct support_settings *settings, int most);

/* Fetches a missing segment that another host has shared; otherwise rebuilds it from the database
 * and replaces it. */
MUST_CHECK enum error ingest_rebuild(const struct document_call *call,
                                     const struct support_settings *settings,
                                     const struct segment_row *lost);

/* The model that vectors are made with now: the endpoint's, or the one that the embedder answers
 * with. NULL when there is none, or the embedder does not answer. */
const char *ingest_vector_model(struct arena *arena, const struct support_settings *settings);

/* Makes missing vectors of that model for one document, or copies those of a segment's documents
 * from the database into it, for a few seconds at most. Does nothing without a model. `*worked`:
 * something lacked vectors. ERROR_UNAVAILABLE when there are none: retry later. */
MUST_CHECK enum error ingest_vectors(struct db *db, struct arena *arena,
                                     const struct support_settings *settings, bool *worked,
                                     struct problem *problem);

/* The endpoint of the settings, with a timeout of that many seconds per call. */
struct llm_endpoint ingest_embed_endpoint(const struct support_settings *settings, double seconds);

/* Deletes files of the tenant's index folder that no row refers to and that are older than
 * `seconds`. */
void ingest_sweep(const struct document_call *call, const struct support_settings *settings,
                  int64_t seconds);

/* Deletes texts of scanned pages that have been kept for a day: their document was not stored. */
void ingest_forget_old_scans(struct arena *arena, const struct support_settings *settings);

/* Stores a new segment where other hosts find it; does nothing where files are not shared. */
MUST_CHECK enum error ingest_share_segment(const struct document_call *call,
                                           const struct support_settings *settings,
                                           const char *name);

/* A new path, in a folder for files that are deleted after use. */
const char *ingest_passing_path(struct arena *arena, const struct support_settings *settings);

/* Deletes files there that a process has left behind for a day. */
void ingest_forget_passing(struct arena *arena, const struct support_settings *settings);

/* The arguments for functions of support/blobs. */
struct blob_call ingest_blob_call(const struct document_call *call,
                                  const struct support_settings *settings);

/* A unique name for a segment, never reused. */
const char *ingest_segment_name(struct arena *arena);

/* The indexes of a row's tombstoned documents, in the index's format. */
struct search_segment ingest_as_segment(struct arena *arena, const struct segment_row *row);

/* `<data>/index/<tenant>`, created when missing; `<data>/uploads` or `<data>/uploads/<tenant>`. */
const char *ingest_index_folder(struct arena *arena, const struct support_settings *settings,
                                const char *tenant);
const char *ingest_upload_folder(struct arena *arena, const struct support_settings *settings,
                                 const char *tenant);

#endif

/*
 * Ingests a file: extracts the text, cuts chunks, writes a search segment, and replaces the
 * previous version in one transaction. A process that dies leaves the previous version intact;
 * ingesting the file again repairs everything.
 */
#ifndef ASSAY_SUPPORT_DOCUMENTS_INGEST_H
#define ASSAY_SUPPORT_DOCUMENTS_INGEST_H

#include "documents/reader.h"
#include "llm/embed.h"
#include "search/search.h"
#include "support/documents/document_store.h"
#include "support/settings.h"

struct models;

enum { INGEST_SEGMENTS_FEW = 10 /* from so many on, small segments of a tenant are merged */ };

struct ingest_request {
    const char *path;   /* of the stored file; NULL when `text` is given */
    const char *text;   /* what to ingest instead of a file */
    const char *doc_id; /* its name */
    const char *title;  /* NULL = the doc_id */
    bool auto_generated;
    bool again;            /* even if nothing has changed */
    struct models *models; /* that write contexts where the settings want them; NULL = none do */
    void (*progress)(void *context, const char *step, size_t count); /* may be NULL */
    void *context;
};

struct ingest_result {
    int64_t version;
    int64_t chunks;
    int64_t documents; /* pages or rows with text */
    bool deduplicated; /* the same text as before: nothing was done */
    bool replaced;     /* there was another version */
    const char *categories;
};

/* ERROR_CONFLICT `document_changed` when somebody else ingested the same document meanwhile; errors
 * of the reader, the index and the database. Nothing is half done after any of them. */
MUST_CHECK enum error ingest_document(const struct document_call *call,
                                      const struct support_settings *settings,
                                      const struct ingest_request *request,
                                      struct ingest_result *result);

/* Merges small segments of the tenant while it has INGEST_SEGMENTS_FEW or more, at most `most`
 * times (0 = until it has fewer, or those that are left are too large). One process of a host
 * merges a tenant at a time: while another one does, nothing is done, and that is no error.
 * ERROR_NOT_FOUND `segment_damaged` when one of them cannot be read. */
MUST_CHECK enum error ingest_merge(const struct document_call *call,
                                   const struct support_settings *settings, int most);

/* Builds a lost or damaged segment again from the database and puts it in the old one's place. */
MUST_CHECK enum error ingest_rebuild(const struct document_call *call,
                                     const struct support_settings *settings,
                                     const struct segment_row *lost);

/* Gives one segment that lacks them vectors of the configured embedding model, for some seconds at
 * most; none when searching is by words alone. `*worked`: there was something to do.
 * ERROR_UNAVAILABLE when the endpoint does not give them: then it is to be tried again later. */
MUST_CHECK enum error ingest_vectors(struct db *db, struct arena *arena,
                                     const struct support_settings *settings, bool *worked,
                                     struct problem *problem);

/* The endpoint of the settings, for a call of at most so many seconds. */
struct llm_endpoint ingest_embed_endpoint(const struct support_settings *settings, double seconds);

/* Removes files of the tenant's index folder that no row names and that are older than
 * `seconds`. */
void ingest_sweep(const struct document_call *call, const struct support_settings *settings,
                  int64_t seconds);

/* A name for a segment, never used twice. */
const char *ingest_segment_name(struct arena *arena);

/* The places of dead documents of a row, as the index takes them. */
struct search_segment ingest_as_segment(struct arena *arena, const struct segment_row *row);

/* `<data>/index/<tenant>`, made when it is missing; `<data>/uploads` or `<data>/uploads/<tenant>`.
 */
const char *ingest_index_folder(struct arena *arena, const struct support_settings *settings,
                                const char *tenant);
const char *ingest_upload_folder(struct arena *arena, const struct support_settings *settings,
                                 const char *tenant);

#endif

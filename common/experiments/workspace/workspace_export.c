/* Exports a bundle: the canonical form, but with characters unescaped, and its hash at the end. */
#include "experiments/projects/project_rows.h"
#include "experiments/workspace/workspace_store.h"

#include <string.h>

#define ORDER " ORDER BY created_at, id"

static const struct statement streams[BUNDLE_LIST__MAX] = {
    [BUNDLE_RUNS] = {.name = "workspace_runs",
                     .sql = "SELECT id, created_at, project_id, analysis_json AS analysis"
                            " FROM analysis_runs" ORDER,
                     .streams = true},
    [BUNDLE_METRIC_VERSIONS] = {.name = "workspace_metric_versions",
                                .sql = "SELECT metric_id, version, definition, actor, created_at"
                                       " FROM catalog_metric_versions ORDER BY metric_id, version",
                                .streams = true},
    [BUNDLE_METRICS] = {.name = "workspace_metrics",
                        .sql = "SELECT id, version, created_at, updated_at"
                               " FROM catalog_metrics" ORDER,
                        .streams = true},
    [BUNDLE_FLAGS] = {.name = "workspace_flags",
                      .sql = "SELECT experiment_id AS project_id, slug AS key, enabled, settings,"
                             " updated_at FROM flags ORDER BY experiment_id",
                      .streams = true},
    [BUNDLE_EVENTS] = {.name = "workspace_events",
                       .sql = "SELECT id, created_at, project_id, analysis_run_id, format"
                              " FROM export_events" ORDER,
                       .streams = true},
    [BUNDLE_REVISIONS] = {.name = "workspace_revisions",
                          .sql =
                              "SELECT id, created_at, project_id, source, payload_json AS payload"
                              " FROM project_revisions" ORDER,
                          .streams = true},
    [BUNDLE_PROJECTS] = {.name = "workspace_projects",
                         .sql = "SELECT id, created_at, updated_at, project_name,"
                                " payload_schema_version, archived_at, last_analysis_at,"
                                " last_analysis_run_id, last_exported_at, payload_json AS payload"
                                " FROM projects" ORDER,
                         .streams = true},
};

/* A bundle on its way out. */
struct way_out {
    struct bundle_call *call;
    struct digest_stream *digest;
    workspace_sink *sink;
    void *context;
    bool refused;
};

static void put(struct way_out *out, const char *bytes, size_t length)
{
    digest_stream_add(out->digest, bytes, length);
    out->refused = out->refused || !out->sink(bytes, length, out->context);
}

static void put_text(struct way_out *out, const char *text)
{
    put(out, text, strlen(text));
}

static enum error put_list(struct db *db, struct way_out *out, enum bundle_list list,
                           int64_t *count)
{
    struct bundle_call *call = out->call;
    struct query *query = db_query(db, &streams[list]);
    union bundle_any record;

    *count = 0;
    while (!out->refused && query_next(query)) {
        struct text plain, text;

        memset(&record, 0, sizeof record);
        query_read(query, bundle_schemas[list], &record, call->piece);
        text = bundle_canonical(call->piece, list, &record, &plain);
        put(out, ",", *count > 0);
        digest_stream_add(out->digest, text.bytes, text.length);
        out->refused = out->refused || !out->sink(plain.bytes, plain.length, out->context);
        ++*count;
        arena_reset(call->piece);
        bundle_report_progress(call, bundle_list_names[list], *count, 0);
    }
    return query_end(query, call->problem);
}

static enum error put_lists(struct db *db, struct way_out *out, const char *generated_at,
                            struct bundle_counts *counts)
{
    struct arena *arena = out->call->arena;
    enum error error = ERROR_NONE;

    for (int list = 0; !error && list < BUNDLE_LIST__MAX; list++) {
        if (list == BUNDLE_REVISIONS)
            put_text(out, arena_print(arena, ",\"generated_at\":\"%s\"", generated_at));
        put_text(out,
                 arena_print(arena, "%s\"%s\":[", list == 0 ? "{" : ",", bundle_list_names[list]));
        error =
            put_list(db, out, (enum bundle_list)list, bundle_count(counts, (enum bundle_list)list));
        put_text(out, "]");
    }
    put_text(out, arena_print(arena, ",\"schema_version\":%d", BUNDLE_SCHEMA_VERSION));
    return error;
}

/* Behind the canonical form, whose closing bracket is hashed and comes after this. */
static void put_integrity(struct way_out *out, const struct bundle_counts *counts)
{
    char checksum[DIGEST_SHA256_TEXT], signature[DIGEST_SHA256_TEXT];
    struct bundle_integrity integrity = {.counts = counts, .checksum_sha256 = checksum};
    struct json_writer writer;
    struct text text;

    digest_stream_add(out->digest, "}", 1);
    digest_stream_end(out->digest, checksum, signature);
    integrity.signature_hmac_sha256 = *signature ? signature : NULL;
    text_start(&text, out->call->arena, 1024);
    writer_start(&writer, &text);
    schema_write(&writer, &bundle_integrity_schema, &integrity);
    text_append_byte(&text, '}');
    out->refused = out->refused || !out->sink(",\"integrity\":", 13, out->context) ||
                   !out->sink(text.bytes, text.length, out->context);
}

enum error workspace_export(struct db *db, struct bundle_call *call, const char *generated_at,
                            workspace_sink *sink, void *context, struct bundle_counts *counts)
{
    struct way_out out = {.call = call,
                          .digest = digest_stream_start(call->arena, call->signing_key),
                          .sink = sink,
                          .context = context};
    enum error error = db_begin(db, DB_READ, call->problem);

    *counts = (struct bundle_counts){0};
    if (error)
        return error;
    error = put_lists(db, &out, generated_at ? generated_at : store_now(call->arena), counts);
    error = db_finish(db, error, call->problem);
    if (error)
        return error;
    put_integrity(&out, counts);
    return out.refused ? problem_set(call->problem, ERROR_TOO_LARGE, "workspace_too_large",
                                     "The workspace is too large for one answer; the program "
                                     "`workspace` exports any size")
                       : ERROR_NONE;
}

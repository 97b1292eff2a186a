/* From tables to a bundle: what is written is the canonical form, but with characters as they are,
 * and its hash behind it. */
#include "experiments/projects/project_rows.h"
#include "experiments/workspace/workspace_store.h"

#include <string.h>

#define ORDER " ORDER BY created_at, id"

static const struct statement streams[BUNDLE_LIST__MAX] = {
    [BUNDLE_RUNS] = {.name = "workspace_runs",
                     .sql = "SELECT id, created_at, project_id, analysis_json"
                            " FROM analysis_runs" ORDER,
                     .streams = true},
    [BUNDLE_EVENTS] = {.name = "workspace_events",
                       .sql = "SELECT id, created_at, project_id, analysis_run_id, format"
                              " FROM export_events" ORDER,
                       .streams = true},
    [BUNDLE_REVISIONS] = {.name = "workspace_revisions",
                          .sql = "SELECT id, created_at, project_id, source, payload_json"
                                 " FROM project_revisions" ORDER,
                          .streams = true},
    [BUNDLE_PROJECTS] = {.name = "workspace_projects",
                         .sql = "SELECT id, created_at, updated_at, project_name,"
                                " payload_schema_version, archived_at, last_analysis_at,"
                                " last_analysis_run_id, last_exported_at, payload_json"
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

static int position(const char *name, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return 0;
}

static bool project_of(struct query *query, struct arena *arena, void *record)
{
    struct bundle_project *project = record;

    *project =
        (struct bundle_project){.id = query_text(query, 0, arena),
                                .created_at = query_text(query, 1, arena),
                                .updated_at = query_text(query, 2, arena),
                                .project_name = query_text(query, 3, arena),
                                .payload_schema_version = query_integer(query, 4),
                                .archived_at = query_text_or_null(query, 5, arena),
                                .last_analysis_at = query_text_or_null(query, 6, arena),
                                .last_analysis_run_id = query_text_or_null(query, 7, arena),
                                .last_exported_at = query_text_or_null(query, 8, arena),
                                .payload = project_payload(query_json(query, 9, arena), arena)};
    return project->payload != NULL;
}

static bool run_of(struct query *query, struct arena *arena, void *record)
{
    struct bundle_run *run = record;

    *run = (struct bundle_run){.id = query_text(query, 0, arena),
                               .created_at = query_text(query, 1, arena),
                               .project_id = query_text(query, 2, arena),
                               .analysis = project_analysis(query_json(query, 3, arena), arena)};
    return run->analysis != NULL;
}

static bool event_of(struct query *query, struct arena *arena, void *record)
{
    *(struct bundle_event *)record = (struct bundle_event){
        .id = query_text(query, 0, arena),
        .created_at = query_text(query, 1, arena),
        .project_id = query_text(query, 2, arena),
        .analysis_run_id = query_text_or_null(query, 3, arena),
        .format = position(query_text(query, 4, arena), export_format_names, EXPORT__MAX)};
    return true;
}

static bool revision_of(struct query *query, struct arena *arena, void *record)
{
    struct bundle_revision *revision = record;

    *revision = (struct bundle_revision){
        .id = query_text(query, 0, arena),
        .created_at = query_text(query, 1, arena),
        .project_id = query_text(query, 2, arena),
        .source = position(query_text(query, 3, arena), revision_source_names, REVISION__MAX),
        .payload = project_payload(query_json(query, 4, arena), arena)};
    return revision->payload != NULL;
}

static bool (*const readers[BUNDLE_LIST__MAX])(struct query *query, struct arena *arena,
                                               void *record) = {
    [BUNDLE_RUNS] = run_of,
    [BUNDLE_EVENTS] = event_of,
    [BUNDLE_REVISIONS] = revision_of,
    [BUNDLE_PROJECTS] = project_of,
};

static enum error put_list(struct db *db, struct way_out *out, enum bundle_list list,
                           int64_t *count)
{
    struct bundle_call *call = out->call;
    struct query *query = db_query(db, &streams[list]);
    union {
        struct bundle_project project;
        struct bundle_run run;
        struct bundle_event event;
        struct bundle_revision revision;
    } record;
    bool readable = true;
    enum error error;

    *count = 0;
    while (readable && !out->refused && query_next(query)) {
        readable = readers[list](query, call->piece, &record);
        if (readable) {
            struct text plain;
            struct text text = bundle_canonical(call->piece, list, &record, &plain);

            put(out, ",", *count > 0);
            digest_stream_add(out->digest, text.bytes, text.length);
            out->refused = out->refused || !out->sink(plain.bytes, plain.length, out->context);
            ++*count;
        }
        arena_reset(call->piece);
        bundle_tell(call, bundle_list_names[list], *count, 0);
    }
    error = query_end(query, call->problem);
    if (error || readable)
        return error;
    return problem_set(call->problem, ERROR_SYSTEM, "stored_document",
                       "%s: a stored document cannot be read", bundle_list_names[list]);
}

static enum error put_lists(struct db *db, struct way_out *out, const char *generated_at,
                            struct bundle_counts *counts)
{
    int64_t *const totals[BUNDLE_LIST__MAX] = {
        [BUNDLE_RUNS] = &counts->analysis_runs,
        [BUNDLE_EVENTS] = &counts->export_events,
        [BUNDLE_REVISIONS] = &counts->project_revisions,
        [BUNDLE_PROJECTS] = &counts->projects,
    };
    struct arena *arena = out->call->arena;
    enum error error = ERROR_NONE;

    for (int list = 0; !error && list < BUNDLE_LIST__MAX; list++) {
        if (list == BUNDLE_REVISIONS)
            put_text(out, arena_print(arena, ",\"generated_at\":\"%s\"", generated_at));
        put_text(out,
                 arena_print(arena, "%s\"%s\":[", list == 0 ? "{" : ",", bundle_list_names[list]));
        error = put_list(db, out, (enum bundle_list)list, totals[list]);
        put_text(out, "]");
    }
    put_text(out, arena_print(arena, ",\"schema_version\":%d", BUNDLE_SCHEMA_VERSION));
    return error;
}

/* Behind the canonical form, whose closing bracket is hashed and comes after this. */
static void put_integrity(struct way_out *out, const struct bundle_counts *counts)
{
    char checksum[DIGEST_SHA256_TEXT], signature[DIGEST_SHA256_TEXT];
    struct json_writer writer;
    struct text text;

    digest_stream_add(out->digest, "}", 1);
    digest_stream_end(out->digest, checksum, signature);
    text_start(&text, out->call->arena, 1024);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key(&writer, "counts");
    schema_write(&writer, &bundle_counts_schema, counts);
    writer_key_string(&writer, "checksum_sha256", checksum);
    writer_key_string(&writer, "signature_hmac_sha256", *signature ? signature : NULL);
    writer_close_object(&writer);
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

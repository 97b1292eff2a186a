/* Backups of the workspace over HTTP. Records pass through memory one at a time. */
#include "experiments-operations/workspace.h"
#include "experiments/service.h"
#include "experiments/workspace/workspace_store.h"

#include <setjmp.h>

struct workspace_validated {
    const char *status;
    int64_t schema_version;
    const struct bundle_counts *counts;
    const char *checksum_sha256;
    bool signature_verified;
};

struct workspace_imported_reply {
    const char *status;
    int64_t imported_projects;
    int64_t imported_analysis_runs;
    int64_t imported_export_events;
    int64_t imported_project_revisions;
    int64_t imported_catalog_metrics;
    int64_t imported_flags;
    int64_t renamed_flags;
    int64_t switched_off_flags;
};

#define OWNER struct workspace_validated
static const struct field validated_fields[] = {
    STRING(OWNER, status),
    INTEGER(OWNER, schema_version),
    OBJECT(OWNER, counts, bundle_counts_schema),
    STRING(OWNER, checksum_sha256, .help = "Computed anew."),
    BOOLEAN(OWNER, signature_verified),
};
#undef OWNER
SCHEMA(workspace_validated_schema, struct workspace_validated, "WorkspaceValidated",
       validated_fields, .help = "The backup can be imported.");

#define OWNER struct workspace_imported_reply
static const struct field imported_fields[] = {
    STRING(OWNER, status),
    INTEGER(OWNER, imported_projects),
    INTEGER(OWNER, imported_analysis_runs),
    INTEGER(OWNER, imported_export_events),
    INTEGER(OWNER, imported_project_revisions,
            .help = "With those made for projects that had none."),
    INTEGER(OWNER, imported_catalog_metrics,
            .help = "Those that the catalog had are used as they are."),
    INTEGER(OWNER, imported_flags),
    INTEGER(OWNER, renamed_flags,
            .help = "Of these; another project has their key: they got another one, and are off."),
    INTEGER(OWNER, switched_off_flags,
            .help = "Of these; they were on, but their design names a segment that is not here: "
                    "they are off."),
};
#undef OWNER
SCHEMA(workspace_imported_schema, struct workspace_imported_reply, "WorkspaceImported",
       imported_fields, .help = "What was added.");

/* A step with the arena of single records at hand. */
typedef enum error step(struct request *request, struct bundle_call *call, void *context);

/* Each record frees its memory; one that needs more than a request may use ends
 * the request, and not the worker. */
static enum error run(struct request *request, step *taken, void *context)
{
    static struct arena *piece;
    struct bundle_call call = {.arena = request->arena,
                               .signing_key = service_settings(request)->workspace_signing_key,
                               .metrics_max = service_settings(request)->max_metrics,
                               .problem = &request->problem};
    jmp_buf exhausted;
    enum error error;

    if (!piece)
        piece = arena_create((size_t)service_settings(request)->max_request_memory_bytes);
    if (!piece)
        return problem_set(call.problem, ERROR_SYSTEM, "out_of_memory", "no memory for a record");
    arena_reset(piece);
    call.piece = piece;
    if (setjmp(exhausted) == 0) {
        arena_on_exhausted(piece, &exhausted);
        error = taken(request, &call, context);
    } else {
        error = problem_set(call.problem, ERROR_SYSTEM, "out_of_memory", "a record is too large");
    }
    arena_on_exhausted(piece, NULL);
    if (error == ERROR_MALFORMED)
        error = request_fault(
            request, "body", call.fault_field && call.fault_field[0] ? call.fault_field : NULL,
            "model_attributes_type", arena_copy_string(request->arena, request->problem.text));
    arena_reset(piece);
    return error;
}

struct written {
    struct text *body;
    size_t most;
};

static bool write_more(const char *bytes, size_t length, void *context)
{
    struct written *written = context;

    if (written->body->length + length > written->most)
        return false;
    text_append(written->body, bytes, length);
    return !written->body->overflowed;
}

static enum error export(struct request *request, struct bundle_call *call, void *context) {
    struct bundle_counts counts; struct db * db; enum error error = service_database(request, &db);

    return error ? error : workspace_export(db, call, NULL, write_more, context, &counts);
}

enum error workspace_export_handle(struct request *request, struct reply *reply)
{
    struct written written = {.body = &reply->body,
                              .most = (size_t)service_settings(request)->max_workspace_body_bytes};
    enum error error = run(request, export, &written);

    if (error)
        return error;
    reply->content_type = "application/json";
    reply_add_header(reply, "Content-Disposition", "attachment; filename=\"workspace.json\"");
    return ERROR_NONE;
}

static enum error read_bundle(struct request *request, struct bundle_call *call, void *context)
{
    return bundle_read(call, request->bytes ? request->bytes : "", request->length, context);
}

enum error workspace_validate_handle(struct request *request, struct reply *reply)
{
    struct bundle *bundle = ARENA_NEW(request->arena, struct bundle);
    struct workspace_validated *answer = ARENA_NEW(request->arena, struct workspace_validated);
    enum error error = run(request, read_bundle, bundle);

    if (error)
        return error;
    *answer = (struct workspace_validated){.status = "valid",
                                           .schema_version = bundle->head.schema_version,
                                           .counts = &bundle->counts,
                                           .checksum_sha256 = bundle->checksum,
                                           .signature_verified = bundle->signature_verified};
    reply->object = answer;
    return ERROR_NONE;
}

static enum error import(struct request *request, struct bundle_call *call, void *context)
{
    struct bundle *bundle = ARENA_NEW(request->arena, struct bundle);
    struct db *db;
    enum error error = read_bundle(request, call, bundle);

    if (!error)
        error = service_database(request, &db);
    return error ? error
                 : workspace_import(db, call, service_actor(request), bundle, false, context);
}

enum error workspace_import_handle(struct request *request, struct reply *reply)
{
    struct workspace_imported_reply *answer =
        ARENA_NEW(request->arena, struct workspace_imported_reply);
    struct workspace_imported imported = {0};
    enum error error = run(request, import, &imported);

    if (error)
        return error;
    *answer =
        (struct workspace_imported_reply){.status = "imported",
                                          .imported_projects = imported.projects,
                                          .imported_analysis_runs = imported.analysis_runs,
                                          .imported_export_events = imported.export_events,
                                          .imported_project_revisions = imported.project_revisions,
                                          .imported_catalog_metrics = imported.catalog_metrics,
                                          .imported_flags = imported.flags,
                                          .renamed_flags = imported.renamed_flags,
                                          .switched_off_flags = imported.switched_off_flags};
    reply->object = answer;
    return ERROR_NONE;
}

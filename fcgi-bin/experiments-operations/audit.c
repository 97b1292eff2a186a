/* The audit log as a list and as a file, and the purge of old rows. */
#include "experiments-operations/audit.h"
#include "base/string_list.h"
#include "experiments/audit/audit_store.h"
#include "experiments/service.h"
#include "experiments/storage/retention.h"
#include "report/csv.h"

#include <stdlib.h>

enum { EXPORT_ROWS_MAX = 100000, EXPORT_BYTES_MAX = 32 * 1024 * 1024, DAYS_MAX = 36500 };

struct audit_query {
    const char *project_id;
    const char *key_id;
    const char *action;
    struct optional_integer before_id;
    int64_t limit;
};

struct audit_reply {
    OBJECT_LIST(struct audit_entry, entries);
    int64_t total;
};

struct purge_request {
    struct optional_integer exposures_days;
    struct optional_integer conversions_days;
    struct optional_integer audit_days;
    struct optional_integer webhook_deliveries_days;
    bool dry_run;
};

struct purge_reply {
    bool dry_run;
    const struct retention_counts *purged;
    const char *generated_at;
};

#define OWNER struct audit_query
#define FILTER_FIELDS                                                                              \
    STRING(OWNER, project_id, .nullable = true), STRING(OWNER, key_id, .nullable = true),          \
        STRING(OWNER, action, .nullable = true),                                                   \
        NULLABLE_INTEGER(OWNER, before_id, .lower = AT_LEAST(1),                                   \
                         .help = "Only entries older than this one: the next page.")
static const struct field query_fields[] = {
    FILTER_FIELDS,
    INTEGER(OWNER, limit, .lower = AT_LEAST(1), .upper = AT_MOST(AUDIT_PAGE_MAX),
            .default_value = AUDIT_PAGE_MAX),
};
static const struct field export_query_fields[] = {FILTER_FIELDS};
#undef OWNER
const struct schema audit_query_schema = {.name = "AuditQuery",
                                          .size = sizeof(struct audit_query),
                                          .fields = query_fields,
                                          .field_count = COUNT_OF(query_fields)};
const struct schema audit_export_query_schema = {.name = "AuditExportQuery",
                                                 .size = sizeof(struct audit_query),
                                                 .fields = export_query_fields,
                                                 .field_count = COUNT_OF(export_query_fields)};

#define OWNER struct audit_reply
static const struct field reply_fields[] = {OBJECTS(OWNER, entries, audit_entry_schema),
                                            INTEGER(OWNER, total)};
#undef OWNER
const struct schema audit_reply_schema = {.name = "AuditLog",
                                          .help = "Entries, newest first; total ignores the limit.",
                                          .size = sizeof(struct audit_reply),
                                          .fields = reply_fields,
                                          .field_count = COUNT_OF(reply_fields)};

#define OWNER struct purge_request
static const struct field purge_fields[] = {
    NULLABLE_INTEGER(OWNER, exposures_days, .upper = AT_MOST(DAYS_MAX),
                     .help = "AB_RETENTION_EXPOSURES_DAYS when null; 0 leaves them alone."),
    NULLABLE_INTEGER(OWNER, conversions_days, .upper = AT_MOST(DAYS_MAX),
                     .help = "AB_RETENTION_CONVERSIONS_DAYS when null; 0 leaves them alone."),
    NULLABLE_INTEGER(OWNER, audit_days, .upper = AT_MOST(DAYS_MAX),
                     .help = "AB_RETENTION_AUDIT_DAYS when null; 0 leaves the table alone."),
    NULLABLE_INTEGER(OWNER, webhook_deliveries_days, .upper = AT_MOST(DAYS_MAX),
                     .help =
                         "AB_RETENTION_WEBHOOK_DELIVERIES_DAYS when null; 0 leaves them alone."),
    BOOLEAN(OWNER, dry_run, .default_value = 1, .help = "Only false deletes."),
};
#undef OWNER
const struct schema purge_request_schema = {.name = "PurgeRequest",
                                            .help = "Ages in days.",
                                            .size = sizeof(struct purge_request),
                                            .fields = purge_fields,
                                            .field_count = COUNT_OF(purge_fields),
                                            .example = "{\"audit_days\":30}"};

#define OWNER struct retention_counts
static const struct field counts_fields[] = {
    INTEGER(OWNER, exposures),
    INTEGER(OWNER, conversions),
    INTEGER(OWNER, audit_log),
    INTEGER(OWNER, webhook_deliveries),
};
#undef OWNER
static const struct schema counts_schema = {.name = "PurgedRows",
                                            .help = "Rows per table.",
                                            .size = sizeof(struct retention_counts),
                                            .fields = counts_fields,
                                            .field_count = COUNT_OF(counts_fields)};
SCHEMA_ITEM(counts_schema, struct retention_counts);

#define OWNER struct purge_reply
static const struct field purge_reply_fields[] = {
    BOOLEAN(OWNER, dry_run),
    OBJECT(OWNER, purged, counts_schema),
    STRING(OWNER, generated_at),
};
#undef OWNER
const struct schema purge_reply_schema = {.name = "PurgeReply",
                                          .help = "What was, or would be, taken away.",
                                          .size = sizeof(struct purge_reply),
                                          .fields = purge_reply_fields,
                                          .field_count = COUNT_OF(purge_reply_fields)};

static struct audit_filter read_filter(const struct audit_query *query)
{
    return (struct audit_filter){.project_id = query->project_id,
                                 .key_id = query->key_id,
                                 .action = query->action,
                                 .before_id = query->before_id.value};
}

enum error audit_handle(struct request *request, struct reply *reply)
{
    const struct audit_query *query = request->query;
    const struct audit_filter filter = read_filter(query);
    struct audit_reply *answer = ARENA_NEW(request->arena, struct audit_reply);
    struct db *db;
    enum error error = service_database(request, &db);

    reply->object = answer;
    return error ? error
                 : audit_list(db, request->arena, &filter, query->limit, &answer->entries,
                              &answer->total, &request->problem);
}

/* The difference with its paths sorted; NULL stays NULL. */
static const char *diff_text(const json_t *diff, struct arena *arena)
{
    json_t *object = (json_t *)(uintptr_t)diff; /* iterated, not changed */
    const char **keys;
    size_t count = 0;
    struct text text;
    struct json_writer writer;

    if (!diff)
        return NULL;
    keys = ARENA_ARRAY(arena, const char *, json_object_size(diff));
    for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at))
        keys[count++] = json_object_iter_key(at);
    if (count)
        qsort(keys, count, sizeof keys[0], string_list_order);
    text_start(&text, arena, (size_t)16 * 1024 * 1024);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    for (size_t i = 0; i < count; i++) {
        writer_key(&writer, keys[i]);
        writer_value(&writer, json_object_get(diff, keys[i]));
    }
    writer_close_object(&writer);
    return text.bytes;
}

/* A file being written, and where it had to stop. */
struct export
{
    struct text *out;
    struct arena *arena;
    int64_t rows;
    int64_t last_id;
    bool more;
};

static bool write_line(const struct audit_entry *entry, void *context)
{
    struct export *export = context;
    const char *cells[] = {entry->ts,         entry->action,
                           entry->project_id, entry->project_name,
                           entry->actor,      entry->key_id,
                           entry->request_id, diff_text(entry->payload_diff, export->arena),
                           entry->ip_address};

    export->more = export->rows == EXPORT_ROWS_MAX || export->out->length > EXPORT_BYTES_MAX;
    if (export->more)
        return false;
    for (size_t i = 0; i < COUNT_OF(cells); i++)
        csv_append_cell(export->out, i == 0, cells[i]);
    csv_end_line(export->out);
    export->rows++;
    export->last_id = entry->id;
    return true;
}

enum error audit_export_handle(struct request *request, struct reply *reply)
{
    static const char header[] = "ts,action,project_id,project_name,actor,key_id,request_id,"
                                 "payload_diff,ip_address\r\n";
    const struct audit_filter filter = read_filter(request->query);
    struct export export = {.out = &reply->body, .arena = request->arena};
    struct db *db;
    enum error error = service_database(request, &db);

    text_append_string(&reply->body, header);
    if (!error)
        error = audit_each(db, request->arena, &filter, write_line, &export, &request->problem);
    if (error)
        return error;
    reply->content_type = "text/csv; charset=utf-8";
    reply_add_header(reply, "Content-Disposition", "attachment; filename=\"audit-log.csv\"");
    if (export.more)
        reply_add_header(reply, "X-Next-Before-Id",
                         arena_print(request->arena, "%lld", (long long)export.last_id));
    return ERROR_NONE;
}

enum error purge_handle(struct request *request, struct reply *reply)
{
    const struct purge_request *asked = request->body;
    struct retention_counts *counts = ARENA_NEW(request->arena, struct retention_counts);
    struct purge_reply *answer = ARENA_NEW(request->arena, struct purge_reply);
    const struct experiments_settings *settings = service_settings(request);
    struct retention_windows windows = {
        settings->retention_exposures_days, settings->retention_conversions_days,
        settings->retention_audit_days, settings->retention_webhook_deliveries_days};
    bool dry_run = asked ? asked->dry_run : true;
    struct retention_call call = {
        .arena = request->arena, .actor = service_actor(request), .problem = &request->problem};
    enum error error = service_database(request, &call.db);

    if (asked && asked->exposures_days.given)
        windows.exposures_days = asked->exposures_days.value;
    if (asked && asked->conversions_days.given)
        windows.conversions_days = asked->conversions_days.value;
    if (asked && asked->audit_days.given)
        windows.audit_days = asked->audit_days.value;
    if (asked && asked->webhook_deliveries_days.given)
        windows.webhook_deliveries_days = asked->webhook_deliveries_days.value;
    if (!error && !dry_run)
        error = clock_check(settings->state_directory, "experiments", &settings->clock,
                            &request->problem);
    if (!error)
        error = retention_purge(&call, &windows, dry_run, counts);
    *answer = (struct purge_reply){
        .dry_run = dry_run, .purged = counts, .generated_at = store_now(request->arena)};
    reply->object = answer;
    return error;
}

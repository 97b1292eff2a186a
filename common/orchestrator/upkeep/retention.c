/* Export and deletion of old tasks. */
#include "orchestrator/upkeep/retention.h"

#include "base/gzip.h"
#include "base/list.h"
#include "db/query.h"
#include "orchestrator/snapshot/snapshot.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BATCH = 200, IDS_BYTES_MAX = 1 << 16, STAMP = 19 };
static const double day_seconds = 86400;

static const struct statement count_old = {
    .name = "orch_retention_count",
    .sql = "SELECT count(*) FROM orch_tasks WHERE status <> 'accepted'"
           " AND accepted_at < {now_plus:?}",
};
static const struct statement list_old = {
    .name = "orch_retention_list",
    .sql = "SELECT task_id, accepted_at FROM orch_tasks WHERE status <> 'accepted'"
           " AND accepted_at < {now_plus:?} ORDER BY accepted_at, task_id LIMIT ?",
};
static const struct statement delete_old = {
    .name = "orch_retention_delete",
    .sql = "DELETE FROM orch_tasks WHERE task_id IN"
           " (SELECT CAST(value AS TEXT) FROM {json_text_rows:?})",
};

struct batch {
    struct string_list ids;
    const char *first_at, *last_at; /* when its tasks were accepted */
};

static double age_limit(const struct upkeep_call *call)
{
    return -(double)call->settings->retention_days * day_seconds;
}

static enum error count_tasks(const struct upkeep_call *call, int64_t *count)
{
    struct query *query = db_query(call->db, &count_old);

    query_bind_number(query, age_limit(call));
    *count = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, call->problem);
}

static enum error choose(const struct upkeep_call *call, struct batch *batch)
{
    struct query *query = db_query(call->db, &list_old);

    *batch = (struct batch){.ids.items = ARENA_ARRAY(call->arena, const char *, BATCH)};
    query_bind_number(query, age_limit(call));
    query_bind_integer(query, BATCH);
    while (batch->ids.count < BATCH && query_next(query)) {
        batch->ids.items[batch->ids.count++] = query_text(query, 0, call->arena);
        batch->last_at = query_text(query, 1, call->arena);
        if (!batch->first_at)
            batch->first_at = batch->last_at;
    }
    return query_end(query, call->problem);
}

/* "20261127T080910" of "2026-11-27T08:09:10…". */
static const char *stamp_of(struct arena *arena, const char *time)
{
    char *stamp = arena_alloc(arena, STAMP + 1);
    size_t length = 0;

    for (size_t i = 0; i < STAMP && time[i]; i++)
        if (time[i] != '-' && time[i] != ':')
            stamp[length++] = time[i];
    stamp[length] = '\0';
    return stamp;
}

/* A whole file or none: it is renamed when all of it is on the disk. */
static enum error write_whole(const struct upkeep_call *call, const char *path,
                              const struct text *text)
{
    const char *temporary = arena_print(call->arena, "%s.part", path);
    FILE *file;
    bool good;

    (void)!mkdir(call->settings->retention_export_dir, 0700); /* fopen() says what is wrong */
    file = fopen(temporary, "wbe");
    good = file && fchmod(fileno(file), 0600) == 0 &&
           fwrite(text->bytes, 1, text->length, file) == text->length && fflush(file) == 0 &&
           fsync(fileno(file)) == 0;
    if (file && fclose(file) != 0)
        good = false;
    if (good && rename(temporary, path) == 0)
        return ERROR_NONE;
    return problem_set(call->problem, ERROR_SYSTEM, "export_not_written", "%s: %s", path,
                       strerror(errno));
}

static enum error export(const struct upkeep_call *call, const struct db_schema *schema,
                         const struct batch *batch) {
    const struct orchestrator_settings *settings = call->settings;
    const struct snapshot_request wanted = {.task_ids = batch->ids,
                                            .orch_version = settings->version,
                                            .backend = storage_backend_names[settings->storage]};
    struct text text, packed;
    json_t * snapshot;
    enum error error = snapshot_build(call->arena, call->db, schema, &wanted, &snapshot,
                                      call->problem);

    if (error) return error;
    text_start(&text, call->arena, SNAPSHOT_BYTES_MAX);
    canonical_write(&text, snapshot, 2);
    text_start(&packed, call->arena, SNAPSHOT_BYTES_MAX);
    gzip_append(&packed, text.bytes, text.length);
    return write_whole(call,
                       arena_print(call->arena, "%s/tasks-%s-%s-%.8s.json.gz",
                                   settings->retention_export_dir,
                                   stamp_of(call->arena, batch->first_at),
                                   stamp_of(call->arena, batch->last_at), batch->ids.items[0]),
                       &packed);
}

static enum error delete_batch(const struct upkeep_call *call, const struct batch *batch)
{
    struct query *query = db_query(call->db, &delete_old);
    struct json_writer writer;
    struct text text;

    text_start(&text, call->arena, IDS_BYTES_MAX);
    writer_start(&writer, &text);
    writer_open_array(&writer);
    for (size_t i = 0; i < batch->ids.count; i++)
        writer_string(&writer, batch->ids.items[i]);
    writer_close_array(&writer);
    query_bind_json(query, text.bytes);
    return query_end(query, call->problem);
}

enum error retention_run(const struct upkeep_call *call, const struct db_schema *schema,
                         bool dry_run, int64_t *count, bool *more)
{
    struct batch batch = {0};
    enum error error;

    *count = 0;
    *more = false;
    if (!call->settings->retention_days)
        return ERROR_NONE;
    if (dry_run)
        return count_tasks(call, count);
    error = choose(call, &batch);
    if (error || !batch.ids.count)
        return error;
    if (call->settings->retention_export_dir)
        error = export(call, schema, &batch);
    if (!error)
        error = delete_batch(call, &batch);
    *count = error ? 0 : (int64_t)batch.ids.count;
    *more = !error && batch.ids.count == BATCH;
    return error;
}

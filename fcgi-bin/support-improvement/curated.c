/* The curated data over HTTP. */
#include "support-improvement/curated.h"
#include "support-improvement/family.h"
#include "support/curated/case_status.h"
#include "support/curated/rebuild.h"
#include "support/programs/data_files.h"
#include "support/traces/readable.h"
#include "text/fold.h"

#include <string.h>

static const char job_key[] = "curated-dataset-job:"; /* and its id; as of rebuild.c */

enum { CASES_DEFAULT = 50, CASES_MAX = 500 };

struct curated_cases_query {
    int64_t limit, offset;
    const char *q;
};

#define OWNER struct curated_cases_query
static const struct field curated_cases_query_fields[] = {
    INTEGER(OWNER, limit, .default_value = CASES_DEFAULT, .help = "Kept between 1 and 500."),
    INTEGER(OWNER, offset, .default_value = 0),
    STRING(OWNER, q, .default_text = "", .max_length = 200, .help = "Words of the question.")};
#undef OWNER
SCHEMA(curated_cases_query_schema, struct curated_cases_query, "CuratedCasesQuery",
       curated_cases_query_fields);

struct curated_entry {
    const char *case_id, *tenant_id, *query, *channel, *human_verdict, *created_at;
    json_t *expected;
    const char *reviewer_notes, *source_trace_id;
};

#define OWNER struct curated_entry
static const struct field curated_entry_fields[] = {STRING(OWNER, case_id),
                                                    STRING(OWNER, tenant_id),
                                                    STRING(OWNER, query),
                                                    STRING(OWNER, channel),
                                                    STRING(OWNER, human_verdict),
                                                    STRING(OWNER, created_at, .nullable = true),
                                                    JSON_OBJECT(OWNER, expected, .nullable = true),
                                                    STRING(OWNER, reviewer_notes),
                                                    STRING(OWNER, source_trace_id)};
#undef OWNER
static SCHEMA(curated_entry_schema, struct curated_entry, "CuratedCase", curated_entry_fields);

struct curated_cases_reply {
    OBJECT_LIST(struct curated_entry, items);
    int64_t count, total, limit, offset;
};

#define OWNER struct curated_cases_reply
static const struct field curated_cases_fields[] = {OBJECTS(OWNER, items, curated_entry_schema),
                                                    INTEGER(OWNER, count), INTEGER(OWNER, total),
                                                    INTEGER(OWNER, limit), INTEGER(OWNER, offset)};
#undef OWNER
SCHEMA(curated_cases_schema, struct curated_cases_reply, "CuratedCases", curated_cases_fields);

struct rebuild_query {
    const char *tenant, *since;
    bool include_bad;
};

#define OWNER struct rebuild_query
static const struct field rebuild_query_fields[] = {
    STRING(OWNER, tenant, .default_text = "all", .max_length = 50,
           .help = "Others than the operator rebuild their own."),
    STRING(OWNER, since, .nullable = true, .max_length = 40),
    BOOLEAN(OWNER, include_bad, .default_value = false)};
#undef OWNER
SCHEMA(rebuild_query_schema, struct rebuild_query, "RebuildQuery", rebuild_query_fields);

struct rebuild_reply {
    const char *job_id, *status, *key;
};

#define OWNER struct rebuild_reply
static const struct field rebuild_fields[] = {
    STRING(OWNER, job_id), STRING(OWNER, status),
    STRING(OWNER, key, .help = "Of the record of its progress; may stand in the place of job_id.")};
#undef OWNER
SCHEMA(rebuild_schema, struct rebuild_reply, "Rebuild", rebuild_fields);

struct stale_reply {
    OBJECT_LIST(struct case_status, items);
};

#define OWNER struct stale_reply
static const struct field curated_stale_fields[] = {OBJECTS(OWNER, items, case_status_schema)};
#undef OWNER
SCHEMA(curated_stale_schema, struct stale_reply, "StaleCases", curated_stale_fields);

static const char *path_of(struct request *request)
{
    return data_file_path(request->arena, service_settings(request), curated_default_path);
}

/* The tenant whose cases the caller may read; NULL = all. */
static const char *seen_by(const struct request *request)
{
    if (family_is_operator(request))
        return NULL;
    return request->who.tenant ? request->who.tenant : "default";
}

/* Leaves the cases whose answers the caller may read, and those written by hand. */
static enum error keep_readable(struct request *request, struct curated_set *set)
{
    const char **ids = ARENA_ARRAY(request->arena, const char *, set->count + 1);
    struct trace_call call;
    struct document_call documents;
    struct readable_traces readable;
    size_t kept = 0;
    enum error error = family_call(request, &call);

    if (error || !call.reader)
        return error;
    documents = family_documents(&call);
    for (size_t i = 0; i < set->count; i++)
        ids[i] = set->cases[i].source_trace_id;
    error = readable_traces_find(&documents, ids, set->count, &readable);
    for (size_t i = 0; !error && i < set->count; i++) {
        const char *id = set->cases[i].source_trace_id;

        if (!id || !*id || trace_is_readable(&readable, id))
            set->cases[kept++] = set->cases[i];
    }
    set->count = kept;
    return error;
}

/* The cases that the caller may read; none without a file. */
static enum error read_cases(struct request *request, struct curated_set *set)
{
    enum error error = curated_read(request->arena, path_of(request), set, &request->problem);

    if (error == ERROR_NOT_FOUND) {
        *set = (struct curated_set){NULL, 0};
        return ERROR_NONE;
    }
    if (error)
        return error;
    *set = curated_of(request->arena, set, seen_by(request));
    return keep_readable(request, set);
}

enum error curated_stats_handle(struct request *request, struct reply *reply)
{
    struct curated_stats *object = ARENA_NEW(request->arena, struct curated_stats);
    enum error error = curated_count(request->arena, path_of(request), seen_by(request), object,
                                     &request->problem);

    if (error)
        return error;
    curated_show(request->arena, service_settings(request), request->server->metrics);
    reply->object = object;
    return ERROR_NONE;
}

static int64_t clamped(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : (value > most ? most : value);
}

/* Leaves the cases whose question contains `words`. */
static void keep_words(struct arena *arena, struct curated_set *set, const char *words)
{
    const char *wanted = text_lower(arena, words);
    size_t kept = 0;

    for (size_t i = 0; i < set->count && *wanted; i++) {
        if (strstr(text_lower(arena, set->cases[i].query), wanted))
            set->cases[kept++] = set->cases[i];
    }
    if (*wanted)
        set->count = kept;
}

enum error curated_cases_handle(struct request *request, struct reply *reply)
{
    const struct curated_cases_query *query = request->query;
    struct curated_cases_reply *object = ARENA_NEW(request->arena, struct curated_cases_reply);
    int64_t limit = clamped(query->limit, 1, CASES_MAX),
            offset = clamped(query->offset, 0, INT64_MAX);
    struct curated_entry *entries =
        ARENA_ARRAY(request->arena, struct curated_entry, (size_t)limit);
    struct curated_set set;
    size_t count = 0;
    enum error error = read_cases(request, &set);

    if (error)
        return error;
    keep_words(request->arena, &set, query->q);
    for (size_t i = (size_t)offset; i < set.count && count < (size_t)limit; i++) {
        const struct curated_case *item = &set.cases[i];

        entries[count++] = (struct curated_entry){
            .case_id = item->case_id,
            .tenant_id = item->tenant_id,
            .query = item->query,
            .channel = item->channel,
            .human_verdict = item->verdict,
            .created_at = item->created_at,
            .expected = json_object_get(service_json(request, item->line), "expected"),
            .reviewer_notes = item->notes,
            .source_trace_id = item->source_trace_id};
    }
    *object = (struct curated_cases_reply){.items = {count, entries},
                                           .count = (int64_t)count,
                                           .total = (int64_t)set.count,
                                           .limit = limit,
                                           .offset = offset};
    reply->object = object;
    return ERROR_NONE;
}

enum error rebuild_handle(struct request *request, struct reply *reply)
{
    const struct rebuild_query *query = request->query;
    struct rebuild_reply *object = ARENA_NEW(request->arena, struct rebuild_reply);
    struct rebuild_request rebuild = {
        .tenant = query->tenant, .since = query->since, .include_bad = query->include_bad};
    struct trace_call call;
    enum error error = family_call(request, &call);

    if (error)
        return error;
    if (!family_is_operator(request))
        rebuild.tenant = call.tenant;
    else if (strcmp(rebuild.tenant, "all") != 0 && !support_is_tenant(rebuild.tenant))
        return request_fault(request, "query", "tenant", "value_error", "tenant is no name");
    error = rebuild_ask(&call, service_settings(request), &rebuild, &object->job_id);
    if (error)
        return error;
    service_audit(request, "curated_rebuild",
                  arena_print(request->arena, "curated:%s", rebuild.tenant), NULL);
    object->status = "queued";
    object->key = arena_print(request->arena, "%s%s", job_key, object->job_id);
    reply->object = object;
    return ERROR_NONE;
}

enum error rebuild_job_handle(struct request *request, struct reply *reply)
{
    struct rebuild_job *object = ARENA_NEW(request->arena, struct rebuild_job);
    struct trace_call call;
    const char *id = request->arguments[0];
    enum error error = family_call(request, &call);

    if (strncmp(id, job_key, strlen(job_key)) == 0)
        id += strlen(job_key);
    if (!error)
        error = rebuild_find(&call, service_settings(request),
                             family_is_operator(request) ? NULL : call.tenant, id, object);
    reply->object = object;
    return error;
}

enum error curated_stale_handle(struct request *request, struct reply *reply)
{
    struct stale_reply *object = ARENA_NEW(request->arena, struct stale_reply);
    struct trace_call call;
    enum error error = family_call(request, &call);

    if (!error)
        error = case_status_stale(&call, &object->items);
    reply->object = object;
    return error;
}

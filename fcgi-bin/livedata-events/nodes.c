/* Federation: events of branches, and how the branches do. Only a center has it. */
#include "livedata-events/events.h"

#include "livedata/access/tenants.h"
#include "livedata/nodes/branches.h"
#include "livedata/service_metrics.h"
#include "livedata/timestamp.h"

#include <string.h>

struct push {
    const char *branch;
    size_t count;
    json_t **events;
    const char **tenants; /* of each */
};

static enum error refuse(struct request *request, const char *what)
{
    return problem_set(&request->problem, ERROR_INVALID, "invalid_batch", "Invalid batch: %s",
                       what);
}

/* The event's tenant, else the default tenant. */
static const char *tenant_of(const json_t *event)
{
    const char *named = json_string_value(json_object_get(event, "tenant"));

    if (!named)
        named =
            json_string_value(json_object_get(json_object_get(event, "source_metadata"), "tenant"));
    return named ? named : "default";
}

/* The node determines the origin of an event, not the event. */
static enum error stamp(struct request *request, json_t *event, const char *branch)
{
    json_t *meta = json_object_get(event, "source_metadata");
    struct json_fault fault;
    enum error error = ERROR_NONE;

    if (!json_is_object(meta)) {
        error = json_read(request->arena, "{}", 2, 1, &meta, &fault);
        if (!error)
            json_object_set_new_nocheck(event, "source_metadata", meta);
    }
    if (!error)
        json_object_set_new_nocheck(meta, "branch", json_string_nocheck(branch));
    return error;
}

static enum error take_events(struct request *request, const json_t *events, struct push *push)
{
    size_t most = (size_t)service_settings(request)->ingest_max_batch, i;
    const json_t *event;
    enum error error = ERROR_NONE;

    if (json_array_size(events) > most)
        return refuse(request, arena_print(request->arena, "events: at most %zu at a time", most));
    push->events = ARENA_ARRAY(request->arena, json_t *, json_array_size(events) + 1);
    push->tenants = ARENA_ARRAY(request->arena, const char *, json_array_size(events) + 1);
    json_array_foreach(events, i, event)
    {
        if (!json_is_object(event))
            return refuse(request, "events: each one is an object");
        push->tenants[push->count] = tenant_of(event);
        if (!tenant_is_name(push->tenants[push->count]))
            return refuse(request, "events: a tenant is 1 to 64 letters, digits, dots, dashes and "
                                   "underscores");
        error = stamp(request, (json_t *)event, push->branch);
        if (error)
            return error;
        push->events[push->count++] = (json_t *)event;
    }
    return ERROR_NONE;
}

static enum error read_push(struct request *request, struct push *push)
{
    const struct string_list *branches = &service_settings(request)->node_branches;
    struct json_fault fault;
    const json_t *events;
    json_t *document;

    *push = (struct push){0};
    if (json_read(request->arena, request->bytes, request->length, JSON_DEPTH_LIMIT, &document,
                  &fault))
        return refuse(request, fault.text);
    push->branch = json_string_value(json_object_get(document, "origin_branch"));
    if (!push->branch || !string_list_has(branches, push->branch))
        return refuse(request, "origin_branch: none of the configured branches");
    events = json_object_get(document, "events");
    if (!json_is_array(events))
        return refuse(request, "events: a list is needed");
    return take_events(request, events, push);
}

/* The events of one tenant, in their order, in one transaction; they are left out afterwards. */
static enum error apply_tenant(struct request *request, struct apply_call *call, struct push *push,
                               struct apply_counts *counts)
{
    const char *tenant = push->tenants[0];
    json_t **events = ARENA_ARRAY(request->arena, json_t *, push->count);
    struct apply_result *results = ARENA_ARRAY(request->arena, struct apply_result, push->count);
    struct apply_counts some;
    size_t count = 0, left = 0;
    enum error error;

    for (size_t i = 0; i < push->count; i++)
        if (strcmp(push->tenants[i], tenant) == 0) {
            events[count++] = push->events[i];
        } else {
            push->tenants[left] = push->tenants[i];
            push->events[left++] = push->events[i];
        }
    push->count = left;
    service_apply_as(request, tenant, call);
    error = apply_batch(call, events, count, results, &some);
    if (error)
        return error;
    counts->accepted += some.accepted;
    counts->applied += some.applied;
    counts->dead_lettered += some.dead_lettered;
    counts->duplicates += some.duplicates;
    return ERROR_NONE;
}

enum error node_events_handle(struct request *request, struct reply *reply)
{
    struct apply_counts *counts = ARENA_NEW(request->arena, struct apply_counts);
    struct apply_call call;
    struct push push;
    enum error error = read_push(request, &push);

    if (!error)
        error = service_applying(request, &call);
    if (error)
        return error;
    call.way_in = "node";
    call.branch = push.branch;
    while (!error && push.count)
        error = apply_tenant(request, &call, &push, counts);
    service_ring(request);
    events_count(request, counts);
    if (error)
        return error;
    reply->object = counts;
    return ERROR_NONE;
}

struct branch_answer {
    const char *branch;
    int64_t baseline, live_delta;
    int64_t last_seen;
    const char *status;
};

#define OWNER struct branch_answer
static const struct field branch_fields[] = {
    STRING(OWNER, branch), INTEGER(OWNER, baseline), INTEGER(OWNER, live_delta),
    TIME_OR_NULL(OWNER, last_seen, .time = TIME_Z), STRING(OWNER, status)};
#undef OWNER
static SCHEMA(branch_schema, struct branch_answer, "Branch", branch_fields);

struct branches_answer {
    OBJECT_LIST(struct branch_answer, branches);
    const char *hint;
};

#define OWNER struct branches_answer
static const struct field branches_fields[] = {OBJECTS(OWNER, branches, branch_schema),
                                               STRING(OWNER, hint)};
#undef OWNER
SCHEMA(branches_schema, struct branches_answer, "BranchList", branches_fields);

static enum error read_branch(const struct reading *reading, const char *name, const char *types,
                              struct branch_answer *answer)
{
    struct branch_counts counts;
    enum error error = branch_read(&reading->storage, name, types, &counts);
    bool live = !error && counts.last_seen &&
                timestamp_seconds(counts.last_seen, reading->storage.now) <=
                    reading->settings->node_live_seconds;

    if (!error)
        *answer = (struct branch_answer){.branch = name,
                                         .baseline = counts.before,
                                         .live_delta = counts.today,
                                         .last_seen = counts.last_seen,
                                         .status = live ? "live" : "waking"};
    return error;
}

enum error node_branches_handle(struct request *request, struct reply *reply)
{
    const struct livedata_settings *settings = service_settings(request);
    size_t count = settings->node_branches.count;
    struct branches_answer *answer = ARENA_NEW(request->arena, struct branches_answer);
    struct branch_answer *branches = ARENA_ARRAY(request->arena, struct branch_answer, count);
    struct reading reading;
    const char *types;
    enum error error;

    if (settings->node_role != NODE_CENTER)
        return problem_set(&request->problem, ERROR_NOT_FOUND, "not_found", "Not Found");
    error = service_reading(request, &reading);
    if (error)
        return error;
    types = reading_event_types(&reading);
    for (size_t i = 0; !error && i < count; i++)
        error = read_branch(&reading, settings->node_branches.items[i], types, &branches[i]);
    answer->branches = (struct object_list){count, branches};
    answer->hint = arena_print(request->arena,
                               "baseline: events applied before the current day (UTC), "
                               "live_delta: since it began; waking: none for %g s",
                               settings->node_live_seconds);
    reply->object = answer;
    return error;
}

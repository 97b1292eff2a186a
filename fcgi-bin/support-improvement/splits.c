/* What the experiments service says of shares of live traffic, over HTTP. */
#include "support-improvement/splits.h"
#include "support-improvement/family.h"
#include "support/candidates/split_store.h"

struct split_entry {
    const char *tenant_id;
    int64_t rollout_percentage;
    const char *started_at;
    bool live;
    const char *project_id, *verdict, *confidence;
    json_t *reasons;
    const char *read_at, *withdrawn_at;
    int64_t waiting, control_exposed, treatment_exposed;
};

#define OWNER struct split_entry
static const struct field split_fields[] = {
    STRING(OWNER, tenant_id),
    INTEGER(OWNER, rollout_percentage),
    STRING(OWNER, started_at),
    BOOLEAN(OWNER, live, .help = "It is what is assigned now."),
    STRING(OWNER, project_id, .nullable = true, .help = "At the experiments service."),
    STRING(OWNER, verdict, .nullable = true, .help = "ship, no_ship or keep_running."),
    STRING(OWNER, confidence, .nullable = true),
    JSON_VALUE(OWNER, reasons, .help = "List of {code, text}; null: not read yet."),
    STRING(OWNER, read_at, .nullable = true),
    STRING(OWNER, withdrawn_at, .nullable = true, .help = "It was ended because it harms."),
    INTEGER(OWNER, waiting, .help = "Events that were not sent yet."),
    INTEGER(OWNER, control_exposed, .help = "Conversations answered as before."),
    INTEGER(OWNER, treatment_exposed, .help = "Conversations answered by the experiment.")};
#undef OWNER
static SCHEMA(split_schema, struct split_entry, "Split", split_fields);

struct splits_reply {
    OBJECT_LIST(struct split_entry, splits);
};

#define OWNER struct splits_reply
static const struct field splits_fields[] = {OBJECTS(OWNER, splits, split_schema)};
#undef OWNER
SCHEMA(splits_schema, struct splits_reply, "Splits", splits_fields);

static struct split_entry as_split(const struct request *request, const struct split *split)
{
    return (struct split_entry){.tenant_id = split->tenant_id,
                                .rollout_percentage = split->percentage,
                                .started_at = split->started_at,
                                .live = split->live,
                                .project_id = split->project_id,
                                .verdict = split->verdict,
                                .confidence = split->confidence,
                                .reasons = service_json(request, split->reasons),
                                .read_at = split->read_at,
                                .withdrawn_at = split->withdrawn_at,
                                .waiting = split->waiting,
                                .control_exposed = split->exposed[0],
                                .treatment_exposed = split->exposed[1]};
}

enum error experiment_splits_handle(struct request *request, struct reply *reply)
{
    struct splits_reply *object = ARENA_NEW(request->arena, struct splits_reply);
    struct object_list rows;
    struct split_entry *entries;
    struct service_tools tools;
    enum error error = service_tools(request, &tools);

    if (!error)
        error = split_list(tools.traces.db, request->arena, request->arguments[0],
                           family_is_operator(request) ? NULL : request->who.tenant, &rows,
                           &request->problem);
    if (error)
        return error;
    entries = ARENA_ARRAY(request->arena, struct split_entry, rows.count + 1);
    for (size_t i = 0; i < rows.count; i++)
        entries[i] = as_split(request, &((const struct split *)rows.items)[i]);
    object->splits = (struct object_list){rows.count, entries};
    reply->object = object;
    return ERROR_NONE;
}

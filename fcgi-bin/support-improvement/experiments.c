/* Experiments over HTTP. They change the answers for all tenants: administrators other than the
 * operator may read them, and assign one to their own tenant. */
#include "support-improvement/experiments.h"
#include "base/number.h"
#include "support-improvement/family.h"
#include "support/candidates/deploy.h"
#include "support/programs/data_files.h"
#include "support/regression/run_store.h"

#include <string.h>

struct experiment_entry {
    const char *id, *name, *status, *latest_eval_link;
};

#define OWNER struct experiment_entry
static const struct field entry_fields[] = {STRING(OWNER, id), STRING(OWNER, name),
                                            STRING(OWNER, status),
                                            STRING(OWNER, latest_eval_link, .nullable = true)};
#undef OWNER
static SCHEMA(entry_schema, struct experiment_entry, "ExperimentEntry", entry_fields);

#define OWNER struct experiment_invalid
static const struct field invalid_fields[] = {STRING(OWNER, file), STRING(OWNER, error)};
#undef OWNER
static SCHEMA(invalid_schema, struct experiment_invalid, "ExperimentInvalid", invalid_fields);

struct experiments_reply {
    OBJECT_LIST(struct experiment_entry, experiments);
    OBJECT_LIST(struct experiment_invalid, invalid);
};

#define OWNER struct experiments_reply
static const struct field experiments_fields[] = {
    OBJECTS(OWNER, experiments, entry_schema),
    OBJECTS(OWNER, invalid, invalid_schema, .omit_if_null = true)};
#undef OWNER
SCHEMA(experiments_schema, struct experiments_reply, "Experiments", experiments_fields);

struct experiment_reply {
    const char *id, *name, *created_at, *created_by, *description;
    json_t *prompt_overrides, *settings_overrides;
    const char *parent_experiment_id, *status;
    struct string_list tags;
    const char *latest_eval_link;
    bool active;
    OBJECT_LIST(struct deployment, deployments);
};

#define OWNER struct experiment_reply
static const struct field experiment_fields[] = {
    STRING(OWNER, id),
    STRING(OWNER, name),
    STRING(OWNER, created_at),
    STRING(OWNER, created_by),
    STRING(OWNER, description),
    JSON_OBJECT(OWNER, prompt_overrides),
    JSON_OBJECT(OWNER, settings_overrides),
    STRING(OWNER, parent_experiment_id, .nullable = true),
    STRING(OWNER, status),
    STRINGS(OWNER, tags),
    STRING(OWNER, latest_eval_link, .nullable = true),
    BOOLEAN(OWNER, active, .help = "Its staged changes are in force."),
    OBJECTS(OWNER, deployments, deployment_schema, .help = "Newest first.")};
#undef OWNER
SCHEMA(experiment_schema, struct experiment_reply, "ExperimentDetail", experiment_fields);

struct experiment_new_body {
    const char *name, *from, *description;
    json_t *settings_overrides, *prompt_overrides;
};

#define OWNER struct experiment_new_body
static const struct field experiment_new_fields[] = {
    STRING(OWNER, name, .required = true, .min_length = 1, .max_length = EXPERIMENT_NAME_MAX),
    STRING(OWNER, from, .default_text = "current", .max_length = EXPERIMENT_ID_MAX,
           .help = "`current`, or an experiment whose changes it begins with."),
    STRING(OWNER, description, .default_text = "", .max_length = 5000),
    JSON_OBJECT(OWNER, settings_overrides, .nullable = true),
    JSON_OBJECT(OWNER, prompt_overrides, .nullable = true)};
#undef OWNER
SCHEMA(experiment_new_schema, struct experiment_new_body, "ExperimentNew", experiment_new_fields,
       .example = "{\"name\":\"Fewer documents\",\"settings_overrides\":{\"rerank_top_k\":3}}");

struct experiment_changed {
    const char *status, *id;
};

#define OWNER struct experiment_changed
static const struct field experiment_changed_fields[] = {STRING(OWNER, status), STRING(OWNER, id)};
#undef OWNER
SCHEMA(experiment_changed_schema, struct experiment_changed, "ExperimentChanged",
       experiment_changed_fields);

struct stage_query {
    bool activate;
};

#define OWNER struct stage_query
static const struct field stage_query_fields[] = {
    BOOLEAN(OWNER, activate, .default_value = true, .help = "In force from the next question on.")};
#undef OWNER
SCHEMA(stage_query_schema, struct stage_query, "StageQuery", stage_query_fields);

struct deployed_reply {
    const char *status, *id;
    const struct deployment *deployment;
};

#define OWNER struct deployed_reply
static const struct field deployed_fields[] = {STRING(OWNER, status), STRING(OWNER, id),
                                               OBJECT(OWNER, deployment, deployment_schema)};
#undef OWNER
SCHEMA(deployed_schema, struct deployed_reply, "Deployed", deployed_fields);

struct rolled_back {
    const char *status, *id, *rolled_back_at;
};

#define OWNER struct rolled_back
static const struct field rolled_back_fields[] = {STRING(OWNER, status), STRING(OWNER, id),
                                                  STRING(OWNER, rolled_back_at)};
#undef OWNER
SCHEMA(rolled_back_schema, struct rolled_back, "RolledBack", rolled_back_fields);

struct assignment_body {
    json_t *tenant_id, *rollout_percentage;
};

#define OWNER struct assignment_body
static const struct field assignment_body_fields[] = {
    JSON_VALUE(OWNER, tenant_id), JSON_VALUE(OWNER, rollout_percentage, .help = "0 to 100.")};
#undef OWNER
SCHEMA(assignment_body_schema, struct assignment_body, "AssignmentBody", assignment_body_fields,
       .example = "{\"tenant_id\":\"default\",\"rollout_percentage\":25}");

struct assigned {
    const struct assignment *assignment;
};

#define OWNER struct assigned
static const struct field assigned_fields[] = {OBJECT(OWNER, assignment, assignment_schema)};
#undef OWNER
SCHEMA(assigned_schema, struct assigned, "Assigned", assigned_fields);

struct assignments_reply {
    OBJECT_LIST(struct assignment, assignments);
};

#define OWNER struct assignments_reply
static const struct field assignments_fields[] = {OBJECTS(OWNER, assignments, assignment_schema)};
#undef OWNER
SCHEMA(assignments_schema, struct assignments_reply, "Assignments", assignments_fields);

struct comparison_query {
    const char *deployed, *staged, *candidate;
};

#define OWNER struct comparison_query
static const struct field comparison_query_fields[] = {
    STRING(OWNER, deployed, .nullable = true, .max_length = EXPERIMENT_ID_MAX),
    STRING(OWNER, staged, .nullable = true, .max_length = EXPERIMENT_ID_MAX),
    STRING(OWNER, candidate, .nullable = true, .max_length = EXPERIMENT_ID_MAX)};
#undef OWNER
SCHEMA(comparison_query_schema, struct comparison_query, "ComparisonQuery",
       comparison_query_fields);

struct spread {
    struct optional_number mean, p50, p95;
};

#define OWNER struct spread
static const struct field quality_fields[] = {
    NULLABLE_NUMBER(OWNER, mean), NULLABLE_NUMBER(OWNER, p50), NULLABLE_NUMBER(OWNER, p95)};
static const struct field latency_fields[] = {NULLABLE_NUMBER(OWNER, p50),
                                              NULLABLE_NUMBER(OWNER, p95)};
#undef OWNER
static SCHEMA(quality_schema, struct spread, "ComparisonQuality", quality_fields);
static SCHEMA(latency_schema, struct spread, "ComparisonLatency", latency_fields);

/* Data of one of the compared experiments. */
struct compared {
    const char *experiment_id;
    int64_t trace_count;
    const struct spread *quality;
    const char *evaluator_breakdown; /* JSON */
    struct optional_number cost_per_trace;
    const struct spread *latency;
};

#define OWNER struct compared
static const struct field compared_fields[] = {
    STRING(OWNER, experiment_id, .nullable = true),
    INTEGER(OWNER, trace_count),
    OBJECT(OWNER, quality, quality_schema),
    WRITTEN_JSON(OWNER, evaluator_breakdown,
                 .help =
                     "Of a deployed one: means by evaluator. Of a staged one: its last run. Of a "
                     "candidate: whether its file is there."),
    NULLABLE_NUMBER(OWNER, cost_per_trace),
    OBJECT(OWNER, latency, latency_schema)};
#undef OWNER
static SCHEMA(compared_schema, struct compared, "Compared", compared_fields);

struct comparison_reply {
    const struct compared *deployed, *staged, *candidate;
};

#define OWNER struct comparison_reply
static const struct field comparison_fields[] = {OBJECT(OWNER, deployed, compared_schema),
                                                 OBJECT(OWNER, staged, compared_schema),
                                                 OBJECT(OWNER, candidate, compared_schema)};
#undef OWNER
SCHEMA(comparison_schema, struct comparison_reply, "Comparison", comparison_fields);

struct settings_reply {
    OBJECT_LIST(struct overlay_setting, settings);
};

#define OWNER struct settings_reply
static const struct field settings_fields[] = {OBJECTS(OWNER, settings, overlay_setting_schema)};
#undef OWNER
SCHEMA(experiment_settings_schema, struct settings_reply, "ExperimentSettings", settings_fields);

static enum error begin(struct request *request, struct candidate_call *call)
{
    struct db *db;
    enum error error = service_database(request, &db);

    *call =
        (struct candidate_call){db, request->arena, service_settings(request), &request->problem};
    return error;
}

/* The tenant whose runs and answers the caller may read; NULL = all. */
static const char *whose(const struct request *request)
{
    return family_is_operator(request) ? NULL : request->who.tenant;
}

static enum error link_of(struct request *request, const struct candidate_call *call,
                          const char *id, const char **link)
{
    const char *run_id;
    enum error error =
        run_newest(call->db, call->arena, whose(request), id, &run_id, call->problem);

    *link = !error && run_id ? arena_print(request->arena, "/api/admin/regression-runs/%s", run_id)
                             : NULL;
    return error;
}

enum error experiment_settings_handle(struct request *request, struct reply *reply)
{
    struct settings_reply *object = ARENA_NEW(request->arena, struct settings_reply);

    object->settings = overlay_describe(request->arena, service_settings(request));
    reply->object = object;
    return ERROR_NONE;
}

enum error experiments_handle(struct request *request, struct reply *reply)
{
    struct experiments_reply *object = ARENA_NEW(request->arena, struct experiments_reply);
    struct object_list experiments;
    struct experiment_entry *entries;
    struct candidate_call call;
    enum error error = begin(request, &call);

    if (!error)
        error = experiment_list(call.arena, call.settings, &experiments, &object->invalid,
                                call.problem);
    if (error)
        return error;
    entries = ARENA_ARRAY(request->arena, struct experiment_entry, experiments.count + 1);
    for (size_t i = 0; i < experiments.count && !error; i++) {
        const struct experiment *item = &((const struct experiment *)experiments.items)[i];

        entries[i] =
            (struct experiment_entry){.id = item->id, .name = item->name, .status = item->status};
        error = link_of(request, &call, item->id, &entries[i].latest_eval_link);
    }
    object->experiments = (struct object_list){experiments.count, entries};
    reply->object = object;
    return error;
}

static json_t *map_of(const struct request *request, const json_t *map)
{
    return map ? (json_t *)map : service_json(request, "{}");
}

static void show(struct request *request, const struct candidate_call *call,
                 const struct experiment *experiment, const char *link,
                 const struct object_list *deployments, struct reply *reply)
{
    struct experiment_reply *object = ARENA_NEW(request->arena, struct experiment_reply);
    const char *active = experiment_active(call->arena, call->settings);

    *object = (struct experiment_reply){.id = experiment->id,
                                        .name = experiment->name,
                                        .created_at = experiment->created_at,
                                        .created_by = experiment->created_by,
                                        .description = experiment->description,
                                        .prompt_overrides = map_of(request, experiment->prompts),
                                        .settings_overrides = map_of(request, experiment->settings),
                                        .parent_experiment_id = experiment->parent,
                                        .status = experiment->status,
                                        .tags = experiment->tags,
                                        .latest_eval_link = link,
                                        .active = active && strcmp(active, experiment->id) == 0,
                                        .deployments = *deployments};
    reply->object = object;
}

enum error experiment_handle(struct request *request, struct reply *reply)
{
    const char *id = request->arguments[0], *link = NULL;
    struct object_list deployments = {0};
    struct experiment experiment;
    struct candidate_call call;
    enum error error = begin(request, &call);

    if (!error)
        error = experiment_read(call.arena, call.settings, id, &experiment, call.problem);
    if (!error)
        error = link_of(request, &call, id, &link);
    if (!error)
        error = deployment_list(call.db, call.arena, id, &deployments, call.problem);
    if (!error)
        show(request, &call, &experiment, link, &deployments, reply);
    return error;
}

/* A change for all tenants; holds the lock that programs also take. */
static enum error begin_change(struct request *request, struct candidate_call *call,
                               struct arena_guard **lock)
{
    enum error error;

    *lock = NULL;
    if (!family_is_operator(request))
        return problem_set(&request->problem, ERROR_FORBIDDEN, "operator_only",
                           "only an administrator of tenant default may do this");
    error = begin(request, call);
    return error ? error : family_lock(request, candidates_lock, lock);
}

enum error experiment_new_handle(struct request *request, struct reply *reply)
{
    const struct experiment_new_body *body = request->body;
    const struct experiment_request asked = {
        .name = body->name,
        .from = body->from,
        .description = body->description,
        .created_by = request->who.subject ? request->who.subject : "system",
        .settings = body->settings_overrides,
        .prompts = body->prompt_overrides,
        .bare = true};
    struct experiment experiment;
    struct candidate_call call;
    struct arena_guard *lock = NULL;
    enum error error = begin_change(request, &call, &lock);

    if (!error)
        error = experiment_new(call.arena, call.settings, &asked, &experiment, call.problem);
    data_file_unlock(lock);
    if (error)
        return error;
    service_audit(request, "experiment_create",
                  arena_print(request->arena, "experiment:%s", experiment.id), NULL);
    /* The new experiment has no other data yet, and an error must not hide that it was created. */
    show(request, &call, &experiment, NULL, &(struct object_list){0}, reply);
    return ERROR_NONE;
}

static enum error changed(struct request *request, enum error error, const char *action,
                          const char *status, struct reply *reply)
{
    struct experiment_changed *object = ARENA_NEW(request->arena, struct experiment_changed);

    if (error)
        return error;
    *object = (struct experiment_changed){.status = status, .id = request->arguments[0]};
    service_audit(request, action,
                  arena_print(request->arena, "experiment:%s", request->arguments[0]), NULL);
    reply->object = object;
    return ERROR_NONE;
}

enum error experiment_stage_handle(struct request *request, struct reply *reply)
{
    const struct stage_query *query = request->query;
    struct candidate_call call;
    struct arena_guard *lock = NULL;
    enum error error = begin_change(request, &call, &lock);

    if (!error)
        error = candidate_stage(&call, request->arguments[0], query->activate);
    data_file_unlock(lock);
    return changed(request, error, "experiment_stage", "staged", reply);
}

enum error experiment_archive_handle(struct request *request, struct reply *reply)
{
    struct candidate_call call;
    struct arena_guard *lock = NULL;
    enum error error = begin_change(request, &call, &lock);

    if (!error)
        error = candidate_archive(&call, request->arguments[0]);
    data_file_unlock(lock);
    return changed(request, error, "experiment_archive", "archived", reply);
}

enum error experiment_deploy_handle(struct request *request, struct reply *reply)
{
    struct deployed_reply *object = ARENA_NEW(request->arena, struct deployed_reply);
    struct deployment *deployment = ARENA_NEW(request->arena, struct deployment);
    struct candidate_call call;
    struct arena_guard *lock = NULL;
    enum error error = begin_change(request, &call, &lock);

    if (!error)
        error = candidate_deploy(&call, request->arguments[0], false, deployment);
    data_file_unlock(lock);
    error = changed(request, error, "experiment_deploy", "deployed", reply);
    if (error)
        return error;
    *object = (struct deployed_reply){
        .status = "deployed", .id = request->arguments[0], .deployment = deployment};
    reply->object = object;
    return ERROR_NONE;
}

enum error experiment_rollback_handle(struct request *request, struct reply *reply)
{
    struct rolled_back *object = ARENA_NEW(request->arena, struct rolled_back);
    struct candidate_call call;
    struct arena_guard *lock = NULL;
    enum error error = begin_change(request, &call, &lock);

    if (!error)
        error =
            candidate_roll_back(&call, request->arguments[0], "by hand", &object->rolled_back_at);
    data_file_unlock(lock);
    error = changed(request, error, "experiment_rollback", "rolled_back", reply);
    if (error)
        return error;
    object->status = "rolled_back";
    object->id = request->arguments[0];
    reply->object = object;
    return ERROR_NONE;
}

static enum error bad(struct request *request, const char *text)
{
    return problem_set(&request->problem, ERROR_INVALID, "bad_parameter", "%s", text);
}

/* "25" and 12.7 are 25 and 12; nothing is 0. */
static bool percentage_of(const json_t *value, int64_t *percentage)
{
    double number;

    *percentage = 0;
    if (!value)
        return true;
    if (json_is_string(value))
        return integer_parse(json_string_value(value), percentage);
    if (!json_is_number(value))
        return false;
    number = json_number_value(value);
    *percentage = number > 1000 ? 1000 : number < -1000 ? -1000 : (int64_t)number;
    return true;
}

enum error experiment_assign_handle(struct request *request, struct reply *reply)
{
    const struct assignment_body *body = request->body;
    const char *tenant = json_string_value(body->tenant_id), *id = request->arguments[0];
    struct assignment *assignment = ARENA_NEW(request->arena, struct assignment);
    struct assigned *object = ARENA_NEW(request->arena, struct assigned);
    struct experiment experiment;
    struct candidate_call call;
    int64_t percentage;
    enum error error = begin(request, &call);

    if (!error)
        error = experiment_read(call.arena, call.settings, id, &experiment, call.problem);
    if (error)
        return error;
    tenant = tenant ? text_trimmed(request->arena, tenant, strlen(tenant)) : "";
    if (!*tenant)
        return bad(request, "tenant_id is required");
    if (!percentage_of(body->rollout_percentage, &percentage))
        return bad(request, "rollout_percentage must be integer");
    if (percentage < 0 || percentage > 100)
        return bad(request, "rollout_percentage must be within [0, 100]");
    if (!support_is_tenant(tenant))
        return bad(request, "tenant_id is no name of a tenant");
    if (!family_is_operator(request) && strcmp(tenant, request->who.tenant) != 0)
        return problem_set(&request->problem, ERROR_FORBIDDEN, "other_tenant",
                           "tenant_id must be your own");
    if (strcmp(experiment.status, "archived") == 0)
        return problem_set(&request->problem, ERROR_CONFLICT, "experiment_archived",
                           "experiment is archived");
    error = assignment_put(call.db, call.arena, tenant, id, percentage, assignment, call.problem);
    if (error)
        return error;
    service_audit(request, "experiment_assign", arena_print(request->arena, "experiment:%s", id),
                  arena_print(request->arena, "{\"tenant\":\"%s\",\"percentage\":%lld}", tenant,
                              (long long)percentage));
    object->assignment = assignment;
    reply->object = object;
    return ERROR_NONE;
}

enum error experiment_assignments_handle(struct request *request, struct reply *reply)
{
    struct assignments_reply *object = ARENA_NEW(request->arena, struct assignments_reply);
    struct candidate_call call;
    enum error error = begin(request, &call);

    if (!error)
        error = assignment_list(call.db, call.arena, request->arguments[0], whose(request),
                                &object->assignments, call.problem);
    reply->object = object;
    return error;
}

struct bucket {
    struct compared compared;
    struct spread quality, latency;
};

static struct bucket *bucket_of(struct arena *arena, const char *experiment_id)
{
    struct bucket *bucket = ARENA_NEW(arena, struct bucket);

    bucket->compared = (struct compared){.experiment_id = experiment_id,
                                         .quality = &bucket->quality,
                                         .evaluator_breakdown = "{}",
                                         .latency = &bucket->latency};
    return bucket;
}

static const char *evaluators_of(const struct candidate_call *call, const char *id,
                                 enum error *error)
{
    struct text text;
    struct json_writer writer;

    text_start(&text, call->arena, 1 << 16);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    for (size_t i = 0; i < EVALUATORS && !*error; i++) {
        struct evaluator_mean mean;

        *error = deployment_evaluations(call->db, id, evaluator_names[i],
                                        call->settings->rollback_window, &mean, call->problem);
        if (!*error && mean.count)
            writer_key_number(&writer, evaluator_names[i], mean.mean);
    }
    writer_close_object(&writer);
    return text.bytes;
}

/* The rank of a percentile among so many, from 0: ceil(p * n / 100) - 1. */
static int64_t rank_of(int64_t count, int64_t percent)
{
    return count ? (percent * count + 99) / 100 - 1 : 0;
}

static enum error deployed_bucket(struct request *request, const struct candidate_call *call,
                                  const char *id, struct bucket *bucket)
{
    const char *tenant = whose(request);
    struct answer_metrics answers;
    const struct {
        bool latency;
        int64_t percent;
        struct optional_number *value;
    } ranks[] = {{false, 50, &bucket->quality.p50},
                 {false, 95, &bucket->quality.p95},
                 {true, 50, &bucket->latency.p50},
                 {true, 95, &bucket->latency.p95}};
    enum error error = deployment_answers(call->db, id, tenant, &answers, call->problem);

    if (error || !answers.count)
        return error;
    bucket->compared.trace_count = answers.count;
    bucket->quality.mean = answers.quality;
    bucket->compared.cost_per_trace = answers.cost;
    for (size_t i = 0; i < COUNT_OF(ranks) && !error; i++)
        error = deployment_ranked(call->db, id, tenant, ranks[i].latency,
                                  rank_of(answers.count, ranks[i].percent), ranks[i].value,
                                  call->problem);
    if (!error && !tenant)
        bucket->compared.evaluator_breakdown = evaluators_of(call, id, &error);
    return error;
}

static enum error staged_bucket(struct request *request, const struct candidate_call *call,
                                const char *id, struct bucket *bucket)
{
    const char *tenant = whose(request);
    struct run_deltas deltas;
    bool found;
    enum error error;

    if (tenant && strcmp(tenant, "default") == 0)
        tenant = NULL; /* a reviewer of the operator */
    error = run_deltas_of(call->db, call->arena, tenant, id, &deltas, &found, call->problem);
    if (error || !found)
        return error;
    bucket->compared.evaluator_breakdown =
        schema_json(request->arena, 4096, &run_deltas_schema, &deltas);
    bucket->quality = (struct spread){
        .mean = deltas.quality_delta, .p50 = deltas.quality_delta, .p95 = deltas.quality_delta};
    return ERROR_NONE;
}

enum error comparison_handle(struct request *request, struct reply *reply)
{
    const struct comparison_query *query = request->query;
    struct comparison_reply *object = ARENA_NEW(request->arena, struct comparison_reply);
    struct bucket *deployed = bucket_of(request->arena, query->deployed),
                  *staged = bucket_of(request->arena, query->staged),
                  *candidate = bucket_of(request->arena, query->candidate);
    struct candidate_call call;
    enum error error = begin(request, &call);

    if (!error && query->deployed)
        error = deployed_bucket(request, &call, query->deployed, deployed);
    if (!error && query->staged)
        error = staged_bucket(request, &call, query->staged, staged);
    if (error)
        return error;
    if (query->candidate)
        candidate->compared.evaluator_breakdown =
            experiment_is_id(query->candidate) &&
                    data_file_exists(experiment_path(call.arena, call.settings, query->candidate))
                ? "{\"yaml_present\":true}"
                : "{\"yaml_present\":false}";
    *object = (struct comparison_reply){.deployed = &deployed->compared,
                                        .staged = &staged->compared,
                                        .candidate = &candidate->compared};
    reply->object = object;
    return ERROR_NONE;
}

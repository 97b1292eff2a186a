/* Writes the number of buckets into the project, which the first record of the experiment reads. */
#include "experiments/live/buckets.h"

#include "base/json.h"
#include "base/text.h"
#include "db/query.h"

enum { DIFF_BYTES_MAX = 256 };

static const struct statement find_project = {
    .name = "live_buckets_project",
    .sql = "SELECT project_name, archived, live_bucket_count FROM projects WHERE id = ?",
};
static const struct statement put_buckets = {
    .name = "live_buckets_put",
    .sql = "UPDATE projects SET live_bucket_count = ? WHERE id = ?",
};

/* What a project states so far. */
struct stated {
    const char *name; /* NULL: no such project */
    bool archived;
    int64_t buckets;
};

static enum error read_stated(const struct live_call *call, const char *id, struct stated *stated)
{
    struct query *query = db_query(call->db, &find_project);

    *stated = (struct stated){0};
    query_bind_text(query, id);
    if (query_next(query))
        *stated = (struct stated){query_text(query, 0, call->arena), query_boolean(query, 1),
                                  query_integer(query, 2)};
    return query_end(query, call->problem);
}

static enum error no_project(const struct live_call *call)
{
    return problem_set(call->problem, ERROR_NOT_FOUND, "project_not_found", "Project not found");
}

static enum error check(const struct live_call *call, const char *id, int64_t buckets,
                        struct stated *stated)
{
    struct live_experiment experiment;
    enum error error = read_stated(call, id, stated);

    if (!error)
        error = live_find_experiment(call, id, &experiment);
    if (error)
        return error;
    if (!stated->name)
        return no_project(call);
    if (stated->archived)
        return problem_set(call->problem, ERROR_INVALID, "project_archived", "Project is archived");
    if (experiment.number && live_bucket_count(&experiment) != buckets)
        return problem_set(call->problem, ERROR_CONFLICT, "experiment_started",
                           "the experiment has received records: its number of buckets stays");
    return ERROR_NONE;
}

static enum error put(const struct live_call *call, const struct live_division_choice *choice)
{
    struct query *query = db_query(call->db, &put_buckets);

    query_bind_integer(query, choice->buckets);
    query_bind_text(query, choice->experiment_id);
    return query_end(query, call->problem);
}

static enum error note(const struct live_call *call, const struct actor *actor,
                       const struct stated *stated, const struct live_division_choice *choice)
{
    struct audit_event event = {.action = "project.update",
                                .project_id = choice->experiment_id,
                                .project_name = stated->name};
    struct json_writer writer;
    struct text text;

    text_start(&text, call->arena, DIFF_BYTES_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key(&writer, "live_bucket_count");
    writer_open_array(&writer);
    writer_integer(&writer, stated->buckets);
    writer_integer(&writer, choice->buckets);
    writer_close_array(&writer);
    writer_close_object(&writer);
    event.diff = text.bytes;
    return audit_record(call->db, call->arena, actor, &event, call->problem);
}

static enum error choose(const struct live_call *call, const struct actor *actor,
                         const struct live_division_choice *choice)
{
    struct stated stated;
    enum error error = live_lock_row(call, choice->experiment_id);

    if (!error)
        error = check(call, choice->experiment_id, choice->buckets, &stated);
    if (error || stated.buckets == choice->buckets)
        return error;
    error = put(call, choice);
    return error ? error : note(call, actor, &stated, choice);
}

enum error live_choose_buckets(const struct live_call *call, const struct actor *actor,
                               const struct live_division_choice *choice)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    return error ? error : db_finish(call->db, choose(call, actor, choice), call->problem);
}

/* What the first record has read stays; before it, what the project states. */
enum error live_stated_buckets(const struct live_call *call, const char *id,
                               struct live_division_choice *choice)
{
    struct live_experiment experiment;
    struct stated stated;
    enum error error = read_stated(call, id, &stated);

    if (!error && !stated.name)
        error = no_project(call);
    if (!error)
        error = live_find_experiment(call, id, &experiment);
    if (error)
        return error;
    *choice = (struct live_division_choice){id, experiment.number ? live_bucket_count(&experiment)
                                                                  : stated.buckets};
    if (choice->buckets < 1)
        choice->buckets = 1;
    return ERROR_NONE;
}

/* Projects over HTTP: handlers call the store and answer with its objects. */
#include "experiments-projects/projects.h"
#include "experiments-projects/project_schemas.h"
#include "experiments/adaptive/adaptive_store.h"
#include "experiments/flags/flag_store.h"
#include "experiments/service.h"

/* What every store function needs, the database ready. */
static enum error begin(struct request *request, struct project_call *call)
{
    *call = (struct project_call){
        .arena = request->arena, .actor = service_actor(request), .problem = &request->problem};
    return service_database(request, &call->db);
}

/* A project as the answer, and its version as its ETag. */
static enum error answer_project(struct request *request, struct reply *reply, enum error error,
                                 const struct project *project)
{
    if (error)
        return error;
    reply_add_header(reply, "ETag", arena_print(request->arena, "\"%s\"", project->updated_at));
    reply->object = project;
    return ERROR_NONE;
}

static const char *if_match(const struct request *request)
{
    return request_header(request, "HTTP_IF_MATCH");
}

enum error projects_list(struct request *request, struct reply *reply)
{
    const struct list_query *query = request->query;
    struct list_reply *answer = ARENA_NEW(request->arena, struct list_reply);
    struct project_filter filter = {.status = (enum project_status)query->status,
                                    .metric_type =
                                        query->metric_type == METRIC__MAX ? -1 : query->metric_type,
                                    .q = query->q,
                                    .sort_by = (enum project_sort)query->sort_by,
                                    .ascending = query->sort_dir == 0,
                                    .limit = query->limit,
                                    .offset = query->offset};
    struct project_call call;
    enum error error = begin(request, &call);

    if (query->include_archived.value && filter.status == STATUS_ACTIVE)
        filter.status = STATUS_ALL;
    if (!error)
        error = project_list(&call, &filter, &answer->projects, &answer->total);
    answer->limit = filter.limit;
    answer->offset = filter.offset;
    answer->has_more = filter.offset + (int64_t)answer->projects.count < answer->total;
    reply->object = answer;
    return error;
}

enum error projects_create(struct request *request, struct reply *reply)
{
    struct project *project = ARENA_NEW(request->arena, struct project);
    struct project_call call;
    enum error error = begin(request, &call);

    if (!error)
        error = project_create(&call, request->body, project);
    return answer_project(request, reply, error, project);
}

enum error projects_read(struct request *request, struct reply *reply)
{
    struct project *project = ARENA_NEW(request->arena, struct project);
    struct project_call call;
    enum error error = begin(request, &call);

    if (!error)
        error = project_read(&call, request->arguments[0], project);
    return answer_project(request, reply, error, project);
}

static struct flag_call flag_call_of(const struct project_call *call)
{
    return (struct flag_call){.db = call->db, .arena = call->arena, .problem = call->problem};
}

/* A change of the design under the lock of flags, which stands when the project's flag, if it is
 * on, may be so. */
static enum error begin_change(const struct project_call *call)
{
    const struct flag_call flags = flag_call_of(call);
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = flag_lock(&flags);
    return error ? db_finish(call->db, error, call->problem) : ERROR_NONE;
}

static enum error finish_change(const struct project_call *call, enum error error,
                                const struct project *project)
{
    const struct flag_call flags = flag_call_of(call);
    const struct adaptive_call adaptive = {call->db, call->arena, call->problem};

    if (!error)
        error = flag_check_design(&flags, project->id, project->document);
    if (!error)
        error = adaptive_check_design(&adaptive, project->id, project->document);
    return db_finish(call->db, error, call->problem);
}

enum error projects_update(struct request *request, struct reply *reply)
{
    struct project *project = ARENA_NEW(request->arena, struct project);
    struct project_call call;
    enum error error = begin(request, &call);

    if (!error)
        error = begin_change(&call);
    if (error)
        return error;
    error = project_update(&call, request->arguments[0], if_match(request), request->body, project);
    error = finish_change(&call, error, project);
    return answer_project(request, reply, error, project);
}

enum error projects_delete(struct request *request, struct reply *reply)
{
    struct deleted_reply *answer = ARENA_NEW(request->arena, struct deleted_reply);
    struct project_call call;
    enum error error = begin(request, &call);

    if (!error)
        error = project_delete(&call, request->arguments[0], if_match(request));
    *answer = (struct deleted_reply){.id = request->arguments[0], .deleted = true};
    reply->object = answer;
    return error;
}

enum error projects_archive(struct request *request, struct reply *reply)
{
    struct archived_reply *answer = ARENA_NEW(request->arena, struct archived_reply);
    struct project_call call;
    enum error error = begin(request, &call);

    *answer = (struct archived_reply){.id = request->arguments[0], .archived = true};
    if (!error)
        error =
            project_archive(&call, request->arguments[0], if_match(request), &answer->archived_at);
    reply->object = answer;
    return error;
}

enum error projects_restore(struct request *request, struct reply *reply)
{
    struct project *project = ARENA_NEW(request->arena, struct project);
    struct project_call call;
    enum error error = begin(request, &call);

    if (!error)
        error = begin_change(&call);
    if (error)
        return error;
    error = project_restore(&call, request->arguments[0], if_match(request), project);
    error = finish_change(&call, error, project);
    return answer_project(request, reply, error, project);
}

enum error projects_add_analysis(struct request *request, struct reply *reply)
{
    struct project *project = ARENA_NEW(request->arena, struct project);
    struct project_call call;
    enum error error = begin(request, &call);

    if (!error)
        error = project_add_analysis(&call, request->arguments[0], request->body, project);
    return answer_project(request, reply, error, project);
}

enum error projects_add_export(struct request *request, struct reply *reply)
{
    const struct export_request *asked = request->body;
    struct project *project = ARENA_NEW(request->arena, struct project);
    struct project_call call;
    enum error error = begin(request, &call);

    if (!error)
        error = project_add_export(&call, request->arguments[0], (enum export_format)asked->format,
                                   asked->analysis_run_id, project);
    return answer_project(request, reply, error, project);
}

static const struct run_summary *summarize(const struct analysis_payload *analysis,
                                           struct arena *arena)
{
    const struct calculation *calculations = analysis->calculations;
    struct run_summary *summary = ARENA_NEW(arena, struct run_summary);

    *summary = (struct run_summary){
        .metric_type = calculations->calculation_summary->metric_type,
        .sample_size_per_variant = GIVEN_INTEGER(calculations->results->sample_size_per_variant),
        .total_sample_size = GIVEN_INTEGER(calculations->results->total_sample_size),
        .estimated_duration_days = GIVEN_INTEGER(calculations->results->estimated_duration_days),
        .warnings_count = (int64_t)calculations->warnings.count,
        .advice_available = analysis->advice->available};
    return summary;
}

static void summarize_all(struct object_list *runs, struct arena *arena)
{
    struct analysis_run *items = runs->items;

    for (size_t i = 0; i < runs->count; i++)
        items[i].summary = summarize(items[i].analysis, arena);
}

static struct project_page page_of(const struct request *request, int64_t limit, int64_t offset)
{
    return (struct project_page){.limit = limit,
                                 .offset = offset,
                                 .memory_max = service_settings(request)->page_memory_bytes};
}

enum error projects_history(struct request *request, struct reply *reply)
{
    const struct history_query *query = request->query;
    struct history_reply *answer = ARENA_NEW(request->arena, struct history_reply);
    struct project_page runs = page_of(request, query->analysis_limit, query->analysis_offset);
    struct project_page events = page_of(request, query->export_limit, query->export_offset);
    struct project_call call;
    enum error error = begin(request, &call);

    if (!error)
        error = project_analysis_runs(&call, request->arguments[0], &runs);
    if (!error)
        error = project_export_events(&call, request->arguments[0], &events);
    if (error)
        return error;
    summarize_all(&runs.items, request->arena);
    *answer = (struct history_reply){.project_id = request->arguments[0],
                                     .analysis_total = runs.total,
                                     .analysis_limit = runs.limit,
                                     .analysis_offset = runs.offset,
                                     .export_total = events.total,
                                     .export_limit = events.limit,
                                     .export_offset = events.offset,
                                     .analysis_runs = runs.items,
                                     .export_events = events.items};
    reply->object = answer;
    return ERROR_NONE;
}

enum error projects_revisions(struct request *request, struct reply *reply)
{
    const struct revisions_query *query = request->query;
    struct revisions_reply *answer = ARENA_NEW(request->arena, struct revisions_reply);
    struct project_page page = page_of(request, query->limit, query->offset);
    struct project_call call;
    enum error error = begin(request, &call);

    if (!error)
        error = project_revisions(&call, request->arguments[0], &page);
    *answer = (struct revisions_reply){.project_id = request->arguments[0],
                                       .total = page.total,
                                       .limit = page.limit,
                                       .offset = page.offset,
                                       .revisions = page.items};
    reply->object = answer;
    return error;
}

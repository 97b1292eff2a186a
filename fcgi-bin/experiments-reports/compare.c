/* POST and GET /api/v1/projects/compare: compares snapshots of projects. */
#include "experiments-reports/compare.h"
#include "experiments/service.h"

#include <string.h>

enum { MONTE_CARLO_BYTES_MAX = 64 * 1024 * 1024 };

enum error compare_begin(struct request *request, struct project_call *call)
{
    *call = (struct project_call){
        .arena = request->arena, .actor = service_actor(request), .problem = &request->problem};
    return service_database(request, &call->db);
}

void compare_cost(const void *body, struct compute_cost *cost)
{
    (void)body;
    *cost = (struct compute_cost){.units = COMPUTE_HEAVY_UNITS, .heavy = true};
}

enum error compare_read(const struct project_call *call, const struct string_list *ids,
                        struct project_snapshot *snapshots)
{
    for (size_t i = 0; i < ids->count; i++) {
        const char *id = text_trimmed(call->arena, ids->items[i], strlen(ids->items[i]));
        enum error error = snapshot_read_analysed(call, id, false, &snapshots[i]);

        if (error)
            return error;
    }
    return ERROR_NONE;
}

static void write_numbers(struct json_writer *writer, const char *key, const double *values,
                          size_t count)
{
    writer_key(writer, key);
    writer_open_array(writer);
    for (size_t i = 0; i < count; i++)
        writer_number(writer, values[i]);
    writer_close_array(writer);
}

static const char *unique_json(const struct comparison *comparison, struct arena *arena)
{
    struct text text;
    struct json_writer writer;

    text_start(&text, arena, MONTE_CARLO_BYTES_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    for (size_t i = 0; i < comparison->projects.count; i++) {
        const struct compared_unique *unique = &comparison->unique[i];

        writer_key(&writer, unique->id);
        writer_open_object(&writer);
        writer_key_strings(&writer, "warnings", &unique->warnings);
        writer_key_strings(&writer, "risks", &unique->risks);
        writer_key_strings(&writer, "assumptions", &unique->assumptions);
        writer_close_object(&writer);
    }
    writer_close_object(&writer);
    return text.bytes;
}

static void write_histogram(struct json_writer *writer, const struct uplift_axis *axis,
                            const struct uplift_draws *draws)
{
    double shares[UPLIFT_BUCKETS];

    uplift_shares(axis, draws, shares);
    writer_key(writer, "histogram");
    writer_open_object(writer);
    writer_key_integer(writer, "bucket_count", UPLIFT_BUCKETS);
    writer_key_number(writer, "start", axis->start);
    writer_key_number(writer, "end", axis->end);
    writer_key_number(writer, "bucket_width", axis->width);
    write_numbers(writer, "shares", shares, UPLIFT_BUCKETS);
    writer_close_object(writer);
}

static void write_draws(struct json_writer *writer, const struct uplift_axis *axis,
                        const struct uplift_draws *draws, bool with_draws, struct arena *arena)
{
    writer_open_object(writer);
    writer_key_integer(writer, "num_simulations", (int64_t)draws->values.count);
    writer_key(writer, "percentiles");
    writer_open_object(writer);
    for (size_t i = 0; i < UPLIFT_PERCENTILES; i++)
        writer_key_number(writer, arena_print(arena, "%d", uplift_percentiles[i]),
                          draws->percentiles[i]);
    writer_close_object(writer);
    writer_key_number(writer, "probability_uplift_positive", draws->above_zero);
    writer_key(writer, "probability_uplift_above_threshold");
    writer_open_object(writer);
    for (int i = 0; i < UPLIFT_THRESHOLDS; i++)
        writer_key_number(writer, arena_print(arena, "0.%02d", i + 1), draws->above[i]);
    writer_close_object(writer);
    if (with_draws)
        write_numbers(writer, "simulated_uplifts", draws->values.items, draws->values.count);
    write_histogram(writer, axis, draws);
    writer_close_object(writer);
}

static const char *monte_carlo_json(const struct project_snapshot *snapshots, size_t count,
                                    const struct compare_query *query, struct arena *arena)
{
    const struct uplift_draws *sets[COMPARED_MAX];
    const char *ids[COMPARED_MAX];
    struct uplift_axis axis;
    struct text text;
    struct json_writer writer;
    size_t drawn = 0;

    for (size_t i = 0; i < count; i++) {
        struct uplift_draws *draws = ARENA_NEW(arena, struct uplift_draws);

        if (!comparison_draw(&snapshots[i], (size_t)query->monte_carlo_simulations, UPLIFT_SEED + i,
                             arena, draws))
            continue;
        ids[drawn] = snapshots[i].project.id;
        sets[drawn++] = draws;
    }
    text_start(&text, arena, MONTE_CARLO_BYTES_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    axis = uplift_axis_of(sets, drawn);
    for (size_t i = 0; i < drawn; i++) {
        writer_key(&writer, ids[i]);
        write_draws(&writer, &axis, sets[i], query->include_draws, arena);
    }
    writer_close_object(&writer);
    return text.bytes;
}

enum error compare_handle(struct request *request, struct reply *reply)
{
    const struct compare_query *query = request->query;
    const struct string_list *ids = &((const struct compare_request *)request->body)->project_ids;
    struct project_snapshot *snapshots =
        ARENA_ARRAY(request->arena, struct project_snapshot, ids->count);
    struct comparison *found = ARENA_NEW(request->arena, struct comparison);
    struct compare_reply *answer = ARENA_NEW(request->arena, struct compare_reply);
    struct project_call call;
    enum error error = compare_begin(request, &call);

    if (!error)
        error = compare_read(&call, ids, snapshots);
    if (error)
        return error;
    comparison_build(snapshots, ids->count, request->arena, found);
    *answer = (struct compare_reply){
        .projects = found->projects,
        .shared_warnings = found->shared_warnings,
        .shared_risks = found->shared_risks,
        .shared_assumptions = found->shared_assumptions,
        .unique_per_project = unique_json(found, request->arena),
        .sample_size_range = &found->sample_size_range,
        .duration_range = &found->duration_range,
        .metric_types_used = found->metric_types_used,
        .recommendation_highlights = found->recommendation_highlights,
    };
    if (query->include_monte_carlo)
        answer->monte_carlo_distribution =
            monte_carlo_json(snapshots, ids->count, query, request->arena);
    reply->object = answer;
    return ERROR_NONE;
}

static enum error read_side(const struct project_call *call, const char *id, const char *run_id,
                            struct project_snapshot *snapshot)
{
    const struct snapshot_choice choice = {.run_id = run_id};
    enum error error = snapshot_read(call, id, &choice, snapshot);

    if (!error && !snapshot->run.id)
        return problem_set(call->problem, ERROR_INVALID, "no_analysis",
                           "Project %s has no saved analysis snapshot", id);
    return error;
}

enum error compare_pair_handle(struct request *request, struct reply *reply)
{
    const struct compare_pair_query *query = request->query;
    struct compared_pair *pair = ARENA_NEW(request->arena, struct compared_pair);
    struct project_snapshot base, candidate;
    struct project_call call;
    enum error error;

    if (strcmp(query->base_id, query->candidate_id) == 0)
        return problem_set(&request->problem, ERROR_INVALID, "same_project",
                           "base_id and candidate_id must name two projects");
    error = compare_begin(request, &call);
    if (!error)
        error = read_side(&call, query->base_id, query->base_run_id, &base);
    if (!error)
        error = read_side(&call, query->candidate_id, query->candidate_run_id, &candidate);
    if (error)
        return error;
    comparison_build_pair(&base, &candidate, request->arena, pair);
    reply_add_header(reply, "Deprecation", "true");
    reply->object = pair;
    return ERROR_NONE;
}

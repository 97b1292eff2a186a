/* State transitions of an experiment between draft and deployed. Files are written before rows: a
 * row without its file would announce changes that are not in force. */
#include "support/candidates/deploy.h"
#include "base/yaml.h"
#include "support/programs/data_files.h"
#include "support/traces/evaluators.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FILE_MOST = 1 << 22 };

const char candidates_lock[] = "experiments";

static const char *path_of(const struct candidate_call *call, const char *path)
{
    return data_file_path(call->arena, call->settings, path);
}

static enum error put_file(const struct candidate_call *call, const char *path,
                           const struct text *text)
{
    if (text->overflowed)
        return problem_set(call->problem, ERROR_TOO_LARGE, "experiment_too_large",
                           "the experiment is too large");
    return data_file_write(call->arena, path_of(call, path), text->bytes, text->length,
                           call->problem);
}

static enum error set_status(const struct candidate_call *call, const char *id, const char *status)
{
    struct experiment experiment;
    enum error error = experiment_read(call->arena, call->settings, id, &experiment, call->problem);

    if (error == ERROR_NOT_FOUND)
        return ERROR_NONE; /* deployed experiment whose file was deleted */
    if (error || strcmp(experiment.status, status) == 0 ||
        strcmp(experiment.status, "archived") == 0)
        return error; /* an archived experiment stays archived after its deployment ends */
    experiment.status = status;
    return experiment_write(call->arena, call->settings, &experiment, call->problem);
}

static enum error read_usable(const struct candidate_call *call, const char *id,
                              struct experiment *experiment)
{
    enum error error = experiment_read(call->arena, call->settings, id, experiment, call->problem);

    if (!error && strcmp(experiment->status, "archived") == 0)
        return problem_set(call->problem, ERROR_CONFLICT, "experiment_archived",
                           "experiment is archived");
    return error;
}

enum error candidate_stage(const struct candidate_call *call, const char *id, bool activate)
{
    struct experiment experiment;
    struct text text;
    enum error error = read_usable(call, id, &experiment);

    if (error)
        return error;
    text_start(&text, call->arena, FILE_MOST);
    experiment_yaml_text(&text, "experiment_id", id);
    experiment_yaml_map(&text, "prompt_overrides", experiment.prompts);
    experiment_yaml_map(&text, "settings_overrides", experiment.settings);
    error = put_file(call, experiment_override_path, &text);
    if (!error && strcmp(experiment.status, "deployed") != 0)
        error = set_status(call, id, "running");
    if (!error)
        error = db_begin(call->db, DB_WRITE, call->problem);
    if (error)
        return error;
    error = deployment_stage(call->db, id, call->problem);
    if (!error &&
        activate) { /* otherwise its changes are not in force and must not be recorded as staged */
        const char *line = arena_print(call->arena, "%s\n", id);

        error = data_file_write(call->arena, path_of(call, call->settings->experiment_id_file),
                                line, strlen(line), call->problem);
    }
    return db_finish(call->db, error, call->problem);
}

enum error candidate_unstage(const struct candidate_call *call, const char *id)
{
    const char *active = experiment_active(call->arena, call->settings);
    enum error error = ERROR_NONE;

    if (active && strcmp(active, id) == 0 && !call->settings->experiment_id)
        error = data_file_remove(path_of(call, call->settings->experiment_id_file), call->problem);
    if (!error && active && strcmp(active, id) == 0)
        error = data_file_remove(path_of(call, experiment_override_path), call->problem);
    return error;
}

static enum error judge(const struct candidate_call *call, const char *id, const char **run_id)
{
    struct judged_run run = {NULL, true};
    bool found = false;
    enum error error = deployment_judged(call->db, call->arena, id, &run, &found, call->problem);

    *run_id = run.run_id;
    if (error || (found && !run.drift_alert))
        return error;
    return problem_set(call->problem, ERROR_CONFLICT, "regression_not_green",
                       "green regression run on curated dataset is required before deploy");
}

static enum error supersede_others(const struct candidate_call *call, const char *id)
{
    struct object_list rows;
    enum error error = deployment_active(call->db, call->arena, &rows, call->problem);

    for (size_t i = 0; i < rows.count && !error; i++) {
        const struct deployment *other = &((const struct deployment *)rows.items)[i];

        error = deployment_supersede(call->db, other->id, call->problem);
        if (!error && strcmp(other->experiment_id, id) != 0)
            error = set_status(call, other->experiment_id, "completed");
    }
    return error;
}

static enum error write_rows(const struct candidate_call *call, const char *id, const char *run_id,
                             struct deployment *deployment)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = supersede_others(call, id);
    if (!error)
        error = deployment_add(call->db, call->arena, id, run_id, deployment, call->problem);
    return db_finish(call->db, error, call->problem);
}

static bool is_same(const char *one, const char *other)
{
    return one && other ? strcmp(one, other) == 0 : one == other;
}

/* Whether exactly these changes are already in force, after the same run: then `deployment` is the
 * existing one. */
static enum error find_in_force(const struct candidate_call *call, const char *id,
                                const char *run_id, const struct text *text,
                                struct deployment *deployment, bool *in_force)
{
    struct object_list rows;
    struct problem ignored = {0};
    char *bytes;
    size_t length;
    enum error error = deployment_active(call->db, call->arena, &rows, call->problem);

    *in_force = false;
    if (error || rows.count != 1)
        return error;
    *deployment = *(const struct deployment *)rows.items;
    *in_force = is_same(deployment->experiment_id, id) &&
                is_same(deployment->regression_run_id, run_id) &&
                !data_file_read(call->arena, path_of(call, experiment_deployed_path), &bytes,
                                &length, &ignored) &&
                length == text->length && memcmp(bytes, text->bytes, length) == 0;
    return ERROR_NONE;
}

enum error candidate_deploy(const struct candidate_call *call, const char *id, bool force,
                            struct deployment *deployment)
{
    struct experiment experiment;
    struct text text;
    const char *run_id = NULL;
    bool in_force = false;
    enum error error = read_usable(call, id, &experiment);

    if (!error)
        error = judge(call, id, &run_id);
    if (error == ERROR_CONFLICT && force &&
        strcmp(call->problem->reason, "regression_not_green") == 0)
        error = ERROR_NONE;
    if (error)
        return error;
    text_start(&text, call->arena, FILE_MOST);
    experiment_yaml_text(&text, "experiment_id", id);
    experiment_yaml_map(&text, "settings", experiment.settings);
    experiment_yaml_map(&text, "prompts", experiment.prompts);
    error = find_in_force(call, id, run_id, &text, deployment, &in_force);
    if (!error && !in_force)
        error = put_file(call, experiment_deployed_path, &text);
    if (!error && !in_force)
        error = write_rows(call, id, run_id, deployment);
    if (!error)
        error = set_status(call, id, "deployed");
    return error ? error : candidate_unstage(call, id);
}

/* The file is deleted only if it is this experiment's. */
static enum error remove_deployed(const struct candidate_call *call, const char *id)
{
    json_t *document = NULL;
    const char *path = path_of(call, experiment_deployed_path), *named;
    struct problem ignored = {0};

    if (yaml_read_file(call->arena, path, &document, &ignored))
        return data_file_remove(path, call->problem);
    named = json_string_value(json_object_get(document, "experiment_id"));
    return named && strcmp(named, id) != 0 ? ERROR_NONE : data_file_remove(path, call->problem);
}

enum error candidate_roll_back(const struct candidate_call *call, const char *id,
                               const char *reason, const char **at)
{
    struct object_list rows;
    const struct deployment *mine = NULL;
    enum error error = deployment_active(call->db, call->arena, &rows, call->problem);

    for (size_t i = rows.count; i-- > 0 && !error;)
        if (strcmp(((const struct deployment *)rows.items)[i].experiment_id, id) == 0)
            mine = &((const struct deployment *)rows.items)[i];
    if (!error && !mine)
        return problem_set(call->problem, ERROR_CONFLICT, "deployment_not_active",
                           "no active deployment to rollback");
    if (!error)
        error = remove_deployed(call, id);
    if (!error)
        error = deployment_end(call->db, call->arena, mine->id, reason, at, call->problem);
    return error ? error : set_status(call, id, "completed");
}

enum error candidate_complete(const struct candidate_call *call, const char *id)
{
    return set_status(call, id, "completed");
}

enum error candidate_archive(const struct candidate_call *call, const char *id)
{
    struct experiment experiment;
    enum error error = experiment_read(call->arena, call->settings, id, &experiment, call->problem);

    if (!error)
        error = set_status(call, id, "archived");
    if (!error)
        error = assignment_end(call->db, id, call->problem);
    return error ? error : candidate_unstage(call, id);
}

/* Compares one evaluator; sets `seen` if both sides have evaluations. */
static enum error compare(const struct candidate_call *call, const char *evaluator,
                          struct watch_finding *finding, bool *seen)
{
    struct evaluator_mean before, after;
    double drop;
    enum error error =
        deployment_evaluations(call->db, finding->experiment_id, evaluator,
                               call->settings->rollback_window, &after, call->problem);

    if (!error)
        error = deployment_evaluations(call->db, NULL, evaluator, call->settings->rollback_window,
                                       &before, call->problem);
    if (error || before.count < call->settings->rollback_least ||
        after.count < call->settings->rollback_least)
        return error;
    *seen = true;
    if (fabs(before.mean) < 1e-12)
        return ERROR_NONE;
    drop = (before.mean - after.mean) / before.mean * 100;
    if (evaluator_lower_is_better(evaluator))
        drop = -drop;
    if (drop > finding->drop_pct) {
        finding->drop_pct = drop;
        finding->worst_evaluator = evaluator;
    }
    return ERROR_NONE;
}

static enum error check_deployment(const struct candidate_call *call, const char *id,
                                   struct watch_finding *finding)
{
    bool seen = false;
    const char *at;
    enum error error = ERROR_NONE;

    *finding = (struct watch_finding){.experiment_id = id};
    for (size_t i = 0; i < EVALUATORS && !error; i++)
        error = compare(call, evaluator_names[i], finding, &seen);
    if (error)
        return error;
    finding->reason = seen ? "normal_variance" : "insufficient_data";
    if (!finding->worst_evaluator || finding->drop_pct < call->settings->rollback_drift)
        return ERROR_NONE;
    finding->reason =
        arena_print(call->arena, "drift_%s_%.1fpct", finding->worst_evaluator, finding->drop_pct);
    finding->rolled_back = true;
    return candidate_roll_back(call, id, finding->reason, &at);
}

enum error candidate_watch(const struct candidate_call *call, struct object_list *findings)
{
    struct object_list rows;
    struct watch_finding *items;
    enum error error = deployment_active(call->db, call->arena, &rows, call->problem);

    if (error)
        return error;
    items = ARENA_ARRAY(call->arena, struct watch_finding, rows.count + 1);
    for (size_t i = 0; i < rows.count && !error; i++)
        error = check_deployment(call, ((const struct deployment *)rows.items)[i].experiment_id,
                                 &items[i]);
    *findings = (struct object_list){rows.count, items};
    return error;
}

static void write_side(struct text *text, char sign, const char *name, const json_t *value)
{
    struct json_writer writer;

    text_append_format(text, "%c%s: ", sign, name);
    writer_start(&writer, text);
    writer_value(&writer, value);
    text_append_byte(text, '\n');
}

static void write_change(struct text *text, const char *name, const json_t *before,
                         const json_t *after)
{
    if (before && after && json_equal(before, after))
        return;
    if (before)
        write_side(text, '-', name, before);
    if (after)
        write_side(text, '+', name, after);
}

enum error candidate_difference(const struct candidate_call *call, const char *id, const char **out)
{
    struct experiment experiment;
    struct overlay now;
    struct text text;
    enum error error = experiment_read(call->arena, call->settings, id, &experiment, call->problem);

    if (error)
        return error;
    overlay_of_files(call->arena, call->settings, &now);
    text_start(&text, call->arena, FILE_MOST);
    text_append_string(&text, "--- settings:current\n+++ settings:target\n");
    for (size_t i = 0; i < overlay_key_count; i++) {
        const json_t *target = json_object_get(experiment.settings, overlay_keys[i].name);

        if (target)
            write_change(&text, overlay_keys[i].name,
                         overlay_value(call->arena, &now, &overlay_keys[i]), target);
    }
    text_append_string(&text, "--- prompts:current\n+++ prompts:target\n");
    for (size_t i = 0; i < PROMPT__MAX; i++) {
        const json_t *target = json_object_get(experiment.prompts, prompt_ids[i]);
        const char *said = json_string_value(target);

        if (!said || strcmp(said, now.prompts[i]) == 0)
            continue;
        text_append_format(&text, "-%s: %s\n", prompt_ids[i], now.prompts[i]);
        text_append_format(&text, "+%s: %s\n", prompt_ids[i], said);
    }
    *out = text.bytes;
    return ERROR_NONE;
}

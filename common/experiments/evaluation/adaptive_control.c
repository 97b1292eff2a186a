/* Settings of adaptive experiments, under the rules of the experiment as it is. */
#include "experiments/evaluation/adaptive_control.h"

#include "base/clock.h"
#include "experiments/flags/flag_store.h"
#include "experiments/projects/project_store.h"

static struct adaptive_call rounds_of(const struct live_call *call)
{
    return (struct adaptive_call){call->db, call->arena, call->problem};
}

static enum error read_document(const struct live_call *call, const char *id,
                                struct adaptive_document *document)
{
    const struct adaptive_call rounds = rounds_of(call);
    struct object_list list = {0};
    struct live_reading reading;
    struct adaptive adaptive;
    enum error error = live_read_design(call, id, &reading);

    if (!error)
        error = adaptive_find(&rounds, id, 0, &adaptive);
    if (!error && !adaptive.found)
        return problem_set(call->problem, ERROR_NOT_FOUND, "not_adaptive",
                           "The experiment is not adaptive");
    if (!error)
        error = adaptive_read_rounds(&rounds, id, &list);
    if (error)
        return error;
    *document = adaptive.settings;
    document->rounds.count = list.count;
    document->rounds.items = list.items;
    return ERROR_NONE;
}

enum error adaptive_control_read(const struct live_call *call, const char *id,
                                 struct adaptive_document *document)
{
    enum error error = db_begin(call->db, DB_READ, call->problem);

    return error ? error : db_finish(call->db, read_document(call, id, document), call->problem);
}

/* Users of the arms, however they are counted afterwards. */
static enum error count_exposures(const struct live_call *call, struct live_experiment *experiment,
                                  int64_t *exposures)
{
    struct live_rollup rollup;
    enum error error;

    *exposures = 0;
    if (!experiment->number)
        return ERROR_NONE;
    live_rollup_start(&rollup, experiment, call->arena);
    error = live_read_totals(call, &rollup);
    for (int i = 1; i <= LIVE_ARMS_MAX; i++) /* the first is the holdout */
        *exposures += rollup.arms[i].exposures;
    return error;
}

static enum error refuse_started(const struct live_call *call, const char *what)
{
    return problem_set(call->problem, ERROR_CONFLICT, "experiment_started",
                       "The experiment has exposures already: %s", what);
}

/* Flag, floor and design allow it. */
static enum error check(const struct live_call *call, const char *id,
                        const struct experiment_payload *design,
                        const struct adaptive_document *document)
{
    const struct flag_call flags = {.db = call->db, .arena = call->arena, .problem = call->problem};
    const struct adaptive_call rounds = rounds_of(call);
    int64_t arms = design->setup->variants_count;
    struct flag flag = {0};
    bool found = false;
    enum error error = adaptive_fits(&rounds, design, (size_t)arms);

    if (!error)
        error = flag_of_project(&flags, id, &flag, &found);
    if (error)
        return error;
    if (document->floor * (double)arms > 1)
        return problem_set(call->problem, ERROR_INVALID, "adaptive_floor",
                           "floor: %lld arms cannot have a share of %g each", (long long)arms,
                           document->floor);
    if (flag.settings && flag.settings->dimensions.count >= LIVE_DIMENSIONS_MAX)
        return problem_set(call->problem, ERROR_INVALID, "adaptive_dimensions",
                           "The flag records %d dimensions; an adaptive experiment needs one of "
                           "their places for the round",
                           LIVE_DIMENSIONS_MAX);
    return ERROR_NONE;
}

static enum error start(const struct live_call *call, const struct experiment_payload *design,
                        struct adaptive_document *document)
{
    const struct adaptive_call rounds = rounds_of(call);
    const struct adaptive_round first = {.round = 1, .started_at = clock_unix_microseconds()};
    struct adaptive_shares shares;
    enum error error;

    document->round = 1;
    adaptive_start(design->setup, document->floor, &shares);
    error = adaptive_save(&rounds, document);
    return error ? error : adaptive_add_round(&rounds, document->experiment_id, &first, &shares);
}

static enum error record(const struct live_call *call, const struct actor *actor, const char *id,
                         const char *action)
{
    return audit_record(call->db, call->arena, actor,
                        &(struct audit_event){.action = action, .project_id = id}, call->problem);
}

/* Flags and designs change under this lock as well: each has rules about the other. */
static enum error lock(const struct live_call *call)
{
    return flag_lock(
        &(struct flag_call){.db = call->db, .arena = call->arena, .problem = call->problem});
}

static enum error write_locked(const struct live_call *call, const struct actor *actor,
                               const char *id, struct adaptive_document *document)
{
    const struct adaptive_call rounds = rounds_of(call);
    struct live_reading reading;
    int64_t newest, exposures = 0;
    enum error error = lock(call);

    if (!error)
        error = live_read_experiment(call, id, &reading);
    if (!error)
        error = check(call, id, reading.design, document);
    if (!error)
        error = adaptive_lock(&rounds, id, &newest);
    if (!error && !newest)
        error = count_exposures(call, &reading.experiment, &exposures);
    if (error)
        return error;
    if (exposures > 0)
        return refuse_started(call, "their probabilities are not logged");
    document->experiment_id = id;
    document->round = newest;
    error = newest ? adaptive_save(&rounds, document) : start(call, reading.design, document);
    if (!error)
        error = record(call, actor, id, "adaptive.update");
    return error ? error : read_document(call, id, document);
}

enum error adaptive_control_write(const struct live_call *call, const struct actor *actor,
                                  const char *id, struct adaptive_document *document)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    return error ? error
                 : db_finish(call->db, write_locked(call, actor, id, document), call->problem);
}

static enum error delete_locked(const struct live_call *call, const struct actor *actor,
                                const char *id)
{
    const struct adaptive_call rounds = rounds_of(call);
    struct adaptive_document document;
    struct live_reading reading;
    int64_t exposures = 0;
    enum error error = lock(call);

    if (!error)
        error = read_document(call, id, &document);
    if (!error)
        error = live_read_experiment(call, id, &reading);
    if (!error)
        error = count_exposures(call, &reading.experiment, &exposures);
    if (error)
        return error;
    if (exposures > 0)
        return refuse_started(call, "they cannot be read without their rounds");
    error = adaptive_forget(&rounds, id);
    return error ? error : record(call, actor, id, "adaptive.delete");
}

enum error adaptive_control_delete(const struct live_call *call, const struct actor *actor,
                                   const char *id)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    return error ? error : db_finish(call->db, delete_locked(call, actor, id), call->problem);
}

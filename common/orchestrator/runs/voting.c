/* Votes: asked in parts, compared, weighed by past questions. */
#include "orchestrator/runs/voting.h"

#include "base/string_list.h"
#include "orchestrator/dispatch/embeddings.h"
#include "orchestrator/plan/assess.h"

#include <stdlib.h>

enum { SIZES_MAX = 256 /* bytes of the groups' sizes as JSON */, KEY_MAX = 65536 };

static const char *const vote_scope_names[VOTE_SCOPE__MAX + 1] = {"models", "task_type", "all",
                                                                  NULL};

#define OWNER struct vote_group
static const struct field vote_group_fields[] = {
    STRING(OWNER, answer),
    INTEGER(OWNER, votes),
    STRINGS(OWNER, models),
};
#undef OWNER
SCHEMA(vote_group_schema, struct vote_group, "VoteGroup", vote_group_fields);

#define OWNER struct votes
static const struct field votes_fields[] = {
    INTEGER(OWNER, models, .help = "Whose answers were compared."),
    NUMBER(OWNER, independent, ROUNDED(2),
           .help = "How many independent votes their agreement is worth."),
    NUMBER(OWNER, error_correlation, ROUNDED(4),
           .help = "Of the models' errors, learned from past questions."),
    NUMBER(OWNER, error_rate, ROUNDED(4), .help = "Of one model."),
    NUMBER(OWNER, majority_error_rate, ROUNDED(4), .help = "Of the majority of these models."),
    CHOICE(OWNER, learned_from, vote_scope_names, .choice_count = VOTE_SCOPE__MAX,
           .help = "Past questions of the same models and kind of prompt, of the same kind of "
                   "prompt, or all."),
    INTEGER(OWNER, known_questions, .help = "Those whose right answer is known."),
    INTEGER(OWNER, unknown_questions, .help = "Those whose right answer nobody has stated."),
    NULLABLE_BOOLEAN(OWNER, one_model_suffices,
                     .help = "Whether the majority errs hardly less than one model "
                             "(ORCH_VOTES_GAIN); null with few past questions."),
    INTEGER(OWNER, asked, .help = "Models that were asked for one vote each."),
    INTEGER(OWNER, not_asked, .help = "Models whose votes could not change the verdict."),
    OBJECTS(OWNER, answers, vote_group_schema,
            .help = "Groups of equal answers, the largest first: the verdict. Empty without "
                    "`models`."),
};
#undef OWNER
SCHEMA(votes_schema, struct votes, "Votes", votes_fields);

/* The votes so far. */
struct ballot {
    struct pattern_run *run;
    double threshold;
    struct embedding_cache cache;
    const char *texts[VOTERS_MAX];
    const struct model *authors[VOTERS_MAX];
    size_t count;
    struct result failure; /* the first */
    bool any_failure;
    struct similarities similarities;
    struct clusters clusters; /* largest first */
};

static struct run *run_of(const struct ballot *ballot)
{
    return &ballot->run->task_run.run;
}

static void take(struct ballot *ballot, const struct result *result)
{
    if (result->status == RUN_SUCCEEDED && result->text) {
        ballot->authors[ballot->count] = result->executed;
        ballot->texts[ballot->count++] = result->text;
    } else if (!ballot->any_failure) {
        ballot->failure = *result;
        ballot->any_failure = true;
    }
}

static enum error ask(struct ballot *ballot, const char *prompt, const struct model *const *models,
                      size_t count)
{
    const struct asking asking = prompt_variation(&ballot->run->phrasing, prompt, 0);
    struct call_request orders[VOTERS_MAX];
    struct result results[VOTERS_MAX];
    enum error error;

    for (size_t i = 0; i < count; i++)
        orders[i] = call_of(run_of(ballot)->arena, models[i], &asking, ballot->run->plan.reasoning);
    error = pattern_dispatch(ballot->run, orders, count, results);
    for (size_t i = 0; !error && i < count; i++)
        take(ballot, &results[i]);
    return error;
}

/* In a dry run all answers agree: the calls are simulated. */
static struct similarities all_alike(struct arena *arena, size_t count)
{
    double *values = ARENA_ARRAY(arena, double, count *count);

    for (size_t i = 0; i < count * count; i++)
        values[i] = 1;
    return (struct similarities){count, values};
}

static enum error compare(struct ballot *ballot)
{
    struct run *run = run_of(ballot);
    struct vector vectors[VOTERS_MAX];
    enum error error = ERROR_NONE;

    if (run->dry_run) {
        ballot->similarities = all_alike(run->arena, ballot->count);
    } else {
        error = embed(run, &ballot->cache, ballot->texts, ballot->count, vectors);
        if (!error && !similarities_of(run->arena, vectors, ballot->count, &ballot->similarities))
            error = problem_set(run->problem, ERROR_UNAVAILABLE, "embeddings_unavailable",
                                "Embeddings have different lengths.");
    }
    if (error)
        return error;
    ballot->clusters = clusters_greedy(run->arena, &ballot->similarities, ballot->threshold);
    clusters_sort_by_size(&ballot->clusters);
    return ERROR_NONE;
}

static size_t size_of_group(const struct ballot *ballot, size_t group)
{
    return group < ballot->clusters.count ? ballot->clusters.items[group].count : 0;
}

/* Returns the number of rounds, and in *asked that of the models asked. */
static enum error collect(struct ballot *ballot, const char *prompt,
                          const struct model *const *models, size_t count, bool stop_early,
                          int *rounds, size_t *asked)
{
    enum error error = ERROR_NONE;

    *asked = 0;
    *rounds = 0;
    while (!error && *asked < count && run_seconds_left(run_of(ballot)) > 0 &&
           !run_of(ballot)->was_cancelled) {
        size_t open = count - *asked;
        size_t needed = stop_early
                            ? votes_needed(size_of_group(ballot, 0), size_of_group(ballot, 1), open)
                            : open;

        if (!needed)
            break;
        error = ask(ballot, prompt, models + *asked, needed);
        *asked += needed;
        ++*rounds;
        if (!error && ballot->count)
            error = compare(ballot);
    }
    return error;
}

static struct string_list authors_of(const struct ballot *ballot, const struct cluster *cluster)
{
    const struct model *authors[VOTERS_MAX];

    for (size_t i = 0; i < cluster->count; i++)
        authors[i] = ballot->authors[cluster->members[i]];
    return model_ids(run_of(ballot)->arena, authors, cluster->count);
}

static void judge(const struct ballot *ballot, double target, int rounds,
                  struct consensus *consensus)
{
    const struct cluster *top = &ballot->clusters.items[0];

    *consensus = (struct consensus){
        .best = ballot->texts[cluster_centroid(&ballot->similarities, top)],
        .score = (double)top->count / (double)ballot->count,
        .cluster_count = ballot->clusters.count,
        .top_size = top->count,
        .rounds = rounds,
        .models_used = model_ids(run_of(ballot)->arena, ballot->authors, ballot->count)};
    consensus->needs_debate = consensus->score < target;
}

static void list_answers(const struct ballot *ballot, struct votes *votes)
{
    struct arena *arena = run_of(ballot)->arena;
    struct vote_group *groups = ARENA_ARRAY(arena, struct vote_group, ballot->clusters.count);

    for (size_t i = 0; i < ballot->clusters.count; i++) {
        const struct cluster *cluster = &ballot->clusters.items[i];

        groups[i] =
            (struct vote_group){ballot->texts[cluster_centroid(&ballot->similarities, cluster)],
                                (int64_t)cluster->count, authors_of(ballot, cluster)};
    }
    votes->answers = (struct object_list){ballot->clusters.count, groups};
}

/* Ids in the order of the alphabet, joined by commas. */
static const char *key_of(struct arena *arena, const struct string_list *models)
{
    const char **ids = ARENA_ARRAY(arena, const char *, models->count + 1);
    struct text key;

    for (size_t i = 0; i < models->count; i++)
        ids[i] = models->items[i];
    qsort(ids, models->count, sizeof *ids, string_list_order);
    text_start(&key, arena, KEY_MAX);
    for (size_t i = 0; i < models->count; i++)
        text_append_format(&key, i ? ",%s" : "%s", ids[i]);
    return key.bytes;
}

enum error votes_weigh(struct pattern_run *run, const char *prompt,
                       const struct string_list *models, struct votes *votes)
{
    struct run *task = &run->task_run.run;
    const struct orchestrator_settings *settings = task->worker->settings;
    struct vote_history history;
    struct vote_estimate estimate;
    enum error error = vote_history_read(
        task->db, task->arena, (int)assess_task_type(task->arena, prompt),
        key_of(task->arena, models), settings->votes_enough, &history, task->problem);

    if (error)
        return error;
    votes_estimate(history.items, history.count, models->count, &estimate);
    *votes = (struct votes){.models = (int64_t)models->count,
                            .independent = estimate.independent,
                            .error_correlation = estimate.correlation,
                            .error_rate = estimate.error_rate,
                            .majority_error_rate = estimate.majority_error_rate,
                            .learned_from = (int)history.scope,
                            .known_questions = estimate.known,
                            .unknown_questions = estimate.unknown};
    if (history.questions >= settings->votes_enough && models->count > 1)
        votes->one_model_suffices = GIVEN_BOOLEAN(
            estimate.error_rate - estimate.majority_error_rate <= settings->votes_gain);
    return ERROR_NONE;
}

/* For later questions. */
static enum error store(const struct ballot *ballot, const char *prompt,
                        const struct consensus *consensus)
{
    struct run *run = run_of(ballot);
    struct text sizes;

    text_start(&sizes, run->arena, SIZES_MAX);
    for (size_t i = 0; i < ballot->clusters.count; i++)
        text_append_format(&sizes, "%c%zu", i ? ',' : '[', size_of_group(ballot, i));
    text_append_string(&sizes, "]");
    return vote_add(run->db,
                    &(struct vote_row){.task_id = run->task_id,
                                       .task_type = (int)assess_task_type(run->arena, prompt),
                                       .models = key_of(run->arena, &consensus->models_used),
                                       .voters = (int64_t)ballot->count,
                                       .first_votes = (int64_t)size_of_group(ballot, 0),
                                       .second_votes = (int64_t)size_of_group(ballot, 1),
                                       .sizes = sizes.bytes},
                    run->worker->settings->votes_kept, run->problem);
}

enum error votes_run(struct pattern_run *run, const char *prompt, const struct model *const *models,
                     size_t count, const struct vote_options *wanted, struct consensus *consensus,
                     struct votes *votes)
{
    struct ballot *ballot = ARENA_NEW(run->task_run.run.arena, struct ballot);
    size_t asked;
    int rounds;
    enum error error;

    *ballot = (struct ballot){.run = run, .threshold = wanted->similarity_threshold};
    error = collect(ballot, prompt, models, count, wanted->stop_early, &rounds, &asked);
    if (error)
        return error;
    if (!ballot->count) {
        *consensus =
            (struct consensus){.failure = ballot->failure, .rounds = rounds, .needs_debate = true};
        return ERROR_NONE;
    }
    judge(ballot, wanted->target, rounds, consensus);
    error = votes_weigh(run, prompt, &consensus->models_used, votes);
    if (error)
        return error;
    votes->asked = (int64_t)asked;
    votes->not_asked = (int64_t)(count - asked);
    list_answers(ballot, votes);
    if (run->task_run.run.dry_run || ballot->count < 2)
        return ERROR_NONE;
    return store(ballot, prompt, consensus);
}

/* Iterations of answers, and their consensus. */
#include "orchestrator/runs/consensus.h"

#include "orchestrator/dispatch/embeddings.h"

#include <string.h>

enum { ANSWERS_MAX = 200, DISSENT_CHARACTERS = 500 };

static const double linkage_threshold = 0.85, accepting = 0.9, contested = 0.7;

/* The answers so far. */
struct forum {
    struct pattern_run *run;
    struct embedding_cache cache;
    const struct model *models[CALLED_MODELS_MAX]; /* that are called in turn */
    size_t model_count, asked;
    const char *texts[ANSWERS_MAX];
    const struct model *authors[ANSWERS_MAX];
    double weights[ANSWERS_MAX]; /* stated confidence, 0 to 1 */
    size_t count;
    struct result failure; /* the first */
    bool any_failure;
};

static struct forum *forum_open(struct pattern_run *run, size_t models)
{
    struct forum *forum = ARENA_NEW(run->task_run.run.arena, struct forum);

    forum->run = run;
    forum->model_count =
        models_choose(run->task_run.run.worker, run->model, models, run->plan.reasoning,
                      run->task_run.run.dry_run, forum->models);
    return forum;
}

static struct arena *arena_of(const struct forum *forum)
{
    return forum->run->task_run.run.arena;
}

static void take(struct forum *forum, const struct result *results, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (results[i].status == RUN_SUCCEEDED && results[i].text && forum->count < ANSWERS_MAX) {
            forum->weights[forum->count] = stated_confidence(results[i].text) / 10;
            forum->authors[forum->count] = results[i].executed;
            forum->texts[forum->count++] = results[i].text;
        } else if (!forum->any_failure) {
            forum->failure = results[i];
            forum->any_failure = true;
        }
    }
}

static enum error compare(struct forum *forum, struct similarities *similarities)
{
    struct run *run = &forum->run->task_run.run;
    struct vector *vectors = ARENA_ARRAY(run->arena, struct vector, forum->count);
    enum error error = embed(run, &forum->cache, forum->texts, forum->count, vectors);

    if (!error && !similarities_of(run->arena, vectors, forum->count, similarities))
        error = problem_set(run->problem, ERROR_UNAVAILABLE, "embeddings_unavailable",
                            "Embeddings have different lengths.");
    return error;
}

/* Calls rotate through the models, also across iterations. */
static enum error ask_round(struct forum *forum, const char *prompt, int count, bool varied)
{
    struct call_request *orders = ARENA_ARRAY(arena_of(forum), struct call_request, (size_t)count);
    struct result *results = ARENA_ARRAY(arena_of(forum), struct result, (size_t)count);
    enum error error;

    for (int i = 0; i < count; i++) {
        const struct model *model = forum->models[forum->asked++ % forum->model_count];
        const struct asking asking =
            prompt_variation(&forum->run->phrasing, prompt, varied ? (size_t)i : 0);

        orders[i] = call_of(arena_of(forum), model, &asking, forum->run->plan.reasoning);
    }
    error = pattern_dispatch(forum->run, orders, (size_t)count, results);
    if (!error)
        take(forum, results, (size_t)count);
    return error;
}

/* Names the models whose answers were compared. */
static void name_models(const struct forum *forum, struct consensus *consensus)
{
    consensus->models_used = model_ids(arena_of(forum), forum->authors, forum->count);
}

static void without_answers(const struct forum *forum, int rounds, struct consensus *consensus)
{
    *consensus =
        (struct consensus){.failure = forum->failure, .rounds = rounds, .needs_debate = true};
}

/* In a dry run all answers agree: the calls are simulated. */
static enum error agree_dry(struct forum *forum, const char *prompt, int per_round, bool weighted,
                            struct consensus *consensus)
{
    enum error error = ask_round(forum, prompt, per_round, false);

    *consensus = (struct consensus){.best = forum->texts[0],
                                    .score = 1,
                                    .cluster_count = 1,
                                    .top_size = (size_t)per_round,
                                    .rounds = 1,
                                    .accepted = true,
                                    .weighted = {weighted, 1}};
    name_models(forum, consensus);
    return error;
}

static void judge_v1(struct forum *forum, const struct similarities *similarities,
                     const struct consensus_options *wanted, int round, struct consensus *consensus)
{
    struct clusters clusters =
        clusters_greedy(arena_of(forum), similarities, wanted->similarity_threshold);
    const struct cluster *top;

    clusters_sort_by_size(&clusters);
    top = &clusters.items[0];
    *consensus = (struct consensus){
        .best = forum->texts[cluster_centroid(similarities, top)],
        .score = (double)top->count / (double)forum->count,
        .cluster_count = clusters.count,
        .top_size = top->count,
        .rounds = round,
        .weighted = {wanted->use_confidence, weighted_vote(top, forum->weights, forum->count)}};
    consensus->needs_debate = consensus->score < wanted->target;
}

/* Whether there is time for another iteration, and the client is still connected. */
static bool goes_on(const struct pattern_run *run)
{
    return run_seconds_left(&run->task_run.run) > 0 && !run->task_run.run.was_cancelled;
}

enum error consensus_v1(struct pattern_run *run, const char *prompt,
                        const struct consensus_options *wanted, struct consensus *consensus)
{
    struct forum *forum = forum_open(run, (size_t)wanted->per_round);
    struct similarities similarities;
    enum error error = ERROR_NONE;
    int round = 0;

    if (run->task_run.run.dry_run)
        return agree_dry(forum, prompt, wanted->per_round, true, consensus);
    do {
        round++;
        error = ask_round(forum, prompt, wanted->per_round, true);
        if (error)
            return error;
        if (!forum->count) {
            without_answers(forum, round, consensus);
            return ERROR_NONE;
        }
        error = compare(forum, &similarities);
        if (error)
            return error;
        judge_v1(forum, &similarities, wanted, round, consensus);
    } while (consensus->needs_debate && round < wanted->max_rounds && goes_on(run));
    name_models(forum, consensus);
    return ERROR_NONE;
}

enum error debate_answer(struct pattern_run *run, const char *topic, const char *answer,
                         const struct model *challenger, const struct model *defender,
                         struct result *challenge, struct result *defense)
{
    const struct phrasing *phrasing = &run->phrasing;
    struct asking asking = prompt_to_challenge(phrasing, topic, answer);
    enum error error = pattern_ask_one(run, challenger, &asking, challenge);

    *defense = *challenge;
    if (error || challenge->status != RUN_SUCCEEDED)
        return error;
    asking = prompt_to_defend(phrasing, topic, answer, challenge->text);
    return pattern_ask_one(run, defender, &asking, defense);
}

/* The next model of the forum after this one. */
static const struct model *next_model(const struct forum *forum, const struct model *model)
{
    for (size_t i = 0; i < forum->model_count; i++)
        if (strcmp(forum->models[i]->id, model->id) == 0)
            return forum->models[(i + 1) % forum->model_count];
    return forum->models[0];
}

/* Another model challenges the first answer of the largest cluster, and its own model defends it.
 * The result replaces the answer. */
static enum error debate_leader(struct forum *forum, const char *prompt,
                                const struct clusters *clusters)
{
    size_t leader = clusters_largest(clusters)->members[0];
    const struct model *author = forum->authors[leader];
    struct result challenge, defense;
    enum error error = debate_answer(forum->run, prompt, forum->texts[leader],
                                     next_model(forum, author), author, &challenge, &defense);

    if (!error && challenge.status == RUN_SUCCEEDED && defense.status == RUN_SUCCEEDED)
        forum->texts[leader] = defense.text;
    return error;
}

/* Each model rewrites its answer outside the largest cluster in the light of that cluster. */
static enum error pollinate(struct forum *forum, const char *prompt,
                            const struct similarities *similarities,
                            const struct clusters *clusters)
{
    const struct cluster *top = clusters_largest(clusters);
    const char *best = forum->texts[cluster_centroid(similarities, top)];
    struct call_request *orders = ARENA_ARRAY(arena_of(forum), struct call_request, forum->count);
    size_t *positions = ARENA_ARRAY(arena_of(forum), size_t, forum->count);
    struct result *results = ARENA_ARRAY(arena_of(forum), struct result, forum->count);
    size_t count = 0;
    enum error error;

    for (size_t i = 0; i < clusters->count; i++) {
        for (size_t j = 0; &clusters->items[i] != top && j < clusters->items[i].count; j++) {
            size_t position = clusters->items[i].members[j];
            const struct asking asking =
                prompt_to_cross(&forum->run->phrasing, prompt, best, forum->texts[position]);

            positions[count] = position;
            orders[count++] = call_of(arena_of(forum), forum->authors[position], &asking,
                                      forum->run->plan.reasoning);
        }
    }
    if (!count)
        return ERROR_NONE;
    error = pattern_dispatch(forum->run, orders, count, results);
    for (size_t i = 0; !error && i < count; i++)
        if (results[i].status == RUN_SUCCEEDED && results[i].text)
            forum->texts[positions[i]] = results[i].text;
    return error;
}

/* The answers of a cluster in the order ranked by a model that wrote none of them, if there is
 * one. */
static enum error rank(struct forum *forum, const char *prompt, const struct cluster *cluster,
                       const char **best)
{
    const struct run *run = &forum->run->task_run.run;
    const char **answers = ARENA_ARRAY(run->arena, const char *, cluster->count);
    const struct model **authors = ARENA_ARRAY(run->arena, const struct model *, cluster->count);
    size_t *wanted = ARENA_ARRAY(run->arena, size_t, cluster->count);
    const struct model *judge;
    struct asking asking;
    struct result result;
    enum error error;

    for (size_t i = 0; i < cluster->count; i++) {
        answers[i] = forum->texts[cluster->members[i]];
        authors[i] = forum->authors[cluster->members[i]];
    }
    asking = prompt_to_rank(&forum->run->phrasing, prompt, answers, cluster->count,
                            (size_t)run->worker->settings->judged_answer_chars);
    error = pattern_ask_judge(forum->run, authors, cluster->count, &asking, &judge, &result);
    if (error || result.status != RUN_SUCCEEDED)
        return error;
    parse_ranking(result.text, cluster->count, wanted);
    *best = answers[borda_winner(wanted, 1, cluster->count)];
    return ERROR_NONE;
}

static void list_dissents(struct forum *forum, struct clusters clusters,
                          struct consensus *consensus)
{
    clusters_sort_by_size(&clusters);
    consensus->dissents = ARENA_ARRAY(arena_of(forum), struct dissent, clusters.count);
    for (size_t i = 1; i < clusters.count; i++)
        consensus->dissents[consensus->dissent_count++] = (struct dissent){
            text_beginning(arena_of(forum), forum->texts[clusters.items[i].members[0]],
                           DISSENT_CHARACTERS),
            (double)clusters.items[i].count / (double)forum->count};
}

static enum error judge_v2(struct forum *forum, const char *prompt, bool peer_review, int rounds,
                           struct consensus *consensus)
{
    struct similarities similarities;
    struct clusters clusters;
    const struct cluster *top;
    enum error error = compare(forum, &similarities);

    if (error)
        return error;
    clusters = clusters_average_linkage(arena_of(forum), &similarities, linkage_threshold);
    top = clusters_largest(&clusters);
    *consensus = (struct consensus){.best = forum->texts[cluster_centroid(&similarities, top)],
                                    .score = clusters_confidence(&similarities, &clusters),
                                    .cluster_count = clusters.count,
                                    .top_size = top->count,
                                    .rounds = rounds};
    consensus->weighted = GIVEN_NUMBER(consensus->score);
    consensus->accepted = consensus->score >= accepting;
    consensus->needs_debate = consensus->score < contested;
    if (peer_review && top->count > 1)
        error = rank(forum, prompt, top, &consensus->best);
    if (!error)
        list_dissents(forum, clusters, consensus);
    name_models(forum, consensus);
    return error;
}

/* One iteration: calls, comparison, and the reaction to the divergence. *on is false after the last
 * one. */
static enum error hold_round(struct forum *forum, const char *prompt,
                             const struct consensus_rule *rule, int round, bool *pollinated,
                             bool *on)
{
    struct similarities similarities;
    struct clusters clusters;
    struct divergence divergence;
    enum error error = ask_round(forum, prompt, rule->per_round, false);

    *on = false;
    if (error || !forum->count)
        return error;
    error = compare(forum, &similarities);
    if (error)
        return error;
    clusters = clusters_average_linkage(arena_of(forum), &similarities, linkage_threshold);
    divergence =
        divergence_of(clusters_confidence(&similarities, &clusters), round, rule->max_rounds);
    *on = divergence.action == DIVERGENCE_EXPAND ||
          (divergence.action == DIVERGENCE_DEBATE && !rule->debate);
    if (divergence.action == DIVERGENCE_DEBATE && rule->debate)
        return debate_leader(forum, prompt, &clusters);
    if (divergence.action == DIVERGENCE_EXPAND && rule->cross_pollination && !*pollinated) {
        *pollinated = true;
        return pollinate(forum, prompt, &similarities, &clusters);
    }
    return ERROR_NONE;
}

enum error consensus_v2(struct pattern_run *run, const char *prompt, enum task_type type,
                        size_t models, bool peer_review, struct consensus *consensus)
{
    const struct consensus_rule *rule = consensus_rule_of(type);
    struct forum *forum = forum_open(run, models);
    bool pollinated = false, on = true;
    enum error error = ERROR_NONE;
    int round = 0;

    if (run->task_run.run.dry_run)
        return agree_dry(forum, prompt, rule->per_round, true, consensus);
    while (!error && on && round < rule->max_rounds && goes_on(run))
        error = hold_round(forum, prompt, rule, round++, &pollinated, &on);
    if (error)
        return error;
    if (!forum->count) {
        without_answers(forum, round, consensus);
        return ERROR_NONE;
    }
    return judge_v2(forum, prompt, peer_review, round, consensus);
}

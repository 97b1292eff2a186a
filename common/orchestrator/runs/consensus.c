/* Rounds of answers, and what they agree on. */
#include "orchestrator/runs/consensus.h"

#include "orchestrator/dispatch/embeddings.h"
#include "orchestrator/plan/prompts.h"

enum { ANSWERS_MAX = 200, DISSENT_CHARACTERS = 500 };

static const double linkage_threshold = 0.85, accepting = 0.9, contested = 0.7;

/* What has been answered so far. */
struct forum {
    struct pattern_run *run;
    struct embedding_cache cache;
    const char *texts[ANSWERS_MAX];
    double weights[ANSWERS_MAX]; /* stated confidence, 0 to 1 */
    size_t count;
    struct result failure; /* the first */
    bool any_failure;
};

static struct arena *arena_of(const struct forum *forum)
{
    return forum->run->task_run.run.arena;
}

static void take(struct forum *forum, const struct result *results, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (results[i].status == RUN_SUCCEEDED && results[i].text && forum->count < ANSWERS_MAX) {
            forum->weights[forum->count] = stated_confidence(results[i].text) / 10;
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

static enum error ask_round(struct forum *forum, const char *prompt, int count, bool varied)
{
    const char **prompts = ARENA_ARRAY(arena_of(forum), const char *, (size_t)count);
    struct result *results = ARENA_ARRAY(arena_of(forum), struct result, (size_t)count);
    enum error error;

    for (int i = 0; i < count; i++)
        prompts[i] = varied ? prompt_variation(arena_of(forum), prompt, (size_t)i) : prompt;
    error = pattern_ask(forum->run, prompts, (size_t)count, results);
    if (!error)
        take(forum, results, (size_t)count);
    return error;
}

static void without_answers(const struct forum *forum, int rounds, struct consensus *consensus)
{
    *consensus =
        (struct consensus){.failure = forum->failure, .rounds = rounds, .needs_debate = true};
}

/* Everything agrees with everything: the calls are simulated. */
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
    return error;
}

static void judge_v1(struct forum *forum, const struct similarities *similarities,
                     const struct consensus_order *order, int round, struct consensus *consensus)
{
    struct clusters clusters =
        clusters_greedy(arena_of(forum), similarities, order->similarity_threshold);
    const struct cluster *top;

    clusters_sort_by_size(&clusters);
    top = &clusters.items[0];
    *consensus = (struct consensus){
        .best = forum->texts[cluster_centroid(similarities, top)],
        .score = (double)top->count / (double)forum->count,
        .cluster_count = clusters.count,
        .top_size = top->count,
        .rounds = round,
        .weighted = {order->use_confidence, weighted_vote(top, forum->weights, forum->count)}};
    consensus->needs_debate = consensus->score < order->target;
}

enum error consensus_v1(struct pattern_run *run, const char *prompt,
                        const struct consensus_order *order, struct consensus *consensus)
{
    struct forum *forum = ARENA_NEW(run->task_run.run.arena, struct forum);
    struct similarities similarities;
    enum error error = ERROR_NONE;
    int round = 0;

    forum->run = run;
    if (run->task_run.run.dry_run)
        return agree_dry(forum, prompt, order->per_round, true, consensus);
    do {
        round++;
        error = ask_round(forum, prompt, order->per_round, true);
        if (error)
            return error;
        if (!forum->count) {
            without_answers(forum, round, consensus);
            return ERROR_NONE;
        }
        error = compare(forum, &similarities);
        if (error)
            return error;
        judge_v1(forum, &similarities, order, round, consensus);
    } while (consensus->needs_debate && round < order->max_rounds &&
             run_seconds_left(&run->task_run.run) > 0);
    return ERROR_NONE;
}

enum error debate_answer(struct pattern_run *run, const char *topic, const char *answer,
                         struct result *challenge, struct result *defense)
{
    struct arena *arena = run->task_run.run.arena;
    enum error error = pattern_ask_one(run, prompt_to_challenge(arena, topic, answer), challenge);

    if (error)
        return error;
    return pattern_ask_one(
        run, prompt_to_defend(arena, topic, answer, result_text_or_failure(arena, challenge)),
        defense);
}

/* The first answer of the largest cluster is debated; what comes of it takes its place. */
static enum error debate_leader(struct forum *forum, const char *prompt,
                                const struct clusters *clusters)
{
    size_t leader = clusters_largest(clusters)->members[0];
    struct result challenge, defense;
    enum error error =
        debate_answer(forum->run, prompt, forum->texts[leader], &challenge, &defense);

    if (!error && defense.status == RUN_SUCCEEDED && defense.text)
        forum->texts[leader] = defense.text;
    return error;
}

/* Answers outside of the largest cluster are rewritten in the light of it. */
static enum error pollinate(struct forum *forum, const char *prompt,
                            const struct similarities *similarities,
                            const struct clusters *clusters)
{
    const struct cluster *top = clusters_largest(clusters);
    const char *best = forum->texts[cluster_centroid(similarities, top)];
    const char **prompts = ARENA_ARRAY(arena_of(forum), const char *, forum->count);
    size_t *places = ARENA_ARRAY(arena_of(forum), size_t, forum->count);
    struct result *results = ARENA_ARRAY(arena_of(forum), struct result, forum->count);
    size_t count = 0;
    enum error error;

    for (size_t i = 0; i < clusters->count; i++) {
        for (size_t j = 0; &clusters->items[i] != top && j < clusters->items[i].count; j++) {
            places[count] = clusters->items[i].members[j];
            prompts[count] =
                prompt_to_cross(arena_of(forum), prompt, best, forum->texts[places[count]]);
            count++;
        }
    }
    if (!count)
        return ERROR_NONE;
    error = pattern_ask(forum->run, prompts, count, results);
    for (size_t i = 0; !error && i < count; i++)
        if (results[i].status == RUN_SUCCEEDED && results[i].text)
            forum->texts[places[i]] = results[i].text;
    return error;
}

/* The answers of a cluster in the order that the model ranks them. */
static enum error rank(struct forum *forum, const char *prompt, const struct cluster *cluster,
                       const char **best)
{
    const char **answers = ARENA_ARRAY(arena_of(forum), const char *, cluster->count);
    size_t *order = ARENA_ARRAY(arena_of(forum), size_t, cluster->count);
    struct result result;
    enum error error;

    for (size_t i = 0; i < cluster->count; i++)
        answers[i] = forum->texts[cluster->members[i]];
    error = pattern_ask_one(
        forum->run, prompt_to_rank(arena_of(forum), prompt, answers, cluster->count), &result);
    if (error || result.status != RUN_SUCCEEDED || !result.text)
        return error;
    parse_ranking(result.text, cluster->count, order);
    *best = answers[borda_winner(order, 1, cluster->count)];
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
    return error;
}

/* One round: asked, compared, and what the divergence asks for. *on is false when it was the last.
 */
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
                        bool peer_review, struct consensus *consensus)
{
    const struct consensus_rule *rule = consensus_rule_of(type);
    struct forum *forum = ARENA_NEW(run->task_run.run.arena, struct forum);
    bool pollinated = false, on = true;
    enum error error = ERROR_NONE;
    int round = 0;

    forum->run = run;
    if (run->task_run.run.dry_run)
        return agree_dry(forum, prompt, rule->per_round, true, consensus);
    while (!error && on && round < rule->max_rounds && run_seconds_left(&run->task_run.run) > 0)
        error = hold_round(forum, prompt, rule, round++, &pollinated, &on);
    if (error)
        return error;
    if (!forum->count) {
        without_answers(forum, round, consensus);
        return ERROR_NONE;
    }
    return judge_v2(forum, prompt, peer_review, round, consensus);
}

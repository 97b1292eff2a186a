/*
 * Verifies a written answer: a model lists its statements, and each is checked against the
 * documents. There is one verdict, or (FACT_VERIFY_CONSENSUS_ENABLED) several independent ones:
 * from both tiers, with the documents in two orders, because models give more weight to what they
 * read first and last, and from the embedded check by words and numbers.
 */
#include "support/answer/citations.h"
#include "support/answer/model_nodes.h"
#include "support/models/replies.h"

#include <string.h>

enum {
    EVIDENCE_CHARACTERS = 200,
    LEAST_WORDS = 3 /* for an answer with statements */
};

/* Settings of one vote. */
struct vote {
    bool fast, backwards;
};
static const struct vote votes[] = {{true, false}, {false, false}, {true, true}, {false, true}};

/* The voters at each level, and the share of the votes that must support a statement. */
static const struct panel {
    size_t votes; /* model votes, the first ones of the list */
    bool embedded;
    double share;
} panels[FACT_LEVEL__MAX] = {
    [FACT_QUICK] = {1, false, 1},
    [FACT_STANDARD] = {2, true, 0.6},
    [FACT_HIGH] = {3, true, 0.75},
    [FACT_MAXIMUM] = {4, true, 0.8},
};

/* The statements and their verdicts. */
struct statements {
    const char *texts[MODEL_CLAIMS_MAX];
    size_t count;
    int supporting[MODEL_CLAIMS_MAX];
    const char *evidence[MODEL_CLAIMS_MAX]; /* source of the first vote that supports it */
    int given;                              /* votes */
};

static size_t count_words(const char *text)
{
    struct word_reader reader;
    struct word word;
    size_t count = 0;

    word_reader_start(&reader, text, strlen(text));
    while (word_next(&reader, &word))
        count++;
    return count;
}

/* False when no model can decide. */
static bool list_statements(struct graph_state *state, const char *plain,
                            struct statements *statements)
{
    struct model_call call = {.node = MODEL_VERIFY, .fast = true};
    struct models_reply reply;

    if (!model_ask(state, &call, PROMPT_EXTRACT_CLAIMS, plain, &reply))
        return false;
    statements->count =
        model_reply_lines(state->arena, reply.text, true, statements->texts, MODEL_CLAIMS_MAX);
    if (statements->count || strncmp(reply.text, "NONE", 4) == 0)
        return true;
    models_reject(&state->models, MODEL_VERIFY, &reply, "malformed");
    return false;
}

static void count_vote(struct statements *statements, size_t place, bool supported,
                       const char *evidence)
{
    if (supported && !statements->supporting[place]++)
        statements->evidence[place] = evidence;
}

static const char *vote_message(const struct graph_state *state, const struct vote *vote,
                                const struct statements *statements)
{
    struct text text = model_message(state);
    const struct support_settings *settings = state->tools->settings;
    size_t sources = state->outcome->source_count;

    if (sources > (size_t)settings->fact_context_documents)
        sources = (size_t)settings->fact_context_documents;
    for (size_t i = 0; i < sources; i++)
        model_add_source(state, &text, vote->backwards ? sources - 1 - i : i,
                         (size_t)settings->fact_context_characters);
    for (size_t i = 0; i < statements->count; i++)
        text_append_format(&text, "%zu. %s\n", i + 1, statements->texts[i]);
    return text.bytes;
}

/* False when the vote is unavailable. */
static bool take_vote(struct graph_state *state, const struct vote *vote,
                      struct statements *statements)
{
    struct model_call call = {.node = MODEL_VERIFY, .fast = vote->fast};
    const char *message = vote_message(state, vote, statements), *evidence[MODEL_CLAIMS_MAX];
    bool supported[MODEL_CLAIMS_MAX];
    struct models_reply reply;

    if (!model_ask(state, &call, PROMPT_VERIFY_CLAIM, message, &reply))
        return false;
    if (!model_reply_verdicts(state->arena, reply.text, statements->count, supported, evidence)) {
        models_reject(&state->models, MODEL_VERIFY, &reply, "malformed");
        return false;
    }
    for (size_t i = 0; i < statements->count; i++)
        count_vote(statements, i, supported[i], evidence[i]);
    statements->given++;
    return true;
}

static void take_embedded_vote(const struct graph_state *state, struct statements *statements)
{
    for (size_t i = 0; i < statements->count; i++) {
        const char *text = statements->texts[i];
        struct grounding_result result = grounding_check(state->grounding, text, strlen(text));
        bool supported = result.kind == GROUNDING_SUPPORTED;

        count_vote(statements, i, supported,
                   supported ? answer_excerpt(state->arena,
                                              state->outcome->sources[result.document].text, text)
                             : "");
    }
    statements->given++;
}

/* False when no model has voted. */
static bool take_votes(struct graph_state *state, struct statements *statements)
{
    const struct support_settings *settings = state->tools->settings;
    const struct panel *panel = &panels[settings->fact_reliability_level];

    if (!settings->fact_consensus)
        return take_vote(state, &votes[0], statements);
    for (size_t i = 0; i < panel->votes; i++)
        (void)take_vote(state, &votes[i], statements); /* available votes count */
    if (!statements->given)
        return false;
    if (panel->embedded)
        take_embedded_vote(state, statements);
    return true;
}

static void note_consensus(struct graph_state *state, const struct statements *statements,
                           int supported)
{
    int level = state->tools->settings->fact_reliability_level, count = (int)statements->count;
    int agreed = 0;

    for (int i = 0; i < count; i++)
        agreed += !statements->supporting[i] || statements->supporting[i] == statements->given;
    state->outcome->consensus = (struct graph_consensus){.level = fact_level_names[level],
                                                         .verdict = supported == count ? "supported"
                                                                    : supported        ? "partly"
                                                                                : "unsupported",
                                                         .votes = statements->given,
                                                         .agreement = (double)agreed / count};
}

static void settle(struct graph_state *state, const struct statements *statements)
{
    const struct support_settings *settings = state->tools->settings;
    struct graph_outcome *outcome = state->outcome;
    double share = settings->fact_consensus ? panels[settings->fact_reliability_level].share : 1;
    int right = 0;

    outcome->claim_count = statements->count;
    for (size_t i = 0; i < statements->count; i++) {
        bool supported = statements->supporting[i] >= share * statements->given;

        outcome->claims[i] = (struct claim){
            .text = statements->texts[i],
            .supported = supported,
            .evidence = supported ? utf8_copy_prefix(state->arena, statements->evidence[i],
                                                     EVIDENCE_CHARACTERS)
                                  : ""};
        right += supported;
    }
    outcome->factuality = statements->count ? 100 * right / (int)statements->count : 100;
    if (settings->fact_consensus && statements->count)
        note_consensus(state, statements, right);
}

bool model_verify(struct graph_state *state)
{
    const char *plain = citation_strip(state->arena, state->outcome->answer);
    struct statements statements = {.count = 0};

    if (!models_serve(&state->models, MODEL_VERIFY))
        return false;
    if (count_words(plain) >= LEAST_WORDS) {
        if (!list_statements(state, plain, &statements))
            return false;
        if (statements.count && !take_votes(state, &statements))
            return false;
    }
    settle(state, &statements);
    return true;
}

bool model_quotes(struct graph_state *state, const char *const *texts, size_t count,
                  const char **quotes)
{
    struct statements statements = {.count = count};

    if (!state->tools->settings->fact_verification || !models_serve(&state->models, MODEL_VERIFY))
        return false;
    memcpy(statements.texts, texts, count * sizeof *texts);
    if (!take_vote(state, &votes[0], &statements))
        return false;
    for (size_t i = 0; i < count; i++)
        quotes[i] = statements.supporting[i] ? statements.evidence[i] : NULL;
    return true;
}

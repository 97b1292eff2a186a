/* The state of the graph as JSON, one snapshot per step. */
#include "support/answer/graph_state.h"
#include "base/number.h"
#include "support/answer/citation_list.h"

enum { STATE_MAX = 4 << 20 };

/* The trace contains each document once; a step refers to it by its index. */
struct document_reference {
    int64_t ref;
};

#define OWNER struct document_reference
static const struct field reference_fields[] = {INTEGER(OWNER, ref)};
#undef OWNER
static SCHEMA(reference_schema, struct document_reference, "DocumentReference", reference_fields);

#define OWNER struct claim
static const struct field claim_fields[] = {STRING(OWNER, text), BOOLEAN(OWNER, supported),
                                            STRING(OWNER, evidence)};
#undef OWNER
static SCHEMA(claim_schema, struct claim, "Claim", claim_fields);

#define OWNER struct graph_consensus
static const struct field consensus_fields[] = {STRING(OWNER, level), STRING(OWNER, verdict),
                                                INTEGER(OWNER, votes), NUMBER(OWNER, agreement)};
#undef OWNER
static SCHEMA(consensus_schema, struct graph_consensus, "FactConsensus", consensus_fields);

#define OWNER struct unsupported_sentence
static const struct field sentence_fields[] = {STRING(OWNER, text), STRING(OWNER, reason)};
#undef OWNER
static SCHEMA(sentence_schema, struct unsupported_sentence, "UnsupportedSentence", sentence_fields);

/* Sentences of a model's answer, and what GENERATION_UNSUPPORTED has done to them. */
struct unsupported_sentences {
    const char *action;
    OBJECT_LIST(struct unsupported_sentence, sentences);
};

#define OWNER struct unsupported_sentences
static const struct field unsupported_fields[] = {STRING(OWNER, action),
                                                  OBJECTS(OWNER, sentences, sentence_schema)};
#undef OWNER
static SCHEMA(unsupported_schema, struct unsupported_sentences, "UnsupportedSentences",
              unsupported_fields);

#define OWNER struct graph_message
static const struct field message_fields[] = {STRING(OWNER, role), STRING(OWNER, content)};
#undef OWNER
static SCHEMA(message_schema, struct graph_message, "Message", message_fields);

#define OWNER struct model_fallback
static const struct field fallback_fields[] = {STRING(OWNER, node), STRING(OWNER, from_provider),
                                               STRING(OWNER, to_provider), STRING(OWNER, reason)};
#undef OWNER
static SCHEMA(fallback_schema, struct model_fallback, "Fallback", fallback_fields);

struct usage_metadata {
    int64_t input_tokens, output_tokens, total_tokens;
};

#define OWNER struct usage_metadata
static const struct field usage_fields[] = {
    INTEGER(OWNER, input_tokens), INTEGER(OWNER, output_tokens), INTEGER(OWNER, total_tokens)};
#undef OWNER
static SCHEMA(usage_schema, struct usage_metadata, "UsageMetadata", usage_fields);

struct state_snapshot {
    const char *question, *search_query, *hyde_query;
    OBJECT_LIST(struct document_reference, context_docs);
    OBJECT_LIST(struct document_reference, retrieved_docs);
    OBJECT_LIST(struct document_reference, graded_docs);
    const char *doc_grade_reason, *answer;
    struct optional_number relevance_score;
    struct optional_integer quality_score;
    const char *quality_source;
    double evidence;
    int64_t factuality_score;
    bool fact_verification_skipped, knowledge_gap;
    const char *complexity, *retrieval_strategy, *route;
    OBJECT_LIST(struct claim, claims);
    const struct graph_consensus *fact_consensus;
    const struct unsupported_sentences *unsupported;
    OBJECT_LIST(struct citation, citations);
    struct string_list suggested_questions, sub_queries, tool_calls;
    bool requires_confirmation;
    const char *action_summary;
    OBJECT_LIST(struct graph_message, chat_history);
    const char *provider_name, *model_name;
    int64_t prompt_tokens, completion_tokens;
    double cost_usd;
    const struct usage_metadata *usage_metadata;
    const char *usage_node;
    OBJECT_LIST(struct model_fallback, fallbacks);
    int64_t answer_final_tokens;
    const char *trace_id, *tenant_id, *session_id, *user_id, *request_id;
    bool error;
    const char *error_message, *error_node;
    int64_t iteration, max_iterations;
    const char *language;
    double duration_ms;
};

#define OWNER struct state_snapshot
static const struct field state_fields[] = {
    STRING(OWNER, question),
    STRING(OWNER, search_query, .nullable = true),
    STRING(OWNER, hyde_query, .nullable = true),
    OBJECTS(OWNER, context_docs, reference_schema),
    OBJECTS(OWNER, retrieved_docs, reference_schema),
    OBJECTS(OWNER, graded_docs, reference_schema),
    STRING(OWNER, doc_grade_reason, .nullable = true),
    STRING(OWNER, answer, .nullable = true),
    NULLABLE_NUMBER(OWNER, relevance_score),
    NULLABLE_INTEGER(OWNER, quality_score),
    STRING(OWNER, quality_source, .nullable = true),
    NUMBER(OWNER, evidence),
    INTEGER(OWNER, factuality_score),
    BOOLEAN(OWNER, fact_verification_skipped),
    BOOLEAN(OWNER, knowledge_gap),
    STRING(OWNER, complexity, .nullable = true),
    STRING(OWNER, retrieval_strategy),
    STRING(OWNER, route, .nullable = true),
    OBJECTS(OWNER, claims, claim_schema),
    OBJECT(OWNER, fact_consensus, consensus_schema, .omit_if_null = true),
    OBJECT(OWNER, unsupported, unsupported_schema, .omit_if_null = true),
    OBJECTS(OWNER, citations, citation_schema),
    STRINGS(OWNER, suggested_questions),
    STRINGS(OWNER, sub_queries),
    STRINGS(OWNER, tool_calls),
    BOOLEAN(OWNER, requires_confirmation),
    STRING(OWNER, action_summary),
    OBJECTS(OWNER, chat_history, message_schema),
    STRING(OWNER, provider_name, .nullable = true),
    STRING(OWNER, model_name, .nullable = true),
    INTEGER(OWNER, prompt_tokens),
    INTEGER(OWNER, completion_tokens),
    NUMBER(OWNER, cost_usd),
    OBJECT(OWNER, usage_metadata, usage_schema),
    STRING(OWNER, usage_node, .nullable = true),
    OBJECTS(OWNER, fallbacks, fallback_schema),
    INTEGER(OWNER, answer_final_tokens),
    STRING(OWNER, trace_id),
    STRING(OWNER, tenant_id),
    STRING(OWNER, session_id),
    STRING(OWNER, user_id, .nullable = true),
    STRING(OWNER, request_id, .nullable = true),
    BOOLEAN(OWNER, error),
    STRING(OWNER, error_message, .nullable = true),
    STRING(OWNER, error_node, .nullable = true),
    INTEGER(OWNER, iteration),
    INTEGER(OWNER, max_iterations),
    STRING(OWNER, language),
    NUMBER(OWNER, duration_ms),
};
#undef OWNER
static SCHEMA(state_schema, struct state_snapshot, "GraphState", state_fields);

static void fill_documents(const struct graph_state *state, struct state_snapshot *snapshot)
{
    size_t found = state->outcome->found_count;
    struct document_reference *references =
        ARENA_ARRAY(state->arena, struct document_reference, found + 1);

    for (size_t i = 0; i < found; i++)
        references[i].ref = (int64_t)i;
    snapshot->context_docs = snapshot->retrieved_docs = snapshot->graded_docs =
        (struct object_list){found, references};
    if (state->graded_count < found)
        snapshot->graded_docs.count = state->graded_count;
}

static void fill_consensus(const struct graph_state *state, struct state_snapshot *snapshot)
{
    struct graph_consensus *consensus;

    if (!state->outcome->consensus.level)
        return;
    consensus = ARENA_NEW(state->arena, struct graph_consensus);
    *consensus = state->outcome->consensus;
    consensus->agreement = number_round(consensus->agreement, 3);
    snapshot->fact_consensus = consensus;
}

static void fill_unsupported(const struct graph_state *state, struct state_snapshot *snapshot)
{
    struct unsupported_sentences *unsupported;

    if (!state->outcome->unsupported_count)
        return;
    unsupported = ARENA_NEW(state->arena, struct unsupported_sentences);
    unsupported->action = unsupported_names[state->tools->settings->unsupported];
    unsupported->sentences.count = state->outcome->unsupported_count;
    unsupported->sentences.items = state->outcome->unsupported;
    snapshot->unsupported = unsupported;
}

static void fill_usage(const struct graph_state *state, struct state_snapshot *snapshot)
{
    const struct model_usage *usage = &state->usage;
    struct usage_metadata *metadata = ARENA_NEW(state->arena, struct usage_metadata);

    *metadata = (struct usage_metadata){.input_tokens = usage->input_tokens,
                                        .output_tokens = usage->output_tokens,
                                        .total_tokens = usage->input_tokens + usage->output_tokens};
    snapshot->provider_name = usage->provider;
    snapshot->model_name = usage->model;
    snapshot->prompt_tokens = usage->input_tokens;
    snapshot->completion_tokens = usage->output_tokens;
    snapshot->cost_usd = usage->cost;
    snapshot->usage_metadata = metadata;
    snapshot->usage_node = state->usage_node;
    snapshot->fallbacks = (struct object_list){state->models.fallback_count,
                                               (struct model_fallback *)state->models.fallbacks};
    snapshot->answer_final_tokens =
        state->outcome->answer ? models_estimate_tokens(state->outcome->answer) : 0;
}

static void fill_scores(const struct graph_state *state, struct state_snapshot *snapshot)
{
    const struct graph_outcome *outcome = state->outcome;

    if (!state->scored)
        return;
    snapshot->relevance_score = GIVEN_NUMBER(outcome->relevance);
    snapshot->quality_score = GIVEN_INTEGER(outcome->quality);
    snapshot->quality_source = outcome->quality_source;
}

const char *graph_state_json(const struct graph_state *state)
{
    struct graph_outcome *outcome = state->outcome;
    const struct graph_request *request = state->request;
    struct state_snapshot snapshot = {
        .question = request->question,
        .search_query = outcome->search_query,
        .hyde_query = state->hypothesis,
        .doc_grade_reason = state->grade_reason,
        .answer = outcome->answer,
        .evidence = number_round(outcome->evidence, 4),
        .factuality_score = outcome->factuality,
        .fact_verification_skipped = outcome->verification_skipped,
        .knowledge_gap = outcome->knowledge_gap,
        .complexity = outcome->complexity,
        .retrieval_strategy = state->followed     ? "graph"
                              : state->by_meaning ? "hybrid"
                                                  : "lexical",
        .route = outcome->route ? route_kind_names[outcome->route] : NULL,
        .claims = {outcome->claim_count, outcome->claims},
        .citations = citations_of(state->arena, outcome),
        .suggested_questions = {outcome->suggestion_count, outcome->suggestions},
        .requires_confirmation = outcome->requires_confirmation,
        .action_summary = outcome->action_summary ? outcome->action_summary : "",
        .chat_history = {request->history_count, (struct graph_message *)request->history},
        .trace_id = request->trace_id,
        .tenant_id = state->tools->call->tenant,
        .session_id = request->session_id,
        .user_id = request->user_id,
        .request_id = request->request_id,
        .error = outcome->error,
        .error_message = outcome->error_message,
        .error_node = outcome->error_node,
        .iteration = outcome->iteration,
        .max_iterations = state->tools->settings->self_rag_max_iterations,
        .language = language_codes[outcome->language],
        .duration_ms = number_round(state->step_milliseconds, 3)};
    const char *json;

    fill_documents(state, &snapshot);
    fill_scores(state, &snapshot);
    fill_consensus(state, &snapshot);
    fill_unsupported(state, &snapshot);
    fill_usage(state, &snapshot);
    json = schema_json(state->arena, STATE_MAX, &state_schema, &snapshot);
    return json ? json : "{}";
}

/* The state of the graph as JSON, one snapshot per step. */
#include "support/answer/graph_state.h"
#include "base/json.h"
#include "base/number.h"
#include "base/text.h"

#include <string.h>

enum { STATE_MAX = 4 << 20 };

/* {"ref": n}: the document stands once in the trace. */
static void write_refs(struct json_writer *writer, const char *key, size_t count)
{
    writer_key(writer, key);
    writer_open_array(writer);
    for (size_t i = 0; i < count; i++) {
        writer_open_object(writer);
        writer_key_integer(writer, "ref", (int64_t)i);
        writer_close_object(writer);
    }
    writer_close_array(writer);
}

static void write_claims(struct json_writer *writer, const struct graph_outcome *outcome)
{
    writer_key(writer, "claims");
    writer_open_array(writer);
    for (size_t i = 0; i < outcome->claim_count; i++) {
        writer_open_object(writer);
        writer_key_string(writer, "text", outcome->claims[i].text);
        writer_key_boolean(writer, "supported", outcome->claims[i].supported);
        writer_key_string(writer, "evidence", outcome->claims[i].evidence);
        writer_close_object(writer);
    }
    writer_close_array(writer);
}

static void write_consensus(struct json_writer *writer, const struct graph_consensus *consensus)
{
    if (!consensus->level)
        return;
    writer_key(writer, "fact_consensus");
    writer_open_object(writer);
    writer_key_string(writer, "level", consensus->level);
    writer_key_string(writer, "verdict", consensus->verdict);
    writer_key_integer(writer, "votes", consensus->votes);
    writer_key_number(writer, "agreement", number_round(consensus->agreement, 3));
    writer_close_object(writer);
}

static void write_citations(struct json_writer *writer, const struct graph_outcome *outcome)
{
    writer_key(writer, "citations");
    writer_open_array(writer);
    for (size_t i = 0; i < outcome->source_count; i++) {
        writer_open_object(writer);
        writer_key_integer(writer, "index", (int64_t)i + 1);
        writer_key_string(writer, "doc_id", outcome->sources[i].doc_id);
        writer_key_string(writer, "title", outcome->sources[i].title);
        writer_key_string(writer, "excerpt", outcome->sources[i].excerpt);
        writer_close_object(writer);
    }
    writer_close_array(writer);
}

static void write_history(struct json_writer *writer, const struct graph_request *request)
{
    writer_key(writer, "chat_history");
    writer_open_array(writer);
    for (size_t i = 0; i < request->history_count; i++) {
        writer_open_object(writer);
        writer_key_string(writer, "role", request->history[i].role);
        writer_key_string(writer, "content", request->history[i].content);
        writer_close_object(writer);
    }
    writer_close_array(writer);
}

static void write_texts(struct json_writer *writer, const char *key, const char *const *texts,
                        size_t count)
{
    writer_key(writer, key);
    writer_open_array(writer);
    for (size_t i = 0; i < count; i++)
        writer_string(writer, texts[i]);
    writer_close_array(writer);
}

static void write_scores(struct json_writer *writer, const struct graph_state *state)
{
    const struct graph_outcome *outcome = state->outcome;

    if (state->scored) {
        writer_key_number(writer, "relevance_score", outcome->relevance);
        writer_key_integer(writer, "quality_score", outcome->quality);
        writer_key_string(writer, "quality_source", outcome->quality_source);
    } else {
        writer_key_null(writer, "relevance_score");
        writer_key_null(writer, "quality_score");
        writer_key_null(writer, "quality_source");
    }
    writer_key_number(writer, "evidence", number_round(outcome->evidence, 4));
    writer_key_integer(writer, "factuality_score", outcome->factuality);
    writer_key_boolean(writer, "fact_verification_skipped", outcome->verification_skipped);
    writer_key_boolean(writer, "knowledge_gap", outcome->knowledge_gap);
    writer_key_string(writer, "complexity", outcome->complexity);
    writer_key_string(writer, "retrieval_strategy", state->by_meaning ? "hybrid" : "lexical");
    writer_key_string(writer, "route", outcome->route ? route_kind_names[outcome->route] : NULL);
}

static void write_fallbacks(struct json_writer *writer, const struct models_run *run)
{
    writer_key(writer, "fallbacks");
    writer_open_array(writer);
    for (size_t i = 0; i < run->fallback_count; i++) {
        writer_open_object(writer);
        writer_key_string(writer, "node", run->fallbacks[i].node);
        writer_key_string(writer, "from_provider", run->fallbacks[i].from);
        writer_key_string(writer, "to_provider", run->fallbacks[i].to);
        writer_key_string(writer, "reason", run->fallbacks[i].reason);
        writer_close_object(writer);
    }
    writer_close_array(writer);
}

static void write_usage(struct json_writer *writer, const struct graph_state *state)
{
    const struct model_usage *usage = &state->usage;

    writer_key_string(writer, "provider_name", usage->provider);
    writer_key_string(writer, "model_name", usage->model);
    writer_key_integer(writer, "prompt_tokens", usage->input_tokens);
    writer_key_integer(writer, "completion_tokens", usage->output_tokens);
    writer_key_number(writer, "cost_usd", usage->cost);
    writer_key(writer, "usage_metadata");
    writer_open_object(writer);
    writer_key_integer(writer, "input_tokens", usage->input_tokens);
    writer_key_integer(writer, "output_tokens", usage->output_tokens);
    writer_key_integer(writer, "total_tokens", usage->input_tokens + usage->output_tokens);
    writer_close_object(writer);
    writer_key_string(writer, "usage_node", state->usage_node);
    write_fallbacks(writer, &state->models);
    writer_key_integer(writer, "answer_final_tokens",
                       state->outcome->answer ? models_estimate_tokens(state->outcome->answer) : 0);
}

static void write_ids(struct json_writer *writer, const struct graph_state *state)
{
    const struct graph_request *request = state->request;

    writer_key_string(writer, "trace_id", request->trace_id);
    writer_key_string(writer, "tenant_id", state->tools->call->tenant);
    writer_key_string(writer, "session_id", request->session_id);
    writer_key_string(writer, "user_id", request->user_id);
    writer_key_string(writer, "request_id", request->request_id);
    writer_key_boolean(writer, "error", state->outcome->error);
    writer_key_string(writer, "error_message", state->outcome->error_message);
    writer_key_string(writer, "error_node", state->outcome->error_node);
    writer_key_integer(writer, "iteration", state->outcome->iteration);
    writer_key_integer(writer, "max_iterations", state->tools->settings->self_rag_max_iterations);
    writer_key_string(writer, "language", language_codes[state->outcome->language]);
    writer_key_number(writer, "duration_ms", number_round(state->step_milliseconds, 3));
}

const char *graph_state_json(const struct graph_state *state)
{
    const struct graph_outcome *outcome = state->outcome;
    struct text text;
    struct json_writer writer;

    text_start(&text, state->arena, STATE_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key_string(&writer, "question", state->request->question);
    writer_key_string(&writer, "search_query", outcome->search_query);
    if (state->hypothesis)
        writer_key_string(&writer, "hyde_query", state->hypothesis);
    else
        writer_key_null(&writer, "hyde_query");
    write_refs(&writer, "context_docs", outcome->found_count);
    write_refs(&writer, "retrieved_docs", outcome->found_count);
    write_refs(&writer, "graded_docs",
               state->graded_count < outcome->found_count ? state->graded_count
                                                          : outcome->found_count);
    writer_key_string(&writer, "doc_grade_reason", state->grade_reason);
    writer_key_string(&writer, "answer", outcome->answer);
    write_scores(&writer, state);
    write_claims(&writer, outcome);
    write_consensus(&writer, &outcome->consensus);
    write_citations(&writer, outcome);
    write_texts(&writer, "suggested_questions", outcome->suggestions, outcome->suggestion_count);
    write_texts(&writer, "sub_queries", NULL, 0);
    write_texts(&writer, "tool_calls", NULL, 0);
    writer_key_boolean(&writer, "requires_confirmation", outcome->requires_confirmation);
    writer_key_string(&writer, "action_summary",
                      outcome->action_summary ? outcome->action_summary : "");
    write_history(&writer, state->request);
    write_usage(&writer, state);
    write_ids(&writer, state);
    writer_close_object(&writer);
    return text.bytes;
}

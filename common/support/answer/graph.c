/* The nodes of the answer graph and their order. */
#include "support/answer/graph.h"
#include "base/clock.h"
#include "base/list.h"
#include "base/string_list.h"
#include "base/text.h"
#include "db/store.h"
#include "support/answer/citations.h"
#include "support/answer/model_nodes.h"
#include "support/answer/tool_flow.h"

#include <math.h>
#include <string.h>

const char *const route_kind_names[ROUTE__MAX] = {
    "", "auto", "human", "agentic", "error_escalation", "timeout"};

struct node {
    const char *name;
    enum error (*run)(struct graph_state *state);
};

enum { CONTEXT_QUESTIONS = 3 };

/* The question before, after those that it refers to itself; NULL when there is none. */
static const char *context_of(const struct graph_state *state)
{
    const struct graph_request *request = state->request;
    struct arena *arena = state->arena;
    const char *context = NULL;
    int count = 0;

    for (size_t i = request->history_count; i-- > 0 && count < CONTEXT_QUESTIONS;) {
        const char *content = request->history[i].content;
        enum text_language language;
        struct question question;

        if (strcmp(request->history[i].role, "user") != 0 ||
            small_talk_of(arena, content, &language))
            continue;
        context = context ? arena_print(arena, "%s %s", content, context) : content;
        question_read(&question, arena, content, NULL, state->tools->synonyms);
        if (!question.follows)
            break;
        count++;
    }
    return context;
}

static enum error classify(struct graph_state *state)
{
    if (!state->tools->settings->model_routing)
        state->outcome->complexity = "unknown";
    else if (!model_classify(state))
        state->outcome->complexity = graph_complexity(state->request->question);
    return ERROR_NONE;
}

/* The search text; answers are still evaluated against the original question. */
static void search_for(struct graph_state *state, const char *words)
{
    question_read(&state->search, state->arena, words, NULL, state->tools->synonyms);
    question_look_up(&state->search, state->arena, state->knowledge.index);
    state->outcome->search_query = words;
}

static enum error transform(struct graph_state *state)
{
    const char *words;

    question_read(&state->question, state->arena,
                  small_talk_strip(state->arena, state->request->question), context_of(state),
                  state->tools->synonyms);
    question_look_up(&state->question, state->arena, state->knowledge.index);
    state->search = state->question;
    state->outcome->language = state->question.language;
    state->outcome->search_query = question_search_text(&state->question, state->arena);
    state->meaning = state->request->question;
    if (model_search_words(state, false, &words)) {
        search_for(state, words);
        state->meaning = words;
    }
    if (state->tools->settings->hyde && model_hypothesis(state, &state->hypothesis)) {
        question_read(&state->search, state->arena, state->hypothesis, NULL,
                      state->tools->synonyms);
        question_look_up(&state->search, state->arena, state->knowledge.index);
        state->meaning = state->hypothesis;
    }
    return ERROR_NONE;
}

static struct graph_source as_source(const struct found_chunk *found)
{
    return (struct graph_source){.source = found->chunk.source,
                                 .doc_id = found->chunk.doc_id,
                                 .title = found->chunk.title,
                                 .text = found->chunk.body,
                                 .excerpt = "",
                                 .metadata = found->chunk.metadata,
                                 .relevance = found->relevance};
}

/* Answers, retries, suggestions and the grades of a model are made of any chunk that was found. */
static void note_used(struct graph_state *state)
{
    struct string_list *used = &state->outcome->used;

    for (size_t i = 0; i < state->found_count; i++)
        if (!string_list_has(used, state->found[i].chunk.doc_id))
            *ARRAY_ADD(state->arena, used->items, used->count) = state->found[i].chunk.doc_id;
}

static enum error retrieve(struct graph_state *state)
{
    enum error error = retrieve_chunks(state);

    if (error)
        return error;
    note_used(state);
    state->graded = ARENA_ARRAY(state->arena, struct found_chunk, state->found_count + 1);
    memcpy(state->graded, state->found, state->found_count * sizeof *state->found);
    state->graded_count = state->found_count;
    answer_rank(state->graded, state->graded_count);
    rerank_chunks(state);
    state->outcome->found_count = 0;
    for (size_t i = 0; i < state->graded_count && i < (size_t)state->tools->settings->rerank_top_k;
         i++)
        state->outcome->found[state->outcome->found_count++] = as_source(&state->graded[i]);
    return ERROR_NONE;
}

/* A model may answer from a text that shares no word with the question: the nearest chunks are
 * kept, and the model grades them. */
static size_t grade_for_model(const struct graph_state *state)
{
    size_t kept = 0, most = (size_t)state->tools->settings->rerank_top_k;

    for (size_t i = 0; i < state->graded_count; i++) {
        const struct found_chunk *chunk = &state->graded[i];

        if ((chunk->nearest && chunk->nearest <= most) || answer_is_relevant(chunk))
            state->graded[kept++] = *chunk;
    }
    return kept;
}

static enum error grade(struct graph_state *state)
{
    size_t before = state->graded_count;

    if (model_grade(state))
        return ERROR_NONE;
    state->graded_count = models_serve(&state->models, MODEL_GENERATE)
                              ? grade_for_model(state)
                              : answer_grade(state->graded, before);
    state->grade_reason =
        before ? arena_print(state->arena, "Kept %zu/%zu, filtered %zu", state->graded_count,
                             before, before - state->graded_count)
               : "No documents retrieved";
    return ERROR_NONE;
}

static enum error expand_sources(struct graph_state *state)
{
    const struct support_settings *settings = state->tools->settings;
    const struct expansion expansion = {
        settings->parent_expansion ? (int)settings->parent_expansion_window : 0,
        (int)settings->parent_expansion_max_chars};
    struct graph_outcome *outcome = state->outcome;
    const char *texts[ANSWER_DOCUMENTS_MAX];
    bool expanded[ANSWER_DOCUMENTS_MAX];
    enum error error = knowledge_expand(&state->knowledge, state->answer.documents,
                                        state->answer.document_count, &expansion, texts, expanded);

    outcome->source_count = error ? 0 : state->answer.document_count;
    for (size_t i = 0; i < outcome->source_count; i++) {
        outcome->sources[i] = as_source(state->answer.documents[i]);
        outcome->sources[i].text = texts[i];
        outcome->sources[i].expanded = expanded[i];
        outcome->sources[i].excerpt = state->answer.excerpts[i];
        outcome->sources[i].cited = i < state->answer.cited_count;
    }
    return error;
}

/* The excerpt of a document for a model: around the passage that fits the question best. */
static const char *best_excerpt(struct arena *arena, const struct found_chunk *chunk)
{
    const struct found_passage *best = NULL;

    for (size_t i = 0; i < chunk->list.count; i++)
        if (!best || chunk->passages[i].score > best->score)
            best = &chunk->passages[i];
    return answer_excerpt(arena, chunk->chunk.body, best ? best->passage->text : "");
}

/* The sources for a model: those of the embedded answer, or those it would have. */
static void choose_documents(struct graph_state *state)
{
    struct answer *answer = &state->answer;
    size_t most = (size_t)state->tools->settings->rerank_top_k;

    if (!answer->refused)
        return;
    for (size_t i = 0; i < state->graded_count && i < most; i++) {
        answer->documents[answer->document_count++] = &state->graded[i];
        answer->excerpts[i] = best_excerpt(state->arena, &state->graded[i]);
    }
}

/* The number of a source, which is added if it is new; 0 when there is no space. */
static int number_of(struct graph_state *state, const struct found_chunk *chunk)
{
    struct graph_outcome *outcome = state->outcome;
    struct graph_source source = as_source(chunk);

    for (size_t i = 0; i < outcome->source_count; i++)
        if (strcmp(outcome->sources[i].doc_id, source.doc_id) == 0 &&
            strcmp(outcome->sources[i].text, source.text) == 0)
            return (int)i + 1;
    if (outcome->source_count == (size_t)state->tools->settings->rerank_top_k)
        return 0;
    source.excerpt = best_excerpt(state->arena, chunk);
    outcome->sources[outcome->source_count++] = source;
    return (int)outcome->source_count;
}

size_t graph_search(struct graph_state *state, const char *words, int *numbers, size_t most)
{
    size_t count = 0;

    state->node_started = clock_monotonic_microseconds();
    question_read(&state->question, state->arena, words, NULL, state->tools->synonyms);
    question_look_up(&state->question, state->arena, state->knowledge.index);
    state->search = state->question;
    state->meaning = words;
    state->outcome->search_query = words;
    if (retrieve(state))
        return 0;
    state->graded_count = answer_grade(state->graded, state->graded_count);
    for (size_t i = 0; i < state->graded_count && i < most; i++) {
        numbers[count] = number_of(state, &state->graded[i]);
        count += numbers[count] > 0;
    }
    return count;
}

static struct answer compose(const struct graph_state *state)
{
    const struct support_settings *settings = state->tools->settings;

    return answer_compose(&state->question, state->knowledge.index, state->arena, state->graded,
                          state->graded_count, state->found, state->found_count,
                          settings->embedded_min_evidence, (size_t)settings->rerank_top_k);
}

const char *graph_quote(struct graph_state *state, const char *words)
{
    int numbers[1];

    (void)graph_search(state, words, numbers, 0);
    state->answer = compose(state);
    if (state->answer.refused || expand_sources(state))
        return NULL;
    return state->answer.text;
}

void graph_mark_cited(struct graph_outcome *outcome)
{
    for (size_t i = 0; i < outcome->source_count; i++)
        outcome->sources[i].cited = false;
    for (const char *at = outcome->answer; *at; at++) {
        int number;

        if (citation_read(at, &number) && number >= 1 && number <= (int)outcome->source_count)
            outcome->sources[number - 1].cited = true;
    }
}

/* A model's answer instead of the embedded one, if documents were found. */
static enum error write_answer(struct graph_state *state)
{
    const struct answer embedded = state->answer;
    struct graph_outcome *outcome = state->outcome;
    const char *text;
    bool refused;
    enum error error;

    state->written = false;
    outcome->unsupported_count = 0;
    if (!state->graded_count || !models_serve(&state->models, MODEL_GENERATE))
        return expand_sources(state);
    choose_documents(state);
    error = expand_sources(state);
    if (error)
        return error;
    if (!model_generate(state, &text, &refused)) {
        state->answer = embedded;
        return expand_sources(state);
    }
    state->written = true;
    outcome->answer = text;
    outcome->refused = refused;
    graph_mark_cited(outcome);
    if (refused)
        outcome->source_count = 0;
    return ERROR_NONE;
}

static void count_embedded(struct graph_state *state)
{
    state->usage = (struct model_usage){"embedded", "extractive-v1",
                                        models_estimate_tokens(state->request->question),
                                        models_estimate_tokens(state->answer.text), 0};
    for (size_t i = 0; i < state->answer.document_count; i++)
        state->usage.input_tokens += models_estimate_tokens(state->answer.documents[i]->chunk.body);
    state->usage_node = "generate";
}

static enum error generate(struct graph_state *state)
{
    enum error error;

    state->answer = compose(state);
    error = follow_names(state);
    state->outcome->answer = state->answer.text;
    state->outcome->refused = state->answer.refused;
    state->outcome->evidence = state->answer.evidence.value;
    if (!error)
        error = write_answer(state);
    if (!state->written)
        count_embedded(state);
    return error;
}

static enum error verify(struct graph_state *state)
{
    struct graph_outcome *outcome = state->outcome;

    outcome->verification_skipped =
        !state->tools->settings->fact_verification || outcome->source_count == 0;
    outcome->factuality = 100;
    outcome->claim_count = 0;
    outcome->consensus = (struct graph_consensus){.level = NULL};
    if (outcome->verification_skipped || (state->written && model_verify(state)))
        return ERROR_NONE;
    outcome->factuality =
        state->written ? model_count_supported(state, outcome->answer)
                       : answer_verify(state->arena, state->answer.quoted, state->answer.documents,
                                       state->answer.document_count, outcome->claims,
                                       GRAPH_CLAIMS_MAX, &outcome->claim_count);
    return ERROR_NONE;
}

static enum error evaluate(struct graph_state *state)
{
    struct graph_outcome *outcome = state->outcome;
    const struct evidence *evidence = &state->answer.evidence;

    outcome->quality =
        state->written ? answer_quality(evidence->sure, outcome->refused) : state->answer.quality;
    outcome->quality_source = "embedded";
    if (state->written)
        model_evaluate(state);
    outcome->relevance = round(outcome->quality * 10.0) / 1000;
    outcome->knowledge_gap = outcome->refused || (!state->written && evidence->sure < 0.6) ||
                             outcome->factuality < 50 ||
                             answer_is_refusal(state->arena, outcome->answer);
    state->scored = true;
    return ERROR_NONE;
}

/* A retry is useful only while it finds something else. */
static const char *selection_text(const struct graph_state *state)
{
    struct text text;

    if (state->written)
        return state->outcome->answer;
    text_start(&text, state->arena, 1 << 16);
    for (size_t i = 0; i < state->answer.selection.count; i++)
        text_append_string(&text, state->answer.selection.items[i].passage->passage->text);
    return text.bytes;
}

static enum error route(struct graph_state *state)
{
    struct graph_outcome *outcome = state->outcome;
    const char *selection = selection_text(state);

    outcome->route =
        graph_route(outcome->quality, outcome->relevance, outcome->verification_skipped,
                    outcome->factuality, outcome->iteration, state->tools->settings);
    if (outcome->route == ROUTE_NONE && state->last_selection &&
        strcmp(state->last_selection, selection) == 0)
        outcome->route = ROUTE_HUMAN;
    state->last_selection = selection;
    return ERROR_NONE;
}

/* Rewrites the query: first with the heading of the best chunk, then with only the two weightiest
 * terms. Answers are still evaluated against the original question. */
static void heaviest_terms(const struct question *question, struct text *text)
{
    const struct question_term *first = NULL, *second = NULL;

    for (size_t i = 0; i < question->count; i++) {
        const struct question_term *term = &question->terms[i];

        if (!first || term->weight > first->weight) {
            second = first;
            first = term;
        } else if (!second || term->weight > second->weight) {
            second = term;
        }
    }
    if (first)
        text_append_string(text, first->word.text);
    if (second)
        text_append_format(text, " %s", second->word.text);
}

static enum error rewrite(struct graph_state *state)
{
    struct graph_outcome *outcome = state->outcome;
    const char *words;
    struct text text;

    outcome->iteration++;
    text_start(&text, state->arena, 8192);
    if (outcome->iteration > 1) {
        heaviest_terms(&state->question, &text);
    } else {
        text_append_string(&text, question_search_text(&state->question, state->arena));
        if (state->found_count && state->found[0].list.count)
            text_append_format(&text, " %s", state->found[0].list.items[0].head);
    }
    if (model_search_words(state, true, &words))
        state->meaning = words;
    else
        words = text.bytes;
    search_for(state, words);
    state->hypothesis = NULL;
    state->scored = false;
    outcome->quality = 0;
    outcome->factuality = 0;
    return ERROR_NONE;
}

static enum error suggest(struct graph_state *state)
{
    struct graph_outcome *outcome = state->outcome;

    outcome->suggestion_count = 0;
    if (state->tools->settings->suggested_questions && !(state->written && model_suggest(state)))
        outcome->suggestion_count =
            answer_suggest(state->arena, &state->question, &state->answer, outcome->suggestions);
    return ERROR_NONE;
}

static enum error log_node(struct graph_state *state)
{
    (void)state;
    return ERROR_NONE;
}

static const struct node opening[] = {{"classify_complexity", classify},
                                      {"transform_query", transform}};
static const struct node answering[] = {{"retrieve", retrieve}, {"grade_docs", grade},
                                        {"generate", generate}, {"verify_facts", verify},
                                        {"evaluate", evaluate}, {"route_or_retry", route}};
static const struct node rewriting = {"rewrite_query", rewrite};
static const struct node suggesting = {"suggest_questions", suggest};
static const struct node logging = {"log", log_node};
static const struct node talking = {"small_talk", small_talk_answer};

/* Usage of models for this node, over all its calls; false when there is none. If no model
 * answered, the figures are those of the embedded engine plus the cost of the failed calls. */
static bool count_models(struct graph_state *state, const char *node, size_t calls_before)
{
    const struct models_run *run = &state->models;
    bool embedded = strcmp(node, "generate") == 0 && !state->written;
    struct model_usage sum = embedded ? state->usage : (struct model_usage){.provider = NULL};

    for (size_t i = calls_before; i < run->call_count; i++) {
        if (!embedded) {
            sum.provider = run->calls[i].provider;
            sum.model = run->calls[i].model;
            sum.input_tokens += run->calls[i].input_tokens;
            sum.output_tokens += run->calls[i].output_tokens;
        }
        sum.cost += run->calls[i].cost;
    }
    state->outcome->cost = run->cost;
    if (!sum.provider)
        return false;
    state->usage = sum;
    state->usage_node = node;
    return true;
}

static void record(struct graph_state *state, const char *node, bool used)
{
    struct graph_outcome *outcome = state->outcome;

    state->step_milliseconds =
        (double)(clock_monotonic_microseconds() - state->node_started) / 1000;
    if (outcome->step_count < GRAPH_STEPS_MAX)
        outcome->steps[outcome->step_count++] =
            (struct graph_step){node, graph_state_json(state), store_now(state->arena),
                                used ? state->usage : (struct model_usage){.provider = NULL}};
}

void graph_record(struct graph_state *state, const char *node)
{
    bool used = state->models.call_count > state->calls_recorded;

    if (used)
        count_models(state, node, state->calls_recorded);
    state->calls_recorded = state->models.call_count;
    record(state, node, used);
    state->node_started = clock_monotonic_microseconds();
}

static bool is_over(struct graph_state *state, const char *node)
{
    const struct graph_request *request = state->request;
    bool late = request->deadline && clock_monotonic_microseconds() >= request->deadline;

    if (!late && !(request->is_cancelled && request->is_cancelled(request->context)))
        return false;
    state->outcome->error = true;
    state->outcome->error_node = node;
    state->outcome->error_message = late ? "wall_budget" : "cancelled";
    state->outcome->route = ROUTE_TIMEOUT;
    return true;
}

/* Runs a node unless the graph has failed or its time is up. */
static bool step(struct graph_state *state, const struct node *node)
{
    struct graph_outcome *outcome = state->outcome;
    size_t calls = state->models.call_count;
    enum error error;

    if (outcome->error || is_over(state, node->name))
        return false;
    state->node_started = clock_monotonic_microseconds();
    error = node->run(state);
    if (!error)
        error = knowledge_error(&state->knowledge);
    if (error) {
        outcome->error = true;
        outcome->error_node = node->name;
        outcome->error_message = arena_copy_string(state->arena, state->tools->call->problem->text);
    }
    record(state, node->name, count_models(state, node->name, calls));
    return !error;
}

static bool run_nodes(struct graph_state *state, const struct node *nodes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!step(state, &nodes[i]))
            return false;
    }
    return true;
}

static void handle_error(struct graph_state *state)
{
    struct graph_outcome *outcome = state->outcome;

    outcome->answer = graph_apology(outcome->language);
    outcome->source_count = outcome->suggestion_count = 0;
    outcome->quality = outcome->route == ROUTE_TIMEOUT ? 0 : 50;
    outcome->relevance = outcome->quality / 100.0;
    outcome->quality_source = "fixed";
    if (outcome->route != ROUTE_TIMEOUT)
        outcome->route = ROUTE_ERROR_ESCALATION;
    state->scored = true;
    state->node_started = clock_monotonic_microseconds();
    record(state, "handle_error", false);
}

static void note_lost_knowledge(struct graph_state *state)
{
    state->outcome->error = true;
    state->outcome->error_node = "retrieve";
    state->outcome->error_message =
        arena_copy_string(state->arena, state->tools->call->problem->text);
}

static bool is_cancelled(void *context)
{
    const struct graph_request *request = context;

    return request->is_cancelled && request->is_cancelled(request->context);
}

static struct graph_state *start(const struct graph_tools *tools,
                                 const struct graph_request *request, struct graph_outcome *outcome)
{
    struct graph_state *state = ARENA_NEW(tools->call->arena, struct graph_state);

    *state = (struct graph_state){.tools = tools,
                                  .request = request,
                                  .outcome = outcome,
                                  .arena = tools->call->arena,
                                  .watch = {is_cancelled, (void *)request, -1},
                                  .node_started = clock_monotonic_microseconds()};
    state->models = (struct models_run){.models = tools->models,
                                        .profile = tools->profile,
                                        .db = tools->call->db,
                                        .arena = state->arena,
                                        .region = tools->region,
                                        .deadline = request->deadline,
                                        .watch = &state->watch};
    if (tools->models && !tools->profile)
        models_refresh(tools->models);
    models_hold(&state->models);
    *outcome = (struct graph_outcome){
        .complexity = "unknown",
        .quality_source = "embedded",
        .language = language_detect(request->question, strlen(request->question)),
        .models = &state->models};
    return state;
}

void graph_run(const struct graph_tools *tools, const struct graph_request *request,
               struct graph_outcome *outcome)
{
    struct graph_state *state = start(tools, request, outcome);

    outcome->small_talk = graph_small_talk(tools, request, &outcome->language);
    if (outcome->small_talk) {
        if (!step(state, &talking))
            handle_error(state);
        step(state, &logging);
        return;
    }
    if (knowledge_open(tools->cache, tools->call, tools->settings, &state->knowledge))
        note_lost_knowledge(state);
    outcome->kb_version = state->knowledge.version;
    if (tools->settings->agentic && !outcome->error && tool_flow(state)) {
        if (knowledge_error(&state->knowledge)) {
            note_lost_knowledge(state);
            handle_error(state);
        } else {
            step(state, &logging);
        }
        return;
    }
    run_nodes(state, opening, sizeof opening / sizeof opening[0]);
    while (!outcome->error && run_nodes(state, answering, sizeof answering / sizeof answering[0]) &&
           outcome->route == ROUTE_NONE)
        step(state, &rewriting);
    if (outcome->route == ROUTE_AUTO)
        step(state, &suggesting);
    if (outcome->error)
        handle_error(state);
    else
        step(state, &logging);
}

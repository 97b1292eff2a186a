/* Prompts for models, and handling of their replies, for each node. */
#include "support/answer/model_nodes.h"
#include "support/answer/citations.h"
#include "support/models/prompts.h"
#include "support/models/replies.h"

#include <string.h>

enum {
    MESSAGE_MAX = 1 << 20,
    SMALL_TOKENS = 200, /* for a reply of a line or two */
    GRADE_TOKENS = 600,
    SHOWN_MESSAGES = 5, /* of the history, in the prompt for the answer */
    TRANSFORM_MESSAGES = 4,
    TRANSFORM_CHARACTERS = 200,
    SUGGEST_CHARACTERS = 500, /* of answer and documents */
    SUGGEST_DOCUMENTS = 2,
    JUDGED_DOCUMENTS = 5,
    HYPOTHESIS_LEAST = 10 /* characters */
};

bool model_ask(struct graph_state *state, struct model_call *call, enum prompt prompt,
               const char *message, struct models_reply *reply)
{
    const char *const *texts = state->tools->prompts ? state->tools->prompts : prompt_texts;
    const struct llm_message messages[] = {{.role = "system", .content = texts[prompt]},
                                           {.role = "user", .content = message}};

    if (!models_serve(&state->models, call->node))
        return false;
    call->messages = messages;
    call->message_count = sizeof messages / sizeof messages[0];
    return models_ask(&state->models, call, reply);
}

struct text model_message(const struct graph_state *state)
{
    struct text text;

    text_start(&text, state->arena, MESSAGE_MAX);
    return text;
}

static void add_history(const struct graph_state *state, struct text *text, size_t most,
                        size_t characters)
{
    const struct graph_request *request = state->request;
    size_t first = request->history_count > most ? request->history_count - most : 0;

    for (size_t i = first; i < request->history_count; i++)
        text_append_format(text, "%s: %s\n", request->history[i].role,
                           utf8_copy_prefix(state->arena, request->history[i].content, characters));
    if (request->history_count)
        text_append_byte(text, '\n');
}

static void add_question(const struct graph_state *state, struct text *text)
{
    text_append_format(text, "Question: %s", state->request->question);
}

void model_add_source(const struct graph_state *state, struct text *text, size_t place,
                      size_t characters)
{
    const struct graph_source *source = &state->outcome->sources[place];

    text_append_format(
        text, "[Document %zu | source=%s]\n%s\n\n", place + 1, source->source,
        citation_escape(state->arena, utf8_copy_prefix(state->arena, source->text, characters)));
}

/* The numbered documents of the prompt. */
static void add_sources(const struct graph_state *state, struct text *text, size_t most,
                        size_t characters)
{
    for (size_t i = 0; i < state->outcome->source_count && i < most; i++)
        model_add_source(state, text, i, characters);
}

bool model_classify(struct graph_state *state)
{
    struct model_call call = {.node = MODEL_CLASSIFY, .fast = true, .max_tokens = SMALL_TOKENS};
    struct models_reply reply;

    if (!model_ask(state, &call, PROMPT_CLASSIFY, state->request->question, &reply))
        return false;
    state->outcome->complexity = model_reply_complexity(reply.text);
    return true;
}

bool model_search_words(struct graph_state *state, bool rewrites, const char **line)
{
    struct model_call call = {.node = rewrites ? MODEL_REWRITE : MODEL_TRANSFORM,
                              .fast = !rewrites,
                              .max_tokens = SMALL_TOKENS};
    enum prompt prompt = rewrites                        ? PROMPT_REWRITE
                         : state->request->history_count ? PROMPT_CONVERSATIONAL_TRANSFORM
                                                         : PROMPT_TRANSFORM;
    struct text text = model_message(state);
    struct models_reply reply;

    add_history(state, &text, TRANSFORM_MESSAGES, TRANSFORM_CHARACTERS);
    add_question(state, &text);
    if (rewrites)
        text_append_format(&text, "\nWords of the search: %s\nIts answer (%d of 100): %s",
                           state->outcome->search_query, state->outcome->quality,
                           state->outcome->answer);
    if (!model_ask(state, &call, prompt, text.bytes, &reply))
        return false;
    *line = model_reply_line(state->arena, reply.text);
    if (!*line)
        models_reject(&state->models, call.node, &reply, "too_short");
    return *line != NULL;
}

bool model_hypothesis(struct graph_state *state, const char **hypothesis)
{
    struct model_call call = {.node = MODEL_TRANSFORM, .fast = true, .max_tokens = SMALL_TOKENS};
    struct models_reply reply;
    const char *text;

    if (!model_ask(state, &call, PROMPT_HYDE, state->outcome->search_query, &reply))
        return false;
    text = text_trimmed(state->arena, reply.text, strlen(reply.text));
    if (utf8_count(text) <= HYPOTHESIS_LEAST) {
        models_reject(&state->models, call.node, &reply, "too_short");
        return false;
    }
    *hypothesis = text;
    return true;
}

bool model_grade(struct graph_state *state)
{
    struct model_call call = {.node = MODEL_GRADE, .fast = true, .max_tokens = GRADE_TOKENS};
    size_t most = (size_t)state->tools->settings->rerank_top_k, count = state->graded_count, kept;
    bool *relevant = ARENA_ARRAY(state->arena, bool, count + 1);
    struct text text = model_message(state);
    struct models_reply reply;

    count = count < most ? count : most;
    for (size_t i = 0; i < count; i++)
        text_append_format(&text, "[Document %zu]\n%s\n\n", i + 1, state->graded[i].chunk.body);
    add_question(state, &text);
    if (count < 2 || !model_ask(state, &call, PROMPT_GRADE_BATCH, text.bytes, &reply))
        return false;
    if (!model_reply_grades(state->arena, reply.text, count, relevant)) {
        models_reject(&state->models, MODEL_GRADE, &reply, "malformed");
        return false;
    }
    kept = 0;
    for (size_t i = 0; i < count; i++)
        kept += relevant[i];
    state->grade_reason =
        arena_print(state->arena, "Kept %zu/%zu, filtered %zu%s", kept, count, count - kept,
                    kept && !relevant[0] ? ", preserved top-ranked doc" : "");
    relevant[0] |= kept > 0;
    kept = 0;
    for (size_t i = 0; i < count; i++)
        if (relevant[i])
            state->graded[kept++] = state->graded[i];
    state->graded_count = kept;
    return true;
}

/* State of streaming the answer to the client. */
struct writing {
    const struct graph_request *request;
    struct marker_gate gate;
    struct sentence_gate sentences;
    const struct grounding *grounding; /* NULL = every word goes on at once */
    struct arena *arena;
    int highest;
};

static bool pass_on(const char *text, size_t length, void *context)
{
    const struct writing *writing = context;

    return writing->request->on_answer(text, length, writing->request->context);
}

static bool pass_sentences(const char *text, size_t length, void *context)
{
    return sentence_gate_take(&((struct writing *)context)->sentences, text, length);
}

static bool take_words(const char *text, size_t length, void *context)
{
    return marker_gate_take(&((struct writing *)context)->gate, text, length);
}

static void begin_anew(void *context)
{
    struct writing *writing = context;

    marker_gate_start(&writing->gate, writing->arena, writing->highest);
    sentence_gate_start(&writing->sentences, writing->arena, writing->grounding);
    if (writing->request->on_answer_void)
        writing->request->on_answer_void(writing->request->context);
}

/* Up to the end of the last complete sentence; "" when there is none. */
static const char *whole_sentences(struct arena *arena, const char *text)
{
    size_t length = strlen(text), at = 0, end = 0;

    while (at < length) {
        at = citation_sentence_end(text, length, at);
        if (at < length)
            end = at;
    }
    return text_trimmed(arena, text, end);
}

/* Adds markers to an answer without any: each sentence that is supported gets that of the document
 * which says most about it. */
static const char *with_markers(struct graph_state *state, const char *text)
{
    const char *plain = citation_strip(state->arena, text);
    struct text marked = model_message(state);
    size_t length = strlen(plain);

    for (size_t at = 0, end; at < length; at = end) {
        struct grounding_result result;
        const char *sentence;

        end = citation_sentence_end(plain, length, at);
        sentence = arena_copy(state->arena, plain + at, end - at);
        result = grounding_check(state->grounding, sentence, end - at);
        if (result.kind == GROUNDING_SUPPORTED)
            sentence = citation_mark(state->arena, sentence, end - at, (int)result.document + 1);
        text_append_string(&marked, sentence);
    }
    return text_trimmed(state->arena, marked.bytes, marked.length);
}

bool model_generate(struct graph_state *state, const char **text, bool *refused)
{
    const struct graph_request *request = state->request;
    bool simple = strcmp(state->outcome->complexity, "simple") == 0;
    int count = (int)state->outcome->source_count;
    struct writing writing = {.request = request, .arena = state->arena, .highest = count};
    struct model_call call = {.node = MODEL_GENERATE,
                              .fast = simple,
                              .on_text = request->on_answer ? take_words : NULL,
                              .on_restart = begin_anew,
                              .context = &writing};
    struct text words = model_message(state);
    struct models_reply reply;

    model_read_sources(state);
    if (state->tools->settings->unsupported != UNSUPPORTED_KEEP)
        writing.grounding = state->grounding;
    writing.gate.pass = writing.grounding ? pass_sentences : pass_on;
    writing.sentences.pass = pass_on;
    writing.gate.context = writing.sentences.context = &writing;
    begin_anew(&writing);
    add_history(state, &words, SHOWN_MESSAGES, SUGGEST_CHARACTERS);
    add_sources(state, &words, ANSWER_DOCUMENTS_MAX,
                (size_t)state->tools->settings->parent_expansion_max_chars);
    add_question(state, &words);
    if (!model_ask(state, &call, request->history_count ? PROMPT_CONVERSATIONAL_QA : PROMPT_QA,
                   words.bytes, &reply))
        return false;
    *text = citation_drop_orphans(state->arena, reply.text, count);
    *text = text_trimmed(state->arena, *text, strlen(*text));
    if (reply.truncated)
        *text = whole_sentences(state->arena, *text);
    if (!**text) {
        models_reject(&state->models, MODEL_GENERATE, &reply,
                      reply.overlong    ? "too_long"
                      : reply.truncated ? "timeout"
                                        : "blank");
        return false;
    }
    *text = model_ground(state, *text);
    if (!*text) {
        models_reject(&state->models, MODEL_GENERATE, &reply, "unsupported");
        return false;
    }
    *refused = answer_is_refusal(state->arena, *text) ||
               strstr(*text, answer_refusal(state->arena, state->outcome->language, NULL));
    if (!*refused && citation_coverage_of(*text).cited == 0)
        *text = with_markers(state, *text);
    return true;
}

bool model_evaluate(struct graph_state *state)
{
    struct model_call call = {.node = MODEL_EVALUATE, .fast = true, .max_tokens = SMALL_TOKENS};
    struct text text = model_message(state);
    struct models_reply reply;
    int score;

    add_sources(state, &text, JUDGED_DOCUMENTS,
                (size_t)state->tools->settings->parent_expansion_max_chars);
    add_question(state, &text);
    text_append_format(&text, "\nAnswer: %s", citation_strip(state->arena, state->outcome->answer));
    if (!model_ask(state, &call, PROMPT_SELF_EVAL, text.bytes, &reply))
        return false;
    if (!model_reply_score(reply.text, &score)) {
        models_reject(&state->models, MODEL_EVALUATE, &reply, "malformed");
        return false;
    }
    state->outcome->quality = score;
    state->outcome->quality_source = "llm";
    return true;
}

bool model_suggest(struct graph_state *state)
{
    struct model_call call = {.node = MODEL_SUGGEST, .fast = true, .max_tokens = SMALL_TOKENS};
    struct graph_outcome *outcome = state->outcome;
    struct text text = model_message(state);
    struct models_reply reply;

    add_sources(state, &text, SUGGEST_DOCUMENTS, SUGGEST_CHARACTERS);
    add_question(state, &text);
    text_append_format(&text, "\nAnswer: %s",
                       utf8_copy_prefix(state->arena, outcome->answer, SUGGEST_CHARACTERS));
    if (!model_ask(state, &call, PROMPT_SUGGEST, text.bytes, &reply))
        return false;
    outcome->suggestion_count =
        model_reply_lines(state->arena, reply.text, false, outcome->suggestions, SUGGESTIONS_MAX);
    for (size_t i = 0; i < outcome->suggestion_count; i++)
        outcome->suggestions[i] =
            utf8_copy_prefix(state->arena, outcome->suggestions[i], SUGGESTION_LENGTH_MAX);
    return true;
}

/*
 * What remains of an answer that a model has written: the sentences that the documents support. A
 * sentence in other words than theirs (a paraphrase, another language) needs the verifying model's
 * quote, and the quote must be in the documents.
 */
#include "support/answer/answer_text.h"
#include "support/answer/citations.h"
#include "support/answer/model_nodes.h"

#include <string.h>

enum { ANSWER_MAX = 1 << 20 };

/* A sentence of the answer, with the blanks after it. */
struct part {
    const char *text;
    size_t length;
    struct grounding_result result;
    bool kept, is_refusal;
};

struct parts {
    struct part *items;
    size_t count;
};

void model_read_sources(struct graph_state *state)
{
    const struct graph_outcome *outcome = state->outcome;
    struct grounding_source *sources =
        ARENA_ARRAY(state->arena, struct grounding_source, outcome->source_count + 1);

    for (size_t i = 0; i < outcome->source_count; i++) {
        const struct knowledge_chunk *chunk = &state->answer.documents[i]->chunk;

        sources[i] = (struct grounding_source){
            outcome->sources[i].text,
            arena_print(state->arena, "%s\n%s", chunk->title, chunk->header ? chunk->header : ""),
            chunk->language};
    }
    state->grounding = grounding_read(state->arena, sources, outcome->source_count);
}

static struct parts read_parts(struct graph_state *state, const char *text)
{
    size_t length = strlen(text);
    struct parts parts = {ARENA_ARRAY(state->arena, struct part, length + 1), 0};

    for (size_t at = 0, end; at < length; at = end) {
        struct part *part = &parts.items[parts.count++];

        end = grounding_part_end(text, length, at);
        *part = (struct part){.text = arena_copy(state->arena, text + at, end - at),
                              .length = end - at};
        part->result = grounding_check(state->grounding, part->text, part->length);
        part->is_refusal =
            answer_is_refusal(state->arena, part->text) && part->result.kind < GROUNDING_NUMBER;
        part->kept = part->is_refusal || part->result.kind == GROUNDING_SUPPORTED;
    }
    return parts;
}

/* Asks the verifying model about sentences whose words differ from those of the documents. */
static void look_for_quotes(struct graph_state *state, struct parts *parts)
{
    const char *texts[MODEL_CLAIMS_MAX], *quotes[MODEL_CLAIMS_MAX];
    struct part *asked[MODEL_CLAIMS_MAX];
    size_t count = 0;

    for (size_t i = 0; i < parts->count && count < MODEL_CLAIMS_MAX; i++) {
        const struct grounding_result *result = &parts->items[i].result;

        if (parts->items[i].kept || result->kind != GROUNDING_WORDS ||
            (result->same_language && result->share < grounding_paraphrase_least))
            continue;
        texts[count] = citation_strip(state->arena, parts->items[i].text);
        asked[count++] = &parts->items[i];
    }
    if (!count || !model_quotes(state, texts, count, quotes))
        return;
    for (size_t i = 0; i < count; i++)
        asked[i]->kept = quotes[i] && grounding_is_quote(state->grounding, quotes[i]);
}

/* A part without a statement goes the way of the sentence behind it, or before it at the end. */
static void settle_fillers(struct parts *parts)
{
    bool kept = parts->count && parts->items[parts->count - 1].kept;

    for (size_t i = parts->count; i-- > 0;) {
        struct part *part = &parts->items[i];

        if (part->result.kind != GROUNDING_FILLER || part->is_refusal)
            kept = part->kept;
        else if (i + 1 == parts->count)
            kept = part->kept = i > 0 && parts->items[i - 1].kept;
        else
            part->kept = kept;
    }
}

static bool has_statement(const struct parts *parts)
{
    for (size_t i = 0; i < parts->count; i++)
        if (parts->items[i].kept && parts->items[i].result.kind != GROUNDING_FILLER)
            return true;
    return false;
}

static void note_unsupported(struct graph_state *state, const struct parts *parts)
{
    struct graph_outcome *outcome = state->outcome;

    outcome->unsupported_count = 0;
    for (size_t i = 0; i < parts->count && outcome->unsupported_count < GRAPH_CLAIMS_MAX; i++)
        if (!parts->items[i].kept)
            outcome->unsupported[outcome->unsupported_count++] = (struct unsupported_sentence){
                text_trimmed(state->arena, parts->items[i].text, parts->items[i].length),
                grounding_reasons[parts->items[i].result.kind]};
}

static size_t without_last_blanks(const char *text, size_t length)
{
    while (length && strchr(" \t\r\n", text[length - 1]))
        length--;
    return length;
}

/* The sentence with a note before the blanks at its end. */
static void add_marked(const struct graph_state *state, const struct part *part, struct text *text)
{
    size_t length = without_last_blanks(part->text, part->length);

    text_append(text, part->text, length);
    if (part->result.kind != GROUNDING_FILLER)
        text_append_format(text, " (%s)", answer_unsupported_note(state->outcome->language));
    text_append_string(text, part->text + length);
}

/* The refusal of the embedded engine in place of the model's: beside the words that refuse, the
 * sentence may state anything. Once in an answer, with the blanks at the end of the part. */
static void add_refusal(const struct graph_state *state, const struct part *part, struct text *text)
{
    const char *refusal = answer_refusal(state->arena, state->outcome->language, NULL);

    if (strstr(text->bytes, refusal))
        return;
    text_append_string(text, refusal);
    text_append_string(text, part->text + without_last_blanks(part->text, part->length));
}

static const char *join(const struct graph_state *state, const struct parts *parts)
{
    struct text text;

    text_start(&text, state->arena, ANSWER_MAX);
    for (size_t i = 0; i < parts->count; i++) {
        const struct part *part = &parts->items[i];

        if (part->is_refusal && part->result.kind > GROUNDING_FILLER)
            add_refusal(state, part, &text);
        else if (part->kept)
            text_append(&text, part->text, part->length);
        else if (state->tools->settings->unsupported == UNSUPPORTED_MARK)
            add_marked(state, part, &text);
    }
    return text_trimmed(state->arena, text.bytes, text.length);
}

const char *model_ground(struct graph_state *state, const char *text)
{
    struct parts parts = read_parts(state, text);

    look_for_quotes(state, &parts);
    settle_fillers(&parts);
    note_unsupported(state, &parts);
    if (state->tools->settings->unsupported == UNSUPPORTED_KEEP)
        return text;
    return has_statement(&parts) ? join(state, &parts) : NULL;
}

int model_count_supported(struct graph_state *state, const char *text)
{
    struct graph_outcome *outcome = state->outcome;
    struct parts parts = read_parts(state, citation_strip(state->arena, text));
    int total = 0, supported = 0;

    outcome->claim_count = 0;
    settle_fillers(&parts);
    for (size_t i = 0; i < parts.count; i++) {
        const struct part *part = &parts.items[i];

        if (part->result.kind == GROUNDING_FILLER)
            continue;
        total++;
        supported += part->kept;
        if (outcome->claim_count < GRAPH_CLAIMS_MAX)
            outcome->claims[outcome->claim_count++] =
                (struct claim){.text = text_trimmed(state->arena, part->text, part->length),
                               .supported = part->kept,
                               .evidence = ""};
    }
    return total ? 100 * supported / total : 100;
}

void sentence_gate_start(struct sentence_gate *gate, struct arena *arena,
                         const struct grounding *grounding)
{
    gate->grounding = grounding;
    gate->ready = 0;
    gate->closed = false;
    text_start(&gate->held, arena, ANSWER_MAX);
}

/* Forwards the first bytes of the held text without the blanks at their end, which wait for more
 * text. */
static bool pass_held(struct sentence_gate *gate, size_t length)
{
    size_t shown = without_last_blanks(gate->held.bytes, length);

    if (!gate->pass(gate->held.bytes, shown, gate->context))
        return false;
    memmove(gate->held.bytes, gate->held.bytes + shown, gate->held.length - shown + 1);
    gate->held.length -= shown;
    gate->ready = length - shown;
    return true;
}

bool sentence_gate_take(struct sentence_gate *gate, const char *text, size_t length)
{
    if (gate->closed) /* the rest is sent when the answer is complete */
        return true;
    text_append(&gate->held, text, length);
    while (gate->ready < gate->held.length) {
        size_t end = grounding_part_end(gate->held.bytes, gate->held.length, gate->ready);
        struct grounding_result result;

        if (end >= gate->held.length || gate->held.bytes[end] == '[')
            return true; /* it may go on */
        result =
            grounding_check(gate->grounding, gate->held.bytes + gate->ready, end - gate->ready);
        gate->ready = end;
        gate->closed = result.kind > GROUNDING_FILLER;
        if (gate->closed)
            return true;
        if (result.kind == GROUNDING_SUPPORTED && !pass_held(gate, end))
            return false;
    }
    return true;
}

/* Composes an answer from passages. */
#include "support/answer/answer.h"
#include "base/text.h"
#include "support/answer/answer_text.h"
#include "support/answer/exact.h"
#include "support/answer/sections.h"
#include "support/answer/verdict.h"
#include "support/answer/versions.h"

#include <math.h>
#include <string.h>

enum { NEAREST_KEPT = 3 }; /* by meaning, whatever their words */

static const double grade_least = 0.25, missing_worth = 0.1;

/* Of a comparison whose sides have sections of their own, and all its words are in them. */
static const double compared_evidence = 0.6;

void answer_rank(struct found_chunk *chunks, size_t count)
{
    for (size_t i = 1; i < count; i++) { /* few, and nearly in order: insertion keeps ties */
        struct found_chunk chunk = chunks[i];
        size_t place = i;

        while (place > 0 && chunks[place - 1].rank < chunk.rank - 1e-9) {
            chunks[place] = chunks[place - 1];
            place--;
        }
        chunks[place] = chunk;
    }
}

bool answer_is_relevant(const struct found_chunk *chunk)
{
    return chunk->relevance >= grade_least ||
           (chunk->by_meaning && chunk->nearest && chunk->nearest <= NEAREST_KEPT);
}

size_t answer_grade(struct found_chunk *chunks, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        if (answer_is_relevant(&chunks[i]))
            chunks[kept++] = chunks[i];
    }
    return kept;
}

int answer_quality(double evidence, bool refused)
{
    double quality = refused ? floor(60 * evidence + 0.5) : floor(50 + 50 * evidence + 0.5);

    return (int)fmax(1, fmin(refused ? 40 : 100, quality));
}

int answer_number_of(const struct answer *answer, const struct found_chunk *chunk)
{
    for (size_t i = 0; i < answer->document_count; i++) {
        if (answer->documents[i] == chunk)
            return (int)i + 1;
    }
    return 0;
}

static void add_document(struct answer *answer, const struct found_chunk *chunk, size_t most)
{
    if (!answer_number_of(answer, chunk) && answer->document_count < most &&
        answer->document_count < ANSWER_DOCUMENTS_MAX)
        answer->documents[answer->document_count++] = chunk;
}

/* The number of selected passages that fit into the length of an answer, at least one. */
static size_t fitting(const struct selection *selection)
{
    size_t length = 0, count = 0;

    for (; count < selection->count; count++) {
        length += utf8_count(selection->items[count].passage->passage->text) + 2;
        if (count && length > ANSWER_LENGTH_MAX)
            break;
    }
    return count;
}

static void refuse(struct answer *answer, struct arena *arena, const struct question *question,
                   const char *missing)
{
    answer->refused = true;
    answer->document_count = answer->cited_count = 0;
    answer->selection.count = 0;
    answer->text = answer_refusal(arena, question->language, missing);
    answer->quality = answer_quality(answer->evidence.sure, true);
}

/* A question that follows another asks for the same kind of answer. */
static struct asks asks_of(struct arena *arena, const struct question *question)
{
    struct asks asks = question_asks(arena, question->text), before;

    if (question->before) {
        before = question_asks(arena, question->before);
        asks.figure |= before.figure;
        asks.steps |= before.steps;
        asks.reason |= before.reason;
        asks.yes_no = asks.yes_no && before.yes_no;
    }
    return asks;
}

/* The least share of the best passage's that one with the figure must cover. */
static const double figure_share = 0.6;

/* A question that compares a figure is answered by a passage of the document that has it. */
static void prefer_figure(struct arena *arena, const struct question *question,
                          const struct asks *asks, const struct found_chunk *chunks, size_t count,
                          struct selection *selection)
{
    struct selected *first = &selection->items[0], best = {NULL, NULL};

    if (!selection->count || !asks->yes_no ||
        verdict_of(arena, question->text, first->passage->passage->text))
        return;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < chunks[i].list.count; j++) {
            const struct found_passage *passage = &chunks[i].passages[j];

            if (chunks[i].chunk.document == first->chunk->chunk.document &&
                passage->share >= figure_share * first->passage->share &&
                (!best.passage || passage->score > best.passage->score) &&
                verdict_of(arena, question->text, passage->passage->text))
                best = (struct selected){&chunks[i], passage};
        }
    }
    if (best.passage)
        *selection = (struct selection){{best}, 1};
}

/* Nothing makes up for an id that is not there, as in evidence_weigh(). */
static void weaken(struct evidence *evidence, const char *missing)
{
    if (missing) {
        evidence->value *= missing_worth;
        evidence->sure *= missing_worth;
    }
}

static void write_text(struct answer *answer, struct arena *arena, const struct question *question,
                       const struct asks *asks, const struct found_chunk *older)
{
    answer_write(answer, arena, question, asks, older);
    for (size_t i = 0; i < answer->document_count; i++) {
        if (!answer->excerpts[i])
            answer->excerpts[i] = answer_excerpt(arena, answer->documents[i]->chunk.body, "");
    }
}

void answer_follow(struct answer *answer, struct arena *arena, const struct question *question,
                   const struct selected *further, size_t most)
{
    const struct answer before = *answer;
    const struct asks asks = asks_of(arena, question);
    struct selection *selection = &answer->selection;
    int64_t document = selection->items[0].chunk->chunk.document;

    selection->count = 0;
    for (size_t i = 0; i < before.selection.count && selection->count + 1 < SELECTION_MAX; i++)
        if (before.selection.items[i].chunk->chunk.document == document)
            selection->items[selection->count++] = before.selection.items[i];
    selection->items[selection->count++] = *further;
    answer->document_count = 0;
    memset(answer->excerpts, 0, sizeof answer->excerpts);
    for (size_t i = 0; i < selection->count; i++)
        add_document(answer, selection->items[i].chunk, ANSWER_DOCUMENTS_MAX);
    answer->cited_count = answer->document_count;
    for (size_t i = 0; i < before.document_count; i++)
        add_document(answer, before.documents[i], most);
    write_text(answer, arena, question, &asks, NULL);
}

struct answer answer_compose(const struct question *question, const struct search_index *index,
                             struct arena *arena, const struct found_chunk *graded, size_t count,
                             const struct found_chunk *lexical_order, size_t found, double least,
                             size_t most)
{
    struct answer answer = {.refused = false};
    const struct asks asks = asks_of(arena, question);
    const char *missing =
        question->missing_code ? exact_name(arena, question, question->missing_code) : NULL;
    const struct found_chunk *older;

    answer.evidence = evidence_weigh(question, index, arena, lexical_order, found);
    answer.selection = select_passages(question, arena, graded, count);
    prefer_figure(arena, question, &asks, graded, count, &answer.selection);
    table_rows_select(question, arena, &asks, graded, count, &answer.selection);
    sections_select(question, arena, &asks, graded, count, &answer.selection);
    older = answer.selection.by_section
                ? NULL
                : versions_settle(question, arena, graded, count, &answer.selection);
    if (asks.compare && sections_compare_all(question, arena, &answer.selection)) {
        answer.evidence.value = fmax(answer.evidence.value, compared_evidence);
        answer.evidence.sure = fmax(answer.evidence.sure, compared_evidence);
    }
    if (!missing) {
        missing = exact_missing(arena, question, lexical_order, found);
        weaken(&answer.evidence, missing);
    }
    if (!answer.selection.count || missing || answer.evidence.value < least) {
        refuse(&answer, arena, question, missing);
        return answer;
    }
    answer.selection.count = fitting(&answer.selection);
    for (size_t i = 0; i < answer.selection.count; i++)
        add_document(&answer, answer.selection.items[i].chunk, most);
    if (older)
        add_document(&answer, older, most);
    answer.cited_count = answer.document_count;
    for (size_t i = 0; i < count; i++)
        add_document(&answer, &graded[i], most);
    write_text(&answer, arena, question, &asks, older);
    answer.quality = answer_quality(answer.evidence.sure, false);
    return answer;
}

/* Moves `at` by `points` code points within the text. */
static size_t move(const char *text, size_t at, size_t length, long points)
{
    while (points > 0 && at < length) {
        at++;
        while (at < length && ((unsigned char)text[at] & 0xc0) == 0x80)
            at++;
        points--;
    }
    while (points < 0 && at > 0) {
        at--;
        while (at > 0 && ((unsigned char)text[at] & 0xc0) == 0x80)
            at--;
        points++;
    }
    return at;
}

enum { COMPARED_POINTS = 24, ALIKE_BYTES_LEAST = 9 };

/* Skips the blanks at `text`, and a hyphen at the end of a line unless it is `wanted`. */
static const char *past_blanks(const char *text, char wanted)
{
    text += strspn(text, " \n\t\r");
    if (*text == '-' && wanted != '-' && (text[1] == '\n' || text[1] == '\r'))
        text += 1 + strspn(text + 1, " \n\t\r");
    return text;
}

/* The length of the prefix of a passage that a text begins with, in bytes, ignoring blanks: a
 * passage has its lines joined. */
static size_t alike_bytes(const char *text, const char *passage)
{
    size_t bytes = 0;

    for (int points = 0; points < COMPARED_POINTS; points++) {
        size_t length;

        passage += strspn(passage, " \n\t\r");
        text = past_blanks(text, *passage);
        length = move(passage, 0, strnlen(passage, 4), 1);
        if (!length || strncmp(text, passage, length) != 0)
            break;
        text += length;
        passage += length;
        bytes += length;
    }
    return bytes;
}

/* Where the text is most similar to the beginning of the passage; NULL when nowhere. */
static const char *find_passage(const char *text, const char *passage)
{
    size_t most = ALIKE_BYTES_LEAST - 1, whole = strlen(passage);
    const char *found = NULL;

    if (whole < ALIKE_BYTES_LEAST)
        return strstr(text, passage);
    for (const char *at = text; *at; at++) {
        size_t alike = *at == *passage ? alike_bytes(at, passage) : 0;

        if (alike > most) {
            most = alike;
            found = at;
        }
    }
    return found;
}

const char *answer_excerpt(struct arena *arena, const char *text, const char *passage)
{
    const char *found = *passage ? find_passage(text, passage) : NULL;
    size_t length = strlen(text), start, end;

    if (!found && strncmp(passage, "- ", 2) == 0) /* a field that is no item in the text */
        found = find_passage(text, passage + 2);
    start = found ? (size_t)(found - text) : 0;
    end = move(text, start, length, EXCERPT_LENGTH_MAX);
    if (end == length) /* near the end: the window reaches back */
        start = move(text, end, length, -(long)EXCERPT_LENGTH_MAX);
    return arena_copy(arena, text + start, end - start);
}

/* The text of an answer: quotes with their markers, tables, yes or no, and older versions. */
#include "support/answer/answer_text.h"
#include "support/answer/citations.h"
#include "support/answer/quote.h"
#include "support/answer/sections.h"
#include "support/answer/verdict.h"

#include <string.h>

enum { TEXT_MAX = 1 << 20 };

/* Yes and no need a passage that is about the question. */
static const double share_least = 0.35;

struct writing {
    struct answer *answer;
    struct arena *arena;
    const struct question *question;
    const struct asks *asks;
    float *covered;
    struct text text;
};

static void note_excerpt(struct writing *writing, const struct found_chunk *chunk, int number,
                         const char *quote)
{
    const char **excerpt = &writing->answer->excerpts[number - 1];

    if (!*excerpt)
        *excerpt = answer_excerpt(writing->arena, chunk->chunk.body, quote);
}

static size_t rows_from(const struct selection *selection, size_t place)
{
    size_t count = 1;

    while (place + count < selection->count &&
           table_rows_are_of_one(&selection->items[place], &selection->items[place + count]) &&
           selection->items[place].chunk == selection->items[place + count].chunk)
        count++;
    return count;
}

/* Writes a passage whole, below the name of its section. */
static size_t write_of_section(struct writing *writing, size_t place)
{
    const struct selected *item = &writing->answer->selection.items[place];
    int number = answer_number_of(writing->answer, item->chunk);
    const char *name = section_name(item), *text = item->passage->passage->text;

    if (!place || strcmp(name, section_name(item - 1)) != 0)
        text_append_format(&writing->text, "**%s**\n\n", citation_escape(writing->arena, name));
    text_append_string(
        &writing->text,
        citation_mark(writing->arena, citation_escape(writing->arena, text), strlen(text), number));
    note_excerpt(writing, item->chunk, number, text);
    return 1;
}

/* Writes the item at `place`, and the rows after it that belong to one table; returns how many. */
static size_t write_item(struct writing *writing, size_t place)
{
    const struct selection *selection = &writing->answer->selection;
    const struct selected *item = &selection->items[place];
    int number = answer_number_of(writing->answer, item->chunk);
    const char *quote;
    size_t rows;

    if (table_rows_is_row(item->passage->passage)) {
        rows = rows_from(selection, place);
        table_rows_write(&writing->text, writing->arena, item, rows, number);
        note_excerpt(writing, item->chunk, number, strchr(item->passage->passage->text, '\n') + 1);
        return rows;
    }
    if (selection->by_section)
        return write_of_section(writing, place);
    quote = quote_of(writing->arena, writing->question, writing->asks, item, writing->covered,
                     place == 0);
    text_append_string(&writing->text,
                       citation_mark(writing->arena, citation_escape(writing->arena, quote),
                                     strlen(quote), number));
    note_excerpt(writing, item->chunk, number, quote);
    return 1;
}

/* The answer to yes or no before the first quote; a table has it in a line of its own. */
static const char *with_verdict(struct writing *writing, const char *quoted, size_t first_length)
{
    const struct selected *first = &writing->answer->selection.items[0];
    enum text_language language = writing->question->language;
    enum verdict verdict = VERDICT_NONE;
    bool is_row = table_rows_is_row(first->passage->passage);
    const char *checked = arena_copy(writing->arena, quoted, first_length);

    if (is_row)
        checked = strchr(first->passage->passage->text, '\n') + 1;
    if (writing->asks->yes_no && first->passage->share >= share_least)
        verdict = verdict_of(writing->arena, writing->question->text,
                             citation_strip(writing->arena, checked));
    if (!verdict)
        return quoted;
    if (!is_row)
        return arena_print(writing->arena, "%s%s", verdict_word(verdict, language, true), quoted);
    return arena_print(writing->arena, "%s [%d].\n\n%s", verdict_word(verdict, language, false),
                       answer_number_of(writing->answer, first->chunk), quoted);
}

void answer_write(struct answer *answer, struct arena *arena, const struct question *question,
                  const struct asks *asks, const struct found_chunk *older)
{
    struct writing writing = {.answer = answer,
                              .arena = arena,
                              .question = question,
                              .asks = asks,
                              .covered = ARENA_ARRAY(arena, float, question->count + 1)};
    int older_number = older ? answer_number_of(answer, older) : 0;
    size_t first_length = 0;

    text_start(&writing.text, arena, TEXT_MAX);
    for (size_t i = 0; i < answer->selection.count;) {
        if (i)
            text_append_string(&writing.text, "\n\n");
        i += write_item(&writing, i);
        first_length = first_length ? first_length : writing.text.length;
    }
    answer->quoted = writing.text.bytes;
    answer->text = with_verdict(&writing, answer->quoted, first_length);
    if (older_number)
        answer->text = arena_print(
            arena, "%s\n\n%s", answer->text,
            answer_older_version(arena, question->language, older->chunk.title, older_number));
}

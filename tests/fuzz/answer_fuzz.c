/* Any text uploaded, and any question asked of it: a line with the question, then the text. Every
 * sentence of it is asked as well, so that passages are quoted from everywhere. */
#include "fuzz.h"

#include "../unit/answer_base.h"
#include "text/sentences.h"

enum { QUESTIONS_MAX = 20, QUESTION_POINTS = 60 };

static struct arena *arena;
static struct synonyms synonyms;

static void ask(const struct base *base, const char *question)
{
    struct asked asked;
    const char *broken;

    base_ask(base, arena, &synonyms, question, NULL, 0, &asked);
    broken = base_broken_promise(arena, &asked.answer);
    PROMISE(!broken, broken);
}

static void ask_sentences(const struct base *base, const char *text)
{
    struct sentence_reader reader;
    size_t start, end;
    int asked = 0;

    sentence_reader_start(&reader, text, strlen(text));
    while (asked++ < QUESTIONS_MAX && sentence_next(&reader, &start, &end)) {
        const char *sentence = arena_copy(arena, text + start, end - start);

        ask(base, arena_copy(arena, sentence, utf8_prefix(sentence, QUESTION_POINTS)));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct file file = {"file.md", NULL};
    struct base base = {.files = &file, .file_count = 1};
    const char *input;
    size_t question;

    if (!arena) {
        arena = arena_create((size_t)1 << 28);
        synonyms = synonyms_read(arena_create((size_t)1 << 20), synonyms_built_in);
    }
    if (memchr(data, 0, size) || utf8_valid_prefix((const char *)data, size) != size)
        return 0; /* uploads and questions that are not text are refused */
    input = arena_copy(arena, (const char *)data, size);
    question = strcspn(input, "\n");
    file.text = input + question + (input[question] == '\n');
    base_make(&base, arena);
    ask(&base, arena_copy(arena, input, question));
    ask_sentences(&base, file.text);
    base_drop(&base);
    arena_reset(arena);
    return 0;
}

/* Words have at least three letters or digits, and are folded; lookups use a text with a blank
 * around each word. */
#include "support/trends/measures.h"
#include "base/text.h"
#include "text/fold.h"
#include "text/sentences.h"
#include "text/words.h"

#include <string.h>

enum { WORD_LEAST = 3, WORDS_MOST = 4096, TEXT_MOST = 1 << 24 };

const char *const measure_names[MEASURE__MAX] = {"faithfulness", "context_precision",
                                                 "answer_relevancy", "context_recall"};

#define VALUE(owner, which, title)                                                                 \
    {                                                                                              \
        .name = (title), .type = FIELD_NUMBER, .offset = offsetof(owner, values[which])            \
    }
#define ANSWERED_VALUES(owner)                                                                     \
    VALUE(owner, MEASURE_FAITHFULNESS, "faithfulness"),                                            \
        VALUE(owner, MEASURE_PRECISION, "context_precision"),                                      \
        VALUE(owner, MEASURE_RELEVANCY, "answer_relevancy")
static const struct field measures_fields[] = {
    ANSWERED_VALUES(struct measures), VALUE(struct measures, MEASURE_RECALL, "context_recall")};
static const struct field answered_fields[] = {ANSWERED_VALUES(struct answered_measures)};
SCHEMA(measures_schema, struct measures, "Measures", measures_fields);
SCHEMA(answered_measures_schema, struct answered_measures, "AnsweredMeasures", answered_fields);

/* Folded words with one blank round each. */
static const char *normal_form(struct arena *arena, const char *source, size_t source_length)
{
    const char *lower = text_lower(arena, arena_copy(arena, source, source_length));
    size_t length = strlen(lower);
    bool open = false;
    struct text text;

    text_start(&text, arena, TEXT_MOST);
    text_append_byte(&text, ' ');
    for (size_t at = 0; at < length;) {
        int32_t character = 0;
        size_t bytes = letter_read(lower + at, length - at, &character);
        bool word = bytes && (character == '_' || letter_kind(character) != LETTER_NONE);

        if (word)
            text_append(&text, lower + at, bytes);
        else if (open)
            text_append_byte(&text, ' ');
        open = word;
        at += bytes ? bytes : 1;
    }
    if (open)
        text_append_byte(&text, ' ');
    return text.bytes;
}

/* The words of at least three characters, each as `word` with blanks cut off. */
static size_t long_words(struct arena *arena, const char *form, const char **words, bool distinct)
{
    size_t count = 0;

    for (const char *at = form; *at && count < WORDS_MOST;) {
        size_t blank = strspn(at, " "), length = strcspn(at + blank, " ");
        const char *word = arena_copy(arena, at + blank, length);
        bool known = utf8_count(word) < WORD_LEAST;

        for (size_t i = 0; distinct && i < count && !known; i++)
            known = strcmp(words[i], word) == 0;
        if (!known)
            words[count++] = word;
        at += blank + length;
    }
    return count;
}

/* The share of words that stand in the text: as parts of words, or as whole ones. */
static double share_in(struct arena *arena, const char *const *words, size_t count,
                       const char *form, bool whole)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++)
        found += strstr(form, whole ? arena_print(arena, " %s ", words[i]) : words[i]) != NULL;
    return count ? (double)found / (double)count : 1;
}

static double faithfulness(struct arena *arena, const char *answer, const char *context)
{
    const char **words = ARENA_ARRAY(arena, const char *, WORDS_MOST);
    struct sentence_reader reader;
    size_t start, end, sentences = 0, faithful = 0;

    if (strcmp(context, " ") == 0)
        return 0;
    sentence_reader_start(&reader, answer, strlen(answer));
    while (sentence_next(&reader, &start, &end)) {
        size_t count =
            long_words(arena, normal_form(arena, answer + start, end - start), words, false);

        sentences++;
        faithful += count == 0 || share_in(arena, words, count, context, true) >= 0.5;
    }
    return sentences ? (double)faithful / (double)sentences : 0;
}

static bool is_among(const char *const *words, size_t count, const char *word)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}

/* A keyword without the blanks round its words; "" when it has none. */
static const char *keyword_form(struct arena *arena, const char *keyword)
{
    const char *form = normal_form(arena, keyword, strlen(keyword));

    return text_trimmed(arena, form, strlen(form));
}

static double recall(struct arena *arena, const struct string_list *keywords, const char *context)
{
    size_t found = 0;

    for (size_t i = 0; i < keywords->count; i++)
        found += strstr(context, keyword_form(arena, keywords->items[i])) != NULL;
    return keywords->count ? (double)found / (double)keywords->count : 1;
}

/* The words that are looked for in documents: of the question, and keywords; each once. */
static size_t asked_for(struct arena *arena, const char *asked, const struct string_list *keywords,
                        const char **words)
{
    size_t count = long_words(arena, asked, words, true);

    for (size_t i = 0; i < keywords->count && count < WORDS_MOST; i++) {
        const char *word = keyword_form(arena, keywords->items[i]);

        if (*word && !is_among(words, count, word))
            words[count++] = word;
    }
    return count;
}

void measures_take(struct arena *arena, const struct measured *what, double scores[MEASURE__MAX])
{
    const char **words = ARENA_ARRAY(arena, const char *, WORDS_MOST);
    const char *asked = normal_form(arena, what->question, strlen(what->question));
    const char *answered = normal_form(arena, what->answer, strlen(what->answer));
    size_t distinct = asked_for(arena, asked, &what->keywords, words), all;
    double sum = 0, weight = 0;
    struct text context;

    text_start(&context, arena, TEXT_MOST);
    for (size_t i = 0; i < what->document_count; i++) {
        const char *form = normal_form(arena, what->documents[i], strlen(what->documents[i]));

        text_append_string(&context, form);
        sum += share_in(arena, words, distinct, form, false) / (double)(i + 1);
        weight += 1 / (double)(i + 1);
    }
    scores[MEASURE_FAITHFULNESS] =
        faithfulness(arena, what->answer, context.length ? context.bytes : " ");
    scores[MEASURE_PRECISION] = what->document_count == 0 ? 0 : distinct == 0 ? 1 : sum / weight;
    all = long_words(arena, asked, words, false);
    scores[MEASURE_RELEVANCY] = strcmp(asked, " ") == 0 || strcmp(answered, " ") == 0
                                    ? 0
                                    : share_in(arena, words, all, answered, false);
    scores[MEASURE_RECALL] = recall(arena, &what->keywords, context.length ? context.bytes : " ");
}

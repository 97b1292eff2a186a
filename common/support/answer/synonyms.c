/* Synonyms: reading groups of words, and looking up the group of a stem. */
#include "support/answer/synonyms.h"
#include "search/terms.h"
#include "text/words.h"

#include <stdlib.h>
#include <string.h>

const char *const synonyms_built_in =
    "вернуть верну вернут вернуться возврат возвратить возвращать возвращаются return refund\n"
    "деньги денег деньгами денежный money\n"
    "гарантия гарантийный warranty guarantee\n"
    "ошибка ошибок ошибочный error сбой\n"
    "пароль password\n"
    "доставка доставлять доставить delivery shipping ship\n"
    "чек receipt\n"
    "приемка прием принимать принимает\n"
    "длиться длится срок\n";

uint64_t stem_hash(const char *stem, size_t length)
{
    uint64_t hash = 14695981039346656037u;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)stem[i]) * 1099511628211u;
    return hash;
}

static int by_hash(const void *a, const void *b)
{
    const struct synonym *x = a, *y = b;

    return (x->hash > y->hash) - (x->hash < y->hash);
}

/* The words of one line; `#` ends it. */
static void read_group(struct arena *arena, struct synonyms *synonyms, const char *line,
                       size_t length, int group)
{
    struct word_reader reader;
    struct word word;
    char stem[WORD_BYTES_MAX + 1];
    const char *comment = memchr(line, '#', length);

    word_reader_start(&reader, line, comment ? (size_t)(comment - line) : length);
    while (word_next(&reader, &word)) {
        size_t stem_length = term_stem(TEXT_EN, &word, stem);

        synonyms->items[synonyms->count++] = (struct synonym){
            stem_hash(stem, stem_length), arena_copy(arena, stem, stem_length), stem_length, group};
    }
}

struct synonyms synonyms_read(struct arena *arena, const char *text)
{
    struct synonyms synonyms = {ARENA_ARRAY(arena, struct synonym, words_most(strlen(text)) + 1),
                                0};
    int group = 1;

    while (*text) {
        size_t length = strcspn(text, "\n");

        read_group(arena, &synonyms, text, length, group++);
        text += length + (text[length] == '\n');
    }
    qsort(synonyms.items, synonyms.count, sizeof synonyms.items[0], by_hash);
    return synonyms;
}

int synonym_group(const struct synonyms *synonyms, uint64_t hash)
{
    struct synonym wanted = {.hash = hash};
    const struct synonym *found =
        synonyms->count
            ? bsearch(&wanted, synonyms->items, synonyms->count, sizeof synonyms->items[0], by_hash)
            : NULL;

    return found ? found->group : 0;
}

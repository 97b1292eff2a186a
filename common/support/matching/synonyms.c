/* Synonyms: reading groups of words, and looking up the group of a stem. */
#include "support/matching/synonyms.h"
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
    "длиться длится срок\n"
    "cost costs price prices kosten kostet preis preise coûte coûtent coûter prix costar cuesta "
    "cuestan precio precios стоить стоит стоят стоимость цена цены سعر اسعار اسعارها تكلفه يكلف\n"
    "weigh weighs weight heavy wiegen wiegt gewicht schwer poids pèse pesa pesan peso вес весит "
    "весят вес وزن\n"
    "pay payment payments bezahlen zahlen zahlung zahlungsart payer paiement paiements pagar pago "
    "pagos оплатить оплата оплаты الدفع دفع\n";

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

static void add_stem(struct synonyms *synonyms, struct arena *arena, const char *stem,
                     size_t length, int group)
{
    uint64_t hash = stem_hash(stem, length);

    for (size_t i = synonyms->count; i-- > 0 && synonyms->items[i].group == group;) {
        if (synonyms->items[i].hash == hash)
            return;
    }
    synonyms->items[synonyms->count++] =
        (struct synonym){hash, arena_copy(arena, stem, length), length, group};
}

/* Words of the Latin script have a stem in each of its languages. */
static const enum text_language languages[] = {TEXT_EN, TEXT_DE, TEXT_FR, TEXT_ES};

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
        for (size_t i = 0; i < sizeof languages / sizeof languages[0]; i++)
            add_stem(synonyms, arena, stem, term_stem(languages[i], &word, stem), group);
    }
}

struct synonyms synonyms_read(struct arena *arena, const char *text)
{
    struct synonyms synonyms = {
        ARENA_ARRAY(arena, struct synonym, 4 * words_most(strlen(text)) + 1), 0};
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

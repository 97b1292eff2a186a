/* Finds quantities and ids in questions, and ids in passages. */
#include "support/answer/exact.h"
#include "support/answer/verdict.h"
#include "text/exact_words.h"
#include "text/plain.h"

#include <string.h>

enum { NAME_LEAST = 2, NAME_MOST = 5, RANGES_MAX = 8 };

/* Words after a number that make it a quantity, besides the units written right after numbers. */
static const char unit_words[] =
    "percent|per cent|euro|euros|dollar|dollars|pound|pounds|cents|kilo*|gram|grams|gramm|metre|"
    "metres|meter|meters|mile|miles|litre|litres|liter|liters|volt|volts|watt|watts|day|days|week|"
    "weeks|month|months|year|years|hour|hours|minute|minutes|second|seconds|gigabyte*|megabyte*|"
    "people|persons|times|prozent|stunde*|minute*|tag|tage|tagen|woche|wochen|monat|monate|monaten|"
    "jahr|jahre|jahren|personen|mal|pour cent|jour|jours|semaine|semaines|mois|an|ans|année|années|"
    "heure|heures|personnes|fois|por ciento|día|días|semana|semanas|mes|meses|año|años|hora|horas|"
    "minuto|minutos|personas|veces|процент*|день|дня|дней|недел*|месяц*|год|года|лет|час|часа|"
    "часов|"
    "минут*|рубл*|рублей|евро|доллар*|человек|раз|кило*|грамм*|метр*|литр*|يوم*|ايام|اسبوع*|اسابيع|"
    "شهر*|اشهر|شهور|سنه|سنوات|عام|اعوام|ساعه|ساعات|دقيقه|دقائق|ريال*|دولار*|يورو|درهم*|دينار*|جنيه*"
    "|"
    "غيغابايت|كيلو*|متر*|لتر*|في "
    "المئه|بالمئه|شخص|اشخاص|元|天|日|周|个月|月|年|小时|分钟|秒|公斤|千克|克|"
    "米|厘米|公里|升|伏|瓦|人|次|岁|块|%";

/* Nouns of things that have numbers. */
static const char id_nouns[] =
    "order|orders|article|item|product|model|error|code|invoice|part|room|ticket|contract|serial|"
    "bestell*|auftrag*|artikel*|produkt*|modell*|fehler*|code|rechnung*|teil|zimmer|raum|vertrag*|"
    "commande|article|référence|produit|modèle|erreur|code|facture|pièce|chambre|contrat|pedido|"
    "artículo|producto|modelo|error|código|factura|pieza|habitación|contrato|заказ*|артикул*|товар*"
    "|"
    "модел*|ошибк*|код*|счет*|деталь|комнат*|договор*|طلب|الطلب|طلبي|منتج|المنتج|طراز|الطراز|موديل|"
    "خطا|الخطا|رمز|فاتوره|الفاتوره|غرفه|الغرفه|订单|货号|型号|产品|商品|错误|代码|发票|房间|合同";
static const char number_words[] =
    "no|nr|number|nummer|numéro|n|num|número|номер|رقم|编号|号|code|код";

/* Nouns whose number may stand in a column or field that is only called "No.". */
static const char article_nouns[] =
    "article|item|product|model|part|artikel*|produkt*|modell*|teil|référence|produit|modèle|pièce|"
    "artículo|producto|modelo|pieza|артикул*|товар*|модел*|деталь|منتج|المنتج|طراز|الطراز|موديل|"
    "货号|型号|产品|商品";
static const char article_columns[] =
    "no|nr|number|nummer|numéro|num|número|номер|رقم|编号|号|code|код|sku|id|ref|réf|art|арт";

static bool is_number(const struct word *word)
{
    return word->digits && !word->letters;
}

static struct question_term *term_of(const struct question *question, const struct word *word)
{
    for (size_t i = 0; i < question->count; i++) {
        if (strcmp(question->terms[i].word.text, word->text) == 0)
            return &question->terms[i];
    }
    return NULL;
}

static bool has_currency_sign(const char *text, const struct word *word)
{
    static const char *const signs[] = {"$", "€", "£", "¥", "₽", "%", "€", "＄"};
    const char *after = text + word->end + strspn(text + word->end, " ");

    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        size_t length = strlen(signs[i]);

        if (strncmp(after, signs[i], length) == 0 ||
            (word->start >= length && strncmp(text + word->start - length, signs[i], length) == 0))
            return true;
    }
    return false;
}

static bool is_quantity(const struct question *question, size_t place)
{
    const struct word *word = &question->words[place], *next = word + 1;

    if (has_currency_sign(question->text, word))
        return true;
    return place + 1 < question->word_count &&
           (exact_is_unit(next->text, next->length) || plain_phrase_at(next->text, unit_words));
}

/* Whether the letters of `name` are written with the number: "XR500", "XR-500", "XR 500". */
static bool is_name(const char *text, const struct word *name, const struct word *number)
{
    if (name->digits || name->pair || name->length < NAME_LEAST || name->length > NAME_MOST ||
        number->start - name->end > 1)
        return false;
    for (size_t i = name->start; i < name->end; i++) {
        bool capital = text[i] >= 'A' && text[i] <= 'Z';

        if (!capital && !(text[i] >= 'a' && text[i] <= 'z' && number->start == name->end))
            return false;
    }
    return number->start == name->end || strchr("- ", text[name->end]);
}

static void add_id(struct question *question, const struct word *name, const struct word *number,
                   bool joined)
{
    if (question->id_count < QUESTION_IDS_MAX)
        question->ids[question->id_count++] = (struct exact_id){name, number, joined};
}

/* The noun before a number, past "no." and "number"; a pair of characters before it in scripts
 * without spaces. */
static const struct word *noun_before(const struct question *question, size_t place)
{
    while (place-- > 0) {
        const struct word *word = &question->words[place];

        if (plain_phrase_at(word->text, id_nouns))
            return word;
        if (!plain_phrase_at(word->text, number_words))
            return NULL;
    }
    return NULL;
}

static void read_number(struct question *question, size_t place)
{
    const struct word *word = &question->words[place];
    struct question_term *term = term_of(question, word);
    const struct word *noun;

    if (!term)
        return;
    if (is_quantity(question, place)) {
        term->quantity = true;
        term->code = false;
        return;
    }
    if (place > 0 && is_name(question->text, word - 1, word)) {
        term->code = true;
        add_id(question, word - 1, word, true);
        return;
    }
    noun = term->code ? noun_before(question, place) : NULL;
    if (!noun)
        return;
    add_id(question, noun, word, false);
    term = plain_phrase_at(noun->text, article_nouns) ? term_of(question, noun) : NULL;
    if (term)
        term->numbered = true;
}

/* Words of a comparison say nothing about the subject. */
static void mark_comparison(struct question *question, struct arena *arena)
{
    struct text_range ranges[RANGES_MAX];
    size_t count = verdict_ranges(arena, question->text, ranges, RANGES_MAX);

    for (size_t i = 0; i < question->word_count; i++) {
        const struct word *word = &question->words[i];
        struct question_term *term = term_of(question, word);

        for (size_t j = 0; term && j < count; j++)
            term->compares |= word->start < ranges[j].end && word->end > ranges[j].start;
    }
}

void exact_read(struct question *question, struct arena *arena)
{
    mark_comparison(question, arena);
    for (size_t i = 0; i < question->word_count; i++) {
        if (is_number(&question->words[i]))
            read_number(question, i);
    }
    question->has_codes = false;
    for (size_t i = 0; i < question->count; i++)
        question->has_codes |= question->terms[i].code;
}

const char *exact_name(struct arena *arena, const struct question *question, const char *code)
{
    for (size_t i = 0; i < question->id_count; i++) {
        const struct exact_id *id = &question->ids[i];
        size_t start = (id->joined ? id->name : id->number)->start;

        if (strcmp(id->number->text, code) == 0)
            return arena_copy(arena, question->text + start, id->number->end - start);
    }
    return code;
}

/* Whether a text contains the number, for a joined id right after its letters. */
static bool has_number(const char *text, const struct exact_id *id)
{
    struct word_reader reader;
    struct word word;
    bool after_name = false;

    word_reader_start(&reader, text, strlen(text));
    while (exact_word_next(&reader, &word)) {
        if (strcmp(word.text, id->number->text) == 0 && (after_name || !id->joined))
            return true;
        after_name = strcmp(word.text, id->name->text) == 0;
    }
    return false;
}

/* The cover of the noun's term by a passage and by what its chunk is called. */
static bool has_noun(struct arena *arena, const struct question *question, const char *noun,
                     const struct found_chunk *chunk, const struct found_passage *passage)
{
    const char *const names[] = {chunk->chunk.title, chunk->chunk.source, chunk->chunk.header};

    for (size_t t = 0; t < question->count; t++) {
        if (strcmp(question->terms[t].word.text, noun) == 0 && passage->cover[t] >= 0.5F)
            return true;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i] && plain_find(text_plain(arena, names[i], strlen(names[i])), noun, NULL))
            return true;
    }
    return false;
}

/* Whether such a column or field has the numbers of articles. */
static bool has_articles(struct arena *arena, const char *name, size_t length)
{
    const char *plain = text_plain(arena, name, length);

    return plain_find(plain, article_columns, NULL) && !plain_find(plain, id_nouns, NULL);
}

static bool is_plainly(struct arena *arena, const char *text, size_t length, const char *number)
{
    return strcmp(text_plain(arena, text, length), number) == 0;
}

/* Whether a row has the number in a column of article numbers. */
static bool row_has_article(struct arena *arena, const char *head, const char *row,
                            const char *number)
{
    while (*head == '|' && *row == '|') {
        size_t name = strcspn(++head, "|\n"), cell = strcspn(++row, "|\n");

        if (is_plainly(arena, row, cell, number) && has_articles(arena, head, name))
            return true;
        head += name;
        row += cell;
    }
    return false;
}

/* Whether a table or list of fields has the number where its articles have theirs. */
static bool has_article(struct arena *arena, const char *text, const struct exact_id *id)
{
    const char *feed = strchr(text, '\n');

    if (!plain_phrase_at(id->name->text, article_nouns))
        return false;
    if (*text == '|' && feed)
        return row_has_article(arena, text, feed + 1, id->number->text);
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        const char *colon;

        length = strcspn(text, "\n");
        colon = memmem(text, length, ": ", 2);
        if (colon &&
            is_plainly(arena, colon + 2, (size_t)(text + length - colon) - 2, id->number->text) &&
            has_articles(arena, text, (size_t)(colon - text)))
            return true;
    }
    return false;
}

static bool is_found(struct arena *arena, const struct question *question,
                     const struct exact_id *id, const struct found_chunk *chunks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < chunks[i].list.count; j++) {
            const struct found_passage *passage = &chunks[i].passages[j];

            if ((has_number(passage->passage->text, id) ||
                 has_number(passage->passage->head, id)) &&
                (id->joined || has_noun(arena, question, id->name->text, &chunks[i], passage) ||
                 has_article(arena, passage->passage->text, id)))
                return true;
        }
    }
    return false;
}

const char *exact_missing(struct arena *arena, const struct question *question,
                          const struct found_chunk *chunks, size_t count)
{
    for (size_t i = 0; i < question->id_count; i++) {
        const struct exact_id *id = &question->ids[i];

        if (!is_found(arena, question, id, chunks, count))
            return exact_name(arena, question, id->number->text);
    }
    return NULL;
}

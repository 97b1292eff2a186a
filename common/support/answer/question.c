/* Questions: words, weights, terms. */
#include "support/answer/question.h"
#include "base/text.h"
#include "search/terms.h"
#include "support/answer/exact.h"
#include "support/questions/asks.h"
#include "text/exact_words.h"
#include "text/plain.h"

#include <math.h>
#include <string.h>

enum {
    WAW_WORDS = 3,
    FEW_TERMS = 2, /* a question with fewer terms needs the previous one */
    HIRAGANA_FIRST = 0x3041,
    HIRAGANA_LAST = 0x309f
};

/* Of a code in a search: nothing without it answers. */
static const double code_worth = 2.5;

/* Less similar words do not count. */
static const double alike_least = 0.5;

/* A question that begins with one of these refers to the previous one. */
static const char *const anaphors[] = {
    "а",    "и",   "это",  "он",    "она", "оно", "они", "этот", "it",  "this", "that",
    "they", "and", "what", "those", "und", "das", "es",  "y",    "eso", "et",   "cela",
};

/* Words that name the kind of information, not its subject. */
static const char *const asking_words =
    "срок время времени шаг пошаговый причина действие день дня дней дата момент вероятный условие "
    "период долго длиться длится три два событие длинный long period step cause reason time date "
    "lange lang longtemps temps tiempo "
    "day last take code код ошибка error hoch schwer teuer gross high heavy tall expensive "
    "dauer dure durer durée dura durar duran duración duration "
    "多久 多长 长时 时间 多少 是多 少钱 什么 么时 时候 谁负 负责";

/* The same in questions for a duration or a time: how long something lasts, when it ends. */
static const char *const duration_verbs =
    "end ends expire expires valid gilt gelten gültig endet enden läuft finit finir termine "
    "terminer expirer valable termina terminar acaba acabar vence vencer caduca válida действует "
    "действовать заканчивается кончается истекает ينتهي تنتهي تستمر يستمر تدوم يدوم 结束 到期 有效 "
    "候结 候到";

/* Actions have many synonyms, subjects few. Endings of Russian verbs, and English stems. */
static const char *const verb_endings[] = {
    "ть",  "ться", "тся", "лся", "лась", "лось", "лись", "ешь", "ишь",
    "ает", "яет",  "ует", "еет", "ают",  "яют",  "уют",  "еют",
};
static const char *const verbs =
    "fix change get find use make set turn cancel install reset update check work start stop open "
    "contact need want happen pay enable";

/* Question words for durations and times, folded. */
static const char *const duration_words =
    "сколько скольк срок сроки срока когда долго длится длиться long period when wann lange "
    "dauert dauer dure durent durée dura duran duración duration cuándo cuánto tiempo quand "
    "longtemps quando quanto متي مده 多久 多长 何时 "
    "时候";

/* Folded as well. */
static const char *const duration_units =
    "дня дней день дню недел неделя недели недель месяц месяца месяцев год года лет час часа часов "
    "минут минуты минута day days week weeks month months year years hour hours minute minutes tag "
    "tage tagen woche wochen monat monate monaten jahr jahre stunde stunden minuten día días "
    "semana semanas mes meses año años hora horas minuto minutos jour jours semaine semaines mois "
    "an ans heure heures ايام يوم اسبوع شهر اشهر سنه ساعه دقيقه 个月";

/* The next word of a list of folded words with blanks between them; false at its end. */
static bool list_next(const char **list, struct word *word)
{
    *list += strspn(*list, " ");
    word->length = strcspn(*list, " ");
    memcpy(word->text, *list, word->length);
    word->text[word->length] = '\0';
    *list += word->length;
    return word->length > 0;
}

static bool list_holds(const char *list, const struct word *word)
{
    struct word one = {.letters = true};

    while (list_next(&list, &one)) {
        if (strcmp(one.text, word->text) == 0)
            return true;
    }
    return false;
}

/* As list_holds(), comparing stems. */
static bool list_holds_stem(const char *list, enum text_language language, const struct word *word)
{
    struct word one = {.letters = true};
    char a[WORD_BYTES_MAX + 1], b[WORD_BYTES_MAX + 1];

    term_stem(language, word, a);
    while (list_next(&list, &one)) {
        term_stem(language, &one, b);
        if (strcmp(a, b) == 0)
            return true;
    }
    return false;
}

static bool is_asking(const struct question *question, const struct word *word)
{
    return list_holds_stem(asking_words, question->language, word) ||
           (question->asks_duration && list_holds_stem(duration_verbs, question->language, word));
}

static size_t characters(const struct word *word)
{
    return utf8_count(word->text);
}

/* In order, each once. */
static void insert_ngram(struct shape *shape, uint32_t ngram)
{
    size_t place = shape->count;

    while (place > 0 && shape->ngrams[place - 1] >= ngram)
        place--;
    if (place < shape->count && shape->ngrams[place] == ngram)
        return;
    memmove(shape->ngrams + place + 1, shape->ngrams + place,
            (shape->count - place) * sizeof shape->ngrams[0]);
    shape->ngrams[place] = ngram;
    shape->count++;
    shape->hidden += shape->marks >> ngram % 64 & 1;
    shape->marks |= UINT64_C(1) << ngram % 64;
}

void shape_of(const struct word *word, struct shape *shape)
{
    uint32_t ngrams[WORD_NGRAMS_MAX];
    size_t count = word_ngrams(word, false, ngrams);

    shape->count = shape->hidden = 0;
    shape->marks = 0;
    if (!word->pair && (characters(word) < 4 || word->digits))
        return;
    for (size_t i = 0; i < count && shape->count < SHAPE_MAX; i++)
        insert_ngram(shape, ngrams[i]);
}

/* Whether the bits may have that many ngrams in common: this excludes most words quickly. */
static bool may_share(const struct shape *a, const struct shape *b, double least)
{
    return (double)(__builtin_popcountll(a->marks & b->marks) + (int)a->hidden) >= least;
}

double shape_likeness(const struct shape *a, const struct shape *b)
{
    size_t i = 0, j = 0, same = 0, all = a->count + b->count;
    double likeness;

    if (!a->count || !b->count || !may_share(a, b, alike_least * (double)all / 2))
        return 0;
    while (i < a->count && j < b->count) {
        if (a->ngrams[i] == b->ngrams[j]) {
            same++;
            i++;
            j++;
        } else if (a->ngrams[i] < b->ngrams[j]) {
            i++;
        } else {
            j++;
        }
    }
    likeness = 2.0 * (double)same / (double)all;
    return likeness >= alike_least ? likeness : 0;
}

uint64_t question_stem(struct question_term *term, enum text_language language)
{
    char stem[WORD_BYTES_MAX + 1];

    if (!term->stems[language]) {
        size_t length = term_stem(language, &term->word, stem);

        term->stems[language] = stem_hash(stem, length);
    }
    return term->stems[language];
}

static bool holds_stop_character(const struct word *word)
{
    for (size_t at = 0; at < word->length;) {
        int32_t character = 0;

        at += letter_read(word->text + at, word->length - at, &character);
        if (language_is_stop_character(character))
            return true;
    }
    return false;
}

static void add_term(struct question *question, const struct word *word, double times)
{
    struct question_term *term;
    char stem[WORD_BYTES_MAX + 1];
    uint64_t hash = stem_hash(stem, term_stem(question->language, word, stem));

    for (size_t i = 0; i < question->count; i++) {
        if (question_stem(&question->terms[i], question->language) == hash) {
            question->terms[i].times += times == 1 ? 1 : 0;
            return;
        }
    }
    if (question->count == QUESTION_TERMS_MAX)
        return;
    term = &question->terms[question->count++];
    *term = (struct question_term){.word = *word, .times = times};
    term->code = word->digits && !strchr(word->text, '.') &&
                 (characters(word) >= 3 || (word->letters && characters(word) >= 2));
    term->group = synonym_group(question->synonyms, hash);
    question->has_codes |= term->code;
    shape_of(word, &term->shape);
}

/* A capital of its own, as in "plan S"; at the beginning it may be any word. */
static bool is_letter_name(const struct word *word, const char *text)
{
    char letter = text[word->start];

    return word->start > 0 && word->end - word->start == 1 && letter >= 'A' && letter <= 'Z' &&
           letter != 'I';
}

static bool is_content(const struct question *question, const struct word *word, const char *text)
{
    if (word->pair)
        return question->language == TEXT_JA || question->language == TEXT_KO ||
               !holds_stop_character(word);
    if (is_letter_name(word, text))
        return true;
    return !language_is_stop_word(question->language, word->text) &&
           (question->language == TEXT_EN || word->length > 1 || word->digits);
}

/* Pairs of Hangul that belong to the words of a question. */
static const char hangul_asking[] = "얼마|얼마나|마입|입니|니까|습니|무엇|엇입|인가|가요|나요|까요|"
                                    "어떻|떻게|언제|어디|해요|있나|있습|합니|되나|됩니";

/* Particles at the end of a word. */
static const char hangul_particles[] = "의|은|는|이|가|을|를|에|로|와|과|도";

/* Whether a pair of characters that no text has is only grammar: it has Hiragana, or ends with a
 * particle. */
static bool is_grammar(const struct question *question, const struct word *word)
{
    bool hiragana = false;
    size_t last = 0;

    if (!word->pair || (question->language != TEXT_JA && question->language != TEXT_KO))
        return false;
    for (size_t at = 0; at < word->length;) {
        int32_t character = 0;

        last = at;
        at += letter_read(word->text + at, word->length - at, &character);
        hiragana |= character >= HIRAGANA_FIRST && character <= HIRAGANA_LAST;
    }
    return hiragana || plain_phrase_at(word->text, hangul_asking) ||
           plain_phrase_at(word->text + last, hangul_particles);
}

static size_t read_terms(struct question *question, const char *text, double times)
{
    struct word_reader reader;
    struct word word;
    size_t significant = 0;

    word_reader_start(&reader, text, strlen(text));
    while (exact_word_next(&reader, &word)) {
        if (times == 1 && question->word_count < QUESTION_WORDS_MAX)
            question->words[question->word_count++] = word;
        ngram_set_add(question->ngrams, &word);
        if (times == 1 && list_holds(duration_words, &word))
            question->asks_duration = true;
        if (!is_content(question, &word, text))
            continue;
        add_term(question, &word, times);
        significant += !is_asking(question, &word);
    }
    return significant;
}

/* Phrases that begin a question about the same subject. */
static const char followers[] = "what about|how about|and what about|was ist mit|wie ist es mit|"
                                "qu en est il|qué hay de|qué pasa con|что насчет|как насчет|"
                                "ماذا عن|وماذا عن|那|那么";

/* Arabic writes "and" as a prefix; many other words of a short question begin with it, too. */
static bool is_joined_by_waw(const struct question *question)
{
    return question->language == TEXT_AR && question->word_count <= WAW_WORDS &&
           strncmp(question->words[0].text, "و", 2) == 0 && question->words[0].length > 6;
}

static bool begins_with_anaphor(const struct question *question, const char *plain)
{
    for (size_t i = 0; question->word_count && i < sizeof anaphors / sizeof anaphors[0]; i++) {
        if (strcmp(question->words[0].text, anaphors[i]) == 0 && strcmp(anaphors[i], "what") != 0)
            return true;
    }
    return plain_phrase_at(plain, followers) || is_joined_by_waw(question) ||
           strstr(question->text, "呢");
}

void question_read(struct question *question, struct arena *arena, const char *text,
                   const char *before, const struct synonyms *synonyms)
{
    size_t significant;

    *question = (struct question){
        .text = text,
        .synonyms = synonyms,
        .language = language_detect(text, strlen(text)),
        .terms = ARENA_ARRAY(arena, struct question_term, QUESTION_TERMS_MAX),
        .words = ARENA_ARRAY(arena, struct word, QUESTION_WORDS_MAX),
        .ngrams = ARENA_NEW(arena, struct ngram_set),
    };
    significant = read_terms(question, text, 1);
    question->follows = significant < FEW_TERMS ||
                        begins_with_anaphor(question, text_plain(arena, text, strlen(text)));
    if (before && question->follows) {
        question->before = before;
        read_terms(question, before, 0.5);
    }
    exact_read(question, arena);
}

static double idf(double total, double holding)
{
    return log1p((total - holding + 0.5) / (holding + 0.5));
}

/* The number of passages that contain the term, in any language of the index. */
static int64_t passages_holding(const struct question *question, const struct question_term *term,
                                const struct search_index *index)
{
    uint64_t languages = search_index_totals(index).languages | UINT64_C(1) << question->language;
    char stem[WORD_BYTES_MAX + 1], seen[TEXT_LANGUAGE__MAX][WORD_BYTES_MAX + 1];
    int64_t found = 0;
    size_t count = 0;

    for (int i = 0; i < TEXT_LANGUAGE__MAX; i++) {
        bool known = false;
        size_t length;

        if (!(languages >> i & 1))
            continue;
        length = term_stem((enum text_language)i, &term->word, stem);
        for (size_t j = 0; j < count && !known; j++)
            known = strcmp(seen[j], stem) == 0;
        if (known)
            continue;
        memcpy(seen[count++], stem, length + 1);
        found += search_index_frequency(index, stem, length).passages;
    }
    return found;
}

static double group_idf(const struct search_index *index, const struct synonyms *synonyms,
                        int group, double total)
{
    double best = 0;

    for (size_t i = 0; i < synonyms->count; i++) {
        const struct synonym *one = &synonyms->items[i];
        int64_t holding = one->group == group
                              ? search_index_frequency(index, one->stem, one->length).passages
                              : 0;

        if (holding && (best == 0 || idf(total, (double)holding) < best))
            best = idf(total, (double)holding);
    }
    return best;
}

static bool is_verb_like(enum text_language language, const struct word *word)
{
    for (size_t i = 0; i < sizeof verb_endings / sizeof verb_endings[0]; i++) {
        size_t length = strlen(verb_endings[i]);

        if (word->length > length + 2 &&
            memcmp(word->text + word->length - length, verb_endings[i], length) == 0)
            return true;
    }
    return list_holds_stem(verbs, language, word);
}

static void weigh_term(struct question *question, struct question_term *term,
                       const struct search_index *index, double cap)
{
    double total = (double)search_index_totals(index).passages;
    int64_t holding = passages_holding(question, term, index);
    double likely =
        holding || !term->group ? 0 : group_idf(index, question->synonyms, term->group, total);

    term->in_index = holding > 0;
    term->weight = holding ? fmin(cap, idf(total, (double)holding)) : likely > 0 ? likely : cap;
    if (term->code) {
        term->weight = 1.5 * cap;
        if (!term->in_index && !question->missing_code)
            question->missing_code = term->word.text;
    } else if (term->word.digits) {
        term->weight *= 0.5;
    }
    term->asks = term->compares || asks_is_comparing(term->word.text) ||
                 (term->numbered && !term->in_index) ||
                 (!term->in_index && is_grammar(question, &term->word)) ||
                 (!term->code && is_asking(question, &term->word));
    if (term->asks)
        term->weight = 0.2 * fmin(term->weight, 1);
    else if (!term->group && is_verb_like(question->language, &term->word))
        term->weight *= 0.6;
    term->weight *= fmin(term->times, 1);
}

void question_weigh(struct question *question, const struct search_index *index)
{
    double total = (double)search_index_totals(index).passages;
    double cap = fmax(2.5, 0.6 * idf(total, 0)), heaviest = 0;

    question->total = 0;
    question->missing_code = NULL;
    for (size_t i = 0; i < question->count; i++) {
        weigh_term(question, &question->terms[i], index, cap);
        if (!question->terms[i].asks)
            heaviest = fmax(heaviest, question->terms[i].weight);
    }
    for (size_t i = 0; i < question->count; i++) {
        struct question_term *term = &question->terms[i];

        /* In a small knowledge base every word is common; question words keep the lower weight. */
        if (term->asks && heaviest > 0)
            term->weight = fmin(term->weight, 0.2 * heaviest);
        question->total += term->weight;
    }
}

struct term_collector {
    struct arena *arena;
    struct search_term *terms;
    size_t count, capacity;
};

/* Adds a term, or raises the weight of the same one. */
static void collect(struct term_collector *collector, const char *name, size_t length,
                    double weight, bool sum)
{
    for (size_t i = 0; i < collector->count; i++) {
        struct search_term *term = &collector->terms[i];

        if (term->length == length && memcmp(term->name, name, length) == 0) {
            term->weight = sum ? term->weight + weight : fmax(term->weight, weight);
            return;
        }
    }
    if (collector->count == collector->capacity)
        return;
    collector->terms[collector->count++] =
        (struct search_term){arena_copy(collector->arena, name, length), length, weight};
}

static void collect_stems(struct term_collector *collector, const struct question *question,
                          const struct question_term *term, uint64_t languages)
{
    char stem[WORD_BYTES_MAX + 1];

    for (int i = 0; i < TEXT_LANGUAGE__MAX; i++) {
        if ((languages | UINT64_C(1) << question->language) >> i & 1)
            collect(collector, stem, term_stem((enum text_language)i, &term->word, stem),
                    term->times * (term->code ? code_worth : 1), false);
    }
}

static void collect_grams(struct term_collector *collector, const struct question *question,
                          const struct question_term *term)
{
    struct term_gram grams[TERM_GRAMS_MAX];
    size_t count = term_grams(&term->word, grams);
    double weight = 0.5 * fmin(1, 6.0 / (double)question->count) / sqrt((double)count);

    for (size_t i = 0; i < count; i++)
        collect(collector, grams[i].bytes, grams[i].length, weight * fmin(term->times, 1), false);
}

enum { SEARCH_TERMS_MAX = 480 };

struct search_term *question_search_terms(const struct question *question, struct arena *arena,
                                          const struct search_index *index, size_t *count)
{
    const struct synonyms *synonyms = question->synonyms;
    struct term_collector collector = {
        arena, ARENA_ARRAY(arena, struct search_term, SEARCH_TERMS_MAX), 0, SEARCH_TERMS_MAX};
    uint64_t languages = search_index_totals(index).languages;

    for (size_t i = 0; i < question->count; i++)
        collect_stems(&collector, question, &question->terms[i], languages);
    for (size_t i = 0; i < question->count; i++) {
        for (size_t j = 0; question->terms[i].group && j < synonyms->count; j++) {
            if (synonyms->items[j].group == question->terms[i].group)
                collect(&collector, synonyms->items[j].stem, synonyms->items[j].length, 0.9, false);
        }
    }
    for (size_t i = 0; i < question->count; i++)
        collect_grams(&collector, question, &question->terms[i]);
    *count = collector.count;
    return collector.terms;
}

void question_look_up(struct question *question, struct arena *arena,
                      const struct search_index *index)
{
    if (search_index_is_remote(index)) {
        size_t count;
        const struct search_term *terms = question_search_terms(question, arena, index, &count);

        search_index_expect(index, terms, count);
    }
    question_weigh(question, index);
}

struct search_term *question_gram_terms(const struct question *question, struct arena *arena,
                                        size_t *count)
{
    struct term_collector collector = {
        arena, ARENA_ARRAY(arena, struct search_term, SEARCH_TERMS_MAX), 0, SEARCH_TERMS_MAX};

    for (size_t i = 0; i < question->count; i++)
        collect_grams(&collector, question, &question->terms[i]);
    *count = collector.count;
    return collector.terms;
}

bool text_has_duration(const char *text, size_t length)
{
    struct word_reader reader;
    struct word word;
    int since_number = 99;

    word_reader_start(&reader, text, length);
    while (exact_word_next(&reader, &word)) {
        if (since_number <= 2 && list_holds(duration_units, &word))
            return true;
        since_number = word.digits ? 0 : since_number + 1;
    }
    return false;
}

const char *question_search_text(const struct question *question, struct arena *arena)
{
    struct text text;

    text_start(&text, arena, 8192);
    for (size_t i = 0; i < question->count; i++) {
        if (i)
            text_append_byte(&text, ' ');
        text_append(&text, question->terms[i].word.text, question->terms[i].word.length);
    }
    return question->count ? text.bytes : question->text;
}

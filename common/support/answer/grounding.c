/* Words, clauses and numbers of sentences, compared with those of documents. */
#include "support/answer/grounding.h"
#include "search/terms.h"
#include "support/answer/citations.h"
#include "support/answer/names.h"
#include "support/answer/verdict.h"
#include "support/matching/synonyms.h"
#include "text/exact_words.h"
#include "text/fold.h"
#include "text/plain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLAIM_WORDS_MAX = 256, QUOTE_WORDS_LEAST = 3 };

const double grounding_paraphrase_least = 0.4;
static const double support_least = 0.8, quote_least = 0.9;

const char *const grounding_reasons[GROUNDING__MAX] = {"", "no statement", "words", "name",
                                                       "number"};

/* Begin another clause, as commas do. */
static const char conjunctions[] =
    "and|but|while|whereas|und|aber|während|sowie|et|mais|tandis|y|e|pero|mientras|и|а|но|или|و|"
    "لكن|بينما|和|而|但";
static const char denials[] =
    "not|no|never|cannot|without|neither|nor|isn t|aren t|don t|doesn t|didn t|won t|can t|nicht|"
    "kein|keine|keinen|keinem|keiner|keines|nie|niemals|ohne|pas|jamais|sans|aucun|aucune|nunca|"
    "jamás|sin|ningún|ninguna|не|нет|нельзя|никогда|без|لا|ليس|ليست|لم|لن|غير|不|没有|未|无|non|"
    "mai|"
    "senza|não|sem";

/* Words around a statement that state nothing. */
static const char courtesies[] =
    "note|unfortunately|however|therefore|according|document|documents|additionally|furthermore|"
    "simply|yes|say|says|following|follows|leider|beachten|hinweis|allerdings|laut|dokument*|"
    "folgende*|zudem|außerdem|malheureusement|notez|noter|toutefois|cependant|selon|document*|"
    "suivant*|lamentablemente|tenga|cuenta|embargo|según|documento*|siguiente*|además|к|сожалению|"
    "обратите|внимание|однако|согласно|документ*|следующ*|также|للاسف|ملاحظه|وفقا|الوثائق|التالي|"
    "请|注意|根据|文档|以下";

struct text_word {
    uint64_t stem;
    int clause, sentence, block;
    bool number;
};

struct document {
    struct text_word *words;
    size_t count;
    uint64_t *stems; /* of text and names, sorted */
    size_t stem_count;
    bool *denied; /* by sentence */
    int sentences;
    enum text_language language;
};

struct grounding {
    struct arena *arena;
    struct document *documents;
    size_t count;
};

struct claim_word {
    uint64_t stem;
    int clause;
    bool number, name, counts;
};

struct claim_words {
    struct claim_word items[CLAIM_WORDS_MAX];
    size_t count;
    bool denied, same_language;
    bool cut; /* it has more words */
};

/* Where a reader stands: the numbers of clause, sentence and paragraph. */
struct place {
    int clause, sentence, block;
};

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static bool has_any(const char *text, size_t length, const char *const *marks)
{
    for (; *marks; marks++)
        if (memmem(text, length, *marks, strlen(*marks)))
            return true;
    return false;
}

/* Moves on over the text between two words. */
static void pass_gap(struct place *place, const char *gap, size_t length)
{
    static const char *const blocks[] = {"\n\n", "\n\r\n", "\n#", NULL};
    static const char *const sentences[] = {". ",  "! ",  "? ", ".\n", "!\n", "?\n",
                                            "。",  "！",  "？", "؟",   "\n-", "\n*",
                                            "\n|", "\n•", "।",  "|\n", NULL};
    static const char *const clauses[] = {",", ";", "\n", "，", "；", "、", "،", "؛", NULL};

    if (has_any(gap, length, blocks)) {
        place->block++;
        place->sentence++;
        place->clause++;
    } else if (has_any(gap, length, sentences)) {
        place->sentence++;
        place->clause++;
    } else if (has_any(gap, length, clauses)) {
        place->clause++;
    }
}

/* The next word of a text; numbers written out become digits. */
static bool next_word(struct word_reader *reader, struct place *place, struct word *word)
{
    size_t end = reader->at;
    int number;

    if (!exact_word_next(reader, word))
        return false;
    if (word->start > end)
        pass_gap(place, reader->source + end, word->start - end);
    if (plain_phrase_at(word->text, conjunctions) == word->length)
        place->clause++;
    number = word->pair ? 0 : verdict_numeral(word->text);
    if (number) {
        word->length = (size_t)snprintf(word->text, sizeof word->text, "%d", number);
        word->digits = true;
        word->letters = false;
    }
    return true;
}

static uint64_t stem_of(enum text_language language, const struct word *word)
{
    char stem[WORD_BYTES_MAX + 1];

    return stem_hash(stem, term_stem(language, word, stem));
}

static void add_names(struct document *document, const char *names)
{
    struct word_reader reader;
    struct place place = {0};
    struct word word;

    word_reader_start(&reader, names, strlen(names));
    while (next_word(&reader, &place, &word))
        document->stems[document->stem_count++] = stem_of(document->language, &word);
}

static bool is_denied(struct arena *arena, const char *text, size_t length)
{
    return plain_find(text_plain(arena, text, length), denials, NULL) != NULL;
}

/* Marks the sentences of a document that deny something. */
static void mark_denials(struct arena *arena, struct document *document, const char *text)
{
    struct word_reader reader;
    struct place place = {0};
    struct word word;
    size_t start = 0, end = 0;
    int sentence = 0;

    document->denied = ARENA_ARRAY(arena, bool, (size_t)document->sentences + 1);
    word_reader_start(&reader, text, strlen(text));
    while (next_word(&reader, &place, &word)) {
        if (place.sentence != sentence) {
            document->denied[sentence] = is_denied(arena, text + start, end - start);
            sentence = place.sentence;
            start = word.start;
        }
        end = word.end;
    }
    document->denied[sentence] = is_denied(arena, text + start, end - start);
}

static void read_document(struct arena *arena, const struct grounding_source *source,
                          struct document *document)
{
    size_t length = strlen(source->text), most = words_most(length);
    struct word_reader reader;
    struct place place = {0};
    struct word word;

    *document = (struct document){
        .words = ARENA_ARRAY(arena, struct text_word, most + 1),
        .stems = ARENA_ARRAY(arena, uint64_t, most + words_most(strlen(source->names)) + 1),
        .language = source->language};
    word_reader_start(&reader, source->text, length);
    while (next_word(&reader, &place, &word)) {
        uint64_t stem = stem_of(source->language, &word);

        document->words[document->count++] = (struct text_word){
            stem, place.clause, place.sentence, place.block, word.digits && !word.letters};
        document->stems[document->stem_count++] = stem;
    }
    document->sentences = place.sentence + 1;
    add_names(document, source->names);
    qsort(document->stems, document->stem_count, sizeof document->stems[0], by_value);
    mark_denials(arena, document, source->text);
}

struct grounding *grounding_read(struct arena *arena, const struct grounding_source *sources,
                                 size_t count)
{
    struct grounding *grounding = ARENA_NEW(arena, struct grounding);

    *grounding = (struct grounding){arena, ARENA_ARRAY(arena, struct document, count + 1), count};
    for (size_t i = 0; i < count; i++)
        read_document(arena, &sources[i], &grounding->documents[i]);
    return grounding;
}

static bool has_stem(const struct document *document, uint64_t stem)
{
    return bsearch(&stem, document->stems, document->stem_count, sizeof stem, by_value) != NULL;
}

/* "2." or "2)" at the beginning of a line. */
static bool is_list_number(const char *text, size_t length, const struct word *word)
{
    return word->digits && word->end - word->start <= 2 && word->end < length &&
           strchr(".)", text[word->end]) && strspn(text, " \t*_") == word->start;
}

/* Whether a sentence or a title begins before this byte, where a capital means nothing. */
static bool is_beginning(const char *text, size_t at)
{
    while (at && strchr(" \t*_(\"'#-", text[at - 1]))
        at--;
    return at == 0 || strchr(":\n|", text[at - 1]) ||
           (at >= 3 && memchr("\xe2", text[at - 3], 1) != NULL); /* typographic quotes, dashes */
}

static void read_claim(struct arena *arena, const char *text, size_t length,
                       enum text_language language, struct claim_words *claim)
{
    enum text_language spoken = language_detect(text, length);
    struct word_reader reader;
    struct place place = {0};
    struct word word;

    claim->count = 0;
    claim->denied = is_denied(arena, text, length);
    claim->same_language = spoken == language;
    word_reader_start(&reader, text, length);
    while (claim->count < CLAIM_WORDS_MAX && next_word(&reader, &place, &word)) {
        bool capital = name_is_capital(text, &word) && !is_beginning(text, word.start);
        bool stop = (language_is_stop_word(spoken, word.text) ||
                     plain_phrase_at(word.text, courtesies) == word.length) &&
                    !(capital && word.length == 1);

        if (is_list_number(text, length, &word))
            continue;
        claim->items[claim->count++] =
            (struct claim_word){.stem = stem_of(language, &word),
                                .clause = place.clause,
                                .number = word.digits,
                                .name = !stop && capital && spoken == language && spoken != TEXT_DE,
                                .counts = word.digits || !stop};
    }
    claim->cut = claim->count == CLAIM_WORDS_MAX && next_word(&reader, &place, &word);
}

/* Whether the clauses of a paragraph that contain a number of the claim's clause have the word, or
 * only others with other numbers: 1, -1; 0 when the paragraph does not tell. */
static int side_of(const struct document *document, int block, const bool *chosen,
                   const bool *numbered, uint64_t stem)
{
    bool with = false, without = false, free = false;

    for (size_t i = 0; i < document->count; i++) {
        const struct text_word *word = &document->words[i];

        if (word->block != block || word->stem != stem)
            continue;
        with |= chosen[word->clause];
        without |= !chosen[word->clause] && numbered[word->clause];
        free |= !chosen[word->clause] && !numbered[word->clause];
    }
    return with && !without ? 1 : without && !with && !free ? -1 : 0;
}

static bool clause_has(const struct claim_words *claim, int clause, uint64_t stem)
{
    for (size_t i = 0; i < claim->count; i++)
        if (claim->items[i].clause == clause && claim->items[i].number &&
            claim->items[i].stem == stem)
            return true;
    return false;
}

/* What a paragraph says of the numbers of a claim's clause. */
struct binding {
    bool has_number;
    int words;         /* of the clause that it contains */
    int with, without; /* of them, those that stand with these numbers, or only with others */
};

static bool block_has(const struct document *document, int block, uint64_t stem)
{
    for (size_t i = 0; i < document->count; i++)
        if (document->words[i].block == block && document->words[i].stem == stem)
            return true;
    return false;
}

static struct binding bind_numbers(const struct document *document, int block,
                                   const struct claim_words *claim, int clause, bool *chosen,
                                   bool *numbered)
{
    struct binding binding = {.has_number = false};

    for (size_t i = 0; i < document->count; i++) {
        const struct text_word *word = &document->words[i];
        bool here = word->block == block && clause_has(claim, clause, word->stem);

        chosen[word->clause] |= here;
        numbered[word->clause] |= word->block == block && word->number;
        binding.has_number |= here;
    }
    for (size_t i = 0; i < claim->count && binding.has_number; i++) {
        const struct claim_word *word = &claim->items[i];
        int side;

        if (word->clause != clause || !word->counts || word->number)
            continue;
        side = side_of(document, block, chosen, numbered, word->stem);
        binding.words += block_has(document, block, word->stem);
        binding.with += side > 0;
        binding.without += side < 0;
    }
    return binding;
}

/* Whether the paragraph with most of the clause's words says its numbers of the same things. */
static bool clause_bound(struct arena *arena, const struct document *document,
                         const struct claim_words *claim, int clause)
{
    const struct text_word *last = &document->words[document->count - 1];
    size_t flags = (size_t)last->clause + 1;
    bool *chosen = ARENA_ARRAY(arena, bool, 2 * flags), bound = true;
    int most = -1;

    for (int block = 0; block <= last->block; block++) {
        struct binding binding;

        memset(chosen, 0, 2 * flags * sizeof *chosen);
        binding = bind_numbers(document, block, claim, clause, chosen, chosen + flags);
        if (!binding.has_number || binding.words < most)
            continue;
        bound = binding.without <= binding.with || (binding.words == most && bound);
        most = binding.words;
    }
    return bound;
}

static bool numbers_bound(struct arena *arena, const struct document *document,
                          const struct claim_words *claim)
{
    int checked = -1;

    for (size_t i = 0; i < claim->count && document->count; i++) {
        if (!claim->items[i].number || claim->items[i].clause == checked)
            continue;
        checked = claim->items[i].clause;
        if (!clause_bound(arena, document, claim, checked))
            return false;
    }
    return true;
}

/* The share of a claim's words that a sentence of the document contains. */
static double sentence_share(const struct document *document, int sentence,
                             const struct claim_words *claim)
{
    int counted = 0, found = 0;

    for (size_t i = 0; i < claim->count; i++) {
        bool is_there = false;

        if (!claim->items[i].counts)
            continue;
        for (size_t j = 0; j < document->count && !is_there; j++)
            is_there = document->words[j].sentence == sentence &&
                       document->words[j].stem == claim->items[i].stem;
        counted++;
        found += is_there;
    }
    return counted ? (double)found / counted : 0;
}

/* Whether a claim denies what the sentence that it repeats says, or the reverse. */
static bool contradicts(const struct document *document, const struct claim_words *claim)
{
    bool same = false, other = false;

    for (int i = 0; i < document->sentences; i++) {
        if (sentence_share(document, i, claim) < support_least)
            continue;
        same |= document->denied[i] == claim->denied;
        other |= document->denied[i] != claim->denied;
    }
    return other && !same;
}

static struct grounding_result check_document(struct arena *arena, const struct document *document,
                                              const char *text, size_t length)
{
    struct claim_words *claim = ARENA_NEW(arena, struct claim_words);
    struct grounding_result result = {.kind = GROUNDING_SUPPORTED};
    int counted = 0, found = 0;

    read_claim(arena, text, length, document->language, claim);
    if (claim->cut) /* nobody asks about what was not read */
        return (struct grounding_result){GROUNDING_WORDS, 0, true};
    result.same_language = claim->same_language;
    for (size_t i = 0; i < claim->count; i++) {
        const struct claim_word *word = &claim->items[i];
        bool is_there = has_stem(document, word->stem);

        counted += word->counts;
        found += word->counts && is_there;
        if (word->number && !is_there)
            result.kind = GROUNDING_NUMBER;
        else if (word->name && !is_there && result.kind < GROUNDING_NAME)
            result.kind = GROUNDING_NAME;
    }
    result.share = counted ? (double)found / counted : 0;
    if (!counted)
        result.kind = GROUNDING_FILLER;
    else if (result.kind == GROUNDING_SUPPORTED && !numbers_bound(arena, document, claim))
        result.kind = GROUNDING_NUMBER;
    else if (result.kind == GROUNDING_SUPPORTED &&
             (found < support_least * counted || contradicts(document, claim)))
        result.kind = GROUNDING_WORDS;
    return result;
}

/* The length of a "Yes, " or "No. " before a statement: what it says is in the statement. */
static size_t answer_word(struct arena *arena, const char *text)
{
    static const char words[] = "yes|no|ja|nein|oui|non|sí|да|нет|نعم|لا|是的|不是|sì|sim|não";
    size_t length = strcspn(text, " ,.:;!\n"), after = length + strspn(text + length, ",.:;!");
    const char *plain = text_plain(arena, text, length);

    return after > length && *plain && plain_phrase_at(plain, words) == strlen(plain) ? after : 0;
}

/* Whether a document says more about a sentence than another: one that supports it, else one in its
 * language that has many of its words. */
static bool is_nearer(const struct grounding_result *one, const struct grounding_result *other)
{
    bool shares = one->same_language && one->share >= grounding_paraphrase_least;
    bool other_shares = other->same_language && other->share >= grounding_paraphrase_least;

    if (one->kind <= GROUNDING_FILLER || other->kind <= GROUNDING_FILLER || shares == other_shares)
        return one->kind < other->kind || (one->kind == other->kind && one->share > other->share);
    return shares;
}

static struct grounding_result check_plain(const struct grounding *grounding, const char *text,
                                           size_t length)
{
    const char *plain =
        citation_strip(grounding->arena, arena_copy(grounding->arena, text, length));
    struct grounding_result best = {.kind = GROUNDING_NUMBER};

    plain += strspn(plain, " \t\r\n");
    plain += answer_word(grounding->arena, plain);
    for (size_t i = 0; i < grounding->count; i++) {
        struct grounding_result one =
            check_document(grounding->arena, &grounding->documents[i], plain, strlen(plain));

        one.document = i;
        if (i == 0 || is_nearer(&one, &best))
            best = one;
    }
    return best;
}

/* The end of the part up to and with the next markers. */
static size_t marked_end(const char *text, size_t length, size_t at)
{
    size_t marker;
    int number;

    while (at < length && !citation_read(text + at, &number))
        at++;
    while (at < length && (marker = citation_read(text + at, &number)) > 0)
        at += marker;
    return at;
}

struct grounding_result grounding_check(const struct grounding *grounding, const char *text,
                                        size_t length)
{
    const char *copy = arena_copy(grounding->arena, text, length);
    struct grounding_result whole = check_plain(grounding, copy, length), part;

    if (whole.kind <= GROUNDING_FILLER || marked_end(copy, length, 0) == length)
        return whole;
    for (size_t at = 0, end; at < length; at = end) {
        end = marked_end(copy, length, at);
        part = check_plain(grounding, copy + at, end - at);
        if (part.kind > GROUNDING_FILLER)
            return whole;
    }
    whole.kind = GROUNDING_SUPPORTED;
    return whole;
}

static double block_share(const struct document *document, int block,
                          const struct claim_words *claim)
{
    size_t found = 0;

    for (size_t i = 0; i < claim->count; i++) {
        bool is_there = false;

        for (size_t j = 0; j < document->count && !is_there; j++)
            is_there = document->words[j].block == block &&
                       document->words[j].stem == claim->items[i].stem;
        found += is_there;
    }
    return (double)found / (double)claim->count;
}

bool grounding_is_quote(const struct grounding *grounding, const char *text)
{
    struct claim_words *claim = ARENA_NEW(grounding->arena, struct claim_words);

    for (size_t i = 0; i < grounding->count; i++) {
        const struct document *document = &grounding->documents[i];
        int blocks = document->count ? document->words[document->count - 1].block + 1 : 0;

        read_claim(grounding->arena, text, strlen(text), document->language, claim);
        if (claim->cut || claim->count < QUOTE_WORDS_LEAST)
            return false;
        for (int block = 0; block < blocks; block++)
            if (block_share(document, block, claim) >= quote_least)
                return true;
    }
    return false;
}

size_t grounding_part_end(const char *text, size_t length, size_t at)
{
    size_t end = citation_sentence_end(text, length, at), marker;
    const char *line = memchr(text + at, '\n', length - at);
    int number;

    if (line && (size_t)(line - text) + 1 < end)
        end = (size_t)(line - text) + 1;
    while (end < length && (marker = citation_read(text + end, &number)) > 0)
        end += marker;
    return end + strspn(text + end, " \t\r\n");
}

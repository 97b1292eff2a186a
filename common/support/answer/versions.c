/* Recognizes versions by the names of documents. */
#include "support/answer/versions.h"
#include "base/text.h"
#include "text/plain.h"
#include "text/words.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBERS_MAX = 6, YEAR_FIRST = 1980, YEAR_LAST = 2049, MONTHS = 12, DAYS = 31 };

/* The least share of the older passage's that the newer one must have to take its place. */
static const double share_least = 0.6;

/* Words that make the number after them a version. */
static const char mark_words[] = "v|version|ver|rev|revision|edition|as of|stand|fassung|"
                                 "ausgabe|vom|révision|édition|versión|edición|версия|редакция|ред|"
                                 "от|اصدار|الاصدار|نسخه|版本|版|修订";

/* Words that make the number before them one. */
static const char after_words[] = "edition|ausgabe|auflage|fassung|édition|edición|издание|版|年";

/* Other words that say only which version a name is. */
static const char version_words[] =
    "draft|final|new|old|current|updated|neu|alt|nouveau|ancien|du|"
    "nuevo|antiguo|de|новая|старая|第|年|月|日|january|february|march|"
    "april|may|june|july|august|september|october|november|"
    "december|md|pdf|docx|txt|html|htm|csv|json|xlsx|odt";

/* What is written anew for each day, and stays valid. */
static const char periodic_words[] =
    "report|minutes|invoice|statement|newsletter|timesheet|payslip|log|bericht|protokoll|rechnung|"
    "kontoauszug|rapport|procès verbal|facture|relevé|informe|acta|factura|extracto|отчет|протокол|"
    "счет|выписка|تقرير|محضر|فاتوره|كشف|报告|报表|纪要|发票|账单";

/* What stands before a number in a name. */
enum before { BEFORE_NAME, BEFORE_MARK, BEFORE_VERSION, BEFORE_YEAR, BEFORE_MONTH };

/* A name without its version, and the numbers of that. */
struct version {
    struct text name;
    long numbers[NUMBERS_MAX];
    size_t count;
    enum before before;
    bool marked, has_month, has_day;
};

static size_t digits_at(const char *at)
{
    return strspn(at, "0123456789");
}

static bool is_year(long number)
{
    return number >= YEAR_FIRST && number <= YEAR_LAST;
}

/* The length of a date whose year comes last, without the year; 0 when there is none. */
static size_t day_first(const char *at)
{
    size_t length = 0;

    for (size_t part = 0; part < 3; part++) {
        size_t digits = digits_at(at + length);

        if (part && digits == 4 && is_year(strtol(at + length, NULL, 10)))
            return length;
        if (digits < 1 || digits > 2 || !strchr(" ./-", at[length + digits]))
            return 0;
        length += digits + (at[length + digits] != '\0');
    }
    return 0;
}

/* Letters before a number make it a part of a word, such as the name of a model. */
static bool is_in_word(const char *start, const char *at)
{
    int32_t character = 0;
    size_t before = at > start ? (size_t)(at - start) : 0;

    return before && letter_read_back(start, before, &character) && character != ' ' &&
           character != '.' && letter_kind(character) != LETTER_UNSPACED;
}

/* What the number at `at` is to the version before it; BEFORE_NAME when it is a part of the name.
 */
static enum before number_is(const struct version *version, const char *at, size_t length)
{
    long number = strtol(at, NULL, 10);

    if (version->before == BEFORE_MARK || version->before == BEFORE_VERSION)
        return length == 4 && is_year(number) ? BEFORE_YEAR : BEFORE_VERSION;
    if (length == 4 && is_year(number))
        return BEFORE_YEAR;
    if (length == 2 && version->before == BEFORE_YEAR && number >= 1 && number <= MONTHS)
        return BEFORE_MONTH;
    if (length == 2 && version->before == BEFORE_MONTH && number >= 1 && number <= DAYS)
        return BEFORE_VERSION;
    if (day_first(at) || plain_phrase_at(at + length + (at[length] == ' '), after_words))
        return BEFORE_VERSION;
    return BEFORE_NAME;
}

/* Reads the number at `at`; returns its length. */
static size_t read_number(struct version *version, const char *start, const char *at)
{
    size_t length = digits_at(at);
    enum before is = BEFORE_NAME;

    if (version->before == BEFORE_MARK || !is_in_word(start, at))
        is = number_is(version, at, length);
    if (is == BEFORE_NAME)
        text_append_format(&version->name, " %.*s ", (int)length, at);
    else if (version->count < NUMBERS_MAX)
        version->numbers[version->count++] = strtol(at, NULL, 10);
    version->has_day |= version->before == BEFORE_MONTH && is == BEFORE_VERSION;
    version->has_month |= is == BEFORE_MONTH;
    version->before = is;
    return length;
}

/* Reads a word that says which version it is, or one character of the name. */
static size_t read_name(struct version *version, const char *start, const char *at)
{
    bool begins = !is_in_word(start, at);
    size_t mark = begins ? plain_phrase_at(at, mark_words) : 0;
    size_t other = begins ? plain_phrase_at(at, version_words) : 0;

    if (begins && *at == 'v' && digits_at(at + 1))
        mark = 1;
    if (mark) {
        version->before = BEFORE_MARK;
        version->marked = true;
    }
    if (mark || other)
        return mark ? mark : other;
    if (!strchr(" .", *at)) {
        text_append(&version->name, at, utf8_prefix(at, 1));
        version->before = BEFORE_NAME;
    }
    return utf8_prefix(at, 1);
}

/* The title may be NULL. */
static struct version version_of(struct arena *arena, const char *title)
{
    const char *plain = title ? text_plain(arena, title, strlen(title)) : "", *at = plain;
    struct version version = {.count = 0};

    text_start(&version.name, arena, 4096);
    while (*at)
        at += digits_at(at) ? read_number(&version, plain, at) : read_name(&version, plain, at);
    return version;
}

/* A date whose year comes last is turned round. */
static void order_date(struct version *version)
{
    if (version->count == 3 && is_year(version->numbers[2]) && !is_year(version->numbers[0])) {
        long day = version->numbers[0];

        version->numbers[0] = version->numbers[2];
        version->numbers[2] = day;
    }
}

/* Whether a name is that of a month or a day, as reports have them: each stays valid. */
static bool is_periodic(struct arena *arena, const struct version *version, const char *title)
{
    return version->has_month && !version->marked &&
           (!version->has_day ||
            plain_find(text_plain(arena, title, strlen(title)), periodic_words, NULL));
}

/* Whether the names are the same without their versions; how they differ goes to `newer`. */
static bool compare_names(struct arena *arena, const char *a, const char *b, int *newer)
{
    struct version one = version_of(arena, a), other = version_of(arena, b);

    *newer = 0;
    if (strcmp(one.name.bytes, other.name.bytes) != 0)
        return false;
    if (!one.name.length || !one.count || !other.count)
        return true;
    if (is_periodic(arena, &one, a) && is_periodic(arena, &other, b))
        return false;
    order_date(&one);
    order_date(&other);
    for (size_t i = 0; i < one.count && i < other.count && !*newer; i++)
        *newer = (one.numbers[i] > other.numbers[i]) - (one.numbers[i] < other.numbers[i]);
    if (!*newer)
        *newer = (one.count > other.count) - (one.count < other.count);
    return true;
}

int versions_compare(struct arena *arena, const struct knowledge_chunk *a,
                     const struct knowledge_chunk *b)
{
    int newer = 0;

    if (a->document == b->document || !compare_names(arena, a->title, b->title, &newer))
        return 0;
    if (!newer)
        compare_names(arena, a->source, b->source, &newer);
    return newer;
}

static const struct found_passage *best_passage(const struct found_chunk *chunk)
{
    const struct found_passage *best = NULL;

    for (size_t i = 0; i < chunk->list.count; i++) {
        if (!best || chunk->passages[i].share > best->share)
            best = &chunk->passages[i];
    }
    return best;
}

/* Whether the question names the version of the item. */
static bool is_asked(struct arena *arena, const struct question *question,
                     const struct selected *item)
{
    const struct version asked = version_of(arena, question->text),
                         version = version_of(arena, item->chunk->chunk.title);

    for (size_t i = 0; i < asked.count; i++) {
        if (version.count && asked.numbers[i] == version.numbers[0])
            return true;
    }
    return false;
}

/* The passage of the newest version that can stand for the item; its own when there is none. */
static struct selected newest_of(struct arena *arena, const struct found_chunk *chunks,
                                 size_t count, const struct selected *item)
{
    struct selected newest = *item;

    for (size_t i = 0; i < count; i++) {
        const struct found_passage *passage = best_passage(&chunks[i]);

        if (!passage || passage->share < share_least * item->passage->share)
            continue;
        if (versions_compare(arena, &chunks[i].chunk, &newest.chunk->chunk) > 0 ||
            (newest.chunk != item->chunk &&
             newest.chunk->chunk.document == chunks[i].chunk.document &&
             passage->share > newest.passage->share))
            newest = (struct selected){&chunks[i], passage};
    }
    return newest;
}

static bool is_selected(const struct selection *selection, const struct selected *item)
{
    for (size_t i = 0; i < selection->count; i++) {
        if (strcmp(selection->items[i].passage->passage->text, item->passage->passage->text) == 0)
            return true;
    }
    return false;
}

/* The newest among the older versions of what is selected, with another text. */
static const struct found_chunk *older_of(struct arena *arena, const struct found_chunk *chunks,
                                          size_t count, const struct selection *selection)
{
    const struct selected *first = &selection->items[0];
    const struct found_chunk *older = NULL;

    for (size_t i = 0; i < count; i++) {
        const struct found_passage *passage = best_passage(&chunks[i]);
        const struct selected item = {&chunks[i], passage};

        if (passage && passage->share >= share_least * first->passage->share &&
            versions_compare(arena, &first->chunk->chunk, &chunks[i].chunk) > 0 &&
            !is_selected(selection, &item) &&
            (!older || versions_compare(arena, &chunks[i].chunk, &older->chunk) > 0))
            older = &chunks[i];
    }
    return older;
}

const struct found_chunk *versions_settle(const struct question *question, struct arena *arena,
                                          const struct found_chunk *chunks, size_t count,
                                          struct selection *selection)
{
    struct selection settled = {.count = 0};

    if (selection->count && is_asked(arena, question, &selection->items[0]))
        return NULL;
    for (size_t i = 0; i < selection->count; i++) {
        struct selected item = newest_of(arena, chunks, count, &selection->items[i]);

        if (!is_selected(&settled, &item))
            settled.items[settled.count++] = item;
    }
    *selection = settled;
    return settled.count ? older_of(arena, chunks, count, &settled) : NULL;
}

/* Recognizes versions by the names of documents. */
#include "support/answer/versions.h"
#include "base/text.h"
#include "text/plain.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBERS_MAX = 6, YEAR_FIRST = 1950, YEAR_LAST = 2100 };

/* The least share of the older passage's that the newer one must have to take its place. */
static const double share_least = 0.6;

/* Words that say only which version a name is. */
static const char version_words[] = "v|version|ver|rev|revision|edition|issue|draft|final|new|old|"
                                    "current|updated|as of|stand|fassung|"
                                    "ausgabe|neu|alt|vom|révision|édition|nouveau|ancien|du|"
                                    "versión|edición|nuevo|antiguo|de|версия|"
                                    "редакция|ред|от|новая|старая|اصدار|الاصدار|نسخه|版本|版|第|年|"
                                    "月|日|修订|january|february|march|april|may|"
                                    "june|july|august|september|october|november|december|md|pdf|"
                                    "docx|txt|html|htm|csv|json|xlsx|odt";

/* A name without its version, and the numbers of it. */
struct version {
    const char *name;
    long numbers[NUMBERS_MAX];
    size_t count;
};

static struct version version_of(struct arena *arena, const char *title)
{
    const char *plain = text_plain(arena, title, strlen(title));
    struct version version = {.count = 0};
    struct text name;

    text_start(&name, arena, 4096);
    while (*plain) {
        size_t length = strspn(plain, "0123456789"),
               skipped = plain_phrase_at(plain, version_words);

        if (length) {
            if (version.count < NUMBERS_MAX)
                version.numbers[version.count++] = strtol(plain, NULL, 10);
        } else if (skipped) {
            length = skipped;
        } else if (*plain == 'v' && plain[1] >= '0' && plain[1] <= '9') {
            length = 1;
        } else {
            length = utf8_prefix(plain, 1);
            if (*plain != ' ')
                text_append(&name, plain, length);
        }
        plain += length;
    }
    version.name = name.bytes;
    return version;
}

static bool is_year(long number)
{
    return number >= YEAR_FIRST && number <= YEAR_LAST;
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

static int compare_names(struct arena *arena, const char *a, const char *b)
{
    struct version one = version_of(arena, a ? a : ""), other = version_of(arena, b ? b : "");

    if (!*one.name || strcmp(one.name, other.name) != 0 || !(one.count && other.count))
        return 0;
    order_date(&one);
    order_date(&other);
    for (size_t i = 0; i < one.count && i < other.count; i++) {
        if (one.numbers[i] != other.numbers[i])
            return one.numbers[i] > other.numbers[i] ? 1 : -1;
    }
    return (one.count > other.count) - (one.count < other.count);
}

int versions_compare(struct arena *arena, const struct knowledge_chunk *a,
                     const struct knowledge_chunk *b)
{
    int newer;

    if (a->document == b->document)
        return 0;
    newer = compare_names(arena, a->title, b->title);
    return newer ? newer : compare_names(arena, a->source, b->source);
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

const struct found_chunk *versions_settle(struct arena *arena, const struct found_chunk *chunks,
                                          size_t count, struct selection *selection)
{
    struct selection settled = {.count = 0};

    for (size_t i = 0; i < selection->count; i++) {
        struct selected item = newest_of(arena, chunks, count, &selection->items[i]);

        if (!is_selected(&settled, &item))
            settled.items[settled.count++] = item;
    }
    *selection = settled;
    return settled.count ? older_of(arena, chunks, count, &settled) : NULL;
}

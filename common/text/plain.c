/* Plain texts by the word reader, and a search for phrases that respects the ends of words. */
#include "text/plain.h"
#include "base/text.h"
#include "text/words.h"

#include <string.h>

const char *text_plain(struct arena *arena, const char *text, size_t length)
{
    struct word_reader reader;
    struct word word;
    struct text plain;
    size_t last_end = 0;

    text_start(&plain, arena, 4 * length + 1);
    word_reader_start(&reader, text, length);
    while (word_next(&reader, &word)) {
        size_t from = word.start > last_end ? word.start : last_end;

        if (plain.length && !(word.pair && word.start <= last_end))
            text_append_byte(&plain, ' ');
        if (word.pair)
            text_append(&plain, text + from, word.end - from);
        else
            text_append(&plain, word.text, word.length);
        last_end = word.end;
    }
    return plain.bytes;
}

static bool is_unspaced_before(const char *at, size_t before)
{
    int32_t character = 0;

    return before && letter_read_back(at - before, before, &character) &&
           letter_kind(character) == LETTER_UNSPACED;
}

static bool is_unspaced_at(const char *at)
{
    int32_t character = 0;

    return *at && letter_read(at, strlen(at), &character) &&
           letter_kind(character) == LETTER_UNSPACED;
}

/* The length that one phrase matches at `at`, 0 when it does not. */
static size_t match(const char *at, const char *phrase, size_t length)
{
    bool prefix = length && phrase[length - 1] == '*';
    size_t end = prefix ? length - 1 : length;

    if (!end || strncmp(at, phrase, end) != 0)
        return 0;
    if (is_unspaced_before(at + end, end) || is_unspaced_at(at + end))
        return end;
    return prefix ? end + strcspn(at + end, " ") : (!at[end] || at[end] == ' ') ? end : 0;
}

size_t plain_phrase_at(const char *at, const char *phrases)
{
    size_t longest = 0;

    while (phrases && *phrases) {
        size_t length = strcspn(phrases, "|"), matched = match(at, phrases, length);

        longest = matched > longest ? matched : longest;
        phrases += length + (phrases[length] == '|');
    }
    return longest;
}

const char *plain_find(const char *plain, const char *phrases, size_t *length)
{
    for (const char *at = plain; *at; at++) {
        bool begins = at == plain || at[-1] == ' ' || is_unspaced_at(at);
        size_t matched = begins ? plain_phrase_at(at, phrases) : 0;

        if (matched) {
            if (length)
                *length = matched;
            return at;
        }
    }
    return NULL;
}

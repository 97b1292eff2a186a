/* Sentences: where they end. */
#include "text/sentences.h"
#include "text/words.h"

#include <string.h>
#include <strings.h>
#include <utf8proc.h>

/* A stop after these ends no sentence; compared without case, ASCII and Cyrillic as written. */
static const char *const abbreviations[] = {
    "dr",   "mr",  "mrs",  "ms",   "prof", "st",     "vs",  "no", "nr",  "fig",  "vol",
    "inc",  "ltd", "co",   "jr",   "sr",   "approx", "bzw", "ca", "usw", "evtl", "ggf",
    "inkl", "abs", "sra",  "sres", "dra",  "pág",    "núm", "им", "ул",  "стр",  "рис",
    "см",   "др",  "напр", "руб",  "тыс",  "млн",    "г",   "гг", "т",
};

void sentence_reader_start(struct sentence_reader *reader, const char *source, size_t length)
{
    *reader = (struct sentence_reader){source, length, 0};
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n' || byte == '\f' ||
           byte == '\v';
}

/* Marks that end a sentence whatever follows. */
static bool is_full_mark(int32_t character)
{
    return character == 0x3002 || character == 0xff01 || character == 0xff1f ||
           character == 0xff0e || character == 0x0964 || character == 0x0965;
}

/* Marks that end a sentence when a blank follows. */
static bool is_mark(int32_t character)
{
    return character == '.' || character == '!' || character == '?' || character == 0x2026 ||
           character == 0x061f || character == 0x06d4;
}

static bool is_closing(int32_t character)
{
    return character == '"' || character == '\'' || character == ')' || character == ']' ||
           character == 0x201d || character == 0x2019 || character == 0xbb || character == 0x300d ||
           character == 0x300f;
}

/* The word that ends right before `at`, in `*start`..at. */
static void word_before(const struct sentence_reader *reader, size_t from, size_t at, size_t *start)
{
    *start = at;
    while (*start > from && !is_blank(reader->source[*start - 1]) &&
           reader->source[*start - 1] != '.' && reader->source[*start - 1] != '(')
        (*start)--;
}

/* Whether the full stop at `at` belongs to a number of a list, an initial or an abbreviation. */
static bool stop_is_inner(const struct sentence_reader *reader, size_t from, size_t at)
{
    size_t start, length;
    bool all_digits = true;

    word_before(reader, from, at, &start);
    length = at - start;
    if (length == 0)
        return false;
    for (size_t i = start; i < at; i++)
        all_digits &= reader->source[i] >= '0' && reader->source[i] <= '9';
    if (all_digits) /* "1." begins an item only where a sentence may begin */
        return length <= 2 && (start == from || reader->source[start - 1] == '\n');
    if (length <= 2 && utf8proc_category(reader->source[start]) == UTF8PROC_CATEGORY_LU &&
        length == 1)
        return true;
    for (size_t i = 0; i < sizeof abbreviations / sizeof abbreviations[0]; i++) {
        if (strlen(abbreviations[i]) == length &&
            strncasecmp(abbreviations[i], reader->source + start, length) == 0)
            return true;
    }
    return false;
}

static bool small_letter_follows(const struct sentence_reader *reader, size_t at)
{
    int32_t character = 0;

    while (at < reader->length && is_blank(reader->source[at]))
        at++;
    if (at >= reader->length || !letter_read(reader->source + at, reader->length - at, &character))
        return false;
    return utf8proc_category(character) == UTF8PROC_CATEGORY_LL;
}

/* Whether the line that begins at `at` is an item of a list or a row of a table. */
static bool line_is_item(const struct sentence_reader *reader, size_t at)
{
    while (at < reader->length && (reader->source[at] == ' ' || reader->source[at] == '\t'))
        at++;
    if (at + 1 >= reader->length)
        return false;
    if (strchr("-*+|#", reader->source[at]) && reader->source[at])
        return true;
    if (reader->source[at] >= '0' && reader->source[at] <= '9') {
        while (at < reader->length && reader->source[at] >= '0' && reader->source[at] <= '9')
            at++;
        return at + 1 < reader->length &&
               (reader->source[at] == '.' || reader->source[at] == ')') &&
               reader->source[at + 1] == ' ';
    }
    return false;
}

/* Whether the line feed at `at` ends a sentence. */
static bool line_ends_sentence(const struct sentence_reader *reader, size_t from, size_t at)
{
    size_t line = at, next = at + 1;

    while (next < reader->length && (reader->source[next] == ' ' || reader->source[next] == '\t' ||
                                     reader->source[next] == '\r'))
        next++;
    if (next >= reader->length || reader->source[next] == '\n')
        return true;
    while (line > from && reader->source[line - 1] != '\n')
        line--;
    return line_is_item(reader, at + 1) || line_is_item(reader, line);
}

/* The end of the sentence that begins at `from`. */
static size_t sentence_end(const struct sentence_reader *reader, size_t from)
{
    size_t at = from;

    while (at < reader->length) {
        int32_t character = 0;
        size_t taken = letter_read(reader->source + at, reader->length - at, &character);
        size_t place = at;

        at += taken ? taken : 1;
        if (!taken)
            continue;
        if (character == '\n' && line_ends_sentence(reader, from, place))
            return at;
        if (!is_mark(character) && !is_full_mark(character))
            continue;
        while (at < reader->length) {
            int32_t next = 0;
            size_t more = letter_read(reader->source + at, reader->length - at, &next);

            if (!more || !(is_mark(next) || is_full_mark(next) || is_closing(next)))
                break;
            at += more;
        }
        if (is_full_mark(character))
            return at;
        if (at < reader->length && !is_blank(reader->source[at]))
            continue;
        if (character == '.' && stop_is_inner(reader, from, place))
            continue;
        if (!small_letter_follows(reader, at))
            return at;
    }
    return at;
}

bool sentence_next(struct sentence_reader *reader, size_t *start, size_t *end)
{
    size_t from = reader->at;

    while (from < reader->length && is_blank(reader->source[from]))
        from++;
    if (from >= reader->length)
        return false;
    *start = from;
    reader->at = sentence_end(reader, from);
    *end = reader->at;
    while (*end > *start && is_blank(reader->source[*end - 1]))
        (*end)--;
    return true;
}

/* Finds the ends of sentences. */
#include "text/sentences.h"
#include "text/words.h"

#include <string.h>
#include <strings.h>
#include <utf8proc.h>

/* A full stop after these does not end a sentence; compared without case, ASCII and Cyrillic as
 * written. */
static const char *const abbreviations[] = {
    "dr",   "mr",  "mrs",   "ms",     "mme",  "prof",   "st",   "vs",  "inc", "ltd",
    "co",   "jr",  "sr",    "approx", "incl", "excl",   "cf",   "e.g", "i.e", "bzw",
    "ca",   "usw", "evtl",  "ggf",    "inkl", "zzgl",   "bzgl", "vgl", "sog", "sra",
    "sres", "dra", "aprox", "p.ej",   "p.ex", "par ex", "им",   "ул",  "см",  "др",
    "напр", "руб", "тыс",   "млн",    "г",    "гг",     "т",
};

/* The same, but only before a number: "No. 5", but "The answer is no." */
static const char *const number_abbreviations[] = {
    "no",  "nr", "fig", "vol", "p",   "pp",  "abs", "art", "kap",
    "sec", "ch", "ref", "pág", "núm", "стр", "рис", "ст",  "п",
};

/* Most dotted letters do not end a sentence ("z.B. Berlin"); these may. */
static const char *const closing_abbreviations[] = {"p.m", "a.m", "т.д", "т.п", "u.s", "o.ä"};

void sentence_reader_start(struct sentence_reader *reader, const char *source, size_t length)
{
    *reader = (struct sentence_reader){source, length, 0};
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n' || byte == '\f' ||
           byte == '\v';
}

/* Marks that end a sentence regardless of the next character. */
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
           character == 0x201c || character == 0x201d || character == 0x2018 ||
           character == 0x2019 || character == 0xbb || character == 0x300d || character == 0x300f ||
           character == 0xff09;
}

static bool is_listed(const char *const *list, size_t count, const char *word, size_t length)
{
    for (size_t i = 0; i < count; i++) {
        if (strlen(list[i]) == length && strncasecmp(list[i], word, length) == 0)
            return true;
    }
    return false;
}

#define IS_LISTED(list, word, length) is_listed(list, sizeof(list) / sizeof(list)[0], word, length)

/* Where the word begins that ends right before `at`; if `dotted`, full stops are parts of it. */
static size_t word_before(const struct sentence_reader *reader, size_t from, size_t at, bool dotted)
{
    while (at > from && !is_blank(reader->source[at - 1]) && reader->source[at - 1] != '(' &&
           (dotted || reader->source[at - 1] != '.'))
        at--;
    return at;
}

/* Single letters with a full stop after each but the last: "z.B", "т.е". */
static bool is_dotted(const char *word, size_t length)
{
    size_t at = 0, letters = 0;

    while (at < length) {
        int32_t character = 0;
        size_t taken = letter_read(word + at, length - at, &character);

        if (!taken || letter_kind(character) != LETTER_PLAIN)
            return false;
        at += taken;
        letters++;
        if (at < length && word[at++] != '.')
            return false;
    }
    return letters > 1;
}

static bool digit_follows(const struct sentence_reader *reader, size_t at)
{
    while (at < reader->length && is_blank(reader->source[at]))
        at++;
    return at < reader->length && reader->source[at] >= '0' && reader->source[at] <= '9';
}

static bool is_abbreviation(const struct sentence_reader *reader, size_t from, size_t at)
{
    size_t start = word_before(reader, from, at, false),
           whole = word_before(reader, from, at, true);
    const char *word = reader->source + start, *dotted = reader->source + whole;

    if (IS_LISTED(abbreviations, word, at - start) || IS_LISTED(abbreviations, dotted, at - whole))
        return true;
    if (IS_LISTED(number_abbreviations, word, at - start) && digit_follows(reader, at + 1))
        return true;
    return is_dotted(dotted, at - whole) && !IS_LISTED(closing_abbreviations, dotted, at - whole);
}

/* Whether the full stop at `at` belongs to a list number, an initial or an abbreviation. */
static bool stop_is_inner(const struct sentence_reader *reader, size_t from, size_t at)
{
    size_t start = word_before(reader, from, at, false), length = at - start;
    bool all_digits = true;

    if (length == 0)
        return false;
    for (size_t i = start; i < at; i++)
        all_digits &= reader->source[i] >= '0' && reader->source[i] <= '9';
    if (all_digits) /* "1." begins an item only where a sentence may begin */
        return length <= 2 && (start == from || reader->source[start - 1] == '\n');
    if (length == 1 && utf8proc_category(reader->source[start]) == UTF8PROC_CATEGORY_LU)
        return true;
    return is_abbreviation(reader, from, at);
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

/* The end of the sentence whose mark begins at `place` and ends at `at`; 0 when the mark does not
 * end a sentence. */
static size_t end_of_mark(const struct sentence_reader *reader, size_t from, size_t place,
                          size_t at, int32_t character)
{
    if (!is_mark(character) && !is_full_mark(character))
        return 0;
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
        return 0;
    if (character == '.' && stop_is_inner(reader, from, place))
        return 0;
    return small_letter_follows(reader, at) ? 0 : at;
}

size_t sentence_mark_end(const char *source, size_t length, size_t from, size_t at)
{
    const struct sentence_reader reader = {source, length, 0};
    int32_t character = 0;
    size_t taken = letter_read(source + at, length - at, &character);

    return taken ? end_of_mark(&reader, from, at, at + taken, character) : 0;
}

/* The end of the sentence that begins at `from`. */
static size_t sentence_end(const struct sentence_reader *reader, size_t from)
{
    size_t at = from;

    while (at < reader->length) {
        int32_t character = 0;
        size_t taken = letter_read(reader->source + at, reader->length - at, &character);
        size_t place = at, end;

        at += taken ? taken : 1;
        if (!taken)
            continue;
        if (character == '\n' && line_ends_sentence(reader, from, place))
            return at;
        end = end_of_mark(reader, from, place, at, character);
        if (end)
            return end;
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

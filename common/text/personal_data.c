/* The patterns, in the order in which they are applied. */
#include "text/personal_data.h"

#include "base/fiber.h"
#include "text/pattern.h"
#include "text/words.h"

#include <string.h>

/* Digits beside letters of scripts without spaces are numbers too. */
#define NOT_AFTER_WORD "(?<![0-9A-Za-z_+])"
#define NOT_BEFORE_WORD "(?![0-9A-Za-z_])"

/* Where a run of such characters begins, or the match before ended: without it a long run with no
 * at sign would be read again from each of its characters. Domains have at most 255 characters. */
#define RUN_OF(characters) "(?:\\G|(?<!" characters "))" characters "++"

/* A phone number in groups: with a plus sign, with its area in brackets, or as 415-555-2671. */
#define GROUPED_PHONE                                                                              \
    NOT_AFTER_WORD                                                                                 \
    "(?:\\+(?=(?:\\D{0,3}\\d){7})\\d{1,3}(?:[\\s.-]{0,2}\\(?\\d{1,4}\\)?){2,6}"                    \
    "|\\(\\d{2,5}\\)[\\s.-]?\\d{2,4}[\\s.-]?\\d{2,4}(?:[\\s.-]?\\d{2,4})?"                         \
    "|\\d{3}[.-]\\d{3}[.-]\\d{4})" NOT_BEFORE_WORD

static struct rule {
    struct pattern pattern;
    enum personal_kind kind;
    const char *mask;
    bool wide;
} rules[] = {
    {{RUN_OF("[a-zA-Z0-9._%+-]") "@[a-zA-Z0-9.-]{1,255}\\.[a-zA-Z]{2,}", false, NULL},
     PERSONAL_EMAIL,
     "***@***.***",
     false},
    {{RUN_OF("[\\w.%+-]") "@[\\w-]{1,255}(?:\\.[\\w-]{1,255}){0,127}\\.\\p{L}[\\p{L}\\p{M}]+",
      false, NULL},
     PERSONAL_EMAIL,
     "***@***.***",
     true},
    {{"(?<!\\w)(?:\\+7|8)[\\s-]?\\(?\\d{3}\\)?[\\s-]?\\d{3}[\\s-]?\\d{2}[\\s-]?\\d{2}(?!\\w)",
      false, NULL},
     PERSONAL_PHONE,
     "+7-***-***-**-**",
     false},
    {{"(?<!\\w)\\+\\d{1,3}[\\s-]?\\d{6,14}(?!\\w)", false, NULL},
     PERSONAL_PHONE,
     "+*-*****",
     false},
    {{"\\b\\d{4}[\\s-]?\\d{4}[\\s-]?\\d{4}[\\s-]?\\d{4}\\b", false, NULL},
     PERSONAL_CARD,
     "****-****-****-****",
     false},
    {{NOT_AFTER_WORD "(?:\\d{4}[\\s-]?){3}\\d{4}" NOT_BEFORE_WORD, false, NULL},
     PERSONAL_CARD,
     "****-****-****-****",
     true},
    {{GROUPED_PHONE, false, NULL}, PERSONAL_PHONE, "+*-*****", true},
    {{"\\b\\d{2}\\s?\\d{2}\\s?\\d{6}\\b", false, NULL}, PERSONAL_PASSPORT, "** ** ******", false},
    {{"\\b\\d{10,12}\\b", false, NULL}, PERSONAL_NUMBER, "*", false},
    {{NOT_AFTER_WORD "\\d{10,12}" NOT_BEFORE_WORD, false, NULL}, PERSONAL_NUMBER, "*", true},
};

/* The shortest that a rule matches: a country code of one digit and six more. */
enum { TEXT_MOST = 1 << 26, LEAST_DIGITS = 7, PIECE_LEAST = 64 * 1024 };

/* Whether no match goes on behind this byte: it is in none itself, or is a blank behind a letter,
 * while blanks within matches stand behind digits and their punctuation. */
static bool ends_piece(const char *text, size_t at)
{
    char before = at ? (char)(text[at - 1] | 0x20) : ' ';

    if (text[at] == ' ' || text[at] == '\n')
        return before >= 'a' && before <= 'z';
    return text[at] && strchr(",;:!?\"/<>=", text[at]);
}

/* The bytes that can be searched by themselves: a text of many megabytes takes seconds. */
static size_t piece_of(const char *text, size_t length)
{
    size_t end = PIECE_LEAST;

    while (end < length && !ends_piece(text, end - 1))
        end++;
    return end < length ? end : length;
}

static void apply_to_piece(struct rule *rule, const char *piece, size_t length, struct text *out,
                           personal_writer *write, void *context)
{
    struct pattern_match match;
    size_t from = 0;

    while (pattern_find(&rule->pattern, piece, length, from, &match)) {
        const struct personal_match found = {rule->kind, piece + match.start,
                                             match.end - match.start, rule->mask};

        text_append(out, piece + from, match.start - from);
        write(out, &found, context);
        from = match.end;
    }
    text_append(out, piece + from, length - from);
}

/* The pieces before the first match, which are as they were. */
static size_t without_match(struct rule *rule, const char *text, size_t length)
{
    struct pattern_match match;
    size_t at = 0;

    while (at < length) {
        size_t piece = piece_of(text + at, length - at);

        if (pattern_find(&rule->pattern, text + at, piece, 0, &match))
            break;
        at += piece;
        fiber_give_way();
    }
    return at;
}

static const char *apply(struct arena *arena, struct rule *rule, const char *text,
                         personal_writer *write, void *context)
{
    size_t length = strlen(text), at = without_match(rule, text, length), piece;
    struct text out;

    if (at == length)
        return text;
    text_start(&out, arena, TEXT_MOST);
    text_append(&out, text, at);
    for (; at < length; at += piece) {
        piece = piece_of(text + at, length - at);
        apply_to_piece(rule, text + at, piece, &out, write, context);
        fiber_give_way();
    }
    return out.bytes;
}

/* What may stand between the digits of one number; beyond ASCII all that is no letter may. */
static bool separates(const char *at, int32_t character)
{
    return (unsigned char)*at < 0x80 ? strchr(" -().+\t\n\v\f\r", *at) != NULL
                                     : letter_kind(character) == LETTER_NONE;
}

static bool is_digit(const char *at, int32_t character)
{
    return (unsigned char)*at < 0x80 ? *at >= '0' && *at <= '9'
                                     : letter_kind(character) == LETTER_DIGIT;
}

/* An escape of JSON separates. */
bool personal_data_may_occur(const char *text, bool is_json)
{
    size_t left = strlen(text), length;
    bool inside = !is_json;
    int digits = 0;

    for (; left; text += length, left -= length) {
        int32_t character = 0;

        length = (unsigned char)*text < 0x80 ? 1 : letter_read(text, left, &character);
        if (length == 0) {
            length = 1;
            continue;
        }
        if (is_json && *text == '"') {
            inside = !inside;
            digits = 0;
        } else if (is_json && *text == '\\' && left > 1) {
            length = 2;
        } else if (inside && *text == '@') {
            return true;
        } else if (inside && is_digit(text, character)) {
            if (++digits == LEAST_DIGITS)
                return true;
        } else if (!separates(text, character)) {
            digits = 0;
        }
    }
    return false;
}

const char *personal_data_replace(struct arena *arena, const char *text, bool wide,
                                  personal_writer *write, void *context)
{
    if (!personal_data_may_occur(text, false))
        return text;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (wide || !rules[i].wide)
            text = apply(arena, &rules[i], text, write, context);
    return text;
}

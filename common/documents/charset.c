/* Character sets of texts: detected by uchardet, converted by iconv. */
#include "documents/charset.h"
#include "base/text.h"
#include "text/words.h"

#include <ctype.h>
#include <errno.h>
#include <iconv.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <uchardet/uchardet.h>

enum {
    LOOKED_AT = 1 << 20,     /* bytes after the first non-ASCII byte that are examined */
    HIGH_ENOUGH = 20,        /* non-ASCII bytes that suffice for detection */
    HIGH_LEAST = 5,          /* enough in a text of LENGTH_ENOUGH bytes */
    LENGTH_ENOUGH = 100,     /* bytes */
    DAMAGED_ONE_IN = 20,     /* characters of UTF-8 */
    DECLARED_WITHIN = 2048,  /* bytes of HTML searched for a declaration */
    REST_MOST = 16,          /* bytes that the converter may hold back */
    CONVERTED_MOST = 1 << 30 /* bytes */
};

const char *const charset_reasons[CHARSET__MAX] = {
    "", "the text is too short to tell its character set; save it as UTF-8, or declare the set",
    "the character set of the text is not known; save it as UTF-8",
    "the text holds bytes that its character set does not have; save it as UTF-8"};

/* Names that mean a larger set (WHATWG Encoding), and sets that iconv names differently. */
static const struct {
    const char *name, *set;
} aliases[] = {
    {"ascii", "WINDOWS-1252"},
    {"us-ascii", "WINDOWS-1252"},
    {"iso-8859-1", "WINDOWS-1252"},
    {"iso8859-1", "WINDOWS-1252"},
    {"latin1", "WINDOWS-1252"},
    {"iso-8859-9", "WINDOWS-1254"},
    {"iso-8859-11", "CP874"},
    {"tis-620", "CP874"},
    {"gb2312", "GB18030"},
    {"gbk", "GB18030"},
    {"x-gbk", "GB18030"},
    {"hz-gb-2312", "HZ"},
    {"shift_jis", "CP932"},
    {"shift-jis", "CP932"},
    {"x-sjis", "CP932"},
    {"sjis", "CP932"},
    {"euc-kr", "UHC"},
    {"ks_c_5601-1987", "UHC"},
    {"big5", "BIG5-HKSCS"},
    {"x-x-big5", "BIG5-HKSCS"},
    {"mac-cyrillic", "MAC-CYRILLIC"},
    {"x-mac-cyrillic", "MAC-UK"},
    {"iso-8859-8-i", "ISO-8859-8"},
    {"x-cp1251", "WINDOWS-1251"},
};

static const struct mark {
    const char *bytes;
    size_t length;
    const char *set;
} marks[] = {{"\xff\xfe\0\0", 4, "UTF-32LE"},
             {"\0\0\xfe\xff", 4, "UTF-32BE"},
             {"\xff\xfe", 2, "UTF-16LE"},
             {"\xfe\xff", 2, "UTF-16BE"},
             {"\xef\xbb\xbf", 3, "UTF-8"}};

static const struct mark *mark_of(const char *bytes, size_t length)
{
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (length >= marks[i].length && memcmp(bytes, marks[i].bytes, marks[i].length) == 0)
            return &marks[i];
    return NULL;
}

bool charset_has_wide_mark(const char *bytes, size_t length)
{
    const struct mark *mark = mark_of(bytes, length);

    return mark && strcmp(mark->set, "UTF-8") != 0;
}

/* The result of interpreting the bytes as UTF-8. */
struct survey {
    size_t high, characters, damaged; /* non-ASCII bytes; multi-byte characters; invalid bytes */
    size_t first;                     /* offset of the first non-ASCII byte */
    bool shifts;                      /* contains an escape byte, which begins 7-bit sets */
};

/* Whether the last character of the bytes is incomplete, at a lead byte. */
static bool is_cut_off(const char *bytes, size_t left, bool others)
{
    unsigned char lead = (unsigned char)*bytes;
    size_t wanted = lead >= 0xf0 && lead < 0xf5 ? 4 : lead >= 0xe0 ? 3 : 2;

    if (lead < 0xc2 || lead > 0xf4 || left >= wanted)
        return false;
    for (size_t i = 1; i < left; i++)
        if (((unsigned char)bytes[i] & 0xc0) != 0x80)
            return false;
    return others || left > 1; /* a single byte may be a letter of another set */
}

static struct survey inspect(const char *bytes, size_t length)
{
    struct survey survey = {.first = length};

    for (size_t i = 0; i < length;) {
        size_t taken = utf8_sequence_length(bytes + i, length - i);

        if (!taken && is_cut_off(bytes + i, length - i, survey.characters > 0))
            break;
        survey.shifts |= bytes[i] == '\x1b';
        if ((unsigned char)bytes[i] >= 0x80) {
            survey.first = survey.first < i ? survey.first : i;
            survey.characters += taken > 1;
            survey.damaged += taken == 0;
            survey.high += taken ? taken : 1;
        }
        i += taken ? taken : 1;
    }
    return survey;
}

static const char *set_named(const char *name)
{
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++)
        if (strcasecmp(name, aliases[i].name) == 0)
            return aliases[i].set;
    return name;
}

/* A name from a document is passed to iconv only if it is a plain name: iconv reads options after
 * slashes. */
static bool is_name(const char *name)
{
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                 "-_.:");

    return length > 0 && length < 40 && !name[length];
}

static bool is_utf8_name(const char *name)
{
    return strcasecmp(name, "utf-8") == 0 || strcasecmp(name, "utf8") == 0 ||
           strncasecmp(name, "utf-16", 6) == 0; /* wrong, since it is written in ASCII */
}

/* Whether all characters may occur in a text. */
static bool is_readable(const char *bytes, size_t length)
{
    for (size_t i = 0; i < length;) {
        int32_t character = 0;
        size_t taken = letter_read(bytes + i, length - i, &character);

        if (!taken || !character_is_text(character))
            return false;
        i += taken;
    }
    return true;
}

static void close_converter(void *converter)
{
    iconv_close(converter);
}

/* The characters that the converter held back because a combining mark might have followed
 * (WINDOWS-1258). */
static bool convert_rest(iconv_t converter, struct text *text)
{
    size_t room = REST_MOST;
    char *to = text_extend(text, room);

    if (!to || iconv(converter, NULL, NULL, &to, &room) == (size_t)-1)
        return false;
    text_extend_to(text, to);
    return true;
}

static bool convert(iconv_t converter, const char *bytes, size_t length, struct text *text)
{
    char *from = (char *)(uintptr_t)bytes;

    while (length) {
        size_t room = length * 2 + 16;
        char *to = text_extend(text, room);

        if (!to)
            return false;
        if (iconv(converter, &from, &length, &to, &room) == (size_t)-1 && errno != E2BIG)
            return false;
        text_extend_to(text, to);
    }
    return convert_rest(converter, text);
}

static enum charset_result decode(struct arena *arena, const char *bytes, size_t length,
                                  const char *set, struct charset_text *result)
{
    struct arena_guard *guard = arena_guard(arena, close_converter);
    iconv_t converter = iconv_open("UTF-8", set);
    struct text text;
    bool fine;

    if (converter == (iconv_t)-1)
        return CHARSET_NOT_FOUND;
    guard->thing = converter;
    text_start(&text, arena, CONVERTED_MOST);
    fine = convert(converter, bytes, length, &text);
    arena_guard_end(guard);
    if (!fine || !is_readable(text.bytes, text.length))
        return CHARSET_WRONG;
    *result = (struct charset_text){text.bytes, text.length};
    return CHARSET_DECODED;
}

static const char *find_set(struct arena *arena, const char *bytes, size_t length)
{
    uchardet_t finder = uchardet_new();
    const char *set = "";

    if (!finder)
        return "";
    if (uchardet_handle_data(finder, bytes, length < LOOKED_AT ? length : LOOKED_AT) == 0) {
        uchardet_data_end(finder);
        set = arena_copy_string(arena, uchardet_get_charset(finder));
    }
    uchardet_delete(finder);
    return set;
}

/* Where detection begins: LENGTH_ENOUGH bytes before the first non-ASCII byte, because longer ASCII
 * text before it does not help. */
static const char *scan_from(const char *bytes, const struct survey *survey)
{
    return bytes + (survey->first > LENGTH_ENOUGH ? survey->first - LENGTH_ENOUGH : 0);
}

static enum charset_result decode_found(struct arena *arena, const char *bytes, size_t length,
                                        const struct survey *survey, struct charset_text *result)
{
    const char *from = survey->high ? scan_from(bytes, survey) : bytes;
    const char *set;

    if (survey->high < HIGH_LEAST || (survey->high < HIGH_ENOUGH && length < LENGTH_ENOUGH))
        return CHARSET_TOO_SHORT;
    set = find_set(arena, from, length - (size_t)(from - bytes));
    if (!*set || is_utf8_name(set) || strcasecmp(set, "ASCII") == 0)
        return CHARSET_NOT_FOUND;
    return decode(arena, bytes, length, set_named(set), result);
}

/* Decodes 7-bit sets, such as ISO-2022-JP. */
static bool decode_shifted(struct arena *arena, const char *bytes, size_t length,
                           struct charset_text *result)
{
    const char *set = find_set(arena, bytes, length);

    return strncasecmp(set, "ISO-2022", 8) == 0 &&
           decode(arena, bytes, length, set, result) == CHARSET_DECODED;
}

/* Whether a set writes its characters in ASCII, so that its texts look like UTF-8. */
static bool is_seven_bit_name(const char *name)
{
    return strncasecmp(name, "iso-2022-", 9) == 0 || strcasecmp(name, "utf-7") == 0;
}

enum charset_result charset_decode(struct arena *arena, const char *bytes, size_t length,
                                   const char *declared, struct charset_text *text)
{
    const struct mark *mark = mark_of(bytes, length);
    struct survey survey;

    if (mark) {
        bytes += mark->length;
        length -= mark->length;
    }
    *text = (struct charset_text){bytes, length};
    if (mark && strcmp(mark->set, "UTF-8") != 0)
        return decode(arena, bytes, length, mark->set, text);
    survey = inspect(bytes, length);
    if (declared && !survey.high && is_seven_bit_name(declared) && is_name(declared) &&
        decode(arena, bytes, length, set_named(declared), text) == CHARSET_DECODED)
        return CHARSET_DECODED;
    if (survey.shifts && !survey.high && decode_shifted(arena, bytes, length, text))
        return CHARSET_DECODED;
    if (mark || survey.damaged * DAMAGED_ONE_IN <= survey.characters)
        return CHARSET_DECODED;
    if (declared && is_name(declared) && !is_utf8_name(declared))
        return decode(arena, bytes, length, set_named(declared), text);
    return decode_found(arena, bytes, length, &survey, text);
}

const char *charset_of_html(struct arena *arena, const char *bytes, size_t length)
{
    const char *head =
        arena_copy(arena, bytes, length < DECLARED_WITHIN ? length : DECLARED_WITHIN);
    const char *at = strcasestr(head, "charset"), *from;

    if (!at && strncmp(head, "<?xml", 5) == 0)
        at = strcasestr(head, "encoding");
    if (!at)
        return NULL;
    at += 7 + (tolower((unsigned char)*at) == 'e');
    while (*at && strchr(" \t\r\n", *at))
        at++;
    if (*at++ != '=')
        return NULL;
    while (*at && strchr(" \t\r\n'\"", *at))
        at++;
    from = at;
    while (*at && !strchr(" \t\r\n'\";/>?", *at))
        at++;
    return arena_copy(arena, from, (size_t)(at - from));
}

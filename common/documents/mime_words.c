/* Transfer encodings, character sets and encoded words (RFC 2047) of e-mails. */
#include "documents/mime_words.h"
#include "documents/charset.h"
#include "documents/mime.h"

#include <string.h>
#include <strings.h>

enum { CHARSET_NAME_MAX = 40, WORD_MAX = 1000, DECODED_MOST = 1 << 16 };

static int base64_digit(char byte)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = byte ? strchr(digits, byte) : NULL;

    return at ? (int)(at - digits) : -1;
}

void mime_append_base64(struct text *text, const char *bytes, size_t length)
{
    unsigned bits = 0;
    int count = 0;

    for (size_t i = 0; i < length && !text->overflowed; i++) {
        int digit = base64_digit(bytes[i]);

        if (bytes[i] == '=')
            count = 0;
        if (digit < 0)
            continue;
        bits = bits << 6 | (unsigned)digit;
        count += 6;
        if (count >= 8) {
            count -= 8;
            text_append_byte(text, (char)(bits >> count & 0xff));
        }
    }
}

static int hex_digit(char byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    byte |= 0x20;
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

/* Bytes of the soft line break that begins at `bytes`; 0 = there is none. */
static size_t soft_break(const char *bytes, size_t left)
{
    size_t i = 1;

    while (i < left && (bytes[i] == ' ' || bytes[i] == '\t' || bytes[i] == '\r'))
        i++;
    return i < left && bytes[i] == '\n' ? i + 1 : 0;
}

void mime_append_quoted(struct text *text, const char *bytes, size_t length, bool is_word)
{
    for (size_t i = 0; i < length && !text->overflowed; i++) {
        size_t left = length - i, skipped = bytes[i] == '=' ? soft_break(bytes + i, left) : 0;

        if (skipped) {
            i += skipped - 1;
        } else if (bytes[i] == '=' && left > 2 && hex_digit(bytes[i + 1]) >= 0 &&
                   hex_digit(bytes[i + 2]) >= 0) {
            text_append_byte(text, (char)(hex_digit(bytes[i + 1]) << 4 | hex_digit(bytes[i + 2])));
            i += 2;
        } else {
            text_append_byte(text, bytes[i] == '_' && is_word ? ' ' : bytes[i]);
        }
    }
}

static bool is_wide(const char *charset)
{
    return charset &&
           (strncasecmp(charset, "utf-16", 6) == 0 || strncasecmp(charset, "utf-32", 6) == 0);
}

/* A NUL in the middle of a text is damage, except in wide sets. */
static size_t drop_nuls(char *bytes, size_t length)
{
    size_t kept = 0;

    for (size_t i = 0; i < length; i++)
        if (bytes[i])
            bytes[kept++] = bytes[i];
    return kept;
}

static void append_clean(struct text *text, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length && !text->overflowed;) {
        size_t taken = utf8_sequence_length(bytes + i, length - i);
        unsigned char byte = (unsigned char)bytes[i];

        if (!taken)
            text_append_string(text, "\xef\xbf\xbd");
        else if (taken > 1 || (byte >= ' ' && byte != 0x7f) || byte == '\n' || byte == '\t')
            text_append(text, bytes + i, taken);
        i += taken ? taken : 1;
    }
}

void mime_append_charset(struct text *text, struct arena *arena, const char *bytes, size_t length,
                         const char *charset)
{
    char *copy = arena_copy(arena, bytes, length);
    size_t kept = is_wide(charset) ? length : drop_nuls(copy, length);
    struct charset_text decoded;

    if (charset_decode(arena, copy, kept, charset, &decoded) != CHARSET_DECODED)
        decoded = (struct charset_text){copy, kept};
    append_clean(text, decoded.bytes, decoded.length);
}

/* -- encoded words ----------------------------------------------------------------------------- */

/* =?charset?B?...?= */
struct word {
    char charset[CHARSET_NAME_MAX];
    bool is_base64;
    const char *at, *end; /* the encoded text */
    const char *after;
};

static bool read_word(const char *at, struct word *word)
{
    size_t length = strcspn(at += 2, "?* "), name = length;

    length = strcspn(at, "? ");
    if (at[length] != '?' || !name || name >= CHARSET_NAME_MAX)
        return false;
    memcpy(word->charset, at, name);
    word->charset[name] = '\0';
    at += length + 1;
    word->is_base64 = *at == 'B' || *at == 'b';
    if ((!word->is_base64 && *at != 'Q' && *at != 'q') || at[1] != '?')
        return false;
    word->at = at + 2;
    word->end = memmem(word->at, strnlen(word->at, WORD_MAX), "?=", 2);
    word->after = word->end ? word->end + 2 : NULL;
    return word->end != NULL;
}

/* Decodes a run of encoded words of one set together: a character may be split between them.
 * Returns what follows the run. */
static const char *append_run(struct text *text, struct arena *arena, struct word word)
{
    const char *after;
    struct word next = word;
    struct text bytes;

    text_start(&bytes, arena, DECODED_MOST);
    do {
        after = next.after;
        if (next.is_base64)
            mime_append_base64(&bytes, next.at, (size_t)(next.end - next.at));
        else
            mime_append_quoted(&bytes, next.at, (size_t)(next.end - next.at), true);
        next.after += strspn(next.after, " \t");
    } while (strncmp(next.after, "=?", 2) == 0 && read_word(next.after, &next) &&
             strcasecmp(next.charset, word.charset) == 0);
    mime_append_charset(text, arena, bytes.bytes, bytes.length, word.charset);
    return after;
}

/* Blanks between two encoded words mean nothing. */
static const char *skip_between(const char *at)
{
    const char *next = at + strspn(at, " \t");
    struct word word;

    return strncmp(next, "=?", 2) == 0 && read_word(next, &word) ? next : at;
}

const char *mime_decoded(struct arena *arena, const char *value, size_t points)
{
    struct text text, plain;
    struct word word;
    char *line;

    text_start(&text, arena, DECODED_MOST);
    text_start(&plain, arena, DECODED_MOST);
    for (const char *at = value; *at && !text.overflowed;) {
        size_t length = strcspn(at, "=");

        if (strncmp(at + length, "=?", 2) != 0 || !read_word(at + length, &word))
            length += at[length] != '\0';
        text_append(&plain, at, length);
        at += length;
        if (strncmp(at, "=?", 2) != 0 || !read_word(at, &word))
            continue;
        mime_append_charset(&text, arena, plain.bytes, plain.length, NULL);
        text_cut(&plain, 0);
        at = skip_between(append_run(&text, arena, word));
    }
    mime_append_charset(&text, arena, plain.bytes, plain.length, NULL);
    line = utf8_copy_prefix(arena, text.bytes, points);
    for (char *at = line; *at; at++)
        if (*at == '\n' || *at == '\t')
            *at = ' ';
    return text_trimmed(arena, line, strlen(line));
}

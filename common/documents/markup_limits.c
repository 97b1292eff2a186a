/* Parsers compare each attribute with each to find duplicates, and walk all open elements at many
 * tags, so a small file can take minutes. This file parses just enough markup to count attributes
 * and open elements. If it misjudges a document, the limits of the reader's process still apply. */
#include "documents/markup_limits.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

enum { WHOLE_TAGS_MAX = 8 /* html and body; further ones are merged into the first */ };

bool xml_has_few_attributes(const char *bytes, size_t length)
{
    size_t count = 0;
    bool in_tag = false;
    char quote = '\0';

    for (size_t i = 0; i < length; i++) {
        char byte = bytes[i];

        if (quote) {
            quote = byte == quote ? '\0' : quote;
        } else if (byte == '<') {
            in_tag = i + 1 < length && !strchr("!?", bytes[i + 1]);
            count = 0;
        } else if (in_tag) {
            if (byte == '=' && ++count > MARKUP_ATTRIBUTES_MAX)
                return false;
            if ((byte == '"' || byte == '\'') && count)
                quote = byte;
            in_tag = byte != '>';
        }
    }
    return true;
}

/* One tag of the input. */
struct tag {
    const char *name;
    size_t name_length;
    const char *kept_to; /* end of the last attribute that is kept, or `end` */
    const char *end;     /* after its '>', or the end of the input */
    bool closes, is_empty;
};

struct walk {
    const char *at, *end;
    char *out;
    uint32_t open[MARKUP_DEPTH_MAX]; /* hashes of names */
    size_t depth, whole_tags;
};

static bool is_one_of(const struct tag *tag, const char *names)
{
    for (; *names; names += strlen(names) + 1)
        if (strlen(names) == tag->name_length &&
            strncasecmp(names, tag->name, tag->name_length) == 0)
            return true;
    return false;
}

/* Elements without content, or that end implicitly. */
static bool nests(const struct tag *tag)
{
    return !is_one_of(tag, "area\0base\0br\0col\0embed\0hr\0img\0input\0link\0meta\0param\0source\0"
                           "track\0wbr\0p\0li\0dt\0dd\0td\0th\0tr\0thead\0tbody\0tfoot\0option\0"
                           "optgroup\0html\0head\0body\0colgroup\0rp\0rt\0");
}

/* Formatting elements: their end tag closes only the element itself, not the elements inside. */
static bool is_formatting(const struct tag *tag)
{
    return is_one_of(tag, "a\0b\0big\0code\0em\0font\0i\0nobr\0s\0small\0strike\0strong\0tt\0u\0");
}

static bool is_scope(const struct tag *tag)
{
    return is_one_of(tag, "table\0template\0caption\0applet\0marquee\0object\0select\0svg\0math\0");
}

/* FNV-1a of the name in lower case; bit 0 marks elements that an end tag outside cannot close. */
static uint32_t hash_of(const struct tag *tag)
{
    uint32_t hash = 2166136261u;

    for (size_t i = 0; i < tag->name_length; i++)
        hash = (hash ^ (uint32_t)tolower((unsigned char)tag->name[i])) * 16777619u;
    return (hash & ~1u) | is_scope(tag);
}

/* The end of the value that begins at `at`. */
static const char *skip_value(const char *at, const char *end)
{
    const char *close;

    while (at < end && isspace((unsigned char)*at))
        at++;
    if (at < end && (*at == '"' || *at == '\'')) {
        close = memchr(at + 1, *at, (size_t)(end - at - 1));
        return close ? close + 1 : end;
    }
    while (at < end && !isspace((unsigned char)*at) && *at != '>')
        at++;
    return at;
}

/* The tag at a '<'; false where there is none. */
static bool read_tag(const char *from, const char *end, struct tag *tag)
{
    const char *at = from + 1;
    size_t attributes = 0;

    *tag = (struct tag){.closes = at < end && *at == '/'};
    at += tag->closes;
    if (at >= end || !isalpha((unsigned char)*at))
        return false;
    tag->name = at;
    while (at < end && !isspace((unsigned char)*at) && *at != '>' && *at != '/')
        at++;
    tag->name_length = (size_t)(at - tag->name);
    while (at < end && *at != '>') {
        tag->is_empty = *at == '/';
        if (isspace((unsigned char)*at) || *at == '/') {
            at++;
            continue;
        }
        while (at < end && !isspace((unsigned char)*at) && !strchr("=/>", *at))
            at++;
        if (at < end && *at == '=')
            at = skip_value(at + 1, end);
        if (++attributes == MARKUP_ATTRIBUTES_MAX)
            tag->kept_to = at;
    }
    tag->end = at < end ? at + 1 : end;
    if (attributes <= MARKUP_ATTRIBUTES_MAX)
        tag->kept_to = tag->end;
    return true;
}

/* The open elements that an end tag closes; false when none of that name is open. */
static bool close_one(struct walk *walk, const struct tag *tag)
{
    uint32_t hash = hash_of(tag), stops = !is_scope(tag);
    size_t at = walk->depth;

    while (at && walk->open[at - 1] != hash && !(walk->open[at - 1] & stops))
        at--;
    if (!at || walk->open[at - 1] != hash)
        return false;
    if (is_formatting(tag))
        memmove(&walk->open[at - 1], &walk->open[at], (walk->depth-- - at) * sizeof *walk->open);
    else
        walk->depth = at - 1;
    return true;
}

/* Whether an element of SVG or MathML is open: there a tag may be self-closing. */
static bool is_foreign(const struct walk *walk)
{
    static const struct tag svg = {.name = "svg", .name_length = 3};
    static const struct tag math = {.name = "math", .name_length = 4};
    uint32_t of_svg = hash_of(&svg), of_math = hash_of(&math);

    for (size_t i = 0; i < walk->depth; i++)
        if (walk->open[i] == of_svg || walk->open[i] == of_math)
            return true;
    return false;
}

static bool is_kept(struct walk *walk, const struct tag *tag)
{
    if (is_one_of(tag, "html\0body\0"))
        return ++walk->whole_tags <= WHOLE_TAGS_MAX;
    if (!nests(tag) || (tag->is_empty && is_foreign(walk)))
        return true;
    if (tag->closes)
        return close_one(walk, tag);
    if (walk->depth == MARKUP_DEPTH_MAX)
        return false;
    walk->open[walk->depth++] = hash_of(tag);
    return true;
}

static void copy(struct walk *walk, const char *end)
{
    size_t length = (size_t)(end - walk->at);

    memmove(walk->out, walk->at, length);
    walk->out += length;
    walk->at = end;
}

/* Skips a comment to its end, or raw text, in which tags have no meaning. */
static const char *skip_raw(const struct walk *walk, const char *from, const struct tag *tag)
{
    const char *at = from;

    if (!tag) {
        at = walk->end - from >= 4 && memcmp(from, "<!--", 4) == 0
                 ? memmem(from + 4, (size_t)(walk->end - from) - 4, "-->", 3)
                 : from + 1;
        return at ? at : walk->end;
    }
    if (tag->closes || !is_one_of(tag, "script\0style\0textarea\0title\0xmp\0iframe\0noembed\0"
                                       "noframes\0plaintext\0"))
        return tag->end;
    for (at = tag->end; (at = memmem(at, (size_t)(walk->end - at), "</", 2)); at += 2)
        if ((size_t)(walk->end - at) >= tag->name_length + 2 &&
            strncasecmp(at + 2, tag->name, tag->name_length) == 0)
            return at;
    return walk->end;
}

static void copy_tag(struct walk *walk, const struct tag *tag)
{
    const char *end = skip_raw(walk, walk->at, tag);
    bool is_blank = !is_formatting(tag);

    if (!is_kept(walk, tag)) {
        if (is_blank)
            *walk->out++ = ' ';
        walk->at = tag->end;
        return;
    }
    copy(walk, tag->kept_to);
    if (tag->kept_to < tag->end)
        *walk->out++ = '>';
    walk->at = tag->end;
    copy(walk, end);
}

size_t html_limit(char *bytes, size_t length)
{
    struct walk walk = {.at = bytes, .end = bytes + length, .out = bytes};

    while (walk.at < walk.end) {
        const char *next = memchr(walk.at, '<', (size_t)(walk.end - walk.at));
        struct tag tag;

        copy(&walk, next ? next : walk.end);
        if (!next)
            break;
        if (read_tag(next, walk.end, &tag))
            copy_tag(&walk, &tag);
        else
            copy(&walk, skip_raw(&walk, next, NULL));
    }
    return (size_t)(walk.out - bytes);
}

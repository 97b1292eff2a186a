/* Notes and list numbers of DOCX (ECMA-376 part 1, 17.9 and 17.11). Runs in a child process that
 * exits afterwards, so nothing is freed. */
#include "documents/docx_parts.h"
#include "documents/markup_limits.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NOTES_MAX = 10000,
    NOTE_BYTES = 2000,
    LISTS_MAX = 4096, /* of each kind; items of further lists are bullets */
    LABEL_TEXT = 32,
    STYLES_MAX = 2000,
    ROMAN_MOST = 4999
};

xmlTextReaderPtr docx_reader(const char *bytes, size_t length)
{
    if (!bytes || !xml_has_few_attributes(bytes, length))
        return NULL;
    return xmlReaderForMemory(bytes, (int)length, "part.xml", NULL,
                              XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
}

long docx_number(xmlTextReaderPtr reader, const char *name, long otherwise)
{
    xmlChar *value = xmlTextReaderGetAttribute(reader, BAD_CAST name);
    long number = value ? strtol((const char *)value, NULL, 10) : otherwise;

    xmlFree(value);
    return number;
}

struct docx_notes {
    struct {
        long id;
        char *text;
        size_t length;
    } items[NOTES_MAX];
    size_t count;
};

static void add_to_note(struct docx_notes *notes, const char *text)
{
    char *note = notes->items[notes->count - 1].text;
    size_t *used = &notes->items[notes->count - 1].length, length = strlen(text);

    if (!note || *used + length >= NOTE_BYTES)
        return;
    memcpy(note + *used, text, length + 1);
    *used += length;
}

struct docx_notes *docx_notes_read(const char *bytes, size_t length, const char *element)
{
    xmlTextReaderPtr reader = docx_reader(bytes, length);
    struct docx_notes *notes = reader ? calloc(1, sizeof *notes) : NULL;
    bool in_text = false;

    while (notes && xmlTextReaderRead(reader) == 1) {
        const char *name = (const char *)xmlTextReaderConstLocalName(reader);
        int type = xmlTextReaderNodeType(reader);

        if (type == XML_READER_TYPE_ELEMENT && strcmp(name, element) == 0) {
            if (notes->count == NOTES_MAX)
                break;
            notes->items[notes->count].id = docx_number(reader, "w:id", -1);
            notes->items[notes->count++].text = calloc(1, NOTE_BYTES);
        } else if (type == XML_READER_TYPE_ELEMENT) {
            in_text = strcmp(name, "t") == 0;
        } else if (type == XML_READER_TYPE_END_ELEMENT) {
            in_text = false;
            if (strcmp(name, "p") == 0 && notes->count)
                add_to_note(notes, " ");
        } else if (in_text && notes->count && xmlTextReaderConstValue(reader)) {
            add_to_note(notes, (const char *)xmlTextReaderConstValue(reader));
        }
    }
    return notes;
}

/* The text without blanks around it and without a full stop at its end, because it is inserted into
 * a sentence. */
static const char *trimmed(char *text)
{
    size_t length = strlen(text);

    while (length && strchr(" .\t\n", text[length - 1]))
        text[--length] = '\0';
    return text + strspn(text, " \t\n");
}

const char *docx_note(const struct docx_notes *notes, const char *id)
{
    long wanted = strtol(id, NULL, 10);
    const char *text;

    for (size_t i = 0; notes && i < notes->count; i++) {
        if (notes->items[i].id != wanted || !notes->items[i].text)
            continue;
        text = trimmed(notes->items[i].text);
        return *text ? text : NULL;
    }
    return NULL;
}

struct level {
    char format[LABEL_TEXT]; /* decimal, lowerLetter... "" = not given */
    char text[LABEL_TEXT];   /* "%1.%2" */
    long start;
};

struct docx_lists {
    struct {
        long id;
        struct level levels[DOCX_LEVELS];
    } abstracts[LISTS_MAX];
    struct {
        long id, abstract;
        long counts[DOCX_LEVELS]; /* -1 = no item yet */
        long starts[DOCX_LEVELS]; /* -1 = the level's own */
    } lists[LISTS_MAX];
    size_t abstract_count, list_count;
};

static void copy_value(xmlTextReaderPtr reader, char text[LABEL_TEXT])
{
    xmlChar *value = xmlTextReaderGetAttribute(reader, BAD_CAST "w:val");

    if (value && strlen((const char *)value) < LABEL_TEXT)
        memcpy(text, value, strlen((const char *)value) + 1);
    xmlFree(value);
}

static void read_level(struct docx_lists *lists, xmlTextReaderPtr reader, const char *name,
                       long level)
{
    struct level *at;

    if (!lists->abstract_count || level < 0 || level >= DOCX_LEVELS)
        return;
    at = &lists->abstracts[lists->abstract_count - 1].levels[level];
    if (strcmp(name, "numFmt") == 0)
        copy_value(reader, at->format);
    else if (strcmp(name, "lvlText") == 0)
        copy_value(reader, at->text);
    else if (strcmp(name, "start") == 0)
        at->start = docx_number(reader, "w:val", 1);
}

static void begin_list(struct docx_lists *lists, xmlTextReaderPtr reader)
{
    if (lists->list_count == LISTS_MAX)
        return;
    lists->lists[lists->list_count].id = docx_number(reader, "w:numId", -1);
    lists->lists[lists->list_count].abstract = -1;
    for (int i = 0; i < DOCX_LEVELS; i++)
        lists->lists[lists->list_count].counts[i] = lists->lists[lists->list_count].starts[i] = -1;
    lists->list_count++;
}

static void begin_abstract(struct docx_lists *lists, xmlTextReaderPtr reader)
{
    if (lists->abstract_count == LISTS_MAX)
        return;
    lists->abstracts[lists->abstract_count].id = docx_number(reader, "w:abstractNumId", -1);
    for (int i = 0; i < DOCX_LEVELS; i++)
        lists->abstracts[lists->abstract_count].levels[i].start = 1;
    lists->abstract_count++;
}

struct docx_lists *docx_lists_read(const char *bytes, size_t length)
{
    xmlTextReaderPtr reader = docx_reader(bytes, length);
    struct docx_lists *lists = reader ? calloc(1, sizeof *lists) : NULL;
    long level = -1;

    while (lists && xmlTextReaderRead(reader) == 1) {
        const char *name = (const char *)xmlTextReaderConstLocalName(reader);

        if (xmlTextReaderNodeType(reader) != XML_READER_TYPE_ELEMENT)
            continue;
        if (strcmp(name, "abstractNum") == 0)
            begin_abstract(lists, reader);
        else if (strcmp(name, "num") == 0)
            begin_list(lists, reader);
        else if (strcmp(name, "lvl") == 0 || strcmp(name, "lvlOverride") == 0)
            level = docx_number(reader, "w:ilvl", -1);
        else if (strcmp(name, "abstractNumId") == 0 && lists->list_count)
            lists->lists[lists->list_count - 1].abstract = docx_number(reader, "w:val", -1);
        else if (strcmp(name, "startOverride") == 0 && lists->list_count && level >= 0 &&
                 level < DOCX_LEVELS)
            lists->lists[lists->list_count - 1].starts[level] = docx_number(reader, "w:val", 1);
        else if (!lists->list_count)
            read_level(lists, reader, name, level);
    }
    return lists;
}

struct docx_styles {
    struct {
        xmlChar *id;
        long list, level; /* list 0 = none */
    } items[STYLES_MAX];
    size_t count;
};

struct docx_styles *docx_styles_read(const char *bytes, size_t length)
{
    xmlTextReaderPtr reader = docx_reader(bytes, length);
    struct docx_styles *styles = reader ? calloc(1, sizeof *styles) : NULL;

    while (styles && xmlTextReaderRead(reader) == 1) {
        const char *name = (const char *)xmlTextReaderConstLocalName(reader);

        if (xmlTextReaderNodeType(reader) != XML_READER_TYPE_ELEMENT)
            continue;
        if (strcmp(name, "style") == 0) {
            if (styles->count == STYLES_MAX)
                break;
            styles->items[styles->count++].id =
                xmlTextReaderGetAttribute(reader, BAD_CAST "w:styleId");
        } else if (strcmp(name, "numId") == 0 && styles->count) {
            styles->items[styles->count - 1].list = docx_number(reader, "w:val", 0);
        } else if (strcmp(name, "ilvl") == 0 && styles->count) {
            styles->items[styles->count - 1].level = docx_number(reader, "w:val", 0);
        }
    }
    return styles;
}

bool docx_style_list(const struct docx_styles *styles, const char *id, long *list, long *level)
{
    for (size_t i = 0; styles && i < styles->count; i++) {
        if (!styles->items[i].list || !styles->items[i].id ||
            strcmp((const char *)styles->items[i].id, id) != 0)
            continue;
        *list = styles->items[i].list;
        *level = styles->items[i].level;
        return true;
    }
    return false;
}

static void write_roman(long number, bool upper, char *out, size_t size)
{
    static const struct {
        long value;
        const char *upper, *lower;
    } digits[] = {{1000, "M", "m"}, {900, "CM", "cm"}, {500, "D", "d"}, {400, "CD", "cd"},
                  {100, "C", "c"},  {90, "XC", "xc"},  {50, "L", "l"},  {40, "XL", "xl"},
                  {10, "X", "x"},   {9, "IX", "ix"},   {5, "V", "v"},   {4, "IV", "iv"},
                  {1, "I", "i"}};
    size_t used = 0;

    for (size_t i = 0; i < sizeof digits / sizeof digits[0]; i++) {
        for (; number >= digits[i].value && used + 3 < size; number -= digits[i].value)
            used += (size_t)snprintf(out + used, size - used, "%s",
                                     upper ? digits[i].upper : digits[i].lower);
    }
    out[used] = '\0';
}

/* a, b ... z, aa, bb: Word repeats the letter. */
static void write_letters(long number, char first, char *out, size_t size)
{
    size_t times = (size_t)(number - 1) / 26 + 1, used = 0;

    while (used < times && used + 1 < size)
        out[used++] = (char)(first + (number - 1) % 26);
    out[used] = '\0';
}

static void write_number(const char *format, long number, char *out, size_t size)
{
    bool roman = strstr(format, "Roman") != NULL;

    if (roman && number >= 1 && number <= ROMAN_MOST)
        write_roman(number, strncmp(format, "upper", 5) == 0, out, size);
    else if (strcmp(format, "lowerLetter") == 0 && number >= 1)
        write_letters(number, 'a', out, size);
    else if (strcmp(format, "upperLetter") == 0 && number >= 1)
        write_letters(number, 'A', out, size);
    else
        snprintf(out, size, strcmp(format, "decimalZero") == 0 ? "%02ld" : "%ld", number);
}

/* "%1.%2)" with the counts of the levels in their places. */
static void fill_label(const struct level *levels, const long *counts, int level,
                       char label[DOCX_LABEL_MAX])
{
    size_t used = 0;

    for (const char *at = levels[level].text; *at && used + LABEL_TEXT < DOCX_LABEL_MAX; at++) {
        int of = at[0] == '%' && at[1] >= '1' && at[1] <= '9' ? at[1] - '1' : -1;

        if (of < 0) {
            label[used++] = *at;
            continue;
        }
        write_number(levels[of].format, counts[of] < 0 ? levels[of].start : counts[of],
                     label + used, LABEL_TEXT);
        used += strlen(label + used);
        at++;
    }
    label[used] = '\0';
}

void docx_list_label(struct docx_lists *lists, int list, int level, char label[DOCX_LABEL_MAX])
{
    size_t at = 0, abstract = 0;
    const struct level *levels;
    long *counts;

    label[0] = '\0';
    if (!lists || level < 0 || level >= DOCX_LEVELS)
        return;
    while (at < lists->list_count && lists->lists[at].id != list)
        at++;
    while (at < lists->list_count && abstract < lists->abstract_count &&
           lists->abstracts[abstract].id != lists->lists[at].abstract)
        abstract++;
    if (at == lists->list_count || abstract == lists->abstract_count)
        return;
    levels = lists->abstracts[abstract].levels;
    counts = lists->lists[at].counts;
    if (counts[level] < 0)
        counts[level] = lists->lists[at].starts[level] >= 0 ? lists->lists[at].starts[level]
                                                            : levels[level].start;
    else
        counts[level]++;
    for (int i = level + 1; i < DOCX_LEVELS; i++)
        counts[i] = -1;
    if (!*levels[level].format || strcmp(levels[level].format, "bullet") == 0 ||
        strcmp(levels[level].format, "none") == 0)
        return;
    fill_label(levels, counts, level, label);
}

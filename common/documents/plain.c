/* Plain text, JSON and CSV. */
#include "documents/plain.h"
#include "base/json.h"
#include "base/text.h"

#include <string.h>

enum { JSON_DEPTH = 64, COLUMNS_MOST = 256, TEXT_MOST = 1 << 30 };

static bool is_kept(unsigned char byte)
{
    return byte >= 0x20 ? byte != 0x7f : byte == '\n' || byte == '\t';
}

void plain_add_page(struct arena *arena, struct reading_result *result, const char *bytes,
                    size_t length, int number)
{
    char *clean = arena_alloc(arena, length + 1);
    size_t kept = 0;
    bool empty = true;

    if (length >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) {
        bytes += 3;
        length -= 3;
    }
    for (size_t i = 0; i < length;) {
        size_t taken = utf8_sequence_length(bytes + i, length - i);

        if (taken > 1) {
            memcpy(clean + kept, bytes + i, taken);
            kept += taken;
            empty = false;
        } else if (taken == 1 && is_kept((unsigned char)bytes[i])) {
            empty = empty && strchr(" \n\t", bytes[i]);
            clean[kept++] = bytes[i];
        }
        i += taken ? taken : 1;
    }
    if (empty)
        return;
    while (strchr(" \n\t", clean[kept - 1]))
        kept--;
    clean[kept] = '\0';
    result->pages[result->count++] = (struct page){clean, kept, number};
}

static void whole(struct arena *arena, const char *bytes, size_t length,
                  struct reading_result *result)
{
    result->pages = ARENA_ARRAY(arena, struct page, 1);
    plain_add_page(arena, result, bytes, length, 0);
}

static void add_item(struct arena *arena, struct reading_result *result, const json_t *item,
                     int number)
{
    struct text text;
    struct json_writer writer;

    if (json_is_string(item)) {
        plain_add_page(arena, result, json_string_value(item), json_string_length(item), number);
        return;
    }
    text_start(&text, arena, TEXT_MOST);
    writer_start(&writer, &text);
    writer.indent = 2;
    writer_value(&writer, item);
    plain_add_page(arena, result, text.bytes, text.length, number);
}

static void read_json(struct arena *arena, const char *bytes, size_t length,
                      struct reading_result *result)
{
    struct json_fault fault;
    json_t *document, *item;
    size_t i;

    if (json_read(arena, bytes, length, JSON_DEPTH, &document, &fault) != ERROR_NONE ||
        !json_is_array(document)) {
        whole(arena, bytes, length, result);
        return;
    }
    result->pages = ARENA_ARRAY(arena, struct page, json_array_size(document) + 1);
    json_array_foreach(document, i, item) add_item(arena, result, item, (int)i + 1);
    result->page_count = (int)json_array_size(document);
}

/* The separator of a CSV file, by its first row: the one that is there most often outside quotes.
 */
static char csv_separator(const char *bytes, const char *end)
{
    static const char separators[] = ",;\t|";
    size_t counts[sizeof separators - 1] = {0}, best = 0;
    bool quoted = false;

    for (; bytes < end && (quoted || *bytes != '\n'); bytes++) {
        const char *found = *bytes ? strchr(separators, *bytes) : NULL;

        quoted ^= *bytes == '"';
        if (found && !quoted)
            counts[found - separators]++;
    }
    for (size_t i = 1; i < sizeof counts / sizeof counts[0]; i++)
        best = counts[i] > counts[best] ? i : best;
    return separators[best];
}

/* Reads one field of a CSV row from `at` on (RFC 4180); `ends_row` is true for the last field of a
 * row. */
static const char *csv_field(struct arena *arena, const char **at, const char *end, char separator,
                             bool *ends_row)
{
    struct text field;
    bool quoted = *at < end && **at == '"';

    text_start(&field, arena, TEXT_MOST);
    *at += quoted;
    while (*at < end) {
        char byte = *(*at)++;

        if (quoted && byte == '"') {
            if (*at < end && **at == '"')
                text_append_byte(&field, *(*at)++);
            else
                quoted = false;
        } else if (!quoted && (byte == separator || byte == '\n')) {
            *ends_row = byte == '\n';
            return field.bytes;
        } else if (byte != '\r' || quoted) {
            text_append_byte(&field, byte);
        }
    }
    *ends_row = true;
    return field.bytes;
}

static size_t csv_row(struct arena *arena, const char **at, const char *end, char separator,
                      const char *fields[COLUMNS_MOST])
{
    size_t count = 0;
    bool ends_row = false;

    while (!ends_row && *at < end) {
        const char *field = csv_field(arena, at, end, separator, &ends_row);

        if (count < COLUMNS_MOST)
            fields[count++] = field;
    }
    return count;
}

static void read_csv(struct arena *arena, const char *bytes, size_t length,
                     struct reading_result *result)
{
    const char *names[COLUMNS_MOST], *fields[COLUMNS_MOST], *at = bytes, *end = bytes + length;
    char separator = csv_separator(bytes, end);
    size_t columns = csv_row(arena, &at, end, separator, names), rows = 1;

    if (columns < 2 || at >= end) {
        whole(arena, bytes, length, result);
        return;
    }
    for (const char *scan = at; scan < end; scan++)
        rows += *scan == '\n';
    result->pages = ARENA_ARRAY(arena, struct page, rows + 1);
    while (at < end) {
        size_t count = csv_row(arena, &at, end, separator, fields);
        struct text text;

        text_start(&text, arena, TEXT_MOST);
        for (size_t i = 0; i < count && i < columns; i++) {
            if (*fields[i])
                text_append_format(&text, "%s: %s\n", names[i], fields[i]);
        }
        plain_add_page(arena, result, text.bytes, text.length, ++result->page_count);
    }
}

void plain_read(struct arena *arena, enum file_type type, const char *bytes, size_t length,
                struct reading_result *result)
{
    if (type == FILE_JSON)
        read_json(arena, bytes, length, result);
    else if (type == FILE_CSV)
        read_csv(arena, bytes, length, result);
    else
        whole(arena, bytes, length, result);
}

/* One pass over a block at a time; a record is copied into a buffer of its own, field by field. */
#include "experiments/datafiles/data_reader.h"

#include "base/json.h"
#include "base/number.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { JSON_LEVELS = 8, SCRATCH_MAX = 64 * 1024 * 1024, NOTHING = -1, DIGITS_EXACT = 15 };

static bool fill(struct data_reader *reader)
{
    int64_t left = reader->length - reader->bytes;
    size_t wanted = left < DATA_BLOCK ? (size_t)left : DATA_BLOCK;
    ssize_t got;

    do
        got = pread(reader->file, reader->block, wanted, reader->bytes);
    while (got < 0 && errno == EINTR);
    reader->failed = reader->failed || got < 0;
    reader->at = 0;
    reader->end = got > 0 ? (size_t)got : 0;
    reader->bytes += got > 0 ? got : 0;
    return got > 0;
}

static int peek_byte(struct data_reader *reader)
{
    if (reader->at == reader->end && !fill(reader))
        return NOTHING;
    return (unsigned char)reader->block[reader->at];
}

static int next_byte(struct data_reader *reader)
{
    int byte = peek_byte(reader);

    if (byte == NOTHING)
        return NOTHING;
    reader->at++;
    reader->line += byte == '\n';
    return byte;
}

/* The record that is being copied. */
struct copy {
    struct data_reader *reader;
    struct data_record *record;
    size_t length, field; /* bytes so far; where the current field begins */
};

static void put(struct copy *copy, int byte)
{
    if (copy->length == DATA_RECORD_MAX)
        copy->record->fault = DATA_RECORD_TOO_LONG;
    else
        copy->reader->record[copy->length++] = (char)byte;
}

/* Whether the byte may end a field or the record, or begin quotes. */
static bool divides(unsigned char byte, char delimiter)
{
    return byte == (unsigned char)delimiter || byte == '\n' || byte == '\r' || byte == '"';
}

/* The bytes up to the next one that divides, as far as the block has them: byte by byte they take
 * twice the time. */
static void put_run(struct copy *copy)
{
    struct data_reader *reader = copy->reader;
    const char *start = reader->block + reader->at, *from = start;
    const char *end = reader->block + reader->end;

    if (end - start > DATA_RECORD_MAX - (ptrdiff_t)copy->length)
        end = start + (DATA_RECORD_MAX - copy->length);
    while (from < end && !divides((unsigned char)*from, reader->delimiter))
        from++;
    memcpy(reader->record + copy->length, start, (size_t)(from - start));
    copy->length += (size_t)(from - start);
    reader->at += (size_t)(from - start);
}

/* As isspace() in the C locale. */
static bool is_space(char byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* Blanks around an unquoted field do not belong to it. */
static void end_field(struct copy *copy, bool quoted)
{
    struct data_reader *reader = copy->reader;
    char *bytes = reader->record;

    while (!quoted && copy->length > copy->field && is_space(bytes[copy->length - 1]))
        copy->length--;
    while (!quoted && copy->field < copy->length && is_space(bytes[copy->field]))
        copy->field++;
    if (reader->count < DATA_COLUMNS_MAX && copy->length < DATA_RECORD_MAX)
        reader->fields[reader->count++] = bytes + copy->field;
    put(copy, '\0');
    copy->field = copy->length;
}

/* The inside of quotes; a doubled quote stands for one. */
static void copy_quoted(struct copy *copy)
{
    for (;;) {
        int byte = next_byte(copy->reader);

        if (byte == NOTHING) {
            copy->record->fault = DATA_RECORD_UNTERMINATED;
            return;
        }
        if (byte == '"') {
            if (peek_byte(copy->reader) != '"')
                return;
            next_byte(copy->reader);
        }
        put(copy, byte);
    }
}

/* One record; false at the end of the file. */
static bool read_csv(struct data_reader *reader, struct data_record *record)
{
    struct copy copy = {.reader = reader, .record = record};
    bool quoted = false;
    int byte;

    *record = (struct data_record){.line = reader->line};
    reader->count = 0;
    if (peek_byte(reader) == NOTHING)
        return false;
    for (;;) {
        put_run(&copy);
        byte = next_byte(reader);
        if (byte == '"' && copy.length == copy.field && !quoted) {
            quoted = true;
            copy_quoted(&copy);
        } else if (byte == reader->delimiter) {
            end_field(&copy, quoted);
            quoted = false;
        } else if (byte == '\n' || byte == NOTHING) {
            end_field(&copy, quoted);
            return true;
        } else if (byte != '\r' || peek_byte(reader) != '\n') {
            put(&copy, byte);
        }
    }
}

static void read_object(struct data_reader *reader, struct data_record *record, size_t length)
{
    struct json_fault fault;
    json_t *object = NULL;

    arena_reset(reader->scratch);
    reader->object = NULL;
    if (record->fault)
        return;
    if (json_read(reader->scratch, reader->record, length, JSON_LEVELS, &object, &fault) ||
        !json_is_object(object))
        record->fault = DATA_RECORD_NO_JSON;
    else
        reader->object = object;
}

static bool read_line(struct data_reader *reader, struct data_record *record, size_t *length)
{
    struct copy copy = {.reader = reader, .record = record};
    int byte;

    *record = (struct data_record){.line = reader->line};
    if (peek_byte(reader) == NOTHING)
        return false;
    while ((byte = next_byte(reader)) != '\n' && byte != NOTHING)
        put(&copy, byte);
    *length = copy.length;
    return true;
}

static bool is_blank(const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!is_space(bytes[i]))
            return false;
    return true;
}

bool data_reader_next(struct data_reader *reader, struct data_record *record)
{
    size_t length;

    if (reader->format == DATA_CSV) {
        while (read_csv(reader, record))
            if (record->fault || reader->count > 1 || *reader->fields[0])
                return true;
        return false;
    }
    while (read_line(reader, record, &length)) {
        if (!record->fault && is_blank(reader->record, length))
            continue;
        read_object(reader, record, length);
        return true;
    }
    return false;
}

/* The candidate that the first line has most of, outside of quotes. */
static char guess_delimiter(const char *bytes, size_t length)
{
    static const char candidates[] = ",;\t";
    size_t counts[3] = {0}, best = 0;
    bool quoted = false;

    for (size_t i = 0; i < length && (quoted || bytes[i] != '\n'); i++) {
        const char *found = bytes[i] ? strchr(candidates, bytes[i]) : NULL;

        quoted = quoted != (bytes[i] == '"');
        if (found && !quoted)
            counts[found - candidates]++;
    }
    for (size_t i = 1; i < 3; i++)
        if (counts[i] > counts[best])
            best = i;
    return candidates[best];
}

static bool read_names(struct data_reader *reader)
{
    struct data_record record;

    if (!data_reader_next(reader, &record) || record.fault)
        return false;
    reader->names.items = ARENA_ARRAY(reader->arena, const char *, reader->count);
    reader->names.count = reader->count;
    for (size_t i = 0; i < reader->count; i++)
        reader->names.items[i] = arena_print(reader->arena, "%s", reader->fields[i]);
    return true;
}

bool data_reader_start(struct data_reader *reader, int file, int64_t length,
                       enum data_format format, char delimiter, struct arena *arena)
{
    *reader = (struct data_reader){
        .file = file, .length = length, .arena = arena, .format = format, .line = 1};
    reader->block = arena_alloc(arena, DATA_BLOCK);
    reader->record = arena_alloc(arena, DATA_RECORD_MAX + 1);
    reader->fields = ARENA_ARRAY(arena, const char *, DATA_COLUMNS_MAX);
    reader->scratch = arena_create_below(arena, SCRATCH_MAX);
    if (!fill(reader))
        return false;
    if (reader->end >= 3 && memcmp(reader->block, "\xef\xbb\xbf", 3) == 0)
        reader->at = 3;
    if (format == DATA_AUTO)
        reader->format = peek_byte(reader) == '{' ? DATA_NDJSON : DATA_CSV;
    reader->delimiter = delimiter
                            ? delimiter
                            : guess_delimiter(reader->block + reader->at, reader->end - reader->at);
    return reader->format == DATA_NDJSON || read_names(reader);
}

int data_reader_column(const struct data_reader *reader, const char *name)
{
    if (reader->format == DATA_NDJSON)
        return 0;
    for (size_t i = 0; i < reader->names.count; i++)
        if (strcmp(reader->names.items[i], name) == 0)
            return (int)i;
    return -1;
}

struct data_cell data_reader_cell(const struct data_reader *reader, int column, const char *name)
{
    const json_t *value;

    if (reader->format == DATA_CSV)
        return (struct data_cell){.text = (size_t)column < reader->count ? reader->fields[column]
                                                                         : NULL};
    value = json_object_get(reader->object, name);
    if (json_is_number(value) || json_is_boolean(value))
        return (struct data_cell){.is_number = true,
                                  .number = json_is_number(value) ? json_number_value(value)
                                                                  : json_is_true(value)};
    return (struct data_cell){.text = json_string_value(value)};
}

bool data_cell_is_empty(const struct data_cell *cell)
{
    static const char *const words[] = {"", "nan", "na", "n/a", "null", "none"};

    if (cell->is_number || (cell->text && *cell->text && *cell->text != 'n' && *cell->text != 'N'))
        return false;
    for (size_t i = 0; cell->text && i < sizeof words / sizeof words[0]; i++)
        if (strcasecmp(cell->text, words[i]) == 0)
            return true;
    return !cell->text;
}

/* Up to 15 digits and a short fraction: the quotient of two integers that doubles hold exactly. */
static bool read_short(const char *text, char point, double *number)
{
    static const double powers[] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    bool negative = *text == '-', seen = false;
    int digits = 0, decimals = 0;
    int64_t value = 0;

    for (text += negative; *text; text++) {
        if (*text == point && !seen) {
            seen = true;
            continue;
        }
        if (*text < '0' || *text > '9' || ++digits > DIGITS_EXACT)
            return false;
        value = 10 * value + (*text - '0');
        decimals += seen;
    }
    *number = (negative ? -(double)value : (double)value) / powers[decimals];
    return digits > 0;
}

bool data_cell_number(const struct data_reader *reader, const struct data_cell *cell,
                      double *number)
{
    char point = reader->format == DATA_CSV && reader->delimiter != ',' ? ',' : '.';

    *number = cell->number;
    if (cell->is_number || !cell->text)
        return cell->is_number && isfinite(cell->number);
    if (read_short(cell->text, '.', number) || read_short(cell->text, point, number))
        return true;
    if (strcasecmp(cell->text, "true") == 0 || strcasecmp(cell->text, "false") == 0) {
        *number = strcasecmp(cell->text, "true") == 0;
        return true;
    }
    return number_parse(cell->text, number) && isfinite(*number);
}

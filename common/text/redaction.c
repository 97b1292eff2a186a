/* Placeholders of values, and back. */
#include "text/redaction.h"

#include "base/list.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

enum {
    TEXT_MOST = 1 << 26,
    DEPTH_MOST = 64,
    TYPED_MOST = 999999999,
    DIGITS_MOST = 10,
    FIRST_SLOTS = 64
};

static const char *const kind_names[PERSONAL_KIND__MAX] = {"EMAIL", "PHONE", "CARD", "PASSPORT",
                                                           "NUMBER"};

/* The values of a kind; the first one has the number `above` + 1. */
struct values {
    size_t above, count;
    const char **items;
    uint32_t *slots; /* a hash table: positions in `items` from 1; a power of two, half are free */
    size_t slot_count;
};

struct redaction {
    struct arena *arena;
    uint64_t secret; /* of the hashes: who writes the texts must not know which collide */
    struct values values[PERSONAL_KIND__MAX];
};

struct redaction *redaction_start(struct arena *arena)
{
    struct redaction *redaction = ARENA_NEW(arena, struct redaction);

    redaction->arena = arena;
    (void)!getrandom(&redaction->secret, sizeof redaction->secret, 0);
    return redaction;
}

bool redaction_hides(const struct redaction *redaction)
{
    size_t count = 0;

    for (size_t i = 0; i < PERSONAL_KIND__MAX; i++)
        count += redaction->values[i].count;
    return count > 0;
}

enum shape { SHAPE_NONE, SHAPE_PART, SHAPE_WHOLE };

/* Whether bytes are a placeholder, or the beginning of one. */
static enum shape shape_of(const char *bytes, size_t length, size_t *kind, size_t *number)
{
    for (*kind = 0; *kind < PERSONAL_KIND__MAX; ++*kind) {
        const char *name = kind_names[*kind];
        size_t named = strlen(name) + 2, digits = 0;
        char head[REDACTION_PLACEHOLDER_MAX];

        snprintf(head, sizeof head, "[%s_", name);
        if (strncmp(bytes, head, length < named ? length : named) != 0)
            continue;
        if (length <= named)
            return SHAPE_PART;
        for (*number = 0; named + digits < length && bytes[named + digits] >= '0' &&
                          bytes[named + digits] <= '9' && digits < DIGITS_MOST;
             digits++)
            *number = *number * 10 + (size_t)(bytes[named + digits] - '0');
        if (digits && bytes[named] != '0' && named + digits + 1 == length &&
            bytes[length - 1] == ']')
            return SHAPE_WHOLE;
        return named + digits == length && bytes[named] != '0' ? SHAPE_PART : SHAPE_NONE;
    }
    return SHAPE_NONE;
}

void redaction_note_typed(struct redaction *redaction, const char *text)
{
    for (const char *at = text ? strchr(text, '[') : NULL; at; at = strchr(at + 1, '[')) {
        const char *end = memchr(at, ']', strnlen(at, REDACTION_PLACEHOLDER_MAX));
        size_t kind, number;
        struct values *values;

        if (!end || shape_of(at, (size_t)(end - at) + 1, &kind, &number) != SHAPE_WHOLE)
            continue;
        values = &redaction->values[kind];
        if (!values->count && number > values->above && number <= TYPED_MOST)
            values->above = number;
    }
}

/* FNV-1a; of its bits the upper ones depend on all others. */
static size_t hash_of(const struct redaction *redaction, const char *bytes, size_t length)
{
    uint64_t hash = redaction->secret;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(1099511628211);
    return (size_t)(hash >> 32);
}

/* The slot of a value, or the free one where it belongs. */
static uint32_t *slot_of(const struct redaction *redaction, const struct values *values,
                         const char *bytes, size_t length)
{
    size_t at = hash_of(redaction, bytes, length);

    for (;; at++) {
        uint32_t *slot = &values->slots[at & (values->slot_count - 1)];
        const char *item = *slot ? values->items[*slot - 1] : NULL;

        if (!item || (strncmp(item, bytes, length) == 0 && !item[length]))
            return slot;
    }
}

static void make_room(const struct redaction *redaction, struct values *values)
{
    if (values->count * 2 < values->slot_count)
        return;
    values->slot_count = values->slot_count ? values->slot_count * 2 : FIRST_SLOTS;
    values->slots = ARENA_ARRAY(redaction->arena, uint32_t, values->slot_count);
    for (size_t i = 0; i < values->count; i++)
        *slot_of(redaction, values, values->items[i], strlen(values->items[i])) = (uint32_t)i + 1;
}

static size_t number_of(struct redaction *redaction, const struct personal_match *match)
{
    struct values *values = &redaction->values[match->kind];
    uint32_t *slot;

    make_room(redaction, values);
    slot = slot_of(redaction, values, match->bytes, match->length);
    if (!*slot) {
        *ARRAY_ADD(redaction->arena, values->items, values->count) =
            arena_copy(redaction->arena, match->bytes, match->length);
        *slot = (uint32_t)values->count;
    }
    return values->above + *slot;
}

static void hide_match(struct text *out, const struct personal_match *match, void *context)
{
    text_append_format(out, "[%s_%zu]", kind_names[match->kind], number_of(context, match));
}

const char *redaction_hide(struct redaction *redaction, const char *text)
{
    return text ? personal_data_replace(redaction->arena, text, true, hide_match, redaction) : NULL;
}

static void hide_scalar(struct redaction *redaction, struct json_writer *writer,
                        const json_t *value, bool numbers)
{
    char digits[32];
    const char *hidden;

    if (json_is_string(value)) {
        writer_string(writer, redaction_hide(redaction, json_string_value(value)));
        return;
    }
    if (numbers && json_is_integer(value)) {
        snprintf(digits, sizeof digits, "%lld", (long long)json_integer_value(value));
        hidden = redaction_hide(redaction, digits);
        if (hidden != digits) {
            writer_string(writer, hidden);
            return;
        }
    }
    writer_value(writer, value);
}

static void hide_in(struct redaction *redaction, struct json_writer *writer, const json_t *value,
                    bool numbers)
{
    const char *key;
    json_t *item;
    size_t i;

    if (json_is_object(value)) {
        writer_open_object(writer);
        json_object_foreach((json_t *)(uintptr_t)value, key, item)
        {
            writer_key(writer, key);
            hide_in(redaction, writer, item, numbers);
        }
        writer_close_object(writer);
    } else if (json_is_array(value)) {
        writer_open_array(writer);
        json_array_foreach((json_t *)(uintptr_t)value, i, item)
            hide_in(redaction, writer, item, numbers);
        writer_close_array(writer);
    } else {
        hide_scalar(redaction, writer, value, numbers);
    }
}

static const char *hidden_json(struct redaction *redaction, const json_t *value, bool numbers)
{
    struct json_writer writer;
    struct text out;

    text_start(&out, redaction->arena, TEXT_MOST);
    writer_start(&writer, &out);
    hide_in(redaction, &writer, value, numbers);
    return out.bytes;
}

const char *redaction_hide_json(struct redaction *redaction, const char *json, bool numbers)
{
    struct json_fault fault;
    json_t *value;

    if (!json || (!personal_data_may_occur(json, false) && !strstr(json, "\\u")))
        return json;
    if (json_read(redaction->arena, json, strlen(json), DEPTH_MOST, &value, &fault))
        return redaction_hide(redaction, json);
    return hidden_json(redaction, value, numbers);
}

const json_t *redaction_hide_value(struct redaction *redaction, const json_t *value)
{
    struct json_fault fault;
    const char *hidden;
    json_t *copy;

    if (!value)
        return NULL;
    hidden = hidden_json(redaction, value, false);
    /* What cannot be read back is left out: it must not leave as it was. */
    return json_read(redaction->arena, hidden, strlen(hidden), DEPTH_MOST, &copy, &fault)
               ? json_null()
               : copy;
}

static void append_value(struct text *out, const char *value, bool is_json)
{
    struct json_writer writer;
    struct text quoted;

    if (!is_json) {
        text_append_string(out, value);
        return;
    }
    text_start(&quoted, out->arena, TEXT_MOST);
    writer_start(&writer, &quoted);
    writer_string(&writer, value);
    text_append(out, quoted.bytes + 1, quoted.length - 2);
}

/* Tells the waiting bytes as far as they cannot become a placeholder any more. */
static void tell(struct redaction_stream *stream, struct text *out)
{
    while (stream->length) {
        size_t kind, number, told = 1;
        enum shape shape = shape_of(stream->waiting, stream->length, &kind, &number);
        const struct values *values;

        if (shape == SHAPE_PART)
            return;
        values = shape == SHAPE_WHOLE ? &stream->redaction->values[kind] : NULL;
        if (values && number > values->above && number <= values->above + values->count) {
            append_value(out, values->items[number - values->above - 1], stream->is_json);
            told = stream->length;
        } else {
            text_append_byte(out, stream->waiting[0]);
        }
        stream->length -= told;
        memmove(stream->waiting, stream->waiting + told, stream->length);
    }
}

void redaction_stream_take(struct redaction_stream *stream, const char *bytes, size_t length,
                           struct text *out)
{
    for (size_t i = 0; i < length; i++) {
        if (!stream->length && bytes[i] != '[') {
            const char *next = memchr(bytes + i, '[', length - i);
            size_t plain = next ? (size_t)(next - bytes) - i : length - i;

            text_append(out, bytes + i, plain);
            i += plain - 1;
            continue;
        }
        stream->waiting[stream->length++] = bytes[i];
        tell(stream, out);
    }
}

void redaction_stream_end(struct redaction_stream *stream, struct text *out)
{
    text_append(out, stream->waiting, stream->length);
    stream->length = 0;
}

static const char *show(struct redaction *redaction, const char *text, bool is_json)
{
    struct redaction_stream stream = {.redaction = redaction, .is_json = is_json};
    struct text out;

    if (!text || !strchr(text, '[') || !redaction_hides(redaction))
        return text;
    text_start(&out, redaction->arena, TEXT_MOST);
    redaction_stream_take(&stream, text, strlen(text), &out);
    redaction_stream_end(&stream, &out);
    return out.bytes;
}

const char *redaction_show(struct redaction *redaction, const char *text)
{
    return show(redaction, text, false);
}

const char *redaction_show_json(struct redaction *redaction, const char *json)
{
    return show(redaction, json, true);
}

/* Chooses the lines of a list of fields. */
#include "support/answer/fields.h"
#include "base/text.h"
#include "text/plain.h"
#include "text/sentences.h"

#include <math.h>
#include <string.h>

enum { FIELDS_MAX = 64, FIELDS_LEAST = 3, QUOTED_MAX = 4, LABEL_BYTES = 90 };

/* Cover from which a line has a term; the least share of the question in the label of the field
 * asked for, little as names weigh more than labels; the gain of another field, as a share of that
 * of the first. */
static const double has_term = 0.75, share_least = 0.03, gain_share = 0.5;

struct field_line {
    size_t start, value, end; /* in the passage, without the mark of the item */
    float *label_cover, *value_cover;
    bool quoted;
};

struct fields {
    struct arena *arena;
    const struct question *question;
    const struct passage *passage;
    struct field_line lines[FIELDS_MAX];
    size_t count;
    size_t lead; /* the length of what stands before the first item */
};

static size_t mark_length(const char *line)
{
    if (strchr("-*+", *line) && line[1] == ' ')
        return 2;
    return strncmp(line, "\xe2\x80\xa2 ", 4) == 0 ? 4 : 0;
}

/* Where the value of a line begins; 0 when it is no field. */
static size_t value_of(const char *text, size_t start, size_t end)
{
    for (size_t i = start; i < end && i < start + LABEL_BYTES; i++) {
        if (text[i] == ':' && i > start && i + 2 < end && text[i + 1] == ' ')
            return i + 2;
        if (i + 3 < end && i > start && strncmp(text + i, "\xef\xbc\x9a", 3) == 0)
            return i + 3;
    }
    return 0;
}

/* Reads the lines; false when the passage is no list of fields. */
static bool read_lines(struct fields *fields)
{
    const char *text = fields->passage->text;
    size_t length = fields->passage->length, next;

    for (size_t at = 0; at < length; at = next) {
        size_t end = at + strcspn(text + at, "\n"), mark = mark_length(text + at);
        struct field_line *line = &fields->lines[fields->count];

        next = end + (end < length);
        if (!mark && !fields->count) {
            fields->lead = next;
            continue;
        }
        if (!mark || fields->count == FIELDS_MAX)
            return false;
        *line = (struct field_line){.start = at + mark, .end = end};
        line->value = value_of(text, line->start, end);
        if (!line->value)
            return false;
        fields->count++;
    }
    return fields->count >= FIELDS_LEAST;
}

/* A term that a value has is not what its label is asked for. */
static void read_cover(struct fields *fields, struct field_line *line, const float *cover)
{
    const struct question *question = fields->question;
    const char *value =
        text_plain(fields->arena, fields->passage->text + line->value, line->end - line->value);
    const char *label =
        text_plain(fields->arena, fields->passage->text + line->start, line->value - line->start);

    for (size_t t = 0; t < question->count; t++) {
        const char *word = question->terms[t].word.text;
        bool in_value = plain_find(value, word, NULL) && !plain_find(label, word, NULL);
        float *side = in_value || question->terms[t].code ? line->value_cover : line->label_cover;

        if (cover[t] >= has_term)
            side[t] = fmaxf(side[t], cover[t]);
    }
}

static void read_covers(struct fields *fields, const struct selected *item)
{
    const struct found_chunk *chunk = item->chunk;
    size_t index = (size_t)(item->passage - chunk->passages), next = 0, start, end;
    struct sentence_reader reader;

    for (size_t i = 0; i < fields->count; i++) {
        fields->lines[i].label_cover =
            ARENA_ARRAY(fields->arena, float, fields->question->count + 1);
        fields->lines[i].value_cover =
            ARENA_ARRAY(fields->arena, float, fields->question->count + 1);
    }
    while (next < chunk->sentence_count && chunk->sentences[next].passage != index)
        next++;
    sentence_reader_start(&reader, fields->passage->text, fields->passage->length);
    while (next < chunk->sentence_count && sentence_next(&reader, &start, &end)) {
        for (size_t i = 0; i < fields->count; i++) {
            if (fields->lines[i].start < end && start < fields->lines[i].end)
                read_cover(fields, &fields->lines[i], chunk->sentences[next].cover);
        }
        next++;
    }
}

static double gain_of(const struct question *question, const float *cover, const float *had)
{
    double sum = 0;

    for (size_t t = 0; t < question->count; t++)
        sum += question->terms[t].weight * fmax(0, cover[t] - had[t]);
    return question->total > 0 ? sum / question->total : 0;
}

static void take(struct fields *fields, struct field_line *line, float *had)
{
    line->quoted = true;
    for (size_t t = 0; t < fields->question->count; t++)
        had[t] = fmaxf(had[t], fmaxf(line->label_cover[t], line->value_cover[t]));
}

/* The line whose label has the most of the question that nothing quoted has; NULL when it is too
 * little, or another has as much. */
static struct field_line *best_line(struct fields *fields, const float *had, double least)
{
    struct field_line *best = NULL;
    double most = least, second = 0;

    for (size_t i = 0; i < fields->count; i++) {
        double gain = gain_of(fields->question, fields->lines[i].label_cover, had);

        if (fields->lines[i].quoted)
            continue;
        if (gain >= most) {
            second = best ? most : second;
            most = gain;
            best = &fields->lines[i];
        } else {
            second = fmax(second, gain);
        }
    }
    return best && most > second + 1e-6 ? best : NULL;
}

/* Marks the lines to quote; false when no field stands out, or one is asked by its value. */
static bool choose(struct fields *fields)
{
    float *had = ARENA_ARRAY(fields->arena, float, fields->question->count + 1);
    const float *none = ARENA_ARRAY(fields->arena, float, fields->question->count + 1);
    struct field_line *line = best_line(fields, had, share_least);
    double least = line ? gain_share * gain_of(fields->question, line->label_cover, none) : 0;
    size_t quoted = 0;

    if (!line || gain_of(fields->question, line->value_cover, none) > 0)
        return false;
    while (line && quoted < QUOTED_MAX) {
        take(fields, line, had);
        quoted++;
        line = best_line(fields, had, least);
    }
    for (size_t i = 0; i < fields->count && quoted < QUOTED_MAX; i++) {
        if (!fields->lines[i].quoted &&
            gain_of(fields->question, fields->lines[i].value_cover, had) > 0) {
            take(fields, &fields->lines[i], had);
            quoted++;
        }
    }
    return true;
}

/* The lead and the quoted lines; one line alone is no list. */
static const char *join(struct fields *fields, float *covered)
{
    const char *text = fields->passage->text;
    struct text quote;
    size_t quoted = 0;

    for (size_t i = 0; i < fields->count; i++)
        quoted += fields->lines[i].quoted;
    text_start(&quote, fields->arena, (size_t)1 << 20);
    text_append(&quote, text, fields->lead);
    for (size_t i = 0; i < fields->count; i++) {
        const struct field_line *line = &fields->lines[i];

        if (!line->quoted)
            continue;
        for (size_t t = 0; t < fields->question->count; t++)
            covered[t] = fmaxf(covered[t], fmaxf(line->label_cover[t], line->value_cover[t]));
        if (quote.length > fields->lead)
            text_append_byte(&quote, '\n');
        if (quoted > 1 || fields->lead)
            text_append_string(&quote, "- ");
        text_append(&quote, text + line->start, line->end - line->start);
    }
    return quote.bytes;
}

const char *fields_quote(struct arena *arena, const struct question *question,
                         const struct selected *item, float *covered)
{
    struct fields *fields = ARENA_NEW(arena, struct fields);

    *fields =
        (struct fields){.arena = arena, .question = question, .passage = item->passage->passage};
    if (!read_lines(fields))
        return NULL;
    read_covers(fields, item);
    return choose(fields) ? join(fields, covered) : NULL;
}

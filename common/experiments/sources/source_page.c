/* Asks live data for changed rows and decodes them. */
#include "experiments/sources/source_page.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/list.h"
#include "base/number.h"
#include "base/timestamp.h"
#include "experiments/sources/source_call.h"

#include <math.h>
#include <string.h>

enum { USER_BYTES_MAX = 4 * LIVE_USER_MAX, POSITION_BYTES_MAX = 64 };
static const double value_most = 1e150;
static const int64_t ahead_most = 86400000000; /* of a row's time before now */

static const char *path_of(const struct source_settings *settings, struct arena *arena,
                           const struct live_source *source)
{
    return arena_print(arena, "/v1/changes/%s?limit=%lld%s%s", source->entity_type,
                       (long long)settings->page_rows, source->position ? "&after=" : "",
                       source->position ? source->position : "");
}

/* A number, a flag as 0 or 1, or a text that is a number. */
static bool number_of(const json_t *value, double *number)
{
    if (json_is_number(value))
        *number = json_number_value(value);
    else if (json_is_boolean(value))
        *number = json_is_true(value) ? 1 : 0;
    else if (!json_is_string(value) || !number_parse(json_string_value(value), number))
        return false;
    return isfinite(*number) && fabs(*number) <= value_most;
}

static bool user_of(struct arena *arena, const json_t *value, const char **user)
{
    if (json_is_integer(value))
        *user = arena_print(arena, "%lld", (long long)json_integer_value(value));
    else if (json_is_string(value))
        *user = json_string_value(value);
    else
        return false;
    return **user && strlen(*user) <= USER_BYTES_MAX;
}

static bool time_of(const json_t *value, int64_t *at)
{
    if (json_is_string(value))
        return timestamp_from_text(json_string_value(value), at);
    return json_is_number(value) && timestamp_from_number(json_number_value(value), at);
}

static void decode_row(struct arena *arena, const struct live_source *source, const json_t *data,
                       int64_t now, struct source_change *change)
{
    const json_t *value = source->value_column ? json_object_get(data, source->value_column) : NULL;

    change->kind = SOURCE_UNUSABLE;
    change->value = 1;
    if (!user_of(arena, json_object_get(data, source->user_column), &change->user_id) ||
        !time_of(json_object_get(data, source->time_column), &change->occurred_at) ||
        change->occurred_at > now + ahead_most)
        return;
    if (source->value_column && !number_of(value, &change->value))
        return;
    change->kind = source->is_binary && change->value == 0 ? SOURCE_DELETED : SOURCE_VALUE;
}

static bool decode_change(struct arena *arena, const struct live_source *source, const json_t *item,
                          int64_t now, struct source_change *change)
{
    const json_t *id = json_object_get(item, "entity_id");
    const json_t *position = json_object_get(item, "position");
    const json_t *data = json_object_get(item, "data");

    if (!json_is_string(id) || !json_is_string(position) ||
        json_string_length(position) > POSITION_BYTES_MAX)
        return false;
    *change = (struct source_change){.kind = SOURCE_DELETED,
                                     .entity_id = json_string_value(id),
                                     .position = json_string_value(position)};
    if (json_is_object(data))
        decode_row(arena, source, data, now, change);
    return true;
}

/* The time of live data; that of the call where the service does not say. */
static void take_freshness(const json_t *document, int64_t called_at, struct source_page *page)
{
    const json_t *freshness = json_object_get(document, "freshness");
    const json_t *as_of = json_object_get(freshness, "as_of");
    const json_t *age = json_object_get(freshness, "event_age_seconds");

    page->as_of = called_at;
    if (json_is_string(as_of))
        (void)timestamp_from_text(json_string_value(as_of), &page->as_of);
    /* Of two clocks the earlier one: a watch that is ahead makes nothing fresh. */
    if (page->as_of > called_at)
        page->as_of = called_at;
    if (json_is_number(age))
        page->event_age_seconds = GIVEN_NUMBER(json_number_value(age));
}

static enum error decode(struct arena *arena, const struct live_source *source,
                         const json_t *document, int64_t called_at, struct source_page *page,
                         struct problem *problem)
{
    const json_t *items = json_object_get(document, "changes");
    const json_t *position = json_object_get(document, "position");
    const json_t *more = json_object_get(document, "has_more");

    *page = (struct source_page){.position = source->position};
    if (!json_is_array(items) || !json_is_boolean(more))
        return problem_set(problem, ERROR_INVALID, "livedata_refused",
                           "live data answered with something else than changes");
    if (json_is_string(position) && json_string_length(position) <= POSITION_BYTES_MAX)
        page->position = json_string_value(position);
    page->has_more = json_is_true(more);
    if (page->has_more && page->position && source->position &&
        strcmp(page->position, source->position) == 0)
        return problem_set(problem, ERROR_INVALID, "livedata_refused",
                           "live data has further changes, but names no further position");
    page->changes = ARENA_ARRAY(arena, struct source_change, json_array_size(items) + 1);
    for (size_t i = 0; i < json_array_size(items); i++)
        if (decode_change(arena, source, json_array_get(items, i), called_at,
                          &page->changes[page->count]))
            page->count++;
    take_freshness(document, called_at, page);
    return ERROR_NONE;
}

enum error source_page_read(const struct source_settings *settings, struct arena *arena,
                            const struct live_source *source, struct source_page *page,
                            struct problem *problem)
{
    int64_t called_at = clock_unix_microseconds();
    const char *words = NULL;
    json_t *document;
    enum error error;

    *page = (struct source_page){0};
    if (!source_is_word(source->entity_type))
        return problem_set(problem, ERROR_INVALID, "livedata_refused",
                           "livedata.entity_type is no name of an entity type");
    error = source_call(settings, arena, path_of(settings, arena, source), source->entity_type,
                        &document, &words, problem);
    if (!error)
        return decode(arena, source, document, called_at, page, problem);
    page->words = words;
    return error;
}

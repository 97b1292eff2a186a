/* The statement of a lookup, and the rules of each segment. */
#include "experiments/segments/segment_lookup.h"

#include "db/query.h"
#include "experiments/segments/segment.h"

enum { NAMES_BYTES_MAX = 256 * 1024 };

static const struct statement look_up = {
    .name = "segment_lookup",
    .sql = "SELECT s.name, s.definition, CASE WHEN u.user_key IS NULL THEN 0 ELSE 1 END"
           " FROM (SELECT value ->> 0 AS name FROM {json_rows:?}) AS wanted"
           " JOIN segments s ON s.name = wanted.name"
           " LEFT JOIN segment_users u ON u.segment = s.number AND u.user_key = ?",
};

static const char *rows_of(const struct string_list *names, struct arena *arena)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, NAMES_BYTES_MAX);
    writer_start(&writer, &text);
    writer_open_array(&writer);
    for (size_t i = 0; i < names->count; i++)
        writer_strings(&writer, &names->items[i], 1);
    writer_close_array(&writer);
    return text.bytes;
}

static void read_segment(struct query *query, const struct targeting_subject *subject,
                         struct targeting_segment *segment)
{
    struct segment_definition *definition = ARENA_NEW(subject->arena, struct segment_definition);
    const char *document = query_json(query, 1, subject->arena);

    *segment = (struct targeting_segment){.name = query_text(query, 0, subject->arena),
                                          .listed = query_boolean(query, 2)};
    if (!schema_from_json(subject->arena, &segment_definition_stored_schema, document, definition))
        return;
    segment->has_rules = definition->rules.count > 0;
    segment->rules_hold =
        segment->has_rules &&
        targeting_rules_hold(&definition->rules, definition->match, subject, &segment->failure);
}

enum error segment_lookup(struct db *db, const struct string_list *names,
                          struct targeting_subject *subject, struct problem *problem)
{
    const struct targeting_subject alone = {
        .attributes = subject->attributes, .user_id = subject->user_id, .arena = subject->arena};
    struct targeting_segment *segments;
    struct query *query;

    if (names->count == 0)
        return ERROR_NONE;
    segments = ARENA_ARRAY(subject->arena, struct targeting_segment, names->count);
    query = db_query(db, &look_up);
    query_bind_json(query, rows_of(names, subject->arena));
    query_bind_text(query, subject->user_id);
    while (subject->segment_count < names->count && query_next(query))
        read_segment(query, &alone, &segments[subject->segment_count++]);
    subject->segments = segments;
    return query_end(query, problem);
}

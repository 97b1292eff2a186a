/* Rows read into structs: the columns of a statement are matched by name with the fields of a
 * schema, once per run. Knows nothing of engines; row.c gives the values. */
#include "db/db_internal.h"

#include "base/schema.h"
#include "base/timestamp.h"

#include <string.h>

static void fail(struct query *query, int column, const char *what)
{
    query_fail(query, problem_set(&query->problem, ERROR_SYSTEM, "column_type", "column %s %s",
                                  query->db->engine->column_name(query, column), what));
}

/* The field of that name; `next` is where the search begins, because most statements name their
 * columns in the order of the fields. -1 where there is none. */
static int find_field(const struct schema *schema, const char *name, size_t *next)
{
    for (size_t tried = 0; tried < schema->field_count; tried++) {
        size_t at = (*next + tried) % schema->field_count;

        if (strcmp(schema->fields[at].name, name) == 0) {
            *next = at + 1;
            return (int)at;
        }
    }
    return -1;
}

/* Fills query->columns. False when a column has no field. */
static bool match_columns(struct query *query, const struct schema *schema)
{
    int count = query->db->engine->columns(query);
    size_t next = 0;

    for (int i = 0; i < count; i++) {
        int field = find_field(schema, query->db->engine->column_name(query, i), &next);

        if (field < 0) {
            fail(query, i, "has no field in the schema");
            return false;
        }
        query->columns[i] = (short)field;
    }
    query->column_count = count;
    query->schema = schema;
    return true;
}

/* Whether a field may be without a value. */
static bool may_be_null(const struct field *field)
{
    return field->nullable || field->omit_if_null;
}

static int choice_of(struct query *query, int column, const struct field *field,
                     struct arena *arena)
{
    const char *word = query_text_or_null(query, column, arena);

    if (!word) {
        if (!may_be_null(field) && query->state == QUERY_ROW)
            fail(query, column, "is null");
        return -1;
    }
    for (size_t i = 0; i < field->choice_count; i++)
        if (strcmp(word, field->choices[i]) == 0)
            return (int)i;
    fail(query, column, "is none of the field's choices");
    return -1;
}

/* Integers are microseconds since 1970; texts are ISO 8601. */
static struct optional_integer moment_of(struct query *query, int column)
{
    struct optional_integer moment = {0};
    struct value value;

    query_value(query, column, &value);
    if (value.null)
        return moment;
    moment.value = value.integer;
    moment.given = value.kind == VALUE_INTEGER ||
                   (value.kind == VALUE_TEXT && timestamp_from_text(value.bytes, &moment.value));
    if (!moment.given)
        fail(query, column, "is no time");
    return moment;
}

static void read_moment(struct query *query, int column, const struct field *field, void *member)
{
    struct optional_integer moment = moment_of(query, column);

    if (field->nullable)
        *(struct optional_integer *)member = moment;
    else
        *(int64_t *)member = moment.given ? moment.value : 0;
}

/* A list, an object or any value, stored as JSON. */
static void read_document(struct query *query, int column, const struct field *field, void *member,
                          struct arena *arena)
{
    struct value value;
    struct json_fault fault;
    struct schema_errors errors;
    json_t *document;

    query_value(query, column, &value);
    if (value.null && !may_be_null(field) && query->state == QUERY_ROW)
        fail(query, column, "is null");
    if (value.null)
        return;
    if (value.kind != VALUE_TEXT && value.kind != VALUE_JSON) {
        fail(query, column, "is not JSON");
        return;
    }
    if (field->written)
        *(const char **)member = arena_copy(arena, value.bytes, value.length);
    else if (json_read(arena, value.bytes, value.length, JSON_DEPTH_LIMIT, &document, &fault) ||
             schema_decode_member(field, document, member, &errors, arena))
        fail(query, column, "is not what its field takes");
}

static void read_column(struct query *query, int column, const struct field *field, void *member,
                        struct arena *arena)
{
    switch (field->type) {
    case FIELD_STRING:
        *(const char **)member = may_be_null(field) ? query_text_or_null(query, column, arena)
                                                    : query_text(query, column, arena);
        break;
    case FIELD_INTEGER:
        if (field->nullable)
            *(struct optional_integer *)member = query_optional_integer(query, column);
        else
            *(int64_t *)member = query_integer(query, column);
        break;
    case FIELD_NUMBER:
        if (field->nullable)
            *(struct optional_number *)member = query_optional_number(query, column);
        else
            *(double *)member = query_number(query, column);
        break;
    case FIELD_BOOLEAN:
        if (!field->nullable)
            *(bool *)member = query_boolean(query, column);
        else if (query_is_null(query, column))
            *(struct optional_boolean *)member = (struct optional_boolean){0};
        else
            *(struct optional_boolean *)member = GIVEN_BOOLEAN(query_boolean(query, column));
        break;
    case FIELD_CHOICE:
        *(int *)member = choice_of(query, column, field, arena);
        break;
    case FIELD_MOMENT:
        read_moment(query, column, field, member);
        break;
    default:
        read_document(query, column, field, member, arena);
    }
}

void query_read(struct query *query, const struct schema *schema, void *object, struct arena *arena)
{
    if (query->state == QUERY_ROW && query->schema != schema && !match_columns(query, schema))
        return;
    for (int i = 0; i < query->column_count && query->state == QUERY_ROW; i++) {
        const struct field *field = &schema->fields[query->columns[i]];

        read_column(query, i, field, (char *)object + field->offset, arena);
    }
}

enum error query_read_one(struct query *query, const struct schema *schema, void *object,
                          struct arena *arena, bool *found, struct problem *problem)
{
    *found = query_next(query);
    if (*found)
        query_read(query, schema, object, arena);
    return query_end(query, problem);
}

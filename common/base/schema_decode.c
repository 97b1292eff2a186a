/* Decodes a JSON document into a C struct by its schema. It accepts the lenient forms that clients
 * rely on (numeric strings, 0/1 for booleans) and collects every error. */
#include "base/list.h"
#include "base/number.h"
#include "base/schema.h"
#include "base/timestamp.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

/* Integers beyond this are not exact in JavaScript or in a double. */
static const double INTEGER_LIMIT = 0x1p53;

enum { WRITTEN_MAX = 1 << 30 /* bytes of a member that is kept as text */ };

static const struct schema_path *keep_path(struct arena *arena, const struct schema_path *path)
{
    struct schema_path *copy;

    if (!path)
        return NULL;
    copy = ARENA_NEW(arena, struct schema_path);
    *copy = *path;
    copy->parent = keep_path(arena, path->parent);
    return copy;
}

static void add_error(struct schema_errors *errors, struct schema_error error,
                      const struct schema_path *path)
{
    if (errors->count == SCHEMA_ERRORS_MAX)
        return;
    error.path = keep_path(errors->arena, path);
    *LIST_ADD(errors->arena, errors) = error;
}

static void fault(struct schema_errors *errors, enum schema_fault kind, const struct field *field,
                  const struct schema_path *path, const json_t *input)
{
    add_error(errors, (struct schema_error){.fault = kind, .field = field, .input = input}, path);
}

static bool within_bounds(struct schema_errors *errors, const struct field *field, double value,
                          const struct schema_path *path, const json_t *input)
{
    struct bound lower = field->lower, upper = field->upper;
    struct schema_error error = {.field = field, .input = input};

    if (field->type == FIELD_INTEGER || field->type == FIELD_INTEGERS) {
        if (lower.kind == BOUND_NONE)
            lower = (struct bound)AT_LEAST(-INTEGER_LIMIT);
        if (upper.kind == BOUND_NONE)
            upper = (struct bound)AT_MOST(INTEGER_LIMIT);
    }
    if ((lower.kind == BOUND_INCLUSIVE && !(value >= lower.value)) ||
        (lower.kind == BOUND_EXCLUSIVE && !(value > lower.value))) {
        error.fault = FAULT_LOWER_BOUND;
        error.bound = lower;
    } else if ((upper.kind == BOUND_INCLUSIVE && !(value <= upper.value)) ||
               (upper.kind == BOUND_EXCLUSIVE && !(value < upper.value))) {
        error.fault = FAULT_UPPER_BOUND;
        error.bound = upper;
    } else {
        return true;
    }
    add_error(errors, error, path);
    return false;
}

/* An integer as a double. Beyond 2^53 not every integer has one; the result then stays far enough
 * from the bounds that no comparison is wrong. */
static double integer_as_number(int64_t value)
{
    if ((double)value == INTEGER_LIMIT && value > (int64_t)INTEGER_LIMIT)
        return INTEGER_LIMIT + 2;
    if ((double)value == -INTEGER_LIMIT && value < (int64_t)-INTEGER_LIMIT)
        return -INTEGER_LIMIT - 2;
    return (double)value;
}

/* "1e4" is a number, but not accepted as an integer; "12" and "12.0" are. */
static bool read_number_text(const char *text, bool integer, double *number)
{
    int64_t exact;

    if (integer && strpbrk(text, "eE"))
        return false;
    if (!integer || !integer_parse(text, &exact))
        return number_parse(text, number);
    *number = integer_as_number(exact);
    return true;
}

static bool read_number(struct schema_errors *errors, const struct field *field,
                        const json_t *value, const struct schema_path *path, double *number)
{
    bool integer = field->type == FIELD_INTEGER || field->type == FIELD_INTEGERS;

    if (json_is_boolean(value)) {
        *number = json_is_true(value);
    } else if (json_is_integer(value)) {
        *number = integer ? integer_as_number(json_integer_value(value))
                          : (double)json_integer_value(value);
    } else if (json_is_real(value)) {
        *number = json_real_value(value);
    } else if (json_is_string(value)) {
        if (!read_number_text(json_string_value(value), integer, number)) {
            fault(errors, integer ? FAULT_INTEGER_PARSING : FAULT_NUMBER_PARSING, field, path,
                  value);
            return false;
        }
    } else {
        fault(errors, integer ? FAULT_INTEGER_TYPE : FAULT_NUMBER_TYPE, field, path, value);
        return false;
    }
    if (integer && floor(*number) != *number) {
        fault(errors, json_is_string(value) ? FAULT_INTEGER_PARSING : FAULT_INTEGER_FROM_FRACTION,
              field, path, value);
        return false;
    }
    return within_bounds(errors, field, *number, path, value);
}

static bool boolean_word(const char *word, bool *truth)
{
    static const char *const yes[] = {"true", "1", "yes", "on", "t", "y"};
    static const char *const no[] = {"false", "0", "no", "off", "f", "n"};

    for (size_t i = 0; i < COUNT_OF(yes); i++) {
        if (strcasecmp(word, yes[i]) == 0 || strcasecmp(word, no[i]) == 0) {
            *truth = strcasecmp(word, yes[i]) == 0;
            return true;
        }
    }
    return false;
}

static bool read_boolean(struct schema_errors *errors, const struct field *field,
                         const json_t *value, const struct schema_path *path, bool *truth)
{
    double number = json_is_number(value) ? json_number_value(value) : -1;

    if (json_is_boolean(value)) {
        *truth = json_is_true(value);
        return true;
    }
    if (number == 0 || number == 1) {
        *truth = number == 1;
        return true;
    }
    if (json_is_string(value) && boolean_word(json_string_value(value), truth))
        return true;
    fault(errors,
          json_is_string(value) || json_is_number(value) ? FAULT_BOOLEAN_PARSING
                                                         : FAULT_BOOLEAN_TYPE,
          field, path, value);
    return false;
}

static const char *read_string(struct schema_errors *errors, const struct field *field,
                               const json_t *value, const struct schema_path *path)
{
    const char *string = json_string_value(value);
    size_t length;

    if (!string) {
        fault(errors, FAULT_STRING_TYPE, field, path, value);
        return NULL;
    }
    length = utf8_count(string);
    if (field->type == FIELD_STRINGS)
        return string; /* the length limits apply to the list */
    if (length < field->min_length)
        fault(errors, FAULT_STRING_TOO_SHORT, field, path, value);
    else if (field->max_length && length > field->max_length)
        fault(errors, FAULT_STRING_TOO_LONG, field, path, value);
    return string;
}

static int read_choice(struct schema_errors *errors, const struct field *field, const json_t *value,
                       const struct schema_path *path)
{
    const char *word = json_string_value(value);

    for (size_t i = 0; word && i < field->choice_count; i++)
        if (strcmp(word, field->choices[i]) == 0)
            return (int)i;
    fault(errors, FAULT_CHOICE, field, path, value);
    return -1;
}

static void read_moment(struct schema_errors *errors, const struct field *field,
                        const json_t *value, const struct schema_path *path, void *member)
{
    const char *text = json_string_value(value);
    struct optional_integer moment = {0};

    moment.given = text ? timestamp_from_text(text, &moment.value)
                        : json_is_number(value) &&
                              timestamp_from_number(json_number_value(value), &moment.value);
    if (!moment.given)
        fault(errors, FAULT_MOMENT, field, path, value);
    else if (field->nullable)
        *(struct optional_integer *)member = moment;
    else
        *(int64_t *)member = moment.value;
}

static void decode_object(struct schema_errors *errors, const struct schema *schema,
                          const json_t *value, const struct schema_path *path, void *object);

static void decode_list(struct schema_errors *errors, const struct field *field,
                        const json_t *value, const struct schema_path *path, void *member);

static void decode_item(struct schema_errors *errors, const struct field *field,
                        const json_t *value, const struct schema_path *path, void *items, size_t at)
{
    double number = 0;
    bool truth = false;

    switch (field->type) {
    case FIELD_BOOLEANS:
        if (read_boolean(errors, field, value, path, &truth))
            ((bool *)items)[at] = truth;
        break;
    case FIELD_STRINGS:
        ((const char **)items)[at] = read_string(errors, field, value, path);
        break;
    case FIELD_INTEGERS:
        if (read_number(errors, field, value, path, &number))
            ((int64_t *)items)[at] = (int64_t)number;
        break;
    case FIELD_NUMBERS:
        if (field->null_items && json_is_null(value))
            ((double *)items)[at] = NAN;
        else if (read_number(errors, field, value, path, &number))
            ((double *)items)[at] = number;
        break;
    case FIELD_LISTS:
        decode_list(errors, field->item, value, path, (struct object_list *)items + at);
        break;
    default:
        decode_object(errors, field->schema, value, path, (char *)items + at * field->schema->size);
    }
}

static size_t item_size(const struct field *field)
{
    switch (field->type) {
    case FIELD_BOOLEANS:
        return sizeof(bool);
    case FIELD_STRINGS:
        return sizeof(const char *);
    case FIELD_INTEGERS:
        return sizeof(int64_t);
    case FIELD_NUMBERS:
        return sizeof(double);
    case FIELD_LISTS:
        return sizeof(struct object_list);
    default:
        return field->schema->size;
    }
}

/* All list structs begin with the count and have one pointer. */
static void decode_list(struct schema_errors *errors, const struct field *field,
                        const json_t *value, const struct schema_path *path, void *member)
{
    struct object_list *list = member;
    size_t count = json_array_size(value);
    struct schema_error error = {.field = field, .input = value, .actual = count};

    if (!json_is_array(value)) {
        fault(errors, FAULT_LIST_TYPE, field, path, value);
        return;
    }
    if (field->max_length && count > field->max_length) {
        error.fault = FAULT_LIST_TOO_LONG;
        add_error(errors, error, path);
        return;
    }
    list->count = count;
    list->items = arena_alloc_array(errors->arena, count, item_size(field));
    for (size_t i = 0; i < count; i++) {
        struct schema_path step = {.parent = path, .index = i};

        decode_item(errors, field, json_array_get(value, i), &step, list->items, i);
    }
    if (count < field->min_length) {
        error.fault = FAULT_LIST_TOO_SHORT;
        add_error(errors, error, path);
    }
}

/* Checks objects without a schema. */
static void check_objects(struct schema_errors *errors, const struct field *field,
                          const json_t *value, const struct schema_path *path)
{
    if (!json_is_array(value))
        fault(errors, FAULT_LIST_TYPE, field, path, value);
    for (size_t i = 0; i < json_array_size(value); i++) {
        struct schema_path step = {.parent = path, .index = i};

        if (!json_is_object(json_array_get(value, i)))
            fault(errors, FAULT_DICTIONARY_TYPE, field, &step, json_array_get(value, i));
    }
}

/* Keeps a value as it is, or its text for a field that is kept as text. */
static void take_json(struct arena *arena, const struct field *field, const json_t *value,
                      void *member)
{
    struct json_writer writer;
    struct text text;

    if (!field->written) {
        *(const json_t **)member = value;
        return;
    }
    text_start(&text, arena, WRITTEN_MAX);
    writer_start(&writer, &text);
    writer_value(&writer, value);
    *(const char **)member = text.bytes;
}

static void decode_value(struct schema_errors *errors, const struct field *field,
                         const json_t *value, const struct schema_path *path, void *member)
{
    double number = 0;
    bool truth = false;

    switch (field->type) {
    case FIELD_STRING:
        *(const char **)member = read_string(errors, field, value, path);
        break;
    case FIELD_INTEGER:
        if (!read_number(errors, field, value, path, &number))
            break;
        if (field->nullable)
            *(struct optional_integer *)member = GIVEN_INTEGER((int64_t)number);
        else
            *(int64_t *)member = (int64_t)number;
        break;
    case FIELD_NUMBER:
        if (!read_number(errors, field, value, path, &number))
            break;
        if (field->nullable)
            *(struct optional_number *)member = GIVEN_NUMBER(number);
        else
            *(double *)member = number;
        break;
    case FIELD_BOOLEAN:
        if (!read_boolean(errors, field, value, path, &truth))
            break;
        if (field->nullable)
            *(struct optional_boolean *)member = (struct optional_boolean){true, truth};
        else
            *(bool *)member = truth;
        break;
    case FIELD_CHOICE:
        *(int *)member = read_choice(errors, field, value, path);
        break;
    case FIELD_OBJECT:
        *(void **)member = arena_alloc(errors->arena, field->schema->size);
        decode_object(errors, field->schema, value, path, *(void **)member);
        break;
    case FIELD_JSON_OBJECTS:
        check_objects(errors, field, value, path);
        *(const json_t **)member = value;
        break;
    case FIELD_JSON_OBJECT:
        if (!json_is_object(value))
            fault(errors, FAULT_DICTIONARY_TYPE, field, path, value);
        take_json(errors->arena, field, value, member);
        break;
    case FIELD_JSON:
        take_json(errors->arena, field, value, member);
        break;
    case FIELD_MOMENT:
        read_moment(errors, field, value, path, member);
        break;
    default:
        decode_list(errors, field, value, path, member);
    }
}

static void set_default(struct arena *arena, const struct field *field, void *member);

static void set_absent(struct arena *arena, const struct field *field, void *member)
{
    if (field->default_unless_null)
        *(struct optional_integer *)member = GIVEN_INTEGER((int64_t)field->default_value);
    else
        set_default(arena, field, member);
}

/* An object that is absent although it is not nullable: all its fields are absent. */
static void *default_object(struct arena *arena, const struct schema *schema)
{
    char *object = arena_alloc(arena, schema->size);

    for (size_t i = 0; i < schema->field_count; i++)
        set_absent(arena, &schema->fields[i], object + schema->fields[i].offset);
    return object;
}

/* Sets a field that is null, or absent if that is the same. */
static void set_default(struct arena *arena, const struct field *field, void *member)
{
    if (field->type == FIELD_CHOICE)
        *(int *)member = field->nullable ? -1 : (int)field->default_value;
    else if (field->type == FIELD_STRING)
        *(const char **)member = field->default_text;
    else if (field->nullable)
        return;
    else if (field->type == FIELD_INTEGER)
        *(int64_t *)member = (int64_t)field->default_value;
    else if (field->type == FIELD_NUMBER)
        *(double *)member = field->default_value;
    else if (field->type == FIELD_BOOLEAN)
        *(bool *)member = field->default_value != 0;
    else if (field->type == FIELD_OBJECT)
        *(void **)member = default_object(arena, field->schema);
}

static const struct field *find_field(const struct schema *schema, const char *name)
{
    for (size_t i = 0; i < schema->field_count; i++)
        if (strcmp(schema->fields[i].name, name) == 0 && !schema->fields[i].internal)
            return &schema->fields[i];
    return NULL;
}

/* The member of each field, in one pass over the object. Most clients send the fields in the order
 * of the schema, so the search begins after the field found last. Returns how many members have no
 * field. */
static size_t find_members(const struct schema *schema, const json_t *value, const json_t **members)
{
    json_t *object = (json_t *)(uintptr_t)value; /* iterated, not changed */
    size_t next = 0, unknown = 0, tried;

    for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at)) {
        const char *key = json_object_iter_key(at);

        for (tried = 0; tried < schema->field_count; tried++, next++) {
            if (next >= schema->field_count)
                next = 0;
            if (strcmp(schema->fields[next].name, key) == 0 && !schema->fields[next].internal)
                break;
        }
        if (tried < schema->field_count)
            members[next++] = json_object_iter_value(at);
        else
            unknown++;
    }
    return unknown;
}

static void reject_extra(struct schema_errors *errors, const struct schema *schema,
                         const json_t *value, const struct schema_path *path)
{
    json_t *object = (json_t *)(uintptr_t)value; /* iterated, not changed */

    for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at)) {
        struct schema_path step = {.parent = path, .key = json_object_iter_key(at)};

        if (!find_field(schema, step.key) &&
            !(schema->answer && find_field(schema->answer, step.key)))
            fault(errors, FAULT_EXTRA, NULL, &step, json_object_iter_value(at));
    }
}

static bool rejects_extra(const struct schema_errors *errors, const struct schema *schema)
{
    return schema->extra == EXTRA_REJECT || (schema->extra == EXTRA_STORED && errors->strict);
}

static void check_rules(struct schema_errors *errors, const struct schema *schema,
                        const json_t *value, const struct schema_path *path, const void *object)
{
    for (size_t i = 0; i < schema->rule_count; i++) {
        const struct schema_rule *rule = &schema->rules[i];
        struct schema_error error = {.fault = FAULT_RULE, .input = value, .rule = rule};

        if (rule->holds(object))
            continue;
        if (rule->explain)
            rule->explain(object, &error.breach);
        add_error(errors, error, path);
        return;
    }
}

static void decode_object(struct schema_errors *errors, const struct schema *schema,
                          const json_t *value, const struct schema_path *path, void *object)
{
    size_t errors_before = errors->count, unknown;
    const json_t **members;

    if (!json_is_object(value)) {
        fault(errors, FAULT_OBJECT_TYPE, NULL, path, value);
        return;
    }
    members = ARENA_ARRAY(errors->arena, const json_t *, schema->field_count);
    unknown = find_members(schema, value, members);
    for (size_t i = 0; i < schema->field_count; i++) {
        const struct field *field = &schema->fields[i];
        const json_t *member = members[i];
        struct schema_path step = {.parent = path, .key = field->name};
        void *target = (char *)object + field->offset;

        if (field->internal)
            continue;
        if (!member &&
            (field->required || (schema->complete && !field->nullable && !field->optional)))
            fault(errors, FAULT_MISSING, field, &step, value);
        else if (!member)
            set_absent(errors->arena, field, target);
        else if (field->nullable && json_is_null(member))
            set_default(errors->arena, field, target);
        else
            decode_value(errors, field, member, &step, target);
    }
    if (unknown && rejects_extra(errors, schema))
        reject_extra(errors, schema, value, path);
    if (schema->extra == EXTRA_KEEP || schema->keeps_document)
        *(const json_t **)(void *)((char *)object + schema->document) = value;
    if (errors->count == errors_before)
        check_rules(errors, schema, value, path, object);
}

static enum error decode_document(const struct schema *schema, const json_t *document,
                                  const char *root, void *object, struct schema_errors *errors)
{
    struct schema_path start = {.key = root};

    decode_object(errors, schema, document, &start, object);
    return errors->count ? ERROR_MALFORMED : ERROR_NONE;
}

enum error schema_decode(const struct schema *schema, const json_t *document, const char *root,
                         void *object, struct schema_errors *errors, struct arena *arena)
{
    *errors = (struct schema_errors){.arena = arena};
    return decode_document(schema, document, root, object, errors);
}

enum error schema_decode_member(const struct field *field, const json_t *value, void *member,
                                struct schema_errors *errors, struct arena *arena)
{
    struct schema_path start = {.key = field->name};

    *errors = (struct schema_errors){.arena = arena};
    if (!json_is_null(value) || !field->nullable)
        decode_value(errors, field, value, &start, member);
    return errors->count ? ERROR_MALFORMED : ERROR_NONE;
}

enum error schema_decode_request(const struct schema *schema, const json_t *document,
                                 const char *root, void *object, struct schema_errors *errors,
                                 struct arena *arena)
{
    *errors = (struct schema_errors){.arena = arena, .strict = true};
    return decode_document(schema, document, root, object, errors);
}

/* Finds `word`, in lower-case letters, in a name of any case. Other characters than letters and
 * digits are skipped, so that apikey matches X-API-Key, api_key and apiKey. */
static bool has_word(const char *name, const char *word)
{
    for (; *name; name++) {
        const char *at = name, *wanted = word;

        for (; *at && *wanted; at++) {
            if (!isalnum((unsigned char)*at))
                continue;
            if (tolower((unsigned char)*at) != *wanted)
                break;
            wanted++;
        }
        if (!*wanted)
            return true;
    }
    return false;
}

bool schema_is_secret_name(const char *name)
{
    static const char *const secrets[] = {"secret", "token", "password", "apikey", "authorization"};

    for (size_t i = 0; i < COUNT_OF(secrets); i++)
        if (has_word(name, secrets[i]))
            return true;
    return false;
}

bool schema_from_json(struct arena *arena, const struct schema *schema, const char *json,
                      void *object)
{
    struct schema_errors errors = {.arena = arena};
    struct json_fault fault;
    json_t *document;

    return !json_read(arena, json, strlen(json), JSON_DEPTH_LIMIT, &document, &fault) &&
           !schema_decode(schema, document, schema->name, object, &errors, arena);
}

/*
 * Schemas of JSON documents as constant tables. One table decodes a document into a C struct and
 * collects every error, writes a struct as JSON, and describes itself as JSON Schema. Does not
 * depend on HTTP; programs that read documents from files use it too.
 */
#ifndef ASSAY_BASE_SCHEMA_H
#define ASSAY_BASE_SCHEMA_H

#include "base/json.h"
#include "base/optional.h"

enum {
    SCHEMA_ERRORS_MAX = 1000,     /* collected per document; further ones are dropped */
    SCHEMA_RULE_ARGUMENTS_MAX = 4 /* placeholders of one rule's text */
};

/* What a field holds, and the type of the struct member that takes it. */
enum field_type {
    FIELD_STRING,       /* const char *, NULL when null */
    FIELD_INTEGER,      /* int64_t, or struct optional_integer when nullable */
    FIELD_NUMBER,       /* double, or struct optional_number when nullable */
    FIELD_BOOLEAN,      /* bool, or struct optional_boolean when nullable */
    FIELD_CHOICE,       /* int, the position in `choices`; -1 when null */
    FIELD_OBJECT,       /* pointer to the struct of `schema`, NULL when null */
    FIELD_STRINGS,      /* struct string_list */
    FIELD_INTEGERS,     /* struct integer_list */
    FIELD_NUMBERS,      /* struct number_list */
    FIELD_BOOLEANS,     /* struct boolean_list */
    FIELD_OBJECTS,      /* struct object_list of the struct of `schema` */
    FIELD_LISTS,        /* struct object_list of the list struct of `item` */
    FIELD_JSON,         /* json_t *, any value as parsed */
    FIELD_JSON_OBJECT,  /* json_t *, an object as parsed, NULL when null */
    FIELD_JSON_OBJECTS, /* json_t *, an array of objects as parsed */
    FIELD_MOMENT,       /* int64_t, or struct optional_integer when nullable: microseconds since
                           1970 (base/timestamp.h), written by `time` */
    FIELD_VARIANT,      /* struct schema_variant, of replies only */
    FIELD__MAX
};

/* How a time is written. */
enum time_form {
    TIME_OFFSET,       /* 2026-07-30T12:00:00.000000+00:00 */
    TIME_Z,            /* 2026-07-30T12:00:00Z, with six digits of a fraction where it has one */
    TIME_SHORT_OFFSET, /* 2026-07-30T12:00:00+00:00, likewise */
    TIME_Z_SECONDS     /* 2026-07-30T12:00:00Z, the fraction cut */
};

enum bound_kind { BOUND_NONE, BOUND_INCLUSIVE, BOUND_EXCLUSIVE };

struct bound {
    enum bound_kind kind;
    double value;
};

#define AT_LEAST(x)                                                                                \
    {                                                                                              \
        BOUND_INCLUSIVE, (x)                                                                       \
    }
#define ABOVE(x)                                                                                   \
    {                                                                                              \
        BOUND_EXCLUSIVE, (x)                                                                       \
    }
#define AT_MOST(x)                                                                                 \
    {                                                                                              \
        BOUND_INCLUSIVE, (x)                                                                       \
    }
#define BELOW(x)                                                                                   \
    {                                                                                              \
        BOUND_EXCLUSIVE, (x)                                                                       \
    }

struct schema;

struct field {
    const char *name;
    enum field_type type;
    size_t offset;
    bool required;
    bool nullable;
    bool optional;       /* may be absent although its schema is complete */
    bool null_items;     /* of a list of numbers in a request: an item may be null, which is NaN */
    bool secret;         /* its value is never echoed */
    bool internal;       /* for code and SQL only: not in JSON, not described */
    enum time_form time; /* form of a time in a reply */
    bool zero_is_null;   /* for a time that is an int64_t: 0 is null */
    struct bound lower;  /* of a number, or of every number in a list */
    struct bound upper;
    size_t min_length; /* of a string in code points, or of a list in items */
    size_t max_length; /* 0 = only the limit of the document */
    const char *const *choices;
    size_t choice_count;
    const struct schema *schema;
    const struct schema *const *variants; /* of a variant: its possible schemas, then NULL */
    const struct field *item;             /* of a list of lists: the row of the inner lists */
    double default_value; /* value of a number, integer, boolean or choice that is absent and not
                             nullable */
    bool default_unless_null; /* a nullable integer is default_value when absent; null stays null */
    const char *default_text;
    bool written;      /* of an object in a reply: the member is a const char *, its JSON text */
    bool omit_if_null; /* of a reply: left out when it is null, or an empty list */
    bool integer_ok;   /* whole values are written without a fraction: 50, not 50.0 */
    bool rounded;      /* by number_round_figure(), with `decimals` digits after the point */
    int decimals;
    const char *help;
};

/* Fills the placeholders of a broken rule's text. */
struct schema_breach {
    size_t count;
    struct {
        const char *name;
        char value[48];
    } arguments[SCHEMA_RULE_ARGUMENTS_MAX];
};

/* A rule over several fields. It runs when every field of its object is valid; only the first
 * broken rule of an object is reported. `key` names its text in the catalogs; `explain` (or NULL)
 * fills that text's placeholders. */
struct schema_rule {
    const char *key;
    bool (*holds)(const void *object);
    void (*explain)(const void *object, struct schema_breach *breach);
};

/* An object of one of several schemas. Zeroed, it is null. */
struct schema_variant {
    const struct schema *schema;
    const void *object;
};

/* How members without a field are handled. */
enum schema_extra {
    EXTRA_REJECT,
    EXTRA_STORED, /* dropped when read from storage or imported; refused from a client */
    EXTRA_IGNORE, /* dropped: for formats that other programs define */
    EXTRA_KEEP    /* kept: the whole document goes into the member at `document` */
};

struct schema {
    const char *name; /* PascalCase, unique in a service: the component's name in OpenAPI */
    const char *help;
    size_t size;
    const struct field *fields;
    size_t field_count;
    enum schema_extra extra;
    bool open;       /* of a reply: it may have members that are not described */
    size_t document; /* offset of the const json_t * for the whole document, with EXTRA_KEEP or
                        keeps_document */
    bool keeps_document;
    const struct schema *answer; /* of a request: the schema of GET, whose fields are dropped when a
                                    client sends them back; NULL = none */
    bool complete; /* of replies that are also read: every field that is not nullable is required */
    const struct schema_rule *rules;
    size_t rule_count;
    const char *example; /* JSON text, or NULL */
};

enum schema_fault {
    FAULT_MISSING,
    FAULT_EXTRA,
    FAULT_STRING_TYPE,
    FAULT_LIST_TYPE,
    FAULT_INTEGER_TYPE,
    FAULT_NUMBER_TYPE,
    FAULT_BOOLEAN_TYPE,
    FAULT_OBJECT_TYPE,
    FAULT_DICTIONARY_TYPE, /* an object without a schema is expected */
    FAULT_INTEGER_PARSING,
    FAULT_NUMBER_PARSING,
    FAULT_BOOLEAN_PARSING,
    FAULT_INTEGER_FROM_FRACTION,
    FAULT_MOMENT,
    FAULT_CHOICE,
    FAULT_LOWER_BOUND,
    FAULT_UPPER_BOUND,
    FAULT_STRING_TOO_SHORT,
    FAULT_STRING_TOO_LONG,
    FAULT_LIST_TOO_SHORT,
    FAULT_LIST_TOO_LONG,
    FAULT_RULE,
    FAULT__MAX
};

/* One step of the path from the document's root to a value: a key, or an index when key is NULL. */
struct schema_path {
    const struct schema_path *parent;
    const char *key;
    size_t index;
};

struct schema_error {
    enum schema_fault fault;
    const struct schema_path *path;
    const json_t *input; /* the value there; for FAULT_MISSING the parent object */
    const struct field *field;
    struct bound bound; /* the one that was exceeded */
    size_t actual;      /* items found */
    const struct schema_rule *rule;
    struct schema_breach breach;
};

struct schema_errors {
    struct arena *arena;
    bool strict; /* as schema_decode_request() says */
    size_t count;
    struct schema_error *items;
};

/* Decodes `document` into `object` (`schema->size` bytes, zeroed by the caller), collecting every
 * error. `root` is the first step of every error's path ("body", "query"). ERROR_MALFORMED when
 * there are errors; the object must not be used then. Strings stay in the document's arena. */
MUST_CHECK enum error schema_decode(const struct schema *schema, const json_t *document,
                                    const char *root, void *object, struct schema_errors *errors,
                                    struct arena *arena);

/* The same for the body of a client: members of EXTRA_STORED are errors. */
MUST_CHECK enum error schema_decode_request(const struct schema *schema, const json_t *document,
                                            const char *root, void *object,
                                            struct schema_errors *errors, struct arena *arena);

/* Decodes `value` by its row into the one member of `object`'s struct at offset `member`. For
 * values that are stored separately. */
MUST_CHECK enum error schema_decode_member(const struct field *field, const json_t *value,
                                           void *member, struct schema_errors *errors,
                                           struct arena *arena);

/* Writes `object` with every field present, null where it has no value. */
void schema_write(struct json_writer *writer, const struct schema *schema, const void *object);

/* The same as text from the arena; NULL if it is longer than `most` bytes. */
const char *schema_json(struct arena *arena, size_t most, const struct schema *schema,
                        const void *object);

/* Decodes the text that schema_json() has made; false when it does not match the schema. `object`
 * is zeroed by the caller. */
bool schema_from_json(struct arena *arena, const struct schema *schema, const char *json,
                      void *object);

/* Whether `text` is what schema_write() makes of some struct: every field in its order, of its type
 * and in the writer's spelling, without blanks. Such a text can be used in an answer as it is.
 * Bounds, lengths and rules are not checked: the writer of the text did that. */
bool schema_is_text_of(const struct schema *schema, const char *text);

/* Writes the JSON Schema of `schema`; nested schemas are references into components. With `reply`
 * every property counts as required, because replies always carry all of them. */
void schema_describe(struct json_writer *writer, const struct schema *schema, bool reply);

/* The component name of a schema: the schema's name, with the suffix Input if a request and a reply
 * of the same schema differ. */
const char *schema_component_name(const struct schema *schema, bool reply, struct arena *arena);

/* Writes the JSON Schema of one field (a query or path parameter). */
void schema_describe_field(struct json_writer *writer, const struct field *field);

/* True if a member of that name must not be echoed: the name contains secret, token, password, api
 * key or authorization, in any case and with any separators. */
bool schema_is_secret_name(const char *name);

/* Declares the struct of a schema, so that the compiler checks the member type of rows that nest
 * it. SCHEMA() does this itself; SCHEMA_OF() declares a schema of another file. The pointer is
 * never defined: only its type is used. */
/* NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration */
#define SCHEMA_ITEM(variable, struct_type) extern struct_type *variable##_item
#define SCHEMA_ITEM_OF(variable) variable##_item
#define SCHEMA_OF(variable, struct_type)                                                           \
    extern const struct schema variable;                                                           \
    SCHEMA_ITEM(variable, struct_type)

/* Table rows. The member's type is checked at compile time: an object against the struct of its
 * schema, the items of a list against OBJECT_LIST(). */
#define FIELD_OFFSET(owner, member, member_type)                                                   \
    (offsetof(owner, member) + 0 * sizeof(&((owner *)0)->member == (member_type *)0))
#define STRING(owner, member, ...)                                                                 \
    {                                                                                              \
        .name = #member, .type = FIELD_STRING,                                                     \
        .offset = FIELD_OFFSET(owner, member, const char *), __VA_ARGS__                           \
    }
#define INTEGER(owner, member, ...)                                                                \
    {                                                                                              \
        .name = #member, .type = FIELD_INTEGER, .offset = FIELD_OFFSET(owner, member, int64_t),    \
        __VA_ARGS__                                                                                \
    }
#define NULLABLE_INTEGER(owner, member, ...)                                                       \
    {                                                                                              \
        .name = #member, .type = FIELD_INTEGER, .nullable = true,                                  \
        .offset = FIELD_OFFSET(owner, member, struct optional_integer), __VA_ARGS__                \
    }
#define NUMBER(owner, member, ...)                                                                 \
    {                                                                                              \
        .name = #member, .type = FIELD_NUMBER, .offset = FIELD_OFFSET(owner, member, double),      \
        __VA_ARGS__                                                                                \
    }
#define NULLABLE_NUMBER(owner, member, ...)                                                        \
    {                                                                                              \
        .name = #member, .type = FIELD_NUMBER, .nullable = true,                                   \
        .offset = FIELD_OFFSET(owner, member, struct optional_number), __VA_ARGS__                 \
    }
#define BOOLEAN(owner, member, ...)                                                                \
    {                                                                                              \
        .name = #member, .type = FIELD_BOOLEAN, .offset = FIELD_OFFSET(owner, member, bool),       \
        __VA_ARGS__                                                                                \
    }
#define NULLABLE_BOOLEAN(owner, member, ...)                                                       \
    {                                                                                              \
        .name = #member, .type = FIELD_BOOLEAN, .nullable = true,                                  \
        .offset = FIELD_OFFSET(owner, member, struct optional_boolean), __VA_ARGS__                \
    }
#define CHOICE(owner, member, names, ...)                                                          \
    {                                                                                              \
        .name = #member, .type = FIELD_CHOICE, .choices = (names),                                 \
        .offset = offsetof(owner, member) +                                                        \
                  0 * sizeof(char[sizeof(((owner *)0)->member) == sizeof(int) ? 1 : -1]),          \
        __VA_ARGS__                                                                                \
    }
#define OBJECT(owner, member, shape, ...)                                                          \
    {                                                                                              \
        .name = #member, .type = FIELD_OBJECT,                                                     \
        .offset =                                                                                  \
            offsetof(owner, member) + 0 * sizeof(((owner *)0)->member == SCHEMA_ITEM_OF(shape)),   \
        .schema = &(shape), __VA_ARGS__                                                            \
    }
/* An object that is stored as text; `key` is its name in the document. */
#define WRITTEN_OBJECT(owner, member, key, shape, ...)                                             \
    {                                                                                              \
        .name = (key), .type = FIELD_OBJECT, .written = true,                                      \
        .offset = FIELD_OFFSET(owner, member, const char *), .schema = &(shape), __VA_ARGS__       \
    }
/* The same without a schema: an object whose member names are not known in advance. */
#define WRITTEN_JSON(owner, member, ...)                                                           \
    {                                                                                              \
        .name = #member, .type = FIELD_JSON_OBJECT, .written = true,                               \
        .offset = FIELD_OFFSET(owner, member, const char *), __VA_ARGS__                           \
    }
/* A list of such objects. */
#define WRITTEN_JSON_OBJECTS(owner, member, ...)                                                   \
    {                                                                                              \
        .name = #member, .type = FIELD_JSON_OBJECTS, .written = true,                              \
        .offset = FIELD_OFFSET(owner, member, const char *), __VA_ARGS__                           \
    }
#define STRINGS(owner, member, ...)                                                                \
    {                                                                                              \
        .name = #member, .type = FIELD_STRINGS,                                                    \
        .offset = FIELD_OFFSET(owner, member, struct string_list), __VA_ARGS__                     \
    }
#define INTEGERS(owner, member, ...)                                                               \
    {                                                                                              \
        .name = #member, .type = FIELD_INTEGERS,                                                   \
        .offset = FIELD_OFFSET(owner, member, struct integer_list), __VA_ARGS__                    \
    }
#define NUMBERS(owner, member, ...)                                                                \
    {                                                                                              \
        .name = #member, .type = FIELD_NUMBERS,                                                    \
        .offset = FIELD_OFFSET(owner, member, struct number_list), __VA_ARGS__                     \
    }
#define BOOLEANS(owner, member, ...)                                                               \
    {                                                                                              \
        .name = #member, .type = FIELD_BOOLEANS,                                                   \
        .offset = FIELD_OFFSET(owner, member, struct boolean_list), __VA_ARGS__                    \
    }
#define OBJECTS(owner, member, shape, ...)                                                         \
    {                                                                                              \
        .name = #member, .type = FIELD_OBJECTS,                                                    \
        .offset = FIELD_OFFSET(owner, member, struct object_list) +                                \
                  0 * sizeof(((owner *)0)->member##_item == SCHEMA_ITEM_OF(shape)),                \
        .schema = &(shape), __VA_ARGS__                                                            \
    }
#define LISTS(owner, member, row, ...)                                                             \
    {                                                                                              \
        .name = #member, .type = FIELD_LISTS,                                                      \
        .offset = FIELD_OFFSET(owner, member, struct object_list), .item = (row), __VA_ARGS__      \
    }
#define JSON_VALUE(owner, member, ...)                                                             \
    {                                                                                              \
        .name = #member, .type = FIELD_JSON, .offset = FIELD_OFFSET(owner, member, json_t *),      \
        __VA_ARGS__                                                                                \
    }
#define JSON_OBJECT(owner, member, ...)                                                            \
    {                                                                                              \
        .name = #member, .type = FIELD_JSON_OBJECT,                                                \
        .offset = FIELD_OFFSET(owner, member, json_t *), __VA_ARGS__                               \
    }
#define JSON_OBJECTS(owner, member, ...)                                                           \
    {                                                                                              \
        .name = #member, .type = FIELD_JSON_OBJECTS,                                               \
        .offset = FIELD_OFFSET(owner, member, json_t *), __VA_ARGS__                               \
    }
/* A time that is always there; 0 is written as null. */
#define TIME(owner, member, ...)                                                                   \
    {                                                                                              \
        .name = #member, .type = FIELD_MOMENT, .offset = FIELD_OFFSET(owner, member, int64_t),     \
        __VA_ARGS__                                                                                \
    }
/* A time that may be missing: 0, and null in SQL and JSON. */
#define TIME_OR_NULL(owner, member, ...) TIME(owner, member, .zero_is_null = true, __VA_ARGS__)
/* A point in time, absent when null. */
#define MOMENT(owner, member, ...)                                                                 \
    {                                                                                              \
        .name = #member, .type = FIELD_MOMENT, .nullable = true,                                   \
        .offset = FIELD_OFFSET(owner, member, struct optional_integer), __VA_ARGS__                \
    }
/* An object of one of the schemas that `shapes` lists; SHAPED() makes one. */
#define VARIANT(owner, member, shapes, ...)                                                        \
    {                                                                                              \
        .name = #member, .type = FIELD_VARIANT,                                                    \
        .offset = FIELD_OFFSET(owner, member, struct schema_variant), .variants = (shapes),        \
        __VA_ARGS__                                                                                \
    }
#define SHAPED(shape, value)                                                                       \
    ((struct schema_variant){&(shape), (value) + 0 * sizeof((value) == SCHEMA_ITEM_OF(shape))})
/* A schema over a table of fields; further members of the struct may follow. Put `static` before it
 * if only its file uses it. */
#define SCHEMA(variable, type, title, table, ...)                                                  \
    const struct schema variable = {.name = (title),                                               \
                                    .size = sizeof(type),                                          \
                                    .fields = (table),                                             \
                                    .field_count = COUNT_OF(table),                                \
                                    __VA_ARGS__};                                                  \
    SCHEMA_ITEM(variable, type)
#define RULES(table) .rules = (table), .rule_count = COUNT_OF(table)
#define ROUNDED(digits) .rounded = true, .decimals = (digits)
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#endif

/* Schemas: decoding with every error collected, lenient readings, rules, writing, describing. */
#include "base/schema.h"
#include "test.h"

struct point {
    double x;
    double y;
};

struct shape {
    const char *name;
    int kind;
    int64_t sides;
    struct optional_integer holes;
    struct optional_integer seed;
    double area;
    struct optional_number weight;
    bool filled;
    struct optional_boolean visible;
    struct string_list tags;
    struct integer_list counts;
    struct number_list ratios;
    struct boolean_list flags;
    const struct point *centre;
    OBJECT_LIST(struct point, corners);
    json_t *extra;
};

static const char *const kinds[] = {"round", "flat", "deep"};

#define OWNER struct point
static const struct field point_fields[] = {
    NUMBER(OWNER, x, .required = true),
    NUMBER(OWNER, y, .default_value = 1.5, ROUNDED(2)),
};
#undef OWNER

static bool x_is_not_y(const void *object)
{
    const struct point *point = object;

    return point->x != point->y;
}

static void explain_x(const void *object, struct schema_breach *breach)
{
    breach->count = 1;
    breach->arguments[0].name = "x";
    snprintf(breach->arguments[0].value, sizeof breach->arguments[0].value, "%g",
             ((const struct point *)object)->x);
}

static const struct schema_rule point_rules[] = {{"rules.x_is_not_y", x_is_not_y, explain_x}};
static const struct schema point_schema = {.name = "Point",
                                           .size = sizeof(struct point),
                                           .fields = point_fields,
                                           .field_count = COUNT_OF(point_fields),
                                           .rules = point_rules,
                                           .rule_count = COUNT_OF(point_rules)};
SCHEMA_ITEM(point_schema, struct point);

#define OWNER struct shape
static const struct field shape_fields[] = {
    STRING(OWNER, name, .required = true, .min_length = 1, .max_length = 5),
    CHOICE(OWNER, kind, kinds, .choice_count = COUNT_OF(kinds), .required = true),
    INTEGER(OWNER, sides, .lower = AT_LEAST(3), .upper = AT_MOST(10), .default_value = 4),
    NULLABLE_INTEGER(OWNER, holes),
    NULLABLE_INTEGER(OWNER, seed, .default_value = 42, .default_unless_null = true),
    NUMBER(OWNER, area, .lower = ABOVE(0), .upper = BELOW(100), .default_value = 1),
    NULLABLE_NUMBER(OWNER, weight),
    BOOLEAN(OWNER, filled, .default_value = 1),
    NULLABLE_BOOLEAN(OWNER, visible),
    STRINGS(OWNER, tags, .max_length = 3),
    INTEGERS(OWNER, counts, .nullable = true, .min_length = 2),
    NUMBERS(OWNER, ratios, .lower = AT_LEAST(0)),
    BOOLEANS(OWNER, flags, .max_length = 5),
    OBJECT(OWNER, centre, point_schema, .nullable = true),
    OBJECTS(OWNER, corners, point_schema),
    {.name = "extra", .type = FIELD_JSON, .offset = offsetof(struct shape, extra)},
};
#undef OWNER
static const struct schema shape_schema = {.name = "Shape",
                                           .help = "A shape.",
                                           .size = sizeof(struct shape),
                                           .fields = shape_fields,
                                           .field_count = COUNT_OF(shape_fields)};

static struct arena *arena;

static enum error decode(const char *text, struct shape *shape, struct schema_errors *errors)
{
    struct json_fault fault;
    json_t *document;

    memset(shape, 0, sizeof *shape);
    if (json_read(arena, text, strlen(text), 32, &document, &fault))
        return ERROR_SYSTEM;
    return schema_decode(&shape_schema, document, "body", shape, errors, arena);
}

/* "body.corners.1.x" */
static const char *path_text(const struct schema_path *path)
{
    if (!path->parent)
        return path->key;
    if (path->key)
        return arena_print(arena, "%s.%s", path_text(path->parent), path->key);
    return arena_print(arena, "%s.%zu", path_text(path->parent), path->index);
}

TEST(a_full_document_is_decoded)
{
    struct shape shape;
    struct schema_errors errors;

    CHECK_INT(decode("{\"name\":\"ab\",\"kind\":\"deep\",\"sides\":5,\"holes\":2,\"area\":2.5,"
                     "\"weight\":7,\"filled\":false,\"visible\":true,\"tags\":[\"p\",\"q\"],"
                     "\"counts\":[1,2,3],\"ratios\":[0.5],\"centre\":{\"x\":1},"
                     "\"corners\":[{\"x\":1,\"y\":2},{\"x\":3,\"y\":4}],\"extra\":[1]}",
                     &shape, &errors),
              ERROR_NONE);
    CHECK_TEXT(shape.name, "ab");
    CHECK_INT(shape.kind, 2);
    CHECK_INT(shape.sides, 5);
    CHECK(shape.holes.given && shape.holes.value == 2);
    CHECK(shape.area == 2.5 && shape.weight.given && shape.weight.value == 7);
    CHECK(!shape.filled && shape.visible.given && shape.visible.value);
    CHECK_INT(shape.tags.count, 2);
    CHECK_TEXT(shape.tags.items[1], "q");
    CHECK_INT(shape.counts.items[2], 3);
    CHECK(shape.centre->x == 1 && shape.centre->y == 1.5);
    CHECK(((struct point *)shape.corners.items)[1].y == 4);
    CHECK(json_is_array(shape.extra));
}

TEST(absent_fields_take_their_presets)
{
    struct shape shape;
    struct schema_errors errors;

    CHECK_INT(decode("{\"name\":\"ab\",\"kind\":\"round\",\"weight\":null}", &shape, &errors),
              ERROR_NONE);
    CHECK_INT(shape.sides, 4);
    CHECK(shape.area == 1 && shape.filled);
    CHECK(!shape.holes.given && !shape.weight.given && !shape.visible.given && !shape.centre);
    CHECK_INT(shape.corners.count, 0);
}

TEST(null_is_not_absent_where_a_preset_says_so)
{
    struct shape shape;
    struct schema_errors errors;

    CHECK_INT(decode("{\"name\":\"ab\",\"kind\":\"round\"}", &shape, &errors), ERROR_NONE);
    CHECK(shape.seed.given && shape.seed.value == 42);
    CHECK_INT(decode("{\"name\":\"ab\",\"kind\":\"round\",\"seed\":null}", &shape, &errors),
              ERROR_NONE);
    CHECK(!shape.seed.given);
    CHECK_INT(decode("{\"name\":\"ab\",\"kind\":\"round\",\"seed\":7}", &shape, &errors),
              ERROR_NONE);
    CHECK(shape.seed.given && shape.seed.value == 7);
}

TEST(lenient_readings)
{
    struct shape shape;
    struct schema_errors errors;

    CHECK_INT(decode("{\"name\":\"ab\",\"kind\":\"flat\",\"sides\":\" 6 \",\"holes\":3.0,"
                     "\"area\":true,\"weight\":\"1e-3\",\"filled\":\"Off\",\"visible\":1,"
                     "\"counts\":[\"7.0\",true],\"flags\":[true,\"no\",1,0.0,\"T\"]}",
                     &shape, &errors),
              ERROR_NONE);
    CHECK_INT(shape.sides, 6);
    CHECK_INT(shape.holes.value, 3);
    CHECK(shape.area == 1 && shape.weight.value == 0.001);
    CHECK(!shape.filled && shape.visible.value);
    CHECK_INT(shape.counts.items[0], 7);
    CHECK_INT(shape.counts.items[1], 1);
    CHECK_INT(shape.flags.count, 5);
    CHECK(shape.flags.items[0] && !shape.flags.items[1] && shape.flags.items[2]);
    CHECK(!shape.flags.items[3] && shape.flags.items[4]);
}

TEST(every_error_is_collected)
{
    static const struct {
        const char *document;
        const char *path;
        enum schema_fault fault;
    } cases[] = {
        {"{\"kind\":\"flat\"}", "body.name", FAULT_MISSING},
        {"{\"name\":5,\"kind\":\"flat\"}", "body.name", FAULT_STRING_TYPE},
        {"{\"name\":null,\"kind\":\"flat\"}", "body.name", FAULT_STRING_TYPE},
        {"{\"name\":\"\",\"kind\":\"flat\"}", "body.name", FAULT_STRING_TOO_SHORT},
        {"{\"name\":\"abcdef\",\"kind\":\"flat\"}", "body.name", FAULT_STRING_TOO_LONG},
        {"{\"name\":\"a\",\"kind\":\"blue\"}", "body.kind", FAULT_CHOICE},
        {"{\"name\":\"a\",\"kind\":3}", "body.kind", FAULT_CHOICE},
        {"{\"name\":\"a\",\"kind\":\"flat\",\"sides\":2}", "body.sides", FAULT_LOWER_BOUND},
        {"{\"name\":\"a\",\"kind\":\"flat\",\"sides\":11}", "body.sides", FAULT_UPPER_BOUND},
        {"{\"name\":\"a\",\"kind\":\"flat\",\"sides\":4.5}", "body.sides",
         FAULT_INTEGER_FROM_FRACTION},
        {"{\"name\":\"a\",\"kind\":\"flat\",\"sides\":\"x\"}", "body.sides", FAULT_INTEGER_PARSING},
        {"{\"name\":\"a\",\"kind\":\"flat\",\"sides\":[]}", "body.sides", FAULT_INTEGER_TYPE},
        {"{\"name\":\"a\",\"kind\":\"flat\",\"sides\":null}", "body.sides", FAULT_INTEGER_TYPE},
        {"{\"name\":\"a\",\"kind\":\"flat\",\"holes\":9007199254740994}", "body.holes",
         FAULT_UPPER_BOUND},
        {"{\"name\":\"a\",\"kind\":\"flat\",\"holes\":9007199254740993}", "body.holes",
         FAULT_UPPER_BOUND},
        {"{\"name\":\"a\",\"kind\":\"flat\",\"holes\":\"-9007199254740993\"}", "body.holes",
         FAULT_LOWER_BOUND},
        {"{\"name\":\"a\",\"kind\":\"flat\",\"holes\":1e300}", "body.holes", FAULT_UPPER_BOUND},
        {"{\"name\":\"a\",\"kind\":\"flat\",\"area\":0}", "body.area", FAULT_LOWER_BOUND},
        {"{\"name\":\"a\",\"kind\":\"flat\",\"area\":100}", "body.area", FAULT_UPPER_BOUND},
        {"{\"name\":\"a\",\"kind\":\"flat\",\"area\":\"nan\"}", "body.area", FAULT_NUMBER_PARSING},
        {"{\"name\":\"a\",\"kind\":\"flat\",\"area\":{}}", "body.area", FAULT_NUMBER_TYPE},
        {"{\"name\":\"a\",\"kind\":\"flat\",\"filled\":\"maybe\"}", "body.filled",
         FAULT_BOOLEAN_PARSING},
        {"{\"name\":\"a\",\"kind\":\"flat\",\"filled\":2}", "body.filled", FAULT_BOOLEAN_PARSING},
        {"{\"name\":\"a\",\"kind\":\"flat\",\"filled\":[]}", "body.filled", FAULT_BOOLEAN_TYPE},
        {"{\"name\":\"a\",\"kind\":\"flat\",\"tags\":{}}", "body.tags", FAULT_LIST_TYPE},
        {"{\"name\":\"a\",\"kind\":\"flat\",\"tags\":[1]}", "body.tags.0", FAULT_STRING_TYPE},
        {"{\"name\":\"a\",\"kind\":\"flat\",\"tags\":[\"\",\"\",\"\",\"\"]}", "body.tags",
         FAULT_LIST_TOO_LONG},
        {"{\"name\":\"a\",\"kind\":\"flat\",\"counts\":[1]}", "body.counts", FAULT_LIST_TOO_SHORT},
        {"{\"name\":\"a\",\"kind\":\"flat\",\"ratios\":[1,-1]}", "body.ratios.1",
         FAULT_LOWER_BOUND},
        {"{\"name\":\"a\",\"kind\":\"flat\",\"flags\":[true,2]}", "body.flags.1",
         FAULT_BOOLEAN_PARSING},
        {"{\"name\":\"a\",\"kind\":\"flat\",\"flags\":[null]}", "body.flags.0", FAULT_BOOLEAN_TYPE},
        {"{\"name\":\"a\",\"kind\":\"flat\",\"centre\":{}}", "body.centre.x", FAULT_MISSING},
        {"{\"name\":\"a\",\"kind\":\"flat\",\"centre\":[]}", "body.centre", FAULT_OBJECT_TYPE},
        {"{\"name\":\"a\",\"kind\":\"flat\",\"centre\":{\"x\":1,\"z\":1}}", "body.centre.z",
         FAULT_EXTRA},
        {"{\"name\":\"a\",\"kind\":\"flat\",\"centre\":{\"x\":1.5}}", "body.centre", FAULT_RULE},
        {"{\"name\":\"a\",\"kind\":\"flat\",\"corners\":[{\"x\":0},{\"x\":2,\"y\":2}]}",
         "body.corners.1", FAULT_RULE},
        {"[]", "body", FAULT_OBJECT_TYPE},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct shape shape;
        struct schema_errors errors;

        CHECK_INT(decode(cases[i].document, &shape, &errors), ERROR_MALFORMED);
        CHECK_INT(errors.count, 1);
        CHECK_TEXT(path_text(errors.items[0].path), cases[i].path);
        CHECK_INT(errors.items[0].fault, cases[i].fault);
    }
}

TEST(errors_of_one_document_stand_together)
{
    struct shape shape;
    struct schema_errors errors;

    CHECK_INT(decode("{\"kind\":1,\"sides\":99,\"corners\":[{\"y\":1},{\"x\":\"?\"}],\"a\":0,"
                     "\"b\":1}",
                     &shape, &errors),
              ERROR_MALFORMED);
    CHECK_INT(errors.count, 7);
}

TEST(errors_of_one_document_are_limited)
{
    struct text text;
    struct shape shape;
    struct schema_errors errors;

    text_start(&text, arena, 1 << 20);
    text_append_string(&text, "{\"name\":\"a\",\"kind\":\"flat\"");
    for (int i = 0; i < SCHEMA_ERRORS_MAX + 500; i++)
        text_append_format(&text, ",\"k%d\":0", i);
    text_append_byte(&text, '}');
    CHECK_INT(decode(text.bytes, &shape, &errors), ERROR_MALFORMED);
    CHECK_INT(errors.count, SCHEMA_ERRORS_MAX);
}

TEST(rules_explain_themselves)
{
    struct shape shape;
    struct schema_errors errors;

    CHECK_INT(
        decode("{\"name\":\"a\",\"kind\":\"flat\",\"centre\":{\"x\":2,\"y\":2}}", &shape, &errors),
        ERROR_MALFORMED);
    CHECK_TEXT(errors.items[0].rule->key, "rules.x_is_not_y");
    CHECK_TEXT(errors.items[0].breach.arguments[0].value, "2");
}

TEST(structs_are_written_whole)
{
    struct point corners[] = {{1, 2.345}};
    bool flags[] = {true, false};
    struct shape shape = {.name = NULL,
                          .kind = 1,
                          .sides = 3,
                          .holes = GIVEN_INTEGER(2),
                          .area = 5,
                          .flags = {2, flags},
                          .corners = {1, corners}};
    struct text out;
    struct json_writer writer;

    text_start(&out, arena, 4096);
    writer_start(&writer, &out);
    schema_write(&writer, &shape_schema, &shape);
    CHECK_TEXT(
        out.bytes,
        "{\"name\":null,\"kind\":\"flat\",\"sides\":3,\"holes\":2,\"seed\":null,\"area\":5.0,"
        "\"weight\":null,\"filled\":false,\"visible\":null,\"tags\":[],\"counts\":null,"
        "\"ratios\":[],\"flags\":[true,false],\"centre\":null,"
        "\"corners\":[{\"x\":1.0,\"y\":2.35}],"
        "\"extra\":null}");
}

TEST(schemas_describe_themselves)
{
    struct text out;
    struct json_writer writer;
    struct json_fault fault;
    json_t *document, *properties, *items;

    text_start(&out, arena, 1 << 16);
    writer_start(&writer, &out);
    schema_describe(&writer, &shape_schema, false);
    CHECK_INT(json_read(arena, out.bytes, out.length, 32, &document, &fault), ERROR_NONE);
    CHECK_INT(json_array_size(json_object_get(document, "required")), 2);
    CHECK(json_is_false(json_object_get(document, "additionalProperties")));
    properties = json_object_get(document, "properties");
    CHECK_INT(json_object_size(properties), COUNT_OF(shape_fields));
    CHECK(json_number_value(json_object_get(json_object_get(properties, "sides"), "minimum")) == 3);
    CHECK_INT(json_integer_value(json_object_get(json_object_get(properties, "seed"), "default")),
              42);
    CHECK(!json_object_get(json_object_get(properties, "holes"), "default"));
    CHECK(json_number_value(
              json_object_get(json_object_get(properties, "area"), "exclusiveMaximum")) == 100);
    CHECK_TEXT(json_string_value(json_object_get(
                   json_object_get(json_object_get(properties, "corners"), "items"), "$ref")),
               "#/components/schemas/Point");
    items = json_object_get(json_object_get(properties, "flags"), "items");
    CHECK_TEXT(json_string_value(json_object_get(items, "type")), "boolean");
}

struct table {
    struct object_list rows; /* struct integer_list */
};

static const struct field table_row = {.type = FIELD_INTEGERS, .lower = AT_LEAST(0)};
#define OWNER struct table
static const struct field table_fields[] = {
    LISTS(OWNER, rows, &table_row, .required = true, .min_length = 1, .max_length = 3),
};
#undef OWNER
static SCHEMA(table_schema, struct table, "Table", table_fields);

static enum error decode_table(const char *text, struct table *table, struct schema_errors *errors)
{
    struct json_fault fault;
    json_t *document;

    memset(table, 0, sizeof *table);
    CHECK_INT(json_read(arena, text, strlen(text), 32, &document, &fault), ERROR_NONE);
    return schema_decode(&table_schema, document, "body", table, errors, arena);
}

TEST(lists_of_lists)
{
    struct table table;
    struct schema_errors errors;
    struct text out;
    struct json_writer writer;

    CHECK_INT(decode_table("{\"rows\":[[1,2],[],[3.0]]}", &table, &errors), ERROR_NONE);
    CHECK_INT(table.rows.count, 3);

    const struct integer_list *rows = table.rows.items;

    CHECK(rows[0].count == 2 && rows[0].items[1] == 2);
    CHECK_INT(rows[1].count, 0);
    CHECK_INT(rows[2].items[0], 3);
    text_start(&out, arena, 4096);
    writer_start(&writer, &out);
    schema_write(&writer, &table_schema, &table);
    CHECK_TEXT(out.bytes, "{\"rows\":[[1,2],[],[3]]}");
    text_start(&out, arena, 4096);
    writer_start(&writer, &out);
    schema_describe_field(&writer, &table_fields[0]);
    CHECK_TEXT(out.bytes, "{\"type\":\"array\",\"minItems\":1,\"maxItems\":3,\"items\":{\"type\":"
                          "\"array\",\"items\":{\"type\":\"integer\",\"minimum\":0.0}}}");

    CHECK_INT(decode_table("{\"rows\":[[1,-2,0.5],7]}", &table, &errors), ERROR_MALFORMED);
    CHECK_INT(errors.count, 3);
    CHECK_TEXT(path_text(errors.items[0].path), "body.rows.0.1");
    CHECK_INT(errors.items[0].fault, FAULT_LOWER_BOUND);
    CHECK_INT(errors.items[1].fault, FAULT_INTEGER_FROM_FRACTION);
    CHECK_TEXT(path_text(errors.items[2].path), "body.rows.1");
    CHECK_INT(errors.items[2].fault, FAULT_LIST_TYPE);
    CHECK_INT(decode_table("{\"rows\":[]}", &table, &errors), ERROR_MALFORMED);
    CHECK_INT(errors.items[0].fault, FAULT_LIST_TOO_SHORT);
}

struct open_document {
    json_t *free_form;
    const json_t *whole;
};

#define OWNER struct open_document
static const struct field open_fields[] = {JSON_OBJECT(OWNER, free_form, .nullable = true)};
#undef OWNER
static SCHEMA(open_schema, struct open_document, "Open", open_fields, .extra = EXTRA_KEEP,
              .document = offsetof(struct open_document, whole));

TEST(documents_that_are_kept_whole)
{
    static const char *const texts[] = {"{\"free_form\":{\"x\":1},\"more\":2}",
                                        "{\"free_form\":null}", "{\"free_form\":[1]}"};
    struct open_document open[3] = {{0}};
    struct schema_errors errors;
    struct json_fault fault;
    json_t *document;

    for (int i = 0; i < 3; i++) {
        CHECK_INT(json_read(arena, texts[i], strlen(texts[i]), 8, &document, &fault), ERROR_NONE);
        CHECK_INT(schema_decode(&open_schema, document, "body", &open[i], &errors, arena),
                  i < 2 ? ERROR_NONE : ERROR_MALFORMED);
    }
    CHECK_INT(json_integer_value(json_object_get(open[0].free_form, "x")), 1);
    CHECK_INT(json_integer_value(json_object_get(open[0].whole, "more")), 2);
    CHECK(open[1].free_form == NULL);
    CHECK_INT(errors.items[0].fault, FAULT_DICTIONARY_TYPE);
}

struct narrow {
    int64_t kept, id;
    const json_t *whole;
};

#define OWNER struct narrow
static const struct field narrow_fields[] = {INTEGER(OWNER, kept)};
static const struct field answer_fields[] = {INTEGER(OWNER, kept), INTEGER(OWNER, id)};
#undef OWNER
static SCHEMA(stored_schema, struct narrow, "Stored", narrow_fields, .extra = EXTRA_STORED);
static SCHEMA(answer_schema, struct narrow, "Answer", answer_fields);
static SCHEMA(change_schema, struct narrow, "Change", narrow_fields, .answer = &answer_schema,
              .keeps_document = true, .document = offsetof(struct narrow, whole));

TEST(unknown_members_of_what_is_stored_and_of_requests)
{
    static const struct {
        const struct schema *schema;
        const char *text;
        bool fits_stored, fits_request;
    } cases[] = {
        {&stored_schema, "{\"kept\":1,\"more\":2}", true, false},
        {&stored_schema, "{\"kept\":1}", true, true},
        {&change_schema, "{\"kept\":1,\"id\":2}", true, true},
        {&change_schema, "{\"kept\":1,\"id\":2,\"more\":3}", false, false},
    };
    struct schema_errors errors;
    struct json_fault fault;
    struct narrow object;
    json_t *document;

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct schema *schema = cases[i].schema;

        CHECK_INT(json_read(arena, cases[i].text, strlen(cases[i].text), 8, &document, &fault),
                  ERROR_NONE);
        object = (struct narrow){0};
        CHECK_INT(!schema_decode(schema, document, "body", &object, &errors, arena),
                  cases[i].fits_stored);
        CHECK_INT(!schema_decode_request(schema, document, "body", &object, &errors, arena),
                  cases[i].fits_request);
        if (!cases[i].fits_request)
            CHECK_TEXT(path_text(errors.items[0].path), "body.more");
    }
    CHECK_INT(json_object_size(object.whole), 3);
}

TEST(secret_names)
{
    CHECK(schema_is_secret_name("secret") && schema_is_secret_name("bot_token"));
    CHECK(schema_is_secret_name("Password"));
    CHECK(schema_is_secret_name("api_key") && schema_is_secret_name("apiKey"));
    CHECK(schema_is_secret_name("X-API-Key") && schema_is_secret_name("OPENAI_APIKEY"));
    CHECK(schema_is_secret_name("pass-word") && schema_is_secret_name("Authorization"));
    CHECK(!schema_is_secret_name("name") && !schema_is_secret_name("") &&
          !schema_is_secret_name("_"));
    CHECK(!schema_is_secret_name("api") && !schema_is_secret_name("key_metric"));
}

struct whole {
    const char *name;
};

#define OWNER struct whole
static const struct field whole_fields[] = {STRING(OWNER, name)};
#undef OWNER
static SCHEMA(whole_schema, struct whole, "Whole", whole_fields);

struct part {
    int64_t number;
};

#define OWNER struct part
static const struct field part_fields[] = {INTEGER(OWNER, number)};
#undef OWNER
static SCHEMA(part_schema, struct part, "Part", part_fields);

static const struct schema *const either[] = {&whole_schema, &part_schema, NULL};

struct holder {
    struct schema_variant one, other;
    struct string_list texts;
    const char *kept;
};

#define OWNER struct holder
static const struct field holder_fields[] = {
    VARIANT(OWNER, one, either),
    VARIANT(OWNER, other, either, .omit_if_null = true),
    STRINGS(OWNER, texts, .nullable = true, .omit_if_null = true),
    WRITTEN_JSON(OWNER, kept),
};
#undef OWNER
static SCHEMA(holder_schema, struct holder, "Holder", holder_fields);

TEST(an_object_may_have_one_of_several_shapes)
{
    const struct whole whole = {"all"};
    const struct part part = {7};
    const char *nothing;
    struct holder holder = {.one = SHAPED(whole_schema, &whole), .kept = "{}"};

    CHECK_TEXT(schema_json(arena, 4096, &holder_schema, &holder),
               "{\"one\":{\"name\":\"all\"},\"kept\":{}}");
    holder = (struct holder){
        .other = SHAPED(part_schema, &part), .texts = {0, &nothing}, .kept = "{\"a\":[1]}"};
    CHECK_TEXT(schema_json(arena, 4096, &holder_schema, &holder),
               "{\"one\":null,\"other\":{\"number\":7},\"texts\":[],\"kept\":{\"a\":[1]}}");
}

TEST(variants_are_described_as_alternatives)
{
    struct text out;
    struct json_writer writer;

    text_start(&out, arena, 1 << 16);
    writer_start(&writer, &out);
    schema_describe(&writer, &holder_schema, true);
    CHECK(strstr(out.bytes, "\"one\":{\"anyOf\":[{\"$ref\":\"#/components/schemas/Whole\"},"
                            "{\"$ref\":\"#/components/schemas/Part\"}]}"));
}

TEST(json_that_is_kept_as_text_is_decoded_to_text)
{
    static const char json[] = "{\"kept\": {\"a\": [1, 2.50]}}";
    struct schema_errors errors = {.arena = arena};
    struct holder holder = {0};
    struct json_fault fault;
    json_t *document;

    CHECK_INT(json_read(arena, json, strlen(json), 8, &document, &fault), ERROR_NONE);
    CHECK_INT(schema_decode(&holder_schema, document, "holder", &holder, &errors, arena),
              ERROR_NONE);
    CHECK_TEXT(holder.kept, "{\"a\":[1,2.5]}");
}

TEST(objects_are_joined)
{
    CHECK_TEXT(json_join(arena, "{\"a\":1}", "{\"b\":2}"), "{\"a\":1,\"b\":2}");
    CHECK_TEXT(json_join(arena, "{}", "{\"b\":2}"), "{\"b\":2}");
    CHECK_TEXT(json_join(arena, "{\"a\":1}", "{}"), "{\"a\":1}");
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(a_full_document_is_decoded),
        CASE(absent_fields_take_their_presets),
        CASE(null_is_not_absent_where_a_preset_says_so),
        CASE(lenient_readings),
        CASE(every_error_is_collected),
        CASE(errors_of_one_document_stand_together),
        CASE(errors_of_one_document_are_limited),
        CASE(rules_explain_themselves),
        CASE(structs_are_written_whole),
        CASE(schemas_describe_themselves),
        CASE(lists_of_lists),
        CASE(documents_that_are_kept_whole),
        CASE(unknown_members_of_what_is_stored_and_of_requests),
        CASE(secret_names),
        CASE(an_object_may_have_one_of_several_shapes),
        CASE(variants_are_described_as_alternatives),
        CASE(json_that_is_kept_as_text_is_decoded_to_text),
        CASE(objects_are_joined),
    };
    int status;

    arena = arena_create(1 << 24);
    status = test_run_all(cases, COUNT_OF(cases));
    arena_destroy(arena);
    return status;
}

/* Targeting rules against attributes, as tables of JSON. */
#include "experiments/assignment/targeting.h"
#include "test.h"

static struct arena *arena;

static json_t *parse(const char *text)
{
    struct json_fault fault;
    json_t *document = NULL;

    CHECK_INT(json_read(arena, text, strlen(text), 8, &document, &fault), ERROR_NONE);
    return document;
}

static bool holds(enum targeting_operator comparison, const char *value, const char *attributes)
{
    struct targeting_rule rule = {
        .attribute = "a", .comparison = (int)comparison, .value = parse(value)};
    struct object_list rules = {1, &rule};

    return targeting_holds(&rules, attributes ? parse(attributes) : NULL);
}

struct row {
    enum targeting_operator comparison;
    const char *value, *attributes;
    bool expected;
};

static void check_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (holds(rows[i].comparison, rows[i].value, rows[i].attributes) != rows[i].expected)
            printf("row %zu: %s %s\n", i, rows[i].value, rows[i].attributes);
    for (size_t i = 0; i < count; i++)
        CHECK_INT(holds(rows[i].comparison, rows[i].value, rows[i].attributes), rows[i].expected);
}

#define CHECK_ROWS(rows) check_rows(rows, sizeof(rows) / sizeof(rows)[0])

TEST(equality_is_that_of_json)
{
    static const struct row rows[] = {
        {TARGETING_EQUALS, "\"de\"", "{\"a\":\"de\"}", true},
        {TARGETING_EQUALS, "\"de\"", "{\"a\":\"DE\"}", false},
        {TARGETING_EQUALS, "\"de\"", "{\"a\":\"de \"}", false},
        {TARGETING_EQUALS, "1", "{\"a\":1.0}", true},
        {TARGETING_EQUALS, "1.0", "{\"a\":1}", true},
        {TARGETING_EQUALS, "0.1", "{\"a\":0.1}", true},
        {TARGETING_EQUALS, "1", "{\"a\":true}", false},
        {TARGETING_EQUALS, "true", "{\"a\":1}", false},
        {TARGETING_EQUALS, "0", "{\"a\":false}", false},
        {TARGETING_EQUALS, "true", "{\"a\":true}", true},
        {TARGETING_EQUALS, "true", "{\"a\":false}", false},
        {TARGETING_EQUALS, "\"1\"", "{\"a\":1}", false},
        {TARGETING_EQUALS, "9007199254740993", "{\"a\":9007199254740992}", false},
        {TARGETING_EQUALS, "[1,\"x\"]", "{\"a\":[1.0,\"x\"]}", true},
        {TARGETING_EQUALS, "[1,2]", "{\"a\":[2,1]}", false},
        {TARGETING_EQUALS, "[1]", "{\"a\":[1,1]}", false},
        {TARGETING_EQUALS, "[true]", "{\"a\":[1]}", false},
        {TARGETING_EQUALS, "[]", "{\"a\":{}}", false},
        {TARGETING_NOT_EQUALS, "\"de\"", "{\"a\":\"fr\"}", true},
        {TARGETING_NOT_EQUALS, "\"de\"", "{\"a\":\"de\"}", false},
        {TARGETING_NOT_EQUALS, "1", "{\"a\":true}", true},
    };

    CHECK_ROWS(rows);
}

TEST(membership)
{
    static const struct row rows[] = {
        {TARGETING_IN, "[\"de\",\"fr\"]", "{\"a\":\"fr\"}", true},
        {TARGETING_IN, "[\"de\",\"fr\"]", "{\"a\":\"it\"}", false},
        {TARGETING_IN, "[1,2,3]", "{\"a\":2.0}", true},
        {TARGETING_IN, "[1,2,3]", "{\"a\":true}", false},
        {TARGETING_IN, "[]", "{\"a\":1}", false},
        {TARGETING_IN, "[\"1\"]", "{\"a\":1}", false},
        {TARGETING_IN, "[true]", "{\"a\":true}", true},
    };

    CHECK_ROWS(rows);
}

TEST(order_is_of_numbers)
{
    static const struct row rows[] = {
        {TARGETING_GT, "18", "{\"a\":19}", true},
        {TARGETING_GT, "18", "{\"a\":18}", false},
        {TARGETING_GTE, "18", "{\"a\":18}", true},
        {TARGETING_GTE, "18", "{\"a\":17.999}", false},
        {TARGETING_LT, "1.5", "{\"a\":1}", true},
        {TARGETING_LT, "1.5", "{\"a\":1.5}", false},
        {TARGETING_LTE, "1.5", "{\"a\":1.5}", true},
        {TARGETING_LTE, "1.5", "{\"a\":2}", false},
        {TARGETING_GT, "\"18\"", "{\"a\":19}", true},
        {TARGETING_GT, "18", "{\"a\":\"19.5\"}", true},
        {TARGETING_GT, "\"9\"", "{\"a\":\"10\"}", true},
        {TARGETING_GT, "18", "{\"a\":\"many\"}", false},
        {TARGETING_LTE, "18", "{\"a\":\"many\"}", false},
        {TARGETING_GT, "\"many\"", "{\"a\":19}", false},
        {TARGETING_GT, "18", "{\"a\":\"nan\"}", false},
        {TARGETING_LT, "18", "{\"a\":\"-inf\"}", false},
        {TARGETING_GT, "0", "{\"a\":true}", false},
        {TARGETING_GT, "0", "{\"a\":[1]}", false},
        {TARGETING_GT, "0", "{\"a\":{\"b\":1}}", false},
    };

    CHECK_ROWS(rows);
}

TEST(what_is_not_known)
{
    static const struct row rows[] = {
        {TARGETING_EQUALS, "1", "{}", false},
        {TARGETING_EQUALS, "1", "{\"a\":null}", false},
        {TARGETING_NOT_EQUALS, "1", "{}", true},
        {TARGETING_NOT_EQUALS, "1", "{\"a\":null}", true},
        {TARGETING_IN, "[1]", "{}", false},
        {TARGETING_GT, "1", "{}", false},
        {TARGETING_LTE, "1", "{\"a\":null}", false},
        {TARGETING_EQUALS, "1", NULL, false},
        {TARGETING_NOT_EQUALS, "1", NULL, true},
    };

    CHECK_ROWS(rows);
}

TEST(all_rules_must_hold)
{
    struct targeting_rule rules[] = {
        {.attribute = "country", .comparison = TARGETING_IN, .value = parse("[\"de\",\"at\"]")},
        {.attribute = "age", .comparison = TARGETING_GTE, .value = parse("18")},
    };
    struct object_list both = {2, rules}, none = {0};

    CHECK(targeting_holds(&none, NULL));
    CHECK(targeting_holds(&both, parse("{\"country\":\"at\",\"age\":18}")));
    CHECK(!targeting_holds(&both, parse("{\"country\":\"at\",\"age\":17}")));
    CHECK(!targeting_holds(&both, parse("{\"country\":\"ch\",\"age\":18}")));
    CHECK(!targeting_holds(&both, parse("{\"age\":18}")));
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(equality_is_that_of_json), CASE(membership),          CASE(order_is_of_numbers),
        CASE(what_is_not_known),        CASE(all_rules_must_hold),
    };
    int status;

    arena = arena_create(1 << 22);
    status = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    return status;
}

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
    struct payload_setup setup = {.targeting_rules = {1, &rule}};
    struct targeting_subject subject = {.attributes = attributes ? parse(attributes) : NULL,
                                        .arena = arena};

    return targeting_holds(&setup, &subject, NULL);
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

TEST(membership_is_denied)
{
    static const struct row rows[] = {
        {TARGETING_NOT_IN, "[\"de\",\"fr\"]", "{\"a\":\"it\"}", true},
        {TARGETING_NOT_IN, "[\"de\",\"fr\"]", "{\"a\":\"fr\"}", false},
        {TARGETING_NOT_IN, "[1]", "{\"a\":true}", true},
        {TARGETING_NOT_IN, "[1]", "{\"a\":null}", true},
        {TARGETING_NOT_IN, "[1]", NULL, true},
        {TARGETING_NOT_IN, "[]", "{\"a\":1}", true},
    };

    CHECK_ROWS(rows);
}

TEST(parts_of_texts)
{
    static const struct row rows[] = {
        {TARGETING_CONTAINS, "\"ell\"", "{\"a\":\"hello\"}", true},
        {TARGETING_CONTAINS, "\"ELL\"", "{\"a\":\"hello\"}", false},
        {TARGETING_CONTAINS, "\"hello!\"", "{\"a\":\"hello\"}", false},
        {TARGETING_CONTAINS, "\"1\"", "{\"a\":11}", false},
        {TARGETING_CONTAINS, "1", "{\"a\":\"11\"}", false},
        {TARGETING_CONTAINS, "\"pro\"", "{\"a\":[\"basic\",\"pro\"]}", true},
        {TARGETING_CONTAINS, "\"pr\"", "{\"a\":[\"basic\",\"pro\"]}", false},
        {TARGETING_CONTAINS, "2", "{\"a\":[1,2.0]}", true},
        {TARGETING_CONTAINS, "\"x\"", "{\"a\":{\"x\":1}}", false},
        {TARGETING_CONTAINS, "\"x\"", "{}", false},
        {TARGETING_NOT_CONTAINS, "\"ell\"", "{\"a\":\"hello\"}", false},
        {TARGETING_NOT_CONTAINS, "\"x\"", "{\"a\":\"hello\"}", true},
        {TARGETING_NOT_CONTAINS, "\"x\"", "{\"a\":null}", true},
        {TARGETING_STARTS_WITH, "\"he\"", "{\"a\":\"hello\"}", true},
        {TARGETING_STARTS_WITH, "\"lo\"", "{\"a\":\"hello\"}", false},
        {TARGETING_STARTS_WITH, "\"hello\"", "{\"a\":\"hell\"}", false},
        {TARGETING_STARTS_WITH, "\"1\"", "{\"a\":1}", false},
        {TARGETING_STARTS_WITH, "\"h\"", "{\"a\":[\"hello\"]}", false},
        {TARGETING_ENDS_WITH, "\"lo\"", "{\"a\":\"hello\"}", true},
        {TARGETING_ENDS_WITH, "\"he\"", "{\"a\":\"hello\"}", false},
        {TARGETING_ENDS_WITH, "\"hello\"", "{\"a\":\"ello\"}", false},
        {TARGETING_ENDS_WITH, "\"@example.com\"", "{\"a\":\"a@example.com\"}", true},
    };

    CHECK_ROWS(rows);
}

TEST(presence)
{
    static const struct row rows[] = {
        {TARGETING_EXISTS, "true", "{\"a\":0}", true},
        {TARGETING_EXISTS, "true", "{\"a\":\"\"}", true},
        {TARGETING_EXISTS, "true", "{\"a\":null}", false},
        {TARGETING_EXISTS, "true", "{}", false},
        {TARGETING_EXISTS, "false", "{\"a\":false}", false},
        {TARGETING_EXISTS, "false", "{\"a\":null}", true},
        {TARGETING_EXISTS, "false", NULL, true},
    };

    CHECK_ROWS(rows);
}

TEST(versions_in_their_order)
{
    static const struct row rows[] = {
        {TARGETING_VERSION_GT, "\"2.9.0\"", "{\"a\":\"2.10.0\"}", true},
        {TARGETING_VERSION_GTE, "\"2.10\"", "{\"a\":\"2.10.0\"}", true},
        {TARGETING_VERSION_EQUALS, "\"v2.10\"", "{\"a\":\"2.10.0+build.7\"}", true},
        {TARGETING_VERSION_LT, "\"2.0.0\"", "{\"a\":\"2.0.0-rc.1\"}", true},
        {TARGETING_VERSION_LTE, "\"2.0.0\"", "{\"a\":\"2.0.1\"}", false},
        {TARGETING_VERSION_GT, "\"119.0.6045\"", "{\"a\":\"119.0.6045.105\"}", true},
        {TARGETING_VERSION_LT, "\"2\"", "{\"a\":1}", false},
        {TARGETING_VERSION_GT, "\"2\"", "{\"a\":\"latest\"}", false},
        {TARGETING_VERSION_GT, "\"2\"", "{}", false},
    };

    CHECK_ROWS(rows);
}

/* Letters of one, two, three and four bytes; both forms of a letter with a mark. */
static const char *const scripts[] = {
    "Zürich",          "Zu\\u0308rich", "北京市朝阳区",       "กรุงเทพมหานคร", "القاهرة",
    "Санкт-Петербург", "𠮷野家",        "👩‍👩‍👧", "שלום"};

static bool holds_of(enum targeting_operator comparison, const char *value, const char *attribute)
{
    return holds(comparison, arena_print(arena, "\"%s\"", value),
                 arena_print(arena, "{\"a\":\"%s\"}", attribute));
}

/* For texts x and y: xy begins with x, ends with y and contains both, and is none of the others. */
TEST(every_script_is_cut_alike)
{
    for (size_t i = 0; i < COUNT_OF(scripts); i++)
        for (size_t j = 0; j < COUNT_OF(scripts); j++) {
            const char *x = scripts[i], *y = scripts[j];
            const char *both = arena_print(arena, "%s%s", x, y);

            CHECK(holds_of(TARGETING_STARTS_WITH, x, both));
            CHECK(holds_of(TARGETING_ENDS_WITH, y, both));
            CHECK(holds_of(TARGETING_CONTAINS, x, both));
            CHECK(holds_of(TARGETING_CONTAINS, y, both));
            CHECK(!holds_of(TARGETING_NOT_CONTAINS, y, both));
            CHECK(!holds_of(TARGETING_CONTAINS, both, x));
            CHECK_INT(holds_of(TARGETING_EQUALS, x, y), i == j);
            CHECK_INT(holds_of(TARGETING_NOT_EQUALS, x, y), i != j);
            CHECK_INT(holds_of(TARGETING_STARTS_WITH, x, y), i == j);
            CHECK_INT(holds_of(TARGETING_ENDS_WITH, x, y), i == j);
        }
}

/* NFC and NFD of one word differ, as the position of a user by them does. */
TEST(texts_are_not_normalized)
{
    CHECK(!holds_of(TARGETING_EQUALS, "Z\\u00fcrich", "Zu\\u0308rich"));
    CHECK(holds_of(TARGETING_EQUALS, "Z\\u00fcrich", "Zürich"));
    CHECK(holds_of(TARGETING_STARTS_WITH, "Zu", "Zu\\u0308rich"));
    CHECK(!holds_of(TARGETING_STARTS_WITH, "Zu", "Z\\u00fcrich"));
}

static bool design_holds(const struct payload_setup *setup, const char *user,
                         const char *attributes, struct targeting_failure *failure)
{
    const struct targeting_subject subject = {
        .attributes = attributes ? parse(attributes) : NULL, .user_id = user, .arena = arena};

    return targeting_holds(setup, &subject, failure);
}

/* The list or the rules of a segment let a user in; a segment that is not there has no users. */
TEST(segments_have_a_list_and_rules)
{
    struct targeting_rule rules[] = {
        {.attribute = "targetingKey",
         .comparison = TARGETING_IN_SEGMENT,
         .value = parse("\"beta\"")},
        {.attribute = "targetingKey",
         .comparison = TARGETING_NOT_IN_SEGMENT,
         .value = parse("\"staff\"")},
    };
    const struct payload_setup setup = {.targeting_rules = {2, rules}};

    for (int bits = 0; bits < 64; bits++) {
        const struct targeting_segment known[] = {
            {.name = "beta", .listed = bits & 1, .has_rules = bits & 2, .rules_hold = bits & 4},
            {.name = "staff", .listed = bits & 8}};
        struct targeting_subject subject = {.user_id = "u", .arena = arena, .segments = known};
        struct targeting_failure failure = {0};
        bool knows_beta = !(bits & 16), knows_staff = !(bits & 32);
        bool beta = knows_beta && (bits & 1 || (bits & 2 && bits & 4));
        bool staff = knows_staff && bits & 8;

        subject.segments += !knows_beta;
        subject.segment_count = (size_t)knows_beta + (size_t)knows_staff;
        if (knows_staff && !knows_beta)
            subject.segments = known + 1;
        CHECK_INT(targeting_holds(&setup, &subject, &failure), beta && !staff);
        if (beta && staff)
            CHECK(failure.segment && strcmp(failure.segment->name, "staff") == 0);
        if (!beta && !knows_beta)
            CHECK(failure.rule == 0 && !failure.segment);
    }
}

/* Each name once, in the order in which the design asks. */
TEST(a_design_names_its_segments)
{
    struct targeting_rule rules[] = {
        {.attribute = "targetingKey", .comparison = TARGETING_IN_SEGMENT, .value = parse("\"b\"")},
        {.attribute = "country", .comparison = TARGETING_EQUALS, .value = parse("\"a\"")},
        {.attribute = "targetingKey",
         .comparison = TARGETING_NOT_IN_SEGMENT,
         .value = parse("\"a\"")},
        {.attribute = "targetingKey", .comparison = TARGETING_IN_SEGMENT, .value = parse("\"b\"")},
    };
    struct targeting_group group = {.rules = {2, rules + 2}};
    const struct payload_setup setup = {.targeting_rules = {2, rules},
                                        .targeting_groups = {1, &group}};
    const struct string_list names = targeting_segment_names(&setup, arena);

    CHECK_INT(names.count, 2);
    CHECK_TEXT(names.items[0], "b");
    CHECK_TEXT(names.items[1], "a");
    CHECK_INT(targeting_segment_names(&(struct payload_setup){0}, arena).count, 0);
}

TEST(all_rules_must_hold)
{
    struct targeting_rule rules[] = {
        {.attribute = "country", .comparison = TARGETING_IN, .value = parse("[\"de\",\"at\"]")},
        {.attribute = "age", .comparison = TARGETING_GTE, .value = parse("18")},
    };
    const struct payload_setup both = {.targeting_rules = {2, rules}}, none = {0};
    struct targeting_failure failure;

    CHECK(design_holds(&none, NULL, NULL, NULL));
    CHECK(design_holds(&both, NULL, "{\"country\":\"at\",\"age\":18}", NULL));
    CHECK(!design_holds(&both, NULL, "{\"country\":\"at\",\"age\":17}", &failure));
    CHECK_INT(failure.group, -1);
    CHECK_INT(failure.rule, 1);
    CHECK(failure.what == &rules[1]);
    CHECK_INT(json_integer_value(failure.attribute), 17);
    CHECK(!design_holds(&both, NULL, "{\"country\":\"ch\",\"age\":18}", &failure));
    CHECK_INT(failure.rule, 0);
    CHECK(!design_holds(&both, NULL, "{\"age\":18}", &failure));
    CHECK(!failure.attribute);
}

/* Each of four conditions holds or not, in every combination: the design's rules p and q, and the
 * group of r and s. */
TEST(groups_are_conditions_of_their_own)
{
    for (int bits = 0; bits < 16; bits++)
        for (int match = 0; match < 4; match++) {
            const char *names[] = {"p", "q", "r", "s"};
            bool p = bits & 1, q = bits & 2, r = bits & 4, s = bits & 8;
            bool of_group = match & 1 ? r || s : r && s;
            bool expected = match & 2 ? p || q || of_group : p && q && of_group;
            struct targeting_rule rules[4];
            struct targeting_group group = {.match = match & 1 ? TARGETING_ANY : TARGETING_ALL,
                                            .rules = {2, &rules[2]}};
            const struct payload_setup setup = {.targeting_rules = {2, rules},
                                                .targeting_groups = {1, &group},
                                                .targeting_match =
                                                    match & 2 ? TARGETING_ANY : TARGETING_ALL};
            struct targeting_failure failure = {.group = 9};

            for (int i = 0; i < 4; i++)
                rules[i] = (struct targeting_rule){
                    .attribute = names[i], .comparison = TARGETING_EQUALS, .value = parse("1")};
            CHECK_INT(design_holds(
                          &setup, NULL,
                          arena_print(arena, "{\"p\":%d,\"q\":%d,\"r\":%d,\"s\":%d}", p, q, r, s),
                          &failure),
                      expected);
            CHECK_INT(failure.group == 9, expected);
        }
}

TEST(the_user_is_an_attribute)
{
    struct targeting_rule rule = {.attribute = TARGETING_USER,
                                  .comparison = TARGETING_STARTS_WITH,
                                  .value = parse("\"qa-\\\"\"")};
    const struct payload_setup setup = {.targeting_rules = {1, &rule}};

    CHECK(design_holds(&setup, "qa-\"7", NULL, NULL));
    CHECK(!design_holds(&setup, "user-7", NULL, NULL));
    CHECK(!design_holds(&setup, NULL, NULL, NULL));
    CHECK(!design_holds(&setup, "qa-\"7", "{\"targetingKey\":\"other\"}", NULL));
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(equality_is_that_of_json),
        CASE(membership),
        CASE(membership_is_denied),
        CASE(order_is_of_numbers),
        CASE(parts_of_texts),
        CASE(presence),
        CASE(versions_in_their_order),
        CASE(what_is_not_known),
        CASE(every_script_is_cut_alike),
        CASE(texts_are_not_normalized),
        CASE(segments_have_a_list_and_rules),
        CASE(a_design_names_its_segments),
        CASE(all_rules_must_hold),
        CASE(groups_are_conditions_of_their_own),
        CASE(the_user_is_an_attribute),
    };
    int status;

    arena = arena_create(1 << 22);
    status = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    return status;
}

/* What the audit log says of a change: path by path. */
#include "experiments/audit/audit_store.h"
#include "test.h"

static struct arena *arena;

static const json_t *parse(const char *text)
{
    struct json_fault fault;
    json_t *json = NULL;

    if (text && json_read(arena, text, strlen(text), JSON_DEPTH_LIMIT, &json, &fault))
        printf("%s: %s\n", text, fault.text);
    return json;
}

static const struct {
    const char *before, *after;
    const char *diff; /* NULL = nothing differs */
} cases[] = {
    {"{}", "{}", NULL},
    {"{\"a\":1}", "{\"a\":1}", NULL},
    {"{\"a\":1}", "{\"a\":2}", "{\"a\":[1,2]}"},
    {"{\"a\":1}", "{}", "{\"a\":[1,null]}"},
    {"{}", "{\"a\":1}", "{\"a\":[null,1]}"},
    {NULL, "{\"a\":1}", "{\"a\":[null,1]}"},
    {"{\"a\":1}", NULL, "{\"a\":[1,null]}"},
    {NULL, NULL, NULL},
    {"{\"b\":1,\"a\":1}", "{\"a\":2,\"b\":2}", "{\"a\":[1,2],\"b\":[1,2]}"},
    /* Objects are walked, arrays are leaves. */
    {"{\"a\":{\"b\":{\"c\":1}}}", "{\"a\":{\"b\":{\"c\":2}}}", "{\"a.b.c\":[1,2]}"},
    {"{\"a\":[1,{\"b\":2}]}", "{\"a\":[1,{\"b\":3}]}", "{\"a\":[[1,{\"b\":2}],[1,{\"b\":3}]]}"},
    {"{\"a\":[1,2]}", "{\"a\":[2,1]}", "{\"a\":[[1,2],[2,1]]}"},
    {"{\"a\":[{\"b\":1,\"c\":2}]}", "{\"a\":[{\"c\":2,\"b\":1}]}", NULL},
    /* Missing and null are the same. */
    {"{\"a\":null}", "{}", NULL},
    {"{}", "{\"a\":{\"b\":null}}", NULL},
    /* An empty object has no leaf. */
    {"{\"a\":{}}", "{}", NULL},
    {"{\"a\":{}}", "{\"a\":{\"b\":1}}", "{\"a.b\":[null,1]}"},
    {"{\"a\":{\"b\":1}}", "{\"a\":{}}", "{\"a.b\":[1,null]}"},
    {"{\"a\":[]}", "{}", "{\"a\":[[],null]}"},
    /* From object to value: both paths are told. */
    {"{\"a\":{\"b\":1}}", "{\"a\":null}", "{\"a.b\":[1,null]}"},
    {"{\"a\":{\"b\":1}}", "{\"a\":5}", "{\"a\":[null,5],\"a.b\":[1,null]}"},
    /* Sorted bytewise by whole paths. */
    {"{\"a\":{\"z\":1},\"a-\":1,\"A\":1}", "{\"a\":{\"z\":2},\"a-\":2,\"A\":2}",
     "{\"A\":[1,2],\"a-\":[1,2],\"a.z\":[1,2]}"},
    /* Values of every kind, as they are written. */
    {"{\"a\":null}", "{\"a\":false}", "{\"a\":[null,false]}"},
    {"{\"a\":\"x\"}", "{\"a\":\"\\\"\\n\\u00e9\"}", "{\"a\":[\"x\",\"\\\"\\n\xc3\xa9\"]}"},
    {"{\"a\":0.1}", "{\"a\":1e300}", "{\"a\":[0.1,1e+300]}"},
    {"{\"a\":\"5\"}", "{\"a\":5}", "{\"a\":[\"5\",5]}"},
    {"{\"a\":true}", "{\"a\":1}", "{\"a\":[true,1]}"},
};

TEST(says_what_differs)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *diff = audit_diff(arena, parse(cases[i].before), parse(cases[i].after));

        if (cases[i].diff)
            CHECK_TEXT(diff, cases[i].diff);
        else if (diff)
            CHECK_TEXT(diff, "(nothing)");
    }
}

TEST(many_leaves)
{
    struct text before, after;

    text_start(&before, arena, (size_t)1 << 20);
    text_start(&after, arena, (size_t)1 << 20);
    for (int i = 0; i < 3000; i++) {
        text_append_format(&before, "%s\"key%04d\":{\"inner\":%d}", i ? "," : "{", 2999 - i, i);
        text_append_format(&after, "%s\"key%04d\":{\"inner\":%d}", i ? "," : "{", i, 2999 - i);
    }
    text_append_byte(&before, '}');
    text_append_byte(&after, '}');
    CHECK(!audit_diff(arena, parse(before.bytes), parse(after.bytes)));
}

int main(void)
{
    static const struct test_case all[] = {CASE(says_what_differs), CASE(many_leaves)};
    int failed;

    arena = arena_create((size_t)1 << 28);
    failed = test_run_all(all, sizeof all / sizeof all[0]);
    arena_destroy(arena);
    return failed;
}

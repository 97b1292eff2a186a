/* Documents recognised by their text: what the writer wrote passes, what is otherwise is read. */
#include "experiments/payloads/payload.h"
#include "test.h"

static struct arena *arena;

static const char *written(void)
{
    struct schema_errors errors;
    struct json_fault fault;
    struct experiment_payload *payload = ARENA_NEW(arena, struct experiment_payload);
    json_t *document;

    CHECK(!json_read(arena, payload_schema.example, strlen(payload_schema.example), 32, &document,
                     &fault));
    CHECK(!schema_decode(&payload_schema, document, "body", payload, &errors, arena));
    return payload_to_json(payload, arena);
}

static bool parses(const char *text)
{
    struct json_fault fault;
    json_t *document;

    return !json_read(arena, text, strlen(text), 32, &document, &fault);
}

TEST(what_was_written_passes)
{
    CHECK(schema_is_text_of(&payload_schema, written()));
    CHECK(!schema_is_text_of(&payload_schema, payload_schema.example)); /* not every field */
}

TEST(other_spellings_do_not_pass)
{
    static const struct {
        const char *from, *to;
    } changes[] = {
        {"{\"project\":", "{ \"project\":"},
        {"\"project_name\":\"", "\"project_name\":\"\\q"},
        {"\"project_name\":\"", "\"project_name\":\"\\u12"},
        {"\"project_name\":\"", "\"project_name\":\"\xff"},
        {"\"project_name\":\"", "\"project_name\":\"\n"},
        {"\"project_name\":\"", "\"project_nam\":\""},
        {"\"metric_type\":\"", "\"metric_type\":\"other"},
        {"\"alpha\":0.05", "\"alpha\":null"},
        {"\"alpha\":0.05", "\"alpha\":1"},
        {"\"alpha\":0.05", "\"alpha\":0."},
        {"\"alpha\":0.05", "\"alpha\":.05"},
        {"\"alpha\":0.05", "\"alpha\":1.0e"},
        {"\"variants_count\":2", "\"variants_count\":2.0"},
        {"\"variants_count\":2", "\"variants_count\":\"2\""},
        {"\"traffic_split\":[", "\"traffic_split\":[,"},
    };
    const char *text = written();

    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        const char *at = strstr(text, changes[i].from);

        CHECK(at != NULL);
        if (!at)
            continue;
        CHECK(!schema_is_text_of(&payload_schema,
                                 arena_print(arena, "%.*s%s%s", (int)(at - text), text,
                                             changes[i].to, at + strlen(changes[i].from))));
    }
    CHECK(!schema_is_text_of(&payload_schema, arena_print(arena, "%s ", text)));
    CHECK(!schema_is_text_of(&payload_schema, arena_print(arena, "%s}", text)));
    CHECK(!schema_is_text_of(&payload_schema, "null"));
    CHECK(!schema_is_text_of(&payload_schema, "{}"));
}

/* Cut off, and with each byte replaced by each of these: whatever still passes is JSON. */
TEST(whatever_passes_is_json)
{
    static const char bytes[] = "\"\\{}[],:0-.eu n\x01\xc3";
    const char *text = written();
    size_t length = strlen(text);
    char *changed = arena_copy(arena, text, length);
    int passed = 0;

    for (size_t i = 0; i < length; i++) {
        changed[i] = '\0';
        CHECK(!schema_is_text_of(&payload_schema, changed));
        for (size_t j = 0; bytes[j]; j++) {
            changed[i] = bytes[j];
            if (schema_is_text_of(&payload_schema, changed)) {
                passed++;
                CHECK(parses(changed));
            }
        }
        changed[i] = text[i];
        if (i % 64 == 0) {
            arena_reset(arena);
            text = written();
            changed = arena_copy(arena, text, length);
        }
    }
    CHECK(passed > 0);
}

int main(void)
{
    static const struct test_case cases[] = {CASE(what_was_written_passes),
                                             CASE(other_spellings_do_not_pass),
                                             CASE(whatever_passes_is_json)};

    int status;

    arena = arena_create((size_t)1 << 30);
    status = test_run_all(cases, COUNT_OF(cases));
    arena_destroy(arena);
    return status;
}

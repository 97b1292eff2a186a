/* Any text as the answer of an advisor. What is read out of it can be written as the reply holds
 * it, is JSON, and is read back as the same. */
#include "fuzz.h"

#include "experiments/advice/advice_reading.h"

#include <string.h>

enum { INPUT_MEMORY_MAX = 1 << 28, WRITTEN_MAX = 1 << 26, HYPOTHESES_MAX = 5 };

static struct text write_advice(struct arena *arena, const struct advice *advice)
{
    struct text text;
    struct json_writer writer;

    text_start(&text, arena, WRITTEN_MAX);
    writer_start(&writer, &text);
    schema_write(&writer, &advice_schema, advice);
    PROMISE(!text.overflowed, "advice fits when written");
    return text;
}

static void check_advice(struct arena *arena, const char *answer)
{
    struct advice_text read = {0};
    struct advice advice = {.available = true, .provider = "p", .model = "m", .advice = &read};
    enum reading reading = reading_advice(arena, answer, &read);
    struct schema_errors errors;
    struct json_fault fault;
    struct text written;
    json_t *document;
    struct advice again = {0};

    PROMISE(reading >= 0 && reading < READING__MAX, "a reading is one of the codes");
    if (reading != READING_DONE)
        return;
    advice.raw_text = answer;
    written = write_advice(arena, &advice);
    PROMISE(!json_read(arena, written.bytes, written.length, JSON_DEPTH_LIMIT, &document, &fault),
            "what is written is JSON");
    PROMISE(!schema_decode(&advice_schema, document, "body", &again, &errors, arena),
            "what is written is accepted");
    PROMISE(strcmp(write_advice(arena, &again).bytes, written.bytes) == 0,
            "what is kept is read as the same");
}

static void check_hypotheses(struct arena *arena, const char *answer)
{
    struct object_list list = {0};

    if (reading_hypotheses(arena, answer, HYPOTHESES_MAX, &list) != READING_DONE)
        return;
    PROMISE(list.count >= 1 && list.count <= HYPOTHESES_MAX, "there are as many as were asked for");
    for (size_t i = 0; i < list.count; i++) {
        const struct hypothesis *hypothesis = (const struct hypothesis *)list.items + i;

        PROMISE(hypothesis->change && *hypothesis->change, "a hypothesis names a change");
        PROMISE(hypothesis->expected_direction == 0 || hypothesis->expected_direction == 1,
                "a direction is one of two");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_create(INPUT_MEMORY_MAX);
    char *answer = arena_copy(arena, (const char *)data, size);

    answer[utf8_valid_prefix(answer, strlen(answer))] = '\0'; /* providers decode JSON strings */
    check_advice(arena, answer);
    check_hypotheses(arena, answer);
    arena_destroy(arena);
    return 0;
}

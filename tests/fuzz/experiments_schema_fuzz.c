/* Any JSON document through the schemas of the service; the first byte chooses which. What one
 * accepts it can write, the writing is JSON, and where documents are stored they read back as the
 * same. */
#include "fuzz.h"

#include "base/schema.h"
#include "experiments-analysis/calculate.h"
#include "experiments-analysis/multiple_testing.h"
#include "experiments-analysis/sensitivity.h"
#include "experiments-analysis/srm_check.h"
#include "experiments-compute/assignment.h"
#include "experiments-compute/bandit.h"
#include "experiments/analyses/results_schema.h"
#include "experiments/keys/key_store.h"
#include "experiments/payloads/analysis_payload.h"
#include "experiments/payloads/payload.h"

#include <string.h>

enum { INPUT_MEMORY_MAX = 1 << 28, WRITTEN_MAX = 1 << 26 };

static const struct {
    const struct schema *schema;
    bool stored;
} shapes[] = {
    {&payload_schema, true},
    {&analysis_payload_schema, true},
    {&calculate_request_schema},
    {&results_request_schema},
    {&design_schema},
    {&sensitivity_request_schema},
    {&multiple_testing_request_schema},
    {&srm_request_schema},
    {&assignment_request_schema},
    {&bandit_request_schema},
    {&key_request_schema},
};

/* The document as a struct, or NULL; every error of it points into the document. */
static void *decode(const struct schema *schema, const json_t *document, struct arena *arena)
{
    void *object = arena_alloc(arena, schema->size);
    struct schema_errors errors;

    if (!schema_decode(schema, document, "body", object, &errors, arena))
        return object;
    PROMISE(errors.count > 0 && errors.count <= SCHEMA_ERRORS_MAX, "a refusal has its errors");
    for (size_t i = 0; i < errors.count; i++)
        PROMISE(errors.items[i].path && errors.items[i].fault < FAULT__MAX, "an error has a place");
    return NULL;
}

static struct text write_object(const struct schema *schema, const void *object,
                                struct arena *arena)
{
    struct text text;
    struct json_writer writer;

    text_start(&text, arena, WRITTEN_MAX);
    writer_start(&writer, &text);
    schema_write(&writer, schema, object);
    PROMISE(!text.overflowed, "what was read fits when written");
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_create(INPUT_MEMORY_MAX);
    size_t chosen = size ? data[0] % COUNT_OF(shapes) : 0;
    const struct schema *schema = shapes[chosen].schema;
    struct json_fault fault;
    json_t *document, *again;
    void *first, *second;

    if (size &&
        !json_read(arena, (const char *)data + 1, size - 1, JSON_DEPTH_LIMIT, &document, &fault) &&
        (first = decode(schema, document, arena)) != NULL) {
        struct text text = write_object(schema, first, arena);

        PROMISE(!json_read(arena, text.bytes, text.length, JSON_DEPTH_LIMIT, &again, &fault),
                "what is written is JSON");
        if (shapes[chosen].stored) {
            second = decode(schema, again, arena);
            PROMISE(second, "what is written is accepted");
            PROMISE(strcmp(write_object(schema, second, arena).bytes, text.bytes) == 0,
                    "what is stored is read as the same");
        }
    }
    arena_destroy(arena);
    return 0;
}

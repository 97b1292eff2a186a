/* Sizes a design and decodes the answer as a stored analysis, as a client does that saves it. */
#include "experiments/payloads/design_analysis.h"

enum { DOCUMENT_BYTES_MAX = 16 * 1024 * 1024 };

static const struct advice no_advice = {.provider = "none", .model = "none"};

static const char *write_document(struct arena *arena, const struct calculation *calculation,
                                  const struct analysis_report *report, size_t *length)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, DOCUMENT_BYTES_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key(&writer, "calculations");
    schema_write(&writer, &calculation_schema, calculation);
    writer_key(&writer, "report");
    schema_write(&writer, &analysis_report_schema, report);
    writer_key(&writer, "advice");
    schema_write(&writer, &advice_schema, &no_advice);
    writer_close_object(&writer);
    *length = text.length;
    return text.bytes;
}

enum error design_analyze(const struct calculation_call *call,
                          const struct experiment_payload *payload,
                          const struct analysis_payload **analysis)
{
    struct calculation *calculation = ARENA_NEW(call->arena, struct calculation);
    struct analysis_report *report = ARENA_NEW(call->arena, struct analysis_report);
    struct analysis_payload *kept = ARENA_NEW(call->arena, struct analysis_payload);
    struct schema_errors errors;
    struct json_fault fault;
    json_t *json;
    size_t length;
    const char *document;
    enum error error = design_calculate(call, payload, calculation);

    if (error)
        return error;
    design_report_compose(call, payload, calculation, report);
    document = write_document(call->arena, calculation, report, &length);
    if (json_read(call->arena, document, length, JSON_DEPTH_LIMIT, &json, &fault) ||
        schema_decode(&analysis_payload_schema, json, "analysis", kept, &errors, call->arena))
        return problem_set(call->problem, ERROR_SYSTEM, "analysis_unreadable",
                           "an analysis of ours does not fit its own schema");
    *analysis = kept;
    return ERROR_NONE;
}

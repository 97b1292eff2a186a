/* Reports over HTTP: of stored projects as files, of a client's JSON as texts. */
#include "experiments-reports/exports.h"
#include "experiments-reports/compare.h"
#include "experiments/reports/reports.h"
#include "experiments/service.h"

#include <string.h>

enum { CONTENT_BYTES_MAX = 64 * 1024 * 1024, NAME_BYTES_MAX = 600 };

struct content_reply {
    const char *content;
};

struct standalone_request {
    const char *project_name;
    const char *hypothesis;
    json_t *calculation;
    json_t *design;
    json_t *ai_advice;
    json_t *sensitivity;
    json_t *results;
};

enum comparison_format { COMPARISON_MARKDOWN, COMPARISON_PDF, COMPARISON__MAX };
static const char *const comparison_formats[COMPARISON__MAX] = {"markdown", "pdf"};

/* Begins as struct compare_request, whose rules hold for it. */
struct comparison_export {
    struct string_list project_ids;
    int format; /* enum comparison_format */
};
_Static_assert(offsetof(struct comparison_export, project_ids) ==
                   offsetof(struct compare_request, project_ids),
               "the rules of both look at the same place");

#define OWNER struct content_reply
static const struct field content_fields[] = {STRING(OWNER, content)};
#undef OWNER
SCHEMA(content_reply_schema, struct content_reply, "ExportedContent", content_fields);

#define OWNER struct standalone_request
static const struct field standalone_fields[] = {
    STRING(OWNER, project_name, .required = true),
    STRING(OWNER, hypothesis, .nullable = true),
    JSON_OBJECT(OWNER, calculation, .required = true, .help = "As /calculate answers it."),
    JSON_OBJECT(OWNER, design, .required = true, .help = "A report, or its experiment_design."),
    JSON_OBJECT(OWNER, ai_advice, .nullable = true),
    JSON_OBJECT(OWNER, sensitivity, .nullable = true, .help = "As /sensitivity answers it."),
    JSON_OBJECT(OWNER, results, .nullable = true, .help = "As /results answers it."),
};
#undef OWNER
SCHEMA(standalone_request_schema, struct standalone_request, "StandaloneRequest", standalone_fields,
       .help = "What the page shows; anything may be missing inside.",
       .example = "{\"project_name\":\"Checkout\",\"calculation\":{},\"design\":{}}");

#define OWNER struct comparison_export
static const struct field comparison_fields[] = {
    STRINGS(OWNER, project_ids, .required = true, .min_length = COMPARED_MIN,
            .max_length = COMPARED_MAX),
    CHOICE(OWNER, format, comparison_formats, .choice_count = COMPARISON__MAX, .required = true),
};
#undef OWNER
static const struct schema_rule comparison_rules[] = {
    {"errors.schemas.compare_ids_given", compare_ids_are_given},
    {"errors.schemas.compare_ids_differ", compare_ids_differ},
};
SCHEMA(comparison_export_schema, struct comparison_export, "ComparisonExport", comparison_fields,
       RULES(comparison_rules),
       .example = "{\"project_ids\":[\"7d1f3c52-6f5c-4a0e-9a53-0c9b1f0f7a11\","
                  "\"b2f6f2c4-2f3e-4a55-8c1d-5a4d3e2f1b00\"],\"format\":\"markdown\"}");

static struct report_context context_of(const struct request *request)
{
    return (struct report_context){.locale = request->locale, .arena = request->arena};
}

struct report_limits report_limits_of(const struct request *request)
{
    const struct experiments_settings *settings = service_settings(request);

    return (struct report_limits){.pages = settings->report_max_pages,
                                  .text_bytes = settings->report_max_text_bytes,
                                  .seconds = settings->report_seconds};
}

/* The project of the path with its newest analysis, put away or not. */
static enum error read_snapshot(struct request *request, struct project_call *call,
                                struct project_snapshot *snapshot)
{
    enum error error = compare_begin(request, call);

    return error ? error : snapshot_read_analysed(call, request->arguments[0], true, snapshot);
}

void report_name_file(struct request *request, struct reply *reply, const char *name,
                      const char *type, const char *ending)
{
    const char *file =
        arena_print(request->arena, "%s-report.%s", report_slug(request->arena, name), ending);

    reply->content_type = type;
    reply_add_header(reply, "Content-Disposition",
                     arena_print(request->arena, "attachment; filename=\"%s\"", file));
}

enum error report_pdf_handle(struct request *request, struct reply *reply)
{
    struct report_context context = context_of(request);
    struct report_limits limits = report_limits_of(request);
    struct project_page revisions = {.limit = REPORT_REVISIONS_MAX,
                                     .memory_max = service_settings(request)->page_memory_bytes};
    struct project_snapshot snapshot;
    struct project_call call;
    struct report_document document;
    enum error error = read_snapshot(request, &call, &snapshot);

    if (!error)
        error = project_revisions(&call, request->arguments[0], &revisions);
    if (error)
        return error;
    report_of_project(&context, &snapshot, &revisions.items, &document);
    report_name_file(request, reply, snapshot.project.project_name, "application/pdf", "pdf");
    return document_write_pdf(&document, &limits, &reply->body, &request->problem);
}

enum error report_csv_handle(struct request *request, struct reply *reply)
{
    struct report_context context = context_of(request);
    struct project_snapshot snapshot;
    struct project_call call;
    enum error error = read_snapshot(request, &call, &snapshot);

    if (error)
        return error;
    report_csv(&context, &snapshot, &reply->body);
    report_name_file(request, reply, snapshot.project.project_name, "text/csv; charset=utf-8",
                     "csv");
    return ERROR_NONE;
}

enum error report_xlsx_handle(struct request *request, struct reply *reply)
{
    struct report_context context = context_of(request);
    struct worksheet sheets[REPORT_SHEETS];
    struct project_snapshot snapshot;
    struct project_call call;
    enum error error = read_snapshot(request, &call, &snapshot);

    if (error)
        return error;
    report_sheets(&context, &snapshot, sheets);
    report_name_file(request, reply, snapshot.project.project_name, XLSX_TYPE, "xlsx");
    return workbook_write(sheets, REPORT_SHEETS, locale_is_right_to_left(request->locale),
                          &reply->body, &request->problem);
}

static struct text *start_content(struct request *request)
{
    struct text *text = ARENA_NEW(request->arena, struct text);

    text_start(text, request->arena, CONTENT_BYTES_MAX);
    return text;
}

static enum error answer_content(struct request *request, struct reply *reply,
                                 const struct text *text)
{
    struct content_reply *answer = ARENA_NEW(request->arena, struct content_reply);

    answer->content = text->bytes;
    reply->object = answer;
    return ERROR_NONE;
}

enum error export_markdown_handle(struct request *request, struct reply *reply)
{
    struct report_context context = context_of(request);
    struct text *text = start_content(request);
    struct report_document document;

    report_of_analysis(&context, request->body, true, &document);
    document_write_markdown(&document, text);
    return answer_content(request, reply, text);
}

enum error export_html_handle(struct request *request, struct reply *reply)
{
    struct report_context context = context_of(request);
    struct text *text = start_content(request);
    struct report_document document;

    report_of_analysis(&context, request->body, false, &document);
    document_write_html(&document, text);
    return answer_content(request, reply, text);
}

/* What a file may be called anywhere: runs of forbidden characters become one hyphen. */
static const char *file_name(struct arena *arena, const char *name)
{
    struct text text;
    size_t start = 0, end;

    text_start(&text, arena, NAME_BYTES_MAX);
    for (size_t i = 0; name[i] && text.length + 8 < NAME_BYTES_MAX; i++) {
        unsigned char byte = (unsigned char)name[i];

        if (byte >= ' ' && byte != 0x7F && !strchr("<>:\"/\\|?*", byte))
            text_append_byte(&text, name[i]);
        else if (!text.length || text.bytes[text.length - 1] != '-')
            text_append_byte(&text, '-');
    }
    end = utf8_valid_prefix(text.bytes, text.length);
    while (text.bytes[start] == ' ')
        start++;
    while (end > start && text.bytes[end - 1] == ' ')
        end--;
    while (start < end && text.bytes[start] == '.')
        start++;
    while (end > start && text.bytes[end - 1] == '.')
        end--;
    return end > start ? arena_copy(arena, text.bytes + start, end - start) : "ab-test-report";
}

/* RFC 6266: a plain name for every client, the real one (RFC 5987) where it has other letters. */
static const char *disposition(struct arena *arena, const char *name)
{
    struct text text;
    bool plain = true;

    text_start(&text, arena, 4 * NAME_BYTES_MAX);
    text_append_string(&text, "attachment; filename=\"");
    for (const char *at = name; *at; at++) {
        bool ascii = (unsigned char)*at < 0x80;

        plain = plain && ascii;
        if (ascii || ((unsigned char)*at & 0xC0) != 0x80) /* one for each character */
            text_append_byte(&text, (char)(ascii ? *at : '_'));
    }
    text_append_string(&text, "-report.html\"");
    if (plain)
        return text.bytes;
    text_append_string(&text, "; filename*=UTF-8''");
    for (const char *at = name; *at; at++)
        text_append_format(&text, "%%%02X", (unsigned)(unsigned char)*at);
    text_append_string(&text, "-report.html");
    return text.bytes;
}

enum error export_standalone_handle(struct request *request, struct reply *reply)
{
    const struct standalone_request *asked = request->body;
    struct report_context context = context_of(request);
    struct report_parts parts = {.project_name = asked->project_name,
                                 .hypothesis = asked->hypothesis,
                                 .calculation = asked->calculation,
                                 .design = asked->design,
                                 .ai_advice = asked->ai_advice,
                                 .sensitivity = asked->sensitivity,
                                 .results = asked->results,
                                 .now = report_moment(request->arena, store_now(request->arena))};
    struct report_document document;

    report_of_parts(&context, &parts, &document);
    document_write_html(&document, &reply->body);
    reply->content_type = "text/html; charset=utf-8";
    reply_add_header(reply, "Content-Disposition",
                     disposition(request->arena, file_name(request->arena, asked->project_name)));
    return ERROR_NONE;
}

/* The bytes of the PDF as text. */
static enum error encode_pdf(struct request *request, const struct report_document *document,
                             struct text *text)
{
    struct report_limits limits = report_limits_of(request);
    struct text *bytes = start_content(request);
    enum error error = document_write_pdf(document, &limits, bytes, &request->problem);

    if (!error)
        text_append_base64(text, bytes->bytes, bytes->length);
    return error;
}

enum error export_comparison_handle(struct request *request, struct reply *reply)
{
    const struct comparison_export *asked = request->body;
    const struct string_list *ids = &asked->project_ids;
    struct report_context context = context_of(request);
    struct project_snapshot *snapshots =
        ARENA_ARRAY(request->arena, struct project_snapshot, ids->count);
    struct comparison *found = ARENA_NEW(request->arena, struct comparison);
    struct text *text = start_content(request);
    struct report_document document;
    struct project_call call;
    enum error error = compare_begin(request, &call);

    if (!error)
        error = compare_read(&call, ids, snapshots);
    if (error)
        return error;
    comparison_build(snapshots, ids->count, request->arena, found);
    report_of_comparison(&context, found, asked->format == COMPARISON_PDF, &document);
    if (asked->format == COMPARISON_PDF)
        error = encode_pdf(request, &document, text);
    else
        document_write_markdown(&document, text);
    return error ? error : answer_content(request, reply, text);
}

/* Sends one prompt to a running orchestrator and checks the answer, for example after a release.
 * Prints one JSON object. `--help` lists the options and exit codes. */
#include "base/clock.h"
#include "net/fetch.h"
#include "orchestrator/snapshot/tool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANSWER_BYTES = 64 << 20, FILE_BYTES = 20 << 20, DEFAULT_SECONDS = 360, END_BYTES = 65536 };
enum { EXIT_GOOD, EXIT_BAD, PROBLEMS_MAX = 4 };

static const char help[] =
    "usage: orch-smoke --pattern smart|debate|consensus|compare|upload\n"
    "                  [--base-url URL] [--prompt TEXT] [--attachment FILE]\n"
    "                  [--timeout SECONDS] [--outdir DIR] [--tag WORD]\n"
    "\n"
    "Sends one prompt to a running orchestrator and checks the answer, for example\n"
    "after a release. Prints one JSON object.\n"
    "\n"
    "  --pattern WORD     smart, debate, consensus, compare or upload.\n"
    "  --base-url URL     The service (http://127.0.0.1:8011); ORCH_API_KEY is the key.\n"
    "  --attachment FILE  The file that `upload` sends.\n"
    "  --timeout SECONDS  How long to wait (360).\n"
    "  --outdir DIR       Keep the whole answer there, in a file named by --tag.\n"
    "\n"
    "Exit codes: 0 the answer is good; 1 it is not, or none came; 2 the command line or\n"
    "the settings are wrong.\n";
static const char boundary[] = "assay-7f3a9c51";

/* The request of each pattern, and the minimum length of an answer. */
struct pattern {
    const char *name, *path, *question, *answer;
    size_t least;
};
static const struct pattern patterns[] = {
    {"smart", "/api/v1/smart", "prompt", "answer", 500},
    {"debate", "/api/v1/debate", "topic", "improved_response", 500},
    {"consensus", "/api/v1/consensus", "prompt", "best_response", 300},
    {"compare", "/api/v1/compare", "prompt", "answers", 400},
    {"upload", "/api/v1/orchestrate/upload", "prompt", "output_text", 150},
};
static const char default_url[] = "http://127.0.0.1:8011";
static const char default_prompt[] =
    "How does a write-ahead log keep a database whole when the power fails, what does it cost, and "
    "when would you do without one? Answer in several paragraphs.";

struct smoke {
    struct tool *tool;
    const struct pattern *pattern;
    const char *output; /* file for the answer; NULL = not written */
    struct string_list problems;
    size_t length;
};

static void fault(struct smoke *smoke, const char *message)
{
    if (smoke->problems.count < PROBLEMS_MAX)
        smoke->problems.items[smoke->problems.count++] = message;
}

static const struct pattern *find_pattern(const char *name)
{
    for (size_t i = 0; name && i < sizeof patterns / sizeof patterns[0]; i++)
        if (strcmp(patterns[i].name, name) == 0)
            return &patterns[i];
    return NULL;
}

static void write_json(const struct smoke *smoke, const char *prompt, struct text *body)
{
    struct json_writer writer;

    writer_start(&writer, body);
    writer_open_object(&writer);
    writer_key_string(&writer, smoke->pattern->question, prompt);
    writer_close_object(&writer);
}

static bool append_file(const struct tool *tool, struct text *body)
{
    FILE *file = fopen(tool->attachment, "rbe");
    char bytes[65536];
    size_t count;
    bool good;

    while (file && (count = fread(bytes, 1, sizeof bytes, file)) > 0)
        text_append(body, bytes, count);
    good = file && !ferror(file) && !body->overflowed;
    if (file)
        fclose(file);
    return good;
}

static bool write_form(const struct smoke *smoke, const char *prompt, struct text *body)
{
    const char *slash = strrchr(smoke->tool->attachment, '/');
    bool good;

    text_append_format(body,
                       "--%s\r\nContent-Disposition: form-data; name=\"prompt\"\r\n\r\n%s\r\n"
                       "--%s\r\nContent-Disposition: form-data; name=\"files\"; filename=\"%s\"\r\n"
                       "Content-Type: application/octet-stream\r\n\r\n",
                       boundary, prompt, boundary, slash ? slash + 1 : smoke->tool->attachment);
    good = append_file(smoke->tool, body);
    text_append_format(body, "\r\n--%s--\r\n", boundary);
    return good;
}

static void ask(const struct smoke *smoke, const char *url, const struct text *body,
                struct fetch_answer *answer)
{
    const struct tool *tool = smoke->tool;
    double seconds = (double)(tool->seconds ? tool->seconds : DEFAULT_SECONDS);
    struct fetch_request request = {
        .url = url,
        .body = body->bytes,
        .body_length = body->length,
        .headers = {{"Content-Type",
                     tool->attachment
                         ? arena_print(tool->arena, "multipart/form-data; boundary=%s", boundary)
                         : "application/json"}},
        .header_count = 1,
        .answer_max = ANSWER_BYTES,
        .private_too = true,
        .policy = {.connect_seconds = 10,
                   .attempt_seconds = seconds,
                   .total_seconds = seconds,
                   .attempts = 1}};

    if (tool->settings.api_key)
        request.headers[request.header_count++] =
            (struct fetch_header){"X-API-Key", tool->settings.api_key};
    fprintf(stderr, "orch-smoke: asking %s, for %.0f s at most\n", url, seconds);
    fetch(tool->arena, &request, answer);
}

/* Number of characters of the answer; for a comparison, of all models' answers. */
static size_t length_of(const json_t *answer)
{
    size_t length = 0;

    if (json_is_string(answer))
        return utf8_count(json_string_value(answer));
    for (size_t i = 0; i < json_array_size(answer); i++)
        length += length_of(json_object_get(json_array_get(answer, i), "answer"));
    return length;
}

static void judge(struct smoke *smoke, const struct fetch_answer *answer)
{
    static const char *const markers[] = {"[auth_failed]", "[provider_unavailable]"};
    struct arena *arena = smoke->tool->arena;
    struct json_fault json_fault;
    json_t *document = NULL;

    if (answer->outcome != FETCH_ANSWERED) {
        fault(smoke, arena_print(arena, "No answer: %s.", fetch_outcome_name(answer->outcome)));
        return;
    }
    if (answer->status != 200)
        fault(smoke, arena_print(arena, "Status %d.", answer->status));
    if (json_read(arena, answer->body, answer->length, JSON_DEPTH_LIMIT, &document, &json_fault)) {
        fault(smoke, "The answer is no JSON.");
        return;
    }
    smoke->length = length_of(json_object_get(document, smoke->pattern->answer));
    if (smoke->length < smoke->pattern->least)
        fault(smoke, arena_print(arena, "The answer has %zu characters; %zu are expected.",
                                 smoke->length, smoke->pattern->least));
    for (size_t i = 0; i < sizeof markers / sizeof markers[0]; i++)
        if (strstr(answer->body, markers[i]))
            fault(smoke, arena_print(arena, "The answer says %s.", markers[i]));
}

static enum error keep(struct smoke *smoke, const struct fetch_answer *answer)
{
    struct tool *tool = smoke->tool;
    char now[CLOCK_TEXT_MAX];
    struct text text;

    if (!tool->output_dir)
        return ERROR_NONE;
    clock_format(clock_unix_microseconds(), now);
    smoke->output = arena_print(tool->arena, "%s/%s-%.19s.json", tool->output_dir,
                                tool->tag ? tool->tag : smoke->pattern->name, now);
    text_start(&text, tool->arena, ANSWER_BYTES + 1);
    text_append(&text, answer->body, answer->length);
    return tool_write(tool, smoke->output, &text);
}

struct summary {
    const char *status, *pattern;
    int64_t http_status, duration_ms, answer_characters, expected_characters;
    const char *output;
    struct string_list problems;
};

#define OWNER struct summary
static const struct field summary_fields[] = {
    STRING(OWNER, status),
    STRING(OWNER, pattern),
    INTEGER(OWNER, http_status),
    INTEGER(OWNER, duration_ms),
    INTEGER(OWNER, answer_characters),
    INTEGER(OWNER, expected_characters),
    STRING(OWNER, output, .nullable = true),
    STRINGS(OWNER, problems),
};
#undef OWNER
static SCHEMA(summary_schema, struct summary, "SmokeSummary", summary_fields);

static void print_end(const struct smoke *smoke, const struct fetch_answer *answer, int64_t began)
{
    tool_print(smoke->tool, &summary_schema,
               &(struct summary){.status = smoke->problems.count ? "failed" : "ok",
                                 .pattern = smoke->pattern->name,
                                 .http_status = answer->status,
                                 .duration_ms = (clock_monotonic_microseconds() - began) / 1000,
                                 .answer_characters = (int64_t)smoke->length,
                                 .expected_characters = (int64_t)smoke->pattern->least,
                                 .output = smoke->output,
                                 .problems = smoke->problems});
}

static int run(struct tool *tool)
{
    struct smoke smoke = {.tool = tool,
                          .pattern = find_pattern(tool->pattern),
                          .problems.items = ARENA_ARRAY(tool->arena, const char *, PROBLEMS_MAX)};
    const char *prompt = tool->prompt ? tool->prompt : default_prompt;
    const char *base = tool->base_url && *tool->base_url ? tool->base_url : default_url;
    int64_t began = clock_monotonic_microseconds();
    struct fetch_answer answer;
    struct text body;
    bool uploads;

    if (!smoke.pattern)
        return tool_fail(tool, "--pattern is smart, debate, consensus, compare or upload.");
    uploads = strcmp(smoke.pattern->name, "upload") == 0;
    if (uploads != (tool->attachment != NULL))
        return tool_fail(tool, "--attachment belongs to --pattern upload, which needs it.");
    text_start(&body, tool->arena, FILE_BYTES + END_BYTES);
    if (!uploads)
        write_json(&smoke, prompt, &body);
    else if (!write_form(&smoke, prompt, &body))
        return tool_fail(tool, arena_print(tool->arena, "%s: %s", tool->attachment,
                                           errno ? strerror(errno) : "too large"));
    ask(&smoke,
        arena_print(tool->arena, "%.*s%s", (int)(strlen(base) - (base[strlen(base) - 1] == '/')),
                    base, smoke.pattern->path),
        &body, &answer);
    judge(&smoke, &answer);
    if (keep(&smoke, &answer))
        fault(&smoke, tool->problem.text);
    print_end(&smoke, &answer, began);
    return smoke.problems.count ? EXIT_BAD : EXIT_GOOD;
}

int main(int argc, char **argv)
{
    return tool_run(argc, argv, help, false, run);
}

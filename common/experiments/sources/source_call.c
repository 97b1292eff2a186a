/* Calls of live data, and what its errors mean. */
#include "experiments/sources/source_call.h"

#include "jobs/main_loop.h"
#include "net/fetch.h"

#include <math.h>
#include <string.h>

enum { DETAIL_BYTES_MAX = 300 };
static const double connect_seconds_most = 5;

static bool is_stopped(void *context)
{
    (void)context;
    return main_loop_must_stop();
}

bool source_is_word(const char *text)
{
    return *text && strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
                                 ".") == strlen(text);
}

static const char *address_of(const struct source_settings *settings, struct arena *arena,
                              const char *path)
{
    size_t length = strlen(settings->url);

    while (length && settings->url[length - 1] == '/')
        length--;
    return arena_print(arena, "%.*s%s", (int)length, settings->url, path);
}

static void call_service(const struct source_settings *settings, struct arena *arena,
                         const char *path, struct fetch_answer *answer)
{
    struct fetch_request request = {
        .url = address_of(settings, arena, path),
        .headers = {{"Accept", "application/json"}, {"X-API-Key", settings->key}},
        .header_count = settings->key ? 2 : 1,
        .answer_max = (size_t)settings->page_bytes,
        .private_too = true, /* the operator configured the address */
        .policy = {.connect_seconds = fmin(settings->timeout_seconds, connect_seconds_most),
                   .attempt_seconds = settings->timeout_seconds,
                   .total_seconds = settings->timeout_seconds,
                   .attempts = 1,
                   .pause_factor = 1}};
    const struct fetch_watch watch = {.cancelled = is_stopped, .fd = -1};

    fetch_all(arena, &request, answer, 1, NULL, NULL, &watch);
}

static const char *text_in(const json_t *object, const char *member)
{
    const json_t *value = json_object_get(object, member);

    return json_is_string(value) ? json_string_value(value) : NULL;
}

/* The code of an error of the service; its words are for the log. */
static enum error refused(struct arena *arena, const struct fetch_answer *answer, const char *about,
                          const char **words, struct problem *problem)
{
    const char *code = NULL, *detail = NULL;
    struct json_fault fault;
    json_t *document = NULL;

    if (!json_read(arena, answer->body, answer->length, JSON_DEPTH_LIMIT, &document, &fault)) {
        const json_t *shown = json_object_get(document, "error");

        shown = json_is_object(shown) ? shown : document;
        code = text_in(shown, "code");
        detail = text_in(shown, "message");
        if (!detail)
            detail = text_in(shown, "detail");
    }
    *words = arena_print(arena, "%.*s", DETAIL_BYTES_MAX, detail ? detail : "");
    if (code && strcmp(code, "position_unknown") == 0)
        return problem_set(problem, ERROR_INVALID, "position_unknown",
                           "live data does not know the watermark any more");
    if (answer->status >= 500 || answer->status == 429)
        return problem_set(problem, ERROR_UNAVAILABLE, "livedata_unavailable",
                           "live data answered with status %d", answer->status);
    return problem_set(problem, ERROR_INVALID, "livedata_refused",
                       "live data answered with status %d for %s", answer->status, about);
}

enum error source_call(const struct source_settings *settings, struct arena *arena,
                       const char *path, const char *about, json_t **document, const char **words,
                       struct problem *problem)
{
    struct fetch_answer answer;
    struct json_fault fault;

    *document = NULL;
    *words = NULL;
    call_service(settings, arena, path, &answer);
    if (answer.outcome != FETCH_ANSWERED)
        return problem_set(problem, ERROR_UNAVAILABLE, "livedata_unavailable",
                           "live data did not answer: %s", fetch_outcome_name(answer.outcome));
    if (answer.status != 200)
        return refused(arena, &answer, about, words, problem);
    if (json_read(arena, answer.body, answer.length, JSON_DEPTH_LIMIT, document, &fault))
        return problem_set(problem, ERROR_UNAVAILABLE, "livedata_unavailable",
                           "live data answered with no JSON");
    return ERROR_NONE;
}

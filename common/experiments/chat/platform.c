/* HTTP calls to the chat platform: allowed addresses, and evaluation of answers. */
#include "experiments/chat/platform.h"

#include "net/egress.h"
#include "net/fetch.h"

#include <string.h>
#include <strings.h>

enum { ANSWER_BYTES_MAX = 65536, ANSWER_DEPTH_MAX = 16, ERROR_NAME_MAX = 100 };

static const double connect_seconds = 5;

static const char *below_base(struct arena *arena, const char *base, const char *path)
{
    size_t length = strlen(base);

    while (length && base[length - 1] == '/')
        length--;
    return arena_print(arena, "%.*s%s", (int)length, base, path);
}

static bool is_below(const char *host, const char *parent)
{
    size_t length = strlen(host), size = strlen(parent);

    return strcmp(host, parent) == 0 || (length > size + 1 && host[length - size - 1] == '.' &&
                                         strcmp(host + length - size, parent) == 0);
}

static bool is_host_of_platform(const struct experiments_settings *settings, const char *host)
{
    const struct string_list *hosts = &settings->chatapp_response_hosts;
    char base[EGRESS_HOST_MAX];
    struct problem problem;

    for (size_t i = 0; i < hosts->count; i++)
        if (strcasecmp(hosts->items[i], host) == 0)
            return true;
    return !hosts->count && settings->chatapp_base_url &&
           !egress_host(settings->chatapp_base_url, base, &problem) && is_below(host, base);
}

enum error platform_check_response_url(const struct experiments_settings *settings, const char *url,
                                       struct problem *problem)
{
    const char *base = settings->chatapp_base_url;
    bool plain_too = base && strncmp(base, "http://", 7) == 0;
    char host[EGRESS_HOST_MAX];
    enum error error = egress_host(url, host, problem);

    if (error == ERROR_SYSTEM)
        return error;
    if (error || strlen(url) > EGRESS_URL_MAX || !is_host_of_platform(settings, host) ||
        (strncasecmp(url, "https:", 6) != 0 && !plain_too))
        return problem_set(problem, ERROR_INVALID, "chatapp_response_url",
                           "response_url is not on a host of the chat platform");
    return ERROR_NONE;
}

/* The name of an error, reduced to allowed characters: it is external input. */
static const char *error_name(struct arena *arena, const json_t *document)
{
    const char *name = json_string_value(json_object_get(document, "error"));

    if (!name || !*name || strlen(name) > ERROR_NAME_MAX ||
        name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:")])
        return "the platform refused without a reason";
    return arena_copy_string(arena, name);
}

static void judge_document(struct arena *arena, const struct fetch_answer *fetched,
                           struct platform_answer *answer)
{
    struct json_fault fault;
    json_t *document;

    if (json_read(arena, fetched->body, fetched->length, ANSWER_DEPTH_MAX, &document, &fault) ||
        !json_is_object(document)) {
        answer->problem = "the answer of the platform is not what it promises";
        return;
    }
    answer->document = document;
    if (json_is_true(json_object_get(document, "ok")))
        return;
    answer->problem = error_name(arena, document);
    answer->may_pass = strcmp(answer->problem, "ratelimited") == 0;
}

static bool passes(int status)
{
    return status >= 500 || status == 408 || status == 425 || status == 429;
}

static void judge(struct arena *arena, bool document, const struct fetch_answer *fetched,
                  struct platform_answer *answer)
{
    *answer = (struct platform_answer){.retry_after = fetched->retry_after};
    if (fetched->outcome != FETCH_ANSWERED) {
        answer->problem =
            arena_print(arena, "the platform: %s", fetch_outcome_name(fetched->outcome));
        answer->may_pass = fetched->outcome != FETCH_FORBIDDEN && fetched->outcome != FETCH_INVALID;
    } else if (fetched->status / 100 != 2) {
        answer->problem = arena_print(arena, "the platform: HTTP %d", fetched->status);
        answer->may_pass = passes(fetched->status);
    } else if (document) {
        judge_document(arena, fetched, answer);
    }
}

void platform_post(struct arena *arena, const struct experiments_settings *settings,
                   const struct platform_request *request, struct platform_answer *answer)
{
    double seconds = settings->chatapp_timeout_seconds;
    struct fetch_request call = {
        .url = request->url ? request->url
                            : below_base(arena, settings->chatapp_base_url, request->path),
        .body = request->body,
        .body_length = strlen(request->body),
        .headers = {{"Content-Type", request->type}, {"Accept", "application/json"}},
        .header_count = 2,
        .answer_max = ANSWER_BYTES_MAX,
        .private_too = experiments_may_call_private(settings),
        .policy = {.connect_seconds = seconds < connect_seconds ? seconds : connect_seconds,
                   .attempt_seconds = seconds,
                   .total_seconds = seconds,
                   .attempts = 1,
                   .pause_factor = 1}};
    struct fetch_answer fetched;

    if (request->token)
        call.headers[call.header_count++] =
            (struct fetch_header){"Authorization", arena_print(arena, "Bearer %s", request->token)};
    fetch(arena, &call, &fetched);
    judge(arena, request->path != NULL, &fetched, answer);
}

/* Decides what the answer cache does for a request. A failure of its store is a miss. */
#include "orchestrator-streams/answer_cache.h"

#include "base/log.h"
#include "base/number.h"
#include "crypto/digest.h"
#include "orchestrator-streams/parameters.h"
#include "orchestrator-streams/responses.h"
#include "orchestrator/runs/kept_answer.h"
#include "orchestrator/runs/orchestrate.h"
#include "orchestrator/service.h"
#include "orchestrator/storage/answer_store.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { SECONDS_MAX = 2592000 /* 30 days */, REQUEST_MAX = 1 << 30 };

/* The directives of a request's Cache-Control that count here. */
struct directives {
    bool no_cache, no_store, has_age;
    int64_t max_age;
};

static void read_directive(const char *at, size_t length, struct directives *found)
{
    static const char age[] = "max-age=";

    if (length == 8 && strncasecmp(at, "no-cache", 8) == 0)
        found->no_cache = true;
    if (length == 8 && strncasecmp(at, "no-store", 8) == 0)
        found->no_store = true;
    if (length > strlen(age) && strncasecmp(at, age, strlen(age)) == 0 && at[strlen(age)] >= '0' &&
        at[strlen(age)] <= '9') {
        found->has_age = true;
        found->max_age = strtoll(at + strlen(age), NULL, 10);
    }
}

static struct directives read_directives(const struct request *request)
{
    const char *at = request_header(request, "HTTP_CACHE_CONTROL");
    struct directives found = {0};

    while (at && *at) {
        size_t length;

        at += strspn(at, ", \t");
        length = strcspn(at, ", \t");
        read_directive(at, length, &found);
        at += length;
    }
    return found;
}

/* Whether the service may keep texts of the caller at all. */
static bool may_keep(const struct exchange_call *exchange)
{
    const struct worker_context *worker = service_worker(exchange->request);

    return worker->settings->answer_cache_seconds > 0 && !is_dry_run(worker, false) &&
           !exchange->call->request.embedding && (!worker->key || worker->key->stores_prompts);
}

static bool is_wanted(const struct exchange_call *exchange, const struct directives *directives)
{
    const struct optional_number temperature = exchange->call->request.temperature;

    if (directives->has_age)
        return directives->max_age > 0;
    switch ((enum answer_cache)service_settings(exchange->request)->answer_cache) {
    case ANSWER_CACHE_ALL:
        return true;
    case ANSWER_CACHE_STEADY:
        return temperature.given && temperature.value == 0;
    default:
        return false;
    }
}

/* The members of the body that an answer depends on, in one spelling. */
static const char *request_text(const struct exchange_call *exchange)
{
    static const char *const beside[] = {
        "model", "stream",           "stream_options",         "metadata",          "user",
        "store", "prompt_cache_key", "prompt_cache_retention", "safety_identifier", NULL};
    const struct request *request = exchange->request;
    const char *body = request->body;
    const json_t *document =
        *(const json_t *const *)(const void *)(body + request->route->body->document);
    struct json_writer writer;
    struct text text;

    document = members_beyond(request->arena, document, beside);
    text_start(&text, request->arena, REQUEST_MAX);
    writer_start(&writer, &text);
    if (document)
        writer_value_sorted(&writer, document);
    return text.bytes;
}

/* Whether a text has personal data that this caller's models do not get. */
static bool is_personal(const struct exchange_call *exchange, const char *json)
{
    struct redaction *redaction;

    if (!worker_redacts(service_worker(exchange->request)))
        return false;
    redaction = redaction_start(exchange->request->arena);
    redaction_hide_json(redaction, json, true);
    return redaction_hides(redaction);
}

void answer_cache_choose(const struct exchange_call *exchange, const struct model *model,
                         struct cache_use *use)
{
    struct arena *arena = exchange->request->arena;
    const struct directives directives = read_directives(exchange->request);
    char *key = arena_alloc(arena, DIGEST_SHA256_TEXT);
    const char *text, *named;

    *use = (struct cache_use){0};
    if (!may_keep(exchange) || !is_wanted(exchange, &directives))
        return;
    text = request_text(exchange);
    if (is_personal(exchange, text))
        return;
    named = arena_print(
        arena, "%s\n%s\n%s\n%s\n%s", response_owner(exchange->request), exchange->dialect->route,
        model->id, exchange->call->template_version ? exchange->call->template_version : "", text);
    digest_sha256_hex(named, strlen(named), key);
    use->key = key;
    use->reads = !directives.no_cache;
    use->keeps = !directives.no_store;
    use->seconds = directives.has_age
                       ? (directives.max_age < SECONDS_MAX ? directives.max_age : SECONDS_MAX)
                       : service_settings(exchange->request)->answer_cache_seconds;
}

const struct kept_answer *answer_cache_find(struct exchange_call *exchange,
                                            const struct model *model, const struct cache_use *use)
{
    struct arena *arena = exchange->request->arena;
    struct kept_answer *answer = ARENA_NEW(arena, struct kept_answer);
    const char *text = NULL;
    struct problem problem = {0};

    if (!use->key)
        return NULL;
    if (use->reads && answer_find(exchange->db, arena, use->key, use->seconds, &text, &problem))
        log_event(LOG_WARNING, "answer_cache_failed", problem.text);
    if (text && !kept_answer_read(arena, text, model, answer))
        text = NULL;
    reply_add_header(exchange->reply, "x-cache", text ? "hit" : "miss");
    return text ? answer : NULL;
}

/* A whole answer of the model that was asked, which ended by itself. */
static bool is_worth_it(const struct final_answer *final)
{
    const struct result *result = final->result;

    if (final->status != RUN_SUCCEEDED || final->splices || !result ||
        result->executed != result->model)
        return false;
    for (size_t i = 0; i < final->choice_count; i++)
        if (final->choices[i].refusal || (strcmp(final->choices[i].finish, "stop") != 0 &&
                                          strcmp(final->choices[i].finish, "tool_calls") != 0))
            return false;
    return true;
}

void answer_cache_keep(struct exchange_call *exchange, const struct cache_use *use,
                       const struct final_answer *final)
{
    const struct orchestrator_settings *settings = service_settings(exchange->request);
    const struct answer_bounds bounds = {settings->answer_cache_rows, settings->answer_cache_bytes};
    struct problem problem = {0};
    const char *text;

    if (!use->keeps || !is_worth_it(final))
        return;
    text = kept_answer_write(exchange->request->arena, final->result, final->choices,
                             final->choice_count);
    if (text && !is_personal(exchange, text) &&
        answer_keep(exchange->db, use->key, text, use->seconds, bounds, &problem))
        log_event(LOG_WARNING, "answer_cache_failed", problem.text);
}

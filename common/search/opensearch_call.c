/* Calls of OpenSearch over HTTP, and what their failures mean. */
#include "net/fetch.h"
#include "search/opensearch_internal.h"

#include <math.h>
#include <string.h>

enum { ANSWER_MAX = 256 << 20, DEPTH_MAX = 16, CALL_ATTEMPTS = 3, TYPE_SHOWN = 100 };

static const double connect_seconds = 2;

static const struct fetch_policy policy = {
    .attempts = CALL_ATTEMPTS, .first_pause_seconds = 0.1, .pause_factor = 2, .jitter = true};

static enum error away(struct problem *problem, const char *why)
{
    return problem_set(problem, ERROR_UNAVAILABLE, "search_unavailable",
                       "the search engine does not answer: %s", why);
}

static enum error lost(struct problem *problem)
{
    return problem_set(problem, ERROR_NOT_FOUND, "search_index_missing",
                       "the search engine does not have the index; it is made again");
}

/* "index_not_found_exception"; "" when the answer names none. */
static const char *type_of(struct arena *arena, const struct fetch_answer *http)
{
    struct json_fault fault;
    json_t *document;
    const char *type = NULL;

    if (json_read(arena, http->body, http->length, DEPTH_MAX, &document, &fault) == ERROR_NONE)
        type = json_string_value(json_object_get(json_object_get(document, "error"), "type"));
    return type ? type : "";
}

static enum error read_status(struct arena *arena, const struct opensearch_call *call,
                              const struct fetch_answer *http, struct problem *problem)
{
    const char *type;

    if (http->outcome != FETCH_ANSWERED)
        return away(problem, fetch_outcome_name(http->outcome));
    if (http->status == 200 || http->status == 201)
        return ERROR_NONE;
    type = type_of(arena, http);
    if (http->status == 404 && strcmp(type, "index_not_found_exception") == 0)
        return lost(problem); /* any other 404 comes from something before it, as a proxy */
    if (strcmp(type, "resource_already_exists_exception") == 0)
        return problem_set(problem, ERROR_CONFLICT, "search_index_exists",
                           "the search engine has such an index already");
    if (http->status == 400 && call->may_refuse)
        return problem_set(problem, ERROR_INVALID, "search_vectors_refused",
                           "the search engine keeps no vectors: %.*s", TYPE_SHOWN, type);
    return away(problem, arena_print(arena, "status %d %.*s", http->status, TYPE_SHOWN, type));
}

static struct fetch_policy policy_of(const struct opensearch *server)
{
    struct fetch_policy wanted = policy;

    wanted.connect_seconds = fmin(connect_seconds, server->seconds);
    wanted.attempt_seconds = wanted.total_seconds = server->seconds;
    return wanted;
}

enum error opensearch_ask(const struct opensearch *server, struct arena *arena,
                          const struct opensearch_call *call, json_t **answer,
                          struct problem *problem)
{
    const struct fetch_request request = {
        .url = arena_print(arena, "%s/%s%s", server->url, server->index, call->path),
        .method = call->method,
        .body = call->body,
        .body_length = call->body ? strlen(call->body) : 0,
        .headers = {{"Content-Type", call->lines ? "application/x-ndjson" : "application/json"},
                    {"Authorization", server->authorization ? server->authorization : ""}},
        .header_count = server->authorization ? 2 : 1,
        .answer_max = ANSWER_MAX,
        .private_too = true,
        .policy = policy_of(server),
        .region = server->region,
        .breaker_failures = server->breaker_failures,
        .breaker_seconds = server->breaker_seconds};
    struct fetch_answer http;
    struct json_fault fault;
    enum error error;

    fetch(arena, &request, &http);
    error = read_status(arena, call, &http, problem);
    if (error)
        return error;
    if (json_read(arena, http.body, http.length, DEPTH_MAX, answer, &fault) ||
        !json_is_object(*answer))
        return away(problem, "its answer is no JSON object");
    return ERROR_NONE;
}

enum error opensearch_is_whole(const json_t *answer, struct problem *problem)
{
    const json_t *shards = json_object_get(answer, "_shards");
    const json_t *failed = json_object_get(shards, "failed");
    const json_t *status = json_object_get(answer, "status");

    if (json_is_integer(status) && json_integer_value(status) == 404)
        return lost(problem);
    if (!json_is_false(json_object_get(answer, "timed_out")) || !json_is_integer(failed) ||
        json_integer_value(failed) != 0 ||
        json_integer_value(json_object_get(shards, "successful")) < 1)
        return away(problem, "a part of it did not answer");
    return ERROR_NONE;
}

const char *opensearch_path(struct arena *arena, const char *path, const char *tenant,
                            const char *more)
{
    struct text text;

    text_start(&text, arena, 4096);
    text_append_string(&text, path);
    text_append_string(&text, "?routing=");
    text_append_url(&text, tenant);
    text_append_string(&text, more);
    return text.bytes;
}

/* The index has the number of its format in its name, and is used by its alias: then a write never
 * makes one without our fields. */
static enum error create(const struct opensearch *server, struct arena *arena,
                         const struct opensearch_call *call, struct problem *problem)
{
    struct opensearch first = *server;
    json_t *answer;
    enum error error;

    first.index = arena_print(arena, "%s-1", server->index);
    error = opensearch_ask(&first, arena, call, &answer, problem);
    return error == ERROR_CONFLICT ? ERROR_NONE : error;
}

enum error opensearch_create(const struct opensearch *server, struct arena *arena, int64_t shards,
                             int64_t copies, struct problem *problem)
{
    const struct opensearch_call call = {
        .method = "PUT",
        .path = "",
        .body = opensearch_index_body(arena, server->index, shards, copies)};

    return create(server, arena, &call, problem);
}

enum error opensearch_vectors_create(const struct opensearch *server, struct arena *arena,
                                     int64_t shards, int64_t copies, struct problem *problem)
{
    struct opensearch_call call = {.method = "PUT", .path = "", .may_refuse = true};
    uint64_t model;
    uint32_t dimension;

    if (!opensearch_vectors_parse(server->index, &model, &dimension))
        return problem_set(problem, ERROR_INVALID, "search_vectors_refused",
                           "%s is no index of vectors", server->index);
    call.body = opensearch_vector_index_body(arena, server, dimension, shards, copies);
    return create(server, arena, &call, problem);
}

enum error opensearch_check(const struct opensearch *server, struct arena *arena,
                            struct problem *problem)
{
    const struct opensearch_call call = {
        .path = "/_search?size=0&track_total_hits=false&allow_partial_search_results=false"
                "&filter_path=timed_out,_shards"};
    json_t *answer;
    enum error error = opensearch_ask(server, arena, &call, &answer, problem);

    return error ? error : opensearch_is_whole(answer, problem);
}

enum error opensearch_refresh(const struct opensearch *server, struct arena *arena,
                              struct problem *problem)
{
    const struct opensearch_call call = {.method = "POST", .path = "/_refresh", .body = ""};
    json_t *answer;
    enum error error = opensearch_ask(server, arena, &call, &answer, problem);
    const json_t *failed =
        error ? NULL : json_object_get(json_object_get(answer, "_shards"), "failed");

    if (!error && (!json_is_integer(failed) || json_integer_value(failed) != 0))
        error = away(problem, "a part of it was not refreshed");
    return error;
}

/* ClickHouse over HTTP: one attempt per call, because a repeated insert is the sender's business.
 */
#include "livedata/columnar/clickhouse.h"

#include "net/fetch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    URL_MAX = 4000,
    ANSWER_BYTES_MAX = 64 * 1024 * 1024,
    SAID_MAX = 300,
    CODE_NO_TABLE = 60,
    CODE_NO_DATABASE = 81,
    CODE_TIMEOUT = 159,
    CODE_NO_SESSION = 372,
    BREAKER_FAILURES = 5
};

#define CONNECT_SECONDS 2
#define BREAKER_SECONDS 2

static const char *url_of(const struct clickhouse *clickhouse, const struct clickhouse_call *call,
                          int seconds)
{
    const struct livedata_settings *settings = clickhouse->settings;
    struct text url;

    text_start(&url, clickhouse->arena, URL_MAX);
    text_append_format(
        &url, "%s://%s:%lld/?output_format_json_quote_64bit_integers=1&max_execution_time=%d",
        settings->clickhouse_secure ? "https" : "http", settings->clickhouse_host,
        (long long)settings->clickhouse_port, seconds);
    if (!call->without_database)
        text_append_format(&url, "&database=%s", settings->clickhouse_database);
    if (call->session)
        text_append_format(&url, "&session_id=%s&session_timeout=%d%s", call->session,
                           CLICKHOUSE_SESSION_SECONDS,
                           call->begins_session ? "" : "&session_check=1");
    if (call->body) {
        text_append_string(&url, "&query=");
        text_append_url(&url, call->sql);
    }
    return url.overflowed ? NULL : url.bytes;
}

/* "Code: 60, e.displayText() = ..." or, of later releases, "Code: 60. DB::Exception: ...". */
static enum clickhouse_fault read_refusal(const struct clickhouse *clickhouse,
                                          const struct fetch_answer *answer)
{
    const char *text = answer->length ? answer->body : "", *code = strstr(text, "Code: ");
    long number = code ? strtol(code + 6, NULL, 10) : 0;

    (void)!problem_set(clickhouse->problem, ERROR_UNAVAILABLE, "columnar_refused",
                       "ClickHouse answered %d: %.*s", answer->status, SAID_MAX, text);
    if (!number)
        return CLICKHOUSE_AWAY;
    return number == CODE_NO_TABLE || number == CODE_NO_DATABASE ? CLICKHOUSE_NO_TABLE
           : number == CODE_NO_SESSION                           ? CLICKHOUSE_NO_SESSION
           : number == CODE_TIMEOUT                              ? CLICKHOUSE_TIMEOUT
                                                                 : CLICKHOUSE_REFUSED;
}

/* An exception after the first rows stands behind them, with status 200: that is no JSON. */
static enum clickhouse_fault read_rows(const struct clickhouse *clickhouse,
                                       const struct fetch_answer *answer, json_t **rows)
{
    struct json_fault fault;
    json_t *document;

    if (!json_read(clickhouse->arena, answer->body, answer->length, JSON_DEPTH_LIMIT, &document,
                   &fault)) {
        *rows = json_object_get(document, "data");
        if (json_is_array(*rows))
            return CLICKHOUSE_DONE;
    }
    (void)!problem_set(clickhouse->problem, ERROR_UNAVAILABLE, "columnar_unavailable",
                       "ClickHouse's answer is not whole");
    return CLICKHOUSE_AWAY;
}

static void prepare(const struct clickhouse *clickhouse, const struct clickhouse_call *call,
                    struct fetch_request *request)
{
    const struct livedata_settings *settings = clickhouse->settings;
    double seconds =
        call->timeout_ms ? call->timeout_ms / 1e3 : settings->clickhouse_timeout_seconds;

    *request =
        (struct fetch_request){.url = url_of(clickhouse, call, (int)fmax(1, ceil(seconds))),
                               .method = "POST",
                               .body = call->body ? call->body : call->sql,
                               .body_length = call->body ? call->body_length : strlen(call->sql),
                               .answer_max = ANSWER_BYTES_MAX,
                               .once = call->body != NULL,
                               .private_too = true,
                               .loopback_too = true,
                               .policy = {.connect_seconds = fmin(CONNECT_SECONDS, seconds),
                                          .attempt_seconds = seconds + 1,
                                          .total_seconds = seconds + 1,
                                          .attempts = 1},
                               .region = clickhouse->region,
                               .breaker_failures = BREAKER_FAILURES,
                               .breaker_seconds = BREAKER_SECONDS};
    request->headers[request->header_count++] =
        (struct fetch_header){"X-ClickHouse-User", settings->clickhouse_user};
    if (settings->clickhouse_password)
        request->headers[request->header_count++] =
            (struct fetch_header){"X-ClickHouse-Key", settings->clickhouse_password};
}

enum clickhouse_fault clickhouse_run(const struct clickhouse *clickhouse,
                                     const struct clickhouse_call *call, json_t **rows)
{
    struct fetch_request request;
    struct fetch_answer answer;

    prepare(clickhouse, call, &request);
    if (request.url)
        fetch(clickhouse->arena, &request, &answer);
    if (!request.url || answer.outcome != FETCH_ANSWERED) {
        (void)!problem_set(clickhouse->problem, ERROR_UNAVAILABLE, "columnar_unavailable",
                           "ClickHouse cannot be reached: %s",
                           request.url ? fetch_outcome_name(answer.outcome) : "invalid");
        return CLICKHOUSE_AWAY;
    }
    if (answer.status != 200)
        return read_refusal(clickhouse, &answer);
    return rows ? read_rows(clickhouse, &answer, rows) : CLICKHOUSE_DONE;
}

int64_t clickhouse_integer(const json_t *row, size_t column)
{
    const json_t *cell = json_array_get(row, column);

    if (json_is_string(cell))
        return strtoll(json_string_value(cell), NULL, 10);
    return json_is_integer(cell) ? (int64_t)json_integer_value(cell) : 0;
}

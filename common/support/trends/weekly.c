/* Reads two windows of seven days, and the stale and missing documents of the newer one. */
#include "support/trends/weekly.h"
#include "base/json.h"
#include "base/number.h"
#include "base/timestamp.h"
#include "db/query.h"
#include "net/fetch.h"
#include "support/documents/document_store.h"
#include "support/programs/batch.h"
#include "support/programs/data_files.h"
#include "support/traces/analytics.h"
#include "support/trends/week.h"

#include <stdio.h>
#include <string.h>

enum {
    MOST = 5, /* entries of a list */
    WEEK_DAYS = 7,
    STALE_DAYS = 90,
    STALE_MOST = 20,
    SECONDS_A_DAY = 86400,
    REPORT_MOST = 1 << 20,
    LOG_DEPTH = 4,
    ANSWER_MOST = 65536,
    SEND_SECONDS = 10,
    CONNECT_SECONDS = 3
};

static const struct statement next_tenant = {
    .name = "weekly_next_tenant",
    .sql = "SELECT tenant_id FROM traces WHERE tenant_id > ? ORDER BY tenant_id LIMIT 1",
};
static const struct statement has_asked = {
    .name = "weekly_has_asked",
    .sql = "SELECT 1 FROM traces WHERE origin = 'live' AND tenant_id = ?"
           " AND started_at >= {now_plus:?} LIMIT 1",
};
static const struct statement read_figures = {
    .name = "weekly_figures",
    .sql = "SELECT count(*), coalesce(sum(CASE WHEN final_route = 'auto' THEN 1 ELSE 0 END), 0),"
           " CAST(avg(final_quality) AS DOUBLE PRECISION), coalesce(sum(cost_usd), 0)"
           " FROM traces WHERE origin = 'live' AND tenant_id = ? AND started_at >= {now_plus:?}"
           " AND started_at < {now_plus:?}",
};
static const struct statement read_gaps = {
    .name = "weekly_gaps",
    .sql = "SELECT topic_summary, question_count FROM knowledge_gaps WHERE tenant_id = ?"
           " AND created_at >= {now_plus:?} ORDER BY question_count DESC, id LIMIT ?",
};

/* A week without questions, or without judged ones, has no share and no mean. */
struct week_figures {
    int64_t questions;
    struct optional_number resolved, quality;
    double cost;
};

static enum error asks(const struct trace_call *call, const char *tenant, bool *any)
{
    struct query *query = db_query(call->db, &has_asked);

    query_bind_text(query, tenant);
    query_bind_number(query, -2.0 * WEEK_DAYS * SECONDS_A_DAY);
    *any = query_next(query);
    return query_end(query, call->problem);
}

enum error weekly_next_tenant(const struct trace_call *call, const char **tenant)
{
    const char *after = call->tenant;
    enum error error = ERROR_NONE;

    for (bool found = false; !error && after && !found;) {
        struct query *query = db_query(call->db, &next_tenant);

        query_bind_text(query, after);
        after = query_next(query) ? query_text(query, 0, call->arena) : NULL;
        error = query_end(query, call->problem);
        if (!error && after)
            error = asks(call, after, &found);
    }
    *tenant = after;
    return error;
}

static enum error read_week(const struct trace_call *call, int weeks_ago,
                            struct week_figures *figures)
{
    struct query *query = db_query(call->db, &read_figures);

    *figures = (struct week_figures){0};
    query_bind_text(query, call->tenant);
    query_bind_number(query, -(double)(weeks_ago + 1) * WEEK_DAYS * SECONDS_A_DAY);
    query_bind_number(query, -(double)weeks_ago * WEEK_DAYS * SECONDS_A_DAY);
    if (query_next(query)) {
        figures->questions = query_integer(query, 0);
        if (figures->questions)
            figures->resolved = (struct optional_number)GIVEN_NUMBER(
                (double)query_integer(query, 1) / (double)figures->questions);
        figures->quality = query_optional_number(query, 2);
        figures->cost = query_number(query, 3);
    }
    return query_end(query, call->problem);
}

const char *weekly_change(struct arena *arena, double now, double before)
{
    if (before > 0 || before < 0)
        return arena_print(arena, "%+.1f%%", (now - before) / before * 100);
    return now > 0 || now < 0 ? "+100.0%" : "n/a";
}

const char *weekly_change_of_share(struct arena *arena, struct optional_number now,
                                   struct optional_number before)
{
    return now.given && before.given
               ? arena_print(arena, "%+.1f pp", (now.value - before.value) * 100)
               : "n/a";
}

static const char *change_of_mean(struct arena *arena, struct optional_number now,
                                  struct optional_number before)
{
    return now.given && before.given ? weekly_change(arena, now.value, before.value) : "n/a";
}

/* `decimals` of them; all that is significant where that would read as zero. */
static const char *figure(struct arena *arena, double value, int decimals)
{
    char text[NUMBER_TEXT_MAX];

    if (number_round(value, decimals) != 0 || value == 0)
        return arena_print(arena, "%.*f", decimals, value);
    (void)number_format(number_round_figure(value, decimals), text);
    return arena_copy_string(arena, text);
}

static const char *known(struct arena *arena, struct optional_number value, double scale,
                         int decimals, const char *unit)
{
    return value.given
               ? arena_print(arena, "%s%s", figure(arena, value.value * scale, decimals), unit)
               : "n/a";
}

static void write_figures(struct arena *arena, struct text *text, const struct week_figures *now,
                          const struct week_figures *before)
{
    text_append_string(text, "\n## Key metrics\n\n| Metric | This week | Last week | Change |\n"
                             "|---|---|---|---|\n");
    text_append_format(text, "| Total questions | %lld | %lld | %s |\n", (long long)now->questions,
                       (long long)before->questions,
                       weekly_change(arena, (double)now->questions, (double)before->questions));
    text_append_format(text, "| Resolution rate | %s | %s | %s |\n",
                       known(arena, now->resolved, 100, 1, "%"),
                       known(arena, before->resolved, 100, 1, "%"),
                       weekly_change_of_share(arena, now->resolved, before->resolved));
    text_append_format(text, "| Avg quality score | %s | %s | %s |\n",
                       known(arena, now->quality, 1, 2, ""),
                       known(arena, before->quality, 1, 2, ""),
                       change_of_mean(arena, now->quality, before->quality));
    text_append_format(text, "| Total cost | $%s | $%s | %s |\n", figure(arena, now->cost, 2),
                       figure(arena, before->cost, 2),
                       weekly_change(arena, now->cost, before->cost));
}

static enum error write_topics(const struct trace_call *call, struct text *text)
{
    struct object_list rows;
    enum error error = analytics_topics(call, WEEK_DAYS, &rows);

    text_append_string(text, "\n## Top 5 topics\n\n");
    if (error || !rows.count)
        text_append_string(text, "_No topic data_\n");
    else
        text_append_string(text, "| Topic | Count |\n|---|---|\n");
    for (size_t i = 0; !error && i < rows.count && i < MOST; i++) {
        const struct topic_row *row = &((const struct topic_row *)rows.items)[i];

        text_append_string(text, "| ");
        batch_append_line(text, row->category);
        text_append_format(text, " | %lld |\n", (long long)row->count);
    }
    return error;
}

static enum error write_gaps(const struct trace_call *call, struct text *text)
{
    struct query *query = db_query(call->db, &read_gaps);
    bool any = false;

    query_bind_text(query, call->tenant);
    query_bind_number(query, -(double)WEEK_DAYS * SECONDS_A_DAY);
    query_bind_integer(query, MOST);
    text_append_string(text, "\n## Knowledge gaps (new this week)\n\n");
    while (query_next(query)) {
        any = true;
        text_append_string(text, "- ");
        batch_append_line(text, query_text(query, 0, call->arena));
        text_append_format(text, " (%lld questions)\n", (long long)query_integer(query, 1));
    }
    if (!any)
        text_append_string(text, "_No new gaps_\n");
    return query_end(query, call->problem);
}

static enum error write_stale(const struct trace_call *call, struct text *text)
{
    const struct document_call documents = {call->db, call->arena, call->tenant, call->problem};
    struct object_list rows;
    enum error error = document_stale(&documents, STALE_DAYS, STALE_MOST, &rows);

    text_append_string(text, "\n## Stale docs requiring review\n\n");
    if (error || !rows.count)
        text_append_string(text, "_No stale docs_\n");
    for (size_t i = 0; !error && i < rows.count && i < MOST; i++) {
        const struct stale_document *row = &((const struct stale_document *)rows.items)[i];

        text_append_string(text, "- ");
        batch_append_line(text, row->title);
        text_append_format(text, " (%lld citations)\n", (long long)row->citation_count);
    }
    return error;
}

/* Alerts of the week: of the whole service, so only the operator's report contains them. */
static void write_anomalies(const struct trace_call *call, const struct support_settings *settings,
                            int64_t since, struct text *text)
{
    struct problem ignored = {0};
    size_t length = 0, written = 0;
    char *bytes = NULL, *line, *rest = NULL;

    text_append_string(text, "\n## Anomalies\n\n");
    if (strcmp(call->tenant, "default") == 0 &&
        !data_file_read(call->arena, data_file_path(call->arena, settings, "alerts.log"), &bytes,
                        &length, &ignored)) {
        for (line = strtok_r(bytes, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
            struct json_fault fault;
            json_t *entry = NULL;
            const char *ts, *rule;
            int64_t at;

            if (written == MOST ||
                json_read(call->arena, line, strlen(line), LOG_DEPTH, &entry, &fault))
                continue;
            ts = json_string_value(json_object_get(entry, "ts"));
            rule = json_string_value(json_object_get(entry, "rule"));
            if (!ts || !rule || !timestamp_from_text(ts, &at) || at < since)
                continue;
            text_append_format(text, "- %s: ", ts);
            batch_append_line(text, rule);
            text_append_byte(text, '\n');
            written++;
        }
    }
    if (!written)
        text_append_string(text, "_No anomalies detected_\n");
}

enum error weekly_report(const struct trace_call *call, const struct support_settings *settings,
                         int64_t now, const char **markdown)
{
    struct week_figures current, before;
    struct text text;
    enum error error = read_week(call, 0, &current);

    if (!error)
        error = read_week(call, 1, &before);
    if (error)
        return error;
    text_start(&text, call->arena, REPORT_MOST);
    text_append_format(&text, "# Support weekly report — %s to %s\n\nTenant: ",
                       week_date(call->arena, now - WEEK_MICROSECONDS),
                       week_date(call->arena, now));
    batch_append_line(&text, call->tenant);
    text_append_byte(&text, '\n');
    write_figures(call->arena, &text, &current, &before);
    error = write_topics(call, &text);
    if (!error)
        error = write_gaps(call, &text);
    if (!error)
        error = write_stale(call, &text);
    write_anomalies(call, settings, now - WEEK_MICROSECONDS, &text);
    *markdown = text.bytes;
    return error;
}

enum error weekly_send(const struct trace_call *call, const struct support_settings *settings,
                       const char *markdown)
{
    struct text body;
    struct json_writer writer;
    struct fetch_answer answer;
    struct fetch_request request = {.url = settings->report_webhook,
                                    .headers = {{"Content-Type", "application/json"}},
                                    .header_count = 1,
                                    .answer_max = ANSWER_MOST,
                                    .private_too = true, /* the operator configured the address */
                                    .policy = {.connect_seconds = CONNECT_SECONDS,
                                               .attempt_seconds = SEND_SECONDS,
                                               .total_seconds = SEND_SECONDS,
                                               .attempts = 1}};

    if (!settings->report_webhook)
        return ERROR_NONE;
    text_start(&body, call->arena, 2 * REPORT_MOST);
    writer_start(&writer, &body);
    writer_open_object(&writer);
    writer_key_string(&writer, "text", markdown);
    writer_close_object(&writer);
    request.body = body.bytes;
    request.body_length = body.length;
    fetch(call->arena, &request, &answer);
    if (answer.outcome == FETCH_ANSWERED && answer.status >= 200 && answer.status < 300)
        return ERROR_NONE;
    return problem_set(call->problem, ERROR_UNAVAILABLE, "report_not_sent",
                       "REPORT_CHATAPP_WEBHOOK: %s %d", fetch_outcome_name(answer.outcome),
                       answer.status);
}

/* Frequent questions, and questions by day, over HTTP. */
#include "support-admin/questions.h"
#include "support/service.h"
#include "support/tools.h"
#include "support/traces/analytics.h"

enum { DAYS_MAX = 365, LIMIT_DEFAULT = 10, LIMIT_MAX = 100 };

struct questions_query {
    int64_t days, limit;
};

#define OWNER struct questions_query
static const struct field questions_query_fields[] = {
    INTEGER(OWNER, days, .lower = AT_LEAST(1), .upper = AT_MOST(DAYS_MAX), .default_value = 30),
    INTEGER(OWNER, limit, .lower = AT_LEAST(1), .upper = AT_MOST(LIMIT_MAX),
            .default_value = LIMIT_DEFAULT, .help = "Of each list."),
};
#undef OWNER
SCHEMA(questions_query_schema, struct questions_query, "QuestionsQuery", questions_query_fields);

#define OWNER struct question_row
static const struct field question_fields[] = {STRING(OWNER, question), INTEGER(OWNER, count),
                                               STRING(OWNER, last_at), STRING(OWNER, trace_id)};
#undef OWNER
static SCHEMA(question_schema, struct question_row, "FrequentQuestion", question_fields);

struct questions_reply {
    OBJECT_LIST(struct question_row, asked);
    OBJECT_LIST(struct question_row, unanswered);
    OBJECT_LIST(struct question_row, disliked);
};

#define OWNER struct questions_reply
static const struct field questions_fields[] = {
    OBJECTS(OWNER, asked, question_schema),
    OBJECTS(OWNER, unanswered, question_schema,
            .help = "Went to a person or failed, and not answered since."),
    OBJECTS(OWNER, disliked, question_schema, .help = "Counted by votes."),
};
#undef OWNER
SCHEMA(questions_schema, struct questions_reply, "FrequentQuestions", questions_fields);

enum error questions_handle(struct request *request, struct reply *reply)
{
    const struct questions_query *query = request->query;
    struct questions_reply *object = ARENA_NEW(request->arena, struct questions_reply);
    struct object_list *const lists[QUESTIONS__MAX] = {
        [QUESTIONS_ASKED] = &object->asked,
        [QUESTIONS_UNANSWERED] = &object->unanswered,
        [QUESTIONS_DISLIKED] = &object->disliked,
    };
    struct service_tools tools;
    enum error error = service_tools(request, &tools);

    for (int kind = 0; !error && kind < QUESTIONS__MAX; kind++)
        error = analytics_frequent(&tools.traces, query->days, (enum analytics_questions)kind,
                                   query->limit, lists[kind]);
    reply->object = object;
    return error;
}

enum { OFFSET_LEAST = -14 * 60, OFFSET_MOST = 14 * 60 };

struct series_query {
    int64_t days, offset_minutes;
};

#define OWNER struct series_query
static const struct field series_query_fields[] = {
    INTEGER(OWNER, days, .lower = AT_LEAST(1), .upper = AT_MOST(DAYS_MAX), .default_value = 30,
            .help = "Up to today."),
    INTEGER(OWNER, offset_minutes, .lower = AT_LEAST(OFFSET_LEAST), .upper = AT_MOST(OFFSET_MOST),
            .default_value = 0,
            .help = "How far the reader's time zone is ahead of UTC: where his days begin."),
};
#undef OWNER
SCHEMA(series_query_schema, struct series_query, "SeriesQuery", series_query_fields);

#define OWNER struct series_day
static const struct field series_day_fields[] = {
    STRING(OWNER, date),
    INTEGER(OWNER, questions),
    INTEGER(OWNER, answered, .help = "Without a person."),
    INTEGER(OWNER, handed_over),
    NULLABLE_NUMBER(OWNER, quality, .help = "Mean, in percent."),
    NUMBER(OWNER, cost_usd)};
#undef OWNER
static SCHEMA(series_day_schema, struct series_day, "SeriesDay", series_day_fields);

struct series_reply {
    int64_t days, offset_minutes;
    OBJECT_LIST(struct series_day, points);
};

#define OWNER struct series_reply
static const struct field series_fields[] = {INTEGER(OWNER, days), INTEGER(OWNER, offset_minutes),
                                             OBJECTS(OWNER, points, series_day_schema)};
#undef OWNER
SCHEMA(series_schema, struct series_reply, "AnalyticsSeries", series_fields);

enum error series_handle(struct request *request, struct reply *reply)
{
    const struct series_query *query = request->query;
    struct series_reply *object = ARENA_NEW(request->arena, struct series_reply);
    struct service_tools tools;
    enum error error = service_tools(request, &tools);

    *object = (struct series_reply){.days = query->days, .offset_minutes = query->offset_minutes};
    reply->object = object;
    return error ? error
                 : analytics_series(&tools.traces, query->days, query->offset_minutes,
                                    &object->points);
}

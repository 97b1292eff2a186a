/* Frequent questions over HTTP. */
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

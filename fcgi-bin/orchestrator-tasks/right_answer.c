/* Which answer of a vote is right: models are weighed by it from the next question on. */
#include "orchestrator-tasks/right_answer.h"

#include "orchestrator-tasks/detail.h"
#include "orchestrator/service.h"
#include "orchestrator/storage/vote_store.h"

struct right_answer {
    int64_t right_answer;
};

#define OWNER struct right_answer
static const struct field right_answer_fields[] = {
    INTEGER(OWNER, right_answer, .required = true, .lower = AT_LEAST(0),
            .upper = AT_MOST(VOTERS_MAX),
            .help = "Its number in `votes.answers`, from 1; 0 = none of them."),
};
#undef OWNER
SCHEMA(right_answer_schema, struct right_answer, "RightAnswer", right_answer_fields,
       .example = "{\"right_answer\":1}");

enum error right_answer_handle(struct request *request, struct reply *reply)
{
    const struct right_answer *body = request->body;
    struct db *db;
    enum error error = service_database(request, &db);

    if (!error)
        error = task_check_access(request, db, request->arguments[0]);
    if (!error)
        error = vote_judge(db, request->arena, request->arguments[0], body->right_answer,
                           &request->problem);
    if (error)
        return service_storage_error(request, error, "judge_votes");
    reply->object = body;
    return ERROR_NONE;
}

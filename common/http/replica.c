/* Which reads a replica answers, and what their answers say about it. */
#include "http/replica.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/number.h"
#include "http/http_internal.h"

static const char age_header[] = "X-Data-Age-Seconds";
static const char position_header[] = "X-Data-Position";

static bool may_be_old(const struct request *request)
{
    return request->route && request->route->traits & TRAIT_MAY_BE_OLD;
}

enum error replica_ask(struct serving *serving)
{
    struct request *request = &serving->request;
    const char *text = request_header(request, "HTTP_X_DATA_POSITION");

    if (!may_be_old(request))
        return ERROR_NONE;
    serving->old_read = OLD_READ_ASKED;
    if (!text || !*text || (integer_parse(text, &serving->position) && serving->position >= 0))
        return ERROR_NONE;
    return request_fault(request, "header", position_header, "int_parsing",
                         "X-Data-Position must be what the answer to a write said");
}

/* Rounded up to milliseconds; 0 = the database itself answers. */
static void state_age(struct serving *serving, int64_t microseconds)
{
    int64_t milliseconds = (microseconds + 999) / 1000;

    reply_add_header(&serving->reply, age_header,
                     arena_print(serving->request.arena, "%lld.%03lld",
                                 (long long)(milliseconds / 1000),
                                 (long long)(milliseconds % 1000)));
}

bool request_reads_replica(struct request *request, struct replica *replica, struct db *primary,
                           struct db **db)
{
    struct serving *serving;
    int64_t age = 0, began;
    bool answers;

    if (!replica || !may_be_old(request)) /* also what is no request of a client */
        return false;
    serving = serving_of(request);
    if (serving->old_read == OLD_READ_TAKEN)
        *db = serving->replica_handle;
    if (serving->old_read != OLD_READ_ASKED)
        return serving->old_read == OLD_READ_TAKEN;
    began = clock_monotonic_microseconds();
    answers = replica_answers(replica, primary, serving->position, db, &age);
    serving->old_read = answers ? OLD_READ_TAKEN : OLD_READ_REFUSED;
    serving->replica = replica;
    serving->replica_handle = answers ? *db : NULL;
    serving->replica_as_of = began - age;
    state_age(serving, answers ? age + 1 : 0);
    return answers;
}

int64_t request_data_age(const struct request *request)
{
    if (!may_be_old(request) || serving_of(request)->old_read != OLD_READ_TAKEN)
        return 0;
    return clock_monotonic_microseconds() - serving_of(request)->replica_as_of + 1;
}

bool replica_read_failed(const struct serving *serving, enum error error)
{
    if (serving->old_read != OLD_READ_TAKEN || serving->request.streaming)
        return false;
    return error || serving->reply.status >= 400 || !replica_stayed(serving->replica);
}

void replica_give_up(struct serving *serving)
{
    replica_end_of_request(serving->replica);
    serving->old_read = OLD_READ_REFUSED;
}

void replica_state_current(struct serving *serving)
{
    state_age(serving, 0);
}

void replica_count(const struct serving *serving)
{
    unsigned metric = serving->server->family->service->old_reads_metric;
    const char *answered_by = serving->old_read == OLD_READ_TAKEN ? "replica" : "database";

    if (metric && serving->replica)
        metric_add(serving->server->metrics, metric, &answered_by, 1);
}

void reply_state_position(const struct request *request, struct reply *reply,
                          const struct replica *replica, struct db *primary)
{
    struct problem problem;
    int64_t position;
    char *text;

    if (!replica || !request->route || request->server->family->without_storage ||
        serving_of(request)->stream_begins || request->method == METHOD_GET ||
        request->method == METHOD_HEAD || reply->status >= 400)
        return;
    if (replica_position(primary, &position, &problem)) {
        log_event(LOG_WARNING, "position_unknown", problem.text);
        return;
    }
    text = arena_alloc(request->arena, NUMBER_TEXT_MAX);
    integer_format(position, text);
    reply_add_header(reply, position_header, text);
}

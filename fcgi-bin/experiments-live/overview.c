/* The list of experiments, with state, owner and progress. */
#include "experiments-live/live.h"

#include "experiments/live/overview_store.h"
#include "experiments/live_results/overview.h"

enum { LIST_LIMIT_MAX = 200, SEARCH_MAX_LENGTH = 500, RENEWED_MAX = 20 };

static const char *const state_filters[] = {"not_started", "collecting", "ready",
                                            "decided",     "archived",   "active"};
static const char *const metric_filters[] = {"binary", "continuous", "ratio", "count", "all"};
static const char *const sorts[OVERVIEW_SORT__MAX] = {"state", "updated_at", "name", "people"};
static const char *const directions[] = {"asc", "desc"};

struct overview_query {
    const char *q;
    const char *owner;
    int state;
    int metric_type;
    int sort_by;
    int sort_dir;
    int64_t limit;
    int64_t offset;
};

struct overview_counts {
    int64_t not_started, collecting, ready, decided, archived;
};

struct overview_reply {
    OBJECT_LIST(struct overview_item, experiments);
    int64_t total;
    int64_t offset;
    int64_t limit;
    const struct overview_counts *counts;
};

#define OWNER struct overview_query
static const struct field query_fields[] = {
    STRING(OWNER, q, .nullable = true, .max_length = SEARCH_MAX_LENGTH,
           .help = "Text found literally, in any case, in the name, hypothesis or change."),
    STRING(OWNER, owner, .nullable = true, .max_length = LIVE_USER_MAX),
    CHOICE(OWNER, state, state_filters, .choice_count = OVERVIEW__MAX + 1,
           .default_value = OVERVIEW__MAX, .help = "active: all but the archived."),
    CHOICE(OWNER, metric_type, metric_filters, .choice_count = METRIC__MAX + 1,
           .default_value = METRIC__MAX),
    CHOICE(OWNER, sort_by, sorts, .choice_count = OVERVIEW_SORT__MAX,
           .help = "state: ready, collecting, not_started, decided, then by change."),
    CHOICE(OWNER, sort_dir, directions, .choice_count = 2),
    INTEGER(OWNER, limit, .lower = AT_LEAST(1), .upper = AT_MOST(LIST_LIMIT_MAX),
            .default_value = 50),
    INTEGER(OWNER, offset, .lower = AT_LEAST(0)),
};
#undef OWNER
SCHEMA(overview_query_schema, struct overview_query, "ExperimentListQuery", query_fields);

#define OWNER struct overview_counts
static const struct field counts_fields[] = {
    INTEGER(OWNER, not_started), INTEGER(OWNER, collecting), INTEGER(OWNER, ready),
    INTEGER(OWNER, decided),     INTEGER(OWNER, archived),
};
#undef OWNER
static SCHEMA(counts_schema, struct overview_counts, "ExperimentCounts", counts_fields,
              .help = "How many match in each state, whichever state was asked for.");

#define OWNER struct overview_reply
static const struct field reply_fields[] = {
    OBJECTS(OWNER, experiments, overview_item_schema),
    INTEGER(OWNER, total),
    INTEGER(OWNER, offset),
    INTEGER(OWNER, limit),
    OBJECT(OWNER, counts, counts_schema),
};
#undef OWNER
SCHEMA(overview_reply_schema, struct overview_reply, "ExperimentList", reply_fields,
       .help = "A page of experiments.");

static int64_t total_of(const int64_t counts[OVERVIEW__MAX], int state)
{
    int64_t total = 0;

    if (state >= 0)
        return counts[state];
    for (int i = 0; i < OVERVIEW_ARCHIVED; i++)
        total += counts[i];
    return total;
}

enum error live_handle_overview(struct request *request, struct reply *reply)
{
    const struct overview_query *query = request->query;
    const struct overview_filter filter = {
        .state = query->state == OVERVIEW__MAX ? -1 : query->state,
        .metric_type = query->metric_type == METRIC__MAX ? -1 : query->metric_type,
        .q = query->q,
        .owner = query->owner,
        .sort_by = (enum overview_sort)query->sort_by,
        .ascending = query->sort_dir == 0,
        .limit = query->limit,
        .offset = query->offset};
    const struct live_results_call results = live_results_call(request);
    struct overview_reply *answer = ARENA_NEW(request->arena, struct overview_reply);
    struct overview_counts *counts = ARENA_NEW(request->arena, struct overview_counts);
    int64_t number[OVERVIEW__MAX];
    struct live_call call;
    enum error error = live_begin(request, &call);

    if (!error)
        error = overview_renew(&call, &results, RENEWED_MAX);
    if (!error)
        error = overview_list(&call, &filter, &answer->experiments, number);
    if (error)
        return error;
    *counts = (struct overview_counts){number[OVERVIEW_NOT_STARTED], number[OVERVIEW_COLLECTING],
                                       number[OVERVIEW_READY], number[OVERVIEW_DECIDED],
                                       number[OVERVIEW_ARCHIVED]};
    answer->total = total_of(number, filter.state);
    answer->limit = filter.limit;
    answer->offset = filter.offset;
    answer->counts = counts;
    reply->object = answer;
    return ERROR_NONE;
}

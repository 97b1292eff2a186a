/* One pass over the answers of a tenant keeps a random sample and the most doubtful ones. */
#include "support/evaluators/choose_cases.h"
#include "base/clock.h"
#include "base/list.h"
#include "base/text.h"
#include "db/query.h"
#include "math/random.h"
#include "support/evaluators/doubt.h"
#include "support/traces/evaluator_switch.h"
#include "support/trends/threshold_choice.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

enum { SECONDS_A_DAY = 86400, TRACE_ID_MAX = 129, ABOUT_MAX = 512, ESTIMATED_MOST = 10000 };

#define ANSWER_COLUMNS                                                                             \
    "SELECT t.trace_id, t.final_quality, t.factuality_score, e.evaluator_name, e.score,"           \
    " e.verdict, coalesce(q.id, 0), coalesce(q.drawn, 0)"
static const struct statement read_window = {
    .name = "choose_answers",
    .sql = ANSWER_COLUMNS
    " FROM traces t JOIN trace_evaluations e ON e.trace_id = t.trace_id"
    " LEFT JOIN review_queue q ON q.trace_id = t.trace_id WHERE t.tenant_id = ?"
    " AND t.started_at >= {now_plus:?} AND t.origin = 'live' AND t.finished_at IS NOT NULL"
    " ORDER BY t.trace_id, e.evaluator_name",
    .streams = true,
};
static const struct statement read_waiting = {
    .name = "choose_waiting",
    .sql = ANSWER_COLUMNS " FROM (SELECT id, trace_id, drawn FROM review_queue WHERE tenant_id = ?"
                          " AND status = 'pending' AND doubt < 0 ORDER BY id DESC LIMIT ?) q"
                          " JOIN traces t ON t.trace_id = q.trace_id"
                          " LEFT JOIN trace_evaluations e ON e.trace_id = t.trace_id"
                          " ORDER BY t.trace_id, e.evaluator_name",
    .streams = true,
};
static const struct statement put_drawn = {
    .name = "choose_drawn",
    .sql = "INSERT INTO review_queue (trace_id, tenant_id, reason, status, created_at, drawn,"
           " chosen, doubt, doubt_kind, doubt_about)"
           " VALUES (?, ?, 'manual', 'pending', {now}, 1, 'random', ?, ?, ?)"
           " ON CONFLICT (trace_id) DO UPDATE SET drawn = 1",
};
static const struct statement put_unsure = {
    .name = "choose_unsure",
    .sql = "INSERT INTO review_queue (trace_id, tenant_id, reason, status, created_at, chosen,"
           " doubt, doubt_kind, doubt_about)"
           " VALUES (?, ?, 'manual', 'pending', {now}, 'unsure', ?, ?, ?)"
           " ON CONFLICT (trace_id) DO NOTHING",
};
static const struct statement put_doubt = {
    .name = "choose_doubt",
    .sql = "UPDATE review_queue SET doubt = ?, doubt_kind = ?, doubt_about = ? WHERE id = ?"
           " AND doubt < 0",
};
static const struct statement list_tenants = {
    .name = "choose_tenants",
    .sql = "SELECT tenant_id FROM traces WHERE started_at >= {now_plus:?} AND origin = 'live'"
           " UNION SELECT tenant_id FROM review_queue WHERE status = 'pending' AND doubt < 0",
};

struct candidate {
    char trace_id[TRACE_ID_MAX];
    int64_t case_id; /* 0 = no case yet */
    bool drawn;
    struct doubt doubt;
};

struct choosing {
    const struct trace_call *call;
    const struct support_settings *settings; /* with the tenant's limits in force */
    struct evaluator_off off[EVALUATORS];
    struct random random;
    int64_t wanted, most_unsure;
    struct candidate sample[REVIEW_CASES_MOST];     /* reservoir (Vitter 1985, algorithm R) */
    struct candidate unsure[2 * REVIEW_CASES_MOST]; /* the highest doubt first; as many as may be
                                                 drawn at random, too, are kept besides */
    size_t sampled, seen, unsure_count;
};

typedef void take_candidate(struct choosing *choosing, const struct candidate *candidate,
                            void *context);

/* The judges of the answer whose rows are being read. */
struct reading {
    struct candidate candidate;
    struct judged judges[JUDGE__MAX];
    size_t count;
};

static void read_percents(const struct choosing *choosing, struct query *query,
                          struct reading *reading)
{
    const struct support_settings *settings = choosing->settings;

    if (!query_is_null(query, 1))
        reading->judges[reading->count++] = judge_percent(JUDGE_QUALITY, query_number(query, 1),
                                                          (double)settings->quality_threshold);
    if (!query_is_null(query, 2) && settings->fact_verification)
        reading->judges[reading->count++] = judge_percent(
            JUDGE_FACTS, query_number(query, 2), (double)settings->fact_verification_min_score);
}

static void read_evaluation(const struct choosing *choosing, struct query *query,
                            struct reading *reading, struct arena *arena)
{
    int judge;

    if (query_is_null(query, 3))
        return;
    judge = evaluator_of_name(query_text(query, 3, arena));
    if (judge < EVALUATORS && !choosing->off[judge].off && reading->count < JUDGE__MAX)
        reading->judges[reading->count++] =
            judge_score(judge, query_number(query, 4), query_text(query, 5, arena));
}

/* Calls `take` for each answer of the query, which is ended. */
static enum error read_answers(struct choosing *choosing, struct query *query, take_candidate *take,
                               void *context)
{
    struct arena *rows = arena_create_below(choosing->call->arena, 1 << 20);
    struct reading reading = {.count = 0};

    while (query_next(query)) {
        const char *trace = query_text(query, 0, rows);

        if (strcmp(trace, reading.candidate.trace_id) != 0) {
            reading.candidate.doubt = doubt_of(reading.judges, reading.count);
            if (*reading.candidate.trace_id)
                take(choosing, &reading.candidate, context);
            reading = (struct reading){.candidate = {.case_id = query_integer(query, 6),
                                                     .drawn = query_boolean(query, 7)}};
            snprintf(reading.candidate.trace_id, TRACE_ID_MAX, "%s", trace);
            read_percents(choosing, query, &reading);
        }
        read_evaluation(choosing, query, &reading, rows);
        arena_reset(rows);
    }
    reading.candidate.doubt = doubt_of(reading.judges, reading.count);
    if (*reading.candidate.trace_id)
        take(choosing, &reading.candidate, context);
    arena_destroy(rows);
    return query_end(query, choosing->call->problem);
}

static void take_random(struct choosing *choosing, const struct candidate *candidate)
{
    size_t most = (size_t)choosing->wanted;
    uint64_t place;

    if (candidate->drawn || most == 0)
        return;
    place = choosing->sampled < most ? choosing->sampled++
                                     : random_below(&choosing->random, choosing->seen + 1);
    choosing->seen++;
    if (place < most)
        choosing->sample[place] = *candidate;
}

static void take_unsure(struct choosing *choosing, const struct candidate *candidate)
{
    size_t most = (size_t)choosing->most_unsure, place = choosing->unsure_count;

    if (candidate->case_id || candidate->doubt.level <= 0 || most == 0)
        return;
    while (place > 0 && choosing->unsure[place - 1].doubt.level < candidate->doubt.level)
        place--;
    if (place >= most)
        return;
    if (choosing->unsure_count < most)
        choosing->unsure_count++;
    memmove(&choosing->unsure[place + 1], &choosing->unsure[place],
            (choosing->unsure_count - place - 1) * sizeof *choosing->unsure);
    choosing->unsure[place] = *candidate;
}

static void take_answer(struct choosing *choosing, const struct candidate *candidate, void *context)
{
    (void)context;
    take_random(choosing, candidate);
    take_unsure(choosing, candidate);
}

struct waiting {
    size_t count;
    struct candidate *items;
};

static void take_waiting(struct choosing *choosing, const struct candidate *candidate,
                         void *context)
{
    struct waiting *waiting = context;

    *LIST_ADD(choosing->call->arena, waiting) = *candidate;
}

static const char *about_of(struct arena *arena, const struct doubt *doubt)
{
    struct text text;

    text_start(&text, arena, ABOUT_MAX);
    for (int i = 0; i < JUDGE__MAX; i++) {
        if (!doubt->about[i])
            continue;
        if (text.length)
            text_append_string(&text, " ");
        text_append_string(&text, judge_name(i));
    }
    return text.bytes;
}

static void bind_doubt(struct query *query, struct arena *arena, const struct doubt *doubt)
{
    query_bind_number(query, doubt->level);
    query_bind_text(query, doubt->level > 0 ? doubt_kind_names[doubt->kind] : NULL);
    query_bind_text(query, about_of(arena, doubt));
}

static enum error put(const struct trace_call *call, const struct statement *statement,
                      const struct candidate *candidate, int64_t *count)
{
    struct query *query = db_query(call->db, statement);

    query_bind_text(query, candidate->trace_id);
    query_bind_text(query, call->tenant);
    bind_doubt(query, call->arena, &candidate->doubt);
    *count += query_changes(query);
    return query_end(query, call->problem);
}

static enum error put_estimate(const struct trace_call *call, const struct candidate *candidate,
                               int64_t *count)
{
    struct query *query = db_query(call->db, &put_doubt);

    bind_doubt(query, call->arena, &candidate->doubt);
    query_bind_integer(query, candidate->case_id);
    *count += query_changes(query);
    return query_end(query, call->problem);
}

static enum error write_all(const struct choosing *choosing, const struct waiting *waiting,
                            int64_t unsure, struct cases_chosen *chosen)
{
    const struct trace_call *call = choosing->call;
    int64_t before = chosen->unsure;
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    for (size_t i = 0; i < waiting->count && !error; i++)
        error = put_estimate(call, &waiting->items[i], &chosen->estimated);
    for (size_t i = 0; i < choosing->sampled && !error; i++)
        error = put(call, &put_drawn, &choosing->sample[i], &chosen->drawn);
    for (size_t i = 0; i < choosing->unsure_count && chosen->unsure - before < unsure && !error;
         i++)
        error = put(call, &put_unsure, &choosing->unsure[i], &chosen->unsure);
    return db_finish(call->db, error, call->problem);
}

static struct random fresh_random(void)
{
    uint64_t seed[2];

    if (getrandom(seed, sizeof seed, 0) != (ssize_t)sizeof seed)
        seed[0] = seed[1] = (uint64_t)clock_unix_microseconds();
    return random_start(seed[0], seed[1]);
}

static enum error read_both(struct choosing *choosing, const struct case_choice *choice,
                            struct waiting *waiting)
{
    const struct trace_call *call = choosing->call;
    struct query *query = db_query(call->db, &read_waiting);
    enum error error;

    query_bind_text(query, call->tenant);
    query_bind_integer(query, ESTIMATED_MOST);
    error = read_answers(choosing, query, take_waiting, waiting);
    if (error || (choice->random == 0 && choice->unsure == 0))
        return error;
    query = db_query(call->db, &read_window);
    query_bind_text(query, call->tenant);
    query_bind_number(query, -(double)choice->days * SECONDS_A_DAY);
    return read_answers(choosing, query, take_answer, NULL);
}

static enum error choose_of_tenant(const struct trace_call *call,
                                   const struct support_settings *settings,
                                   const struct case_choice *choice, struct cases_chosen *chosen)
{
    struct choosing *choosing = ARENA_NEW(call->arena, struct choosing);
    struct waiting waiting = {0};
    enum error error = threshold_in_force(call, settings, &choosing->settings);

    choosing->call = call;
    choosing->random = fresh_random();
    choosing->wanted = choice->random;
    choosing->most_unsure = choice->unsure ? choice->unsure + choice->random : 0;
    if (!error)
        error = evaluator_switches(call, choosing->off);
    if (!error)
        error = read_both(choosing, choice, &waiting);
    return error ? error : write_all(choosing, &waiting, choice->unsure, chosen);
}

static enum error read_tenants(const struct trace_call *call, int64_t days,
                               struct string_list *tenants)
{
    struct query *query = db_query(call->db, &list_tenants);

    query_bind_number(query, -(double)days * SECONDS_A_DAY);
    while (query_next(query))
        *LIST_ADD(call->arena, tenants) = query_text(query, 0, call->arena);
    return query_end(query, call->problem);
}

enum error cases_choose(const struct trace_call *call, const struct support_settings *settings,
                        const struct case_choice *choice, struct cases_chosen *chosen)
{
    struct string_list tenants = {0};
    struct trace_call of_tenant = *call;
    enum error error = ERROR_NONE;

    *chosen = (struct cases_chosen){0};
    if (!settings->review_queue)
        return ERROR_NONE;
    if (call->tenant)
        return choose_of_tenant(call, settings, choice, chosen);
    error = read_tenants(call, choice->days, &tenants);
    for (size_t i = 0; i < tenants.count && !error; i++) {
        of_tenant.tenant = tenants.items[i];
        error = choose_of_tenant(&of_tenant, settings, choice, chosen);
    }
    return error;
}

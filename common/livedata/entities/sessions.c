/* Sessions computed from clicks: counts, furthest stage, first and last event. */
#include "livedata/entities/state.h"

#include "db/query.h"
#include "livedata/journal/series_changes.h"

#include <string.h>

/* The funnel, from its first stage; a session's stage only moves forward. */
static const char *const stages[] = {"bounce", "browse", "product_view", "add_to_cart", "checkout"};
enum { STAGE_BOUNCE, STAGE_BROWSE, STAGE_PRODUCT, STAGE_CART, STAGE_CHECKOUT, STAGE__MAX };

static const struct statement read_session = {
    .name = "session_state",
    .sql = "SELECT user_id, started_at, ended_at, event_count, unique_pages, funnel_stage,"
           " last_event_at, user_ts, user_event_id, event_at FROM sessions_aggregated"
           " WHERE tenant_id = ? AND session_id = ?",
};
static const struct statement write_session = {
    .name = "session_write",
    .sql = "INSERT INTO sessions_aggregated (tenant_id, session_id, user_id, started_at, ended_at,"
           " duration_us, event_count, unique_pages, funnel_stage, is_conversion, last_event_at,"
           " user_ts, user_event_id, updated_at, event_at)"
           " VALUES (?, ?, ?, ?, NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
           " ON CONFLICT (tenant_id, session_id) DO UPDATE SET user_id = excluded.user_id,"
           " started_at = excluded.started_at, ended_at = NULL,"
           " duration_us = excluded.duration_us, event_count = excluded.event_count,"
           " unique_pages = excluded.unique_pages, funnel_stage = excluded.funnel_stage,"
           " is_conversion = excluded.is_conversion, last_event_at = excluded.last_event_at,"
           " user_ts = excluded.user_ts, user_event_id = excluded.user_event_id,"
           " updated_at = excluded.updated_at, event_at = excluded.event_at",
};
static const struct statement add_page = {
    .name = "session_page_add",
    .sql = "INSERT INTO session_pages (tenant_id, session_id, page_url) VALUES (?, ?, ?)"
           " ON CONFLICT (tenant_id, session_id, page_url) DO NOTHING",
};

struct session_state {
    bool found;
    const char *user_id;
    int64_t started_at;
    int64_t last_event_at;
    int64_t event_count;
    int64_t unique_pages;
    int stage;
    int64_t user_ts;
    const char *user_event_id;
    int64_t event_at; /* of the newest event that set the row */
};

static int stage_of(const char *name)
{
    for (int stage = STAGE__MAX - 1; stage > 0; stage--)
        if (strcmp(stages[stage], name) == 0)
            return stage;
    return STAGE_BOUNCE;
}

static int stage_of_event(const struct event *event)
{
    static const struct {
        const char *category;
        int stage;
    } pages[] = {{"checkout", STAGE_CHECKOUT},
                 {"cart", STAGE_CART},
                 {"product_detail", STAGE_PRODUCT},
                 {"search", STAGE_BROWSE}};
    const char *category = event_page_category(event->page_url);
    int stage = strcmp(event->type, "add_to_cart") == 0 ? STAGE_CART : STAGE_BOUNCE;

    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++)
        if (strcmp(pages[i].category, category) == 0 && pages[i].stage > stage)
            return pages[i].stage;
    return stage;
}

static enum error find_session(const struct storage_call *call, const char *id,
                               struct session_state *state)
{
    struct query *query = db_query(call->db, &read_session);

    *state = (struct session_state){.user_event_id = "", .stage = STAGE_BOUNCE};
    query_bind_text(query, call->tenant);
    query_bind_text(query, id);
    if (query_next(query)) {
        struct optional_integer ended = query_optional_integer(query, 2),
                                last = query_optional_integer(query, 6),
                                newest = query_optional_integer(query, 9);

        state->found = true;
        state->user_id = query_text_or_null(query, 0, call->arena);
        state->started_at = query_integer(query, 1);
        state->event_count = query_integer(query, 3);
        state->unique_pages = query_integer(query, 4);
        state->stage = stage_of(query_text(query, 5, call->arena));
        state->last_event_at = last.given    ? last.value
                               : ended.given ? ended.value
                                             : state->started_at;
        state->user_ts = query_integer(query, 7);
        state->user_event_id = query_text(query, 8, call->arena);
        state->event_at = newest.given ? newest.value : state->last_event_at;
    }
    return query_end(query, call->problem);
}

/* The user of the newest event that names one. */
static void apply_user(struct session_state *state, const struct event *event)
{
    if (!event->user_id || event->at < state->user_ts ||
        (event->at == state->user_ts && strcmp(event->id, state->user_event_id) < 0))
        return;
    state->user_id = event->user_id;
    state->user_ts = event->at;
    state->user_event_id = event->id;
}

static void apply_event(struct session_state *state, const struct event *event, bool new_page)
{
    int stage = stage_of_event(event);

    if (!state->event_count || event->at < state->started_at)
        state->started_at = event->at;
    if (!state->event_count || event->at > state->last_event_at)
        state->last_event_at = event->at;
    if (!state->found || event->at > state->event_at)
        state->event_at = event->at;
    state->event_count++;
    state->unique_pages += new_page;
    if (stage > state->stage)
        state->stage = stage;
    if (state->event_count > 1 && state->stage == STAGE_BOUNCE)
        state->stage = STAGE_BROWSE;
    apply_user(state, event);
}

static enum error put_session(const struct storage_call *call, const struct event *event,
                              const struct session_state *state)
{
    struct query *query = db_query(call->db, &write_session);

    query_bind_text(query, call->tenant);
    query_bind_text(query, event->entity_id);
    query_bind_text(query, state->user_id);
    query_bind_integer(query, state->started_at);
    query_bind_integer(query, state->last_event_at - state->started_at);
    query_bind_integer(query, state->event_count);
    query_bind_integer(query, state->unique_pages);
    query_bind_text(query, stages[state->stage]);
    query_bind_boolean(query, state->stage == STAGE_CHECKOUT);
    query_bind_integer(query, state->last_event_at);
    query_bind_integer(query, state->user_ts);
    query_bind_text(query, state->user_event_id);
    query_bind_integer(query, call->now);
    query_bind_integer(query, state->event_at);
    return query_end(query, call->problem);
}

enum error state_apply_click(const struct storage_call *call, const struct event *event)
{
    struct session_state state;
    struct query *query;
    bool new_page, deleted = false;
    enum error error = find_session(call, event->entity_id, &state);

    /* An existing row is newer than its last deletion: a click that is not late needs no check. */
    if (!error && (!state.found || event->at < state.event_at))
        error = state_is_deleted(call, event, &deleted);
    if (error || deleted)
        return error;
    query = db_query(call->db, &add_page);
    query_bind_text(query, call->tenant);
    query_bind_text(query, event->entity_id);
    query_bind_text(query, event->page_url);
    new_page = query_changes(query) > 0;
    error = query_end(query, call->problem);
    if (error)
        return error;
    if (state.found)
        series_note_time(call, "sessions_aggregated", "started_at", state.started_at);
    apply_event(&state, event, new_page);
    series_note_time(call, "sessions_aggregated", "started_at", state.started_at);
    return put_session(call, event, &state);
}

/*
 * What was asked, by whom, and how it went: rows that are written off the way of requests, several
 * at once, by each worker. Those of a worker that is killed are lost with it.
 */
#ifndef ASSAY_LIVEDATA_ACCESS_SESSIONS_H
#define ASSAY_LIVEDATA_ACCESS_SESSIONS_H

#include "base/json.h"
#include "db/db.h"

enum { SESSIONS_HELD_MAX = 64, SESSION_TEXT_MAX = 1000 };

struct session_row {
    char tenant[65], request_id[129], key_id[201], key_name[101], endpoint[65], method[8];
    bool by_previous;
    int status;
    int64_t duration_us;
    int cache; /* -1 = not used, 0 = missed, 1 = hit */
    char entity_type[65], entity_id[257], metric[65], engine[17];
    char query[SESSION_TEXT_MAX + 1];
    int64_t at;
    bool usage_only; /* refused for its rate: counts as use, is no session */
};

struct session_log {
    size_t count;
    struct session_row rows[SESSIONS_HELD_MAX];
    int64_t written_at; /* monotonic */
    int64_t dropped;
};

/* A place for one more; NULL (and counted as dropped) when all are taken. */
struct session_row *session_add(struct session_log *log);

/* Whether it is time to write: a second after the last time, or when half of the places are taken.
 * A worker asks after each answer and each second. */
bool session_is_due(const struct session_log *log);
/* Writes what is held. Failures drop the rows and count them. */
void session_flush(struct session_log *log, struct db *db);

/* Figures for the administration; windows in microseconds. All write one object. */
struct session_question {
    struct db *db;
    struct arena *arena;
    struct problem *problem;
    int64_t now;
    int64_t window;
    const char *window_text;
    const char *tenant; /* NULL = all */
    int64_t limit;
};
MUST_CHECK enum error session_write_usage(const struct session_question *question,
                                          struct json_writer *writer);
MUST_CHECK enum error session_write_tenants(const struct session_question *question,
                                            struct json_writer *writer);
MUST_CHECK enum error session_write_top_queries(const struct session_question *question,
                                                struct json_writer *writer);
MUST_CHECK enum error session_write_top_entities(const struct session_question *question,
                                                 struct json_writer *writer);
MUST_CHECK enum error session_write_latency(const struct session_question *question,
                                            struct json_writer *writer);
MUST_CHECK enum error session_write_anomalies(const struct session_question *question,
                                              struct json_writer *writer);
/* How often a key was used: in the last day, and by its old form in the last hour. */
MUST_CHECK enum error session_key_use(const struct session_question *question, const char *key_id,
                                      int64_t *day, int64_t *old_hour);
/* Sessions a second over the last minute. */
MUST_CHECK enum error session_rate(const struct session_question *question, double *rate);

#endif

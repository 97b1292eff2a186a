/*
 * The log of requests: what was asked, by whom, and how it went. Each worker holds rows and writes
 * several at once after it has answered; the rows of a killed worker are lost.
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

/* Room for one more; NULL (and counted as dropped) when the log is full. */
struct session_row *session_add(struct session_log *log);

/* Whether it is time to write: a second after the last write, or when the log is half full. A
 * worker asks after each answer and each second. */
bool session_is_due(const struct session_log *log);
/* Writes what is held. Failures drop the rows and count them. */
void session_flush(struct session_log *log, struct db *db);

#endif

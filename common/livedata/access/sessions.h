/*
 * The request log: request, client and result. Each worker buffers rows and writes several at once
 * after an answer; the rows of a killed worker are lost.
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
    int cache; /* -1 = not used, 0 = miss, 1 = hit */
    char entity_type[65], entity_id[257], metric[65], engine[17];
    char query[SESSION_TEXT_MAX + 1];
    int64_t at;
    bool usage_only; /* refused by the rate limit: counts as use, not as a session */
};

struct session_log {
    size_t count;
    struct session_row rows[SESSIONS_HELD_MAX];
    int64_t written_at; /* monotonic */
    int64_t dropped;
};

/* A free row; NULL (and counted as dropped) when the buffer is full. */
struct session_row *session_add(struct session_log *log);

/* Whether it is time to write: a second after the last write, or when the buffer is half full. A
 * worker checks after each answer and each second. */
bool session_is_due(const struct session_log *log);
/* Writes the buffered rows. An error drops the rows and counts them. */
void session_flush(struct session_log *log, struct db *db);

#endif

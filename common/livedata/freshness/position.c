/* Positions as text, and in the journal. */
#include "livedata/freshness/position.h"

#include "db/query.h"
#include "livedata/journal/journal.h"

#include <string.h>

enum { SEQ_DIGITS = 13, AT_DIGITS = 11, DIGIT_BITS = 5 };

static const char digits[] = "0123456789abcdefghijklmnopqrstuv";

static const struct statement position_of_tenant = {
    .name = "position_of_tenant",
    .sql = "SELECT written.seq, COALESCE(last.processed_at, 0) FROM cache_generation AS written"
           " LEFT JOIN pipeline_events AS last ON last.tenant_id = written.tenant_id"
           " AND last.seq = written.seq"
           " WHERE written.tenant_id = ? AND written.table_name = 'pipeline_events'",
};
static void put_number(int64_t number, int count, char *text)
{
    for (int i = count - 1; i >= 0; i--, number >>= DIGIT_BITS)
        text[i] = digits[number & 31];
}

static bool take_number(const char *text, int count, int64_t *number)
{
    uint64_t value = 0;

    for (int i = 0; i < count; i++) {
        const char *digit = text[i] ? strchr(digits, text[i]) : NULL;

        if (!digit || value >> (63 - DIGIT_BITS))
            return false;
        value = value << DIGIT_BITS | (uint64_t)(digit - digits);
    }
    *number = (int64_t)value;
    return true;
}

void position_format(struct live_position position, char text[POSITION_TEXT])
{
    *text = '\0';
    if (!position.seq)
        return;
    text[0] = 'p';
    put_number(position.seq, SEQ_DIGITS, text + 1);
    put_number(position.at, AT_DIGITS, text + 1 + SEQ_DIGITS);
    text[1 + SEQ_DIGITS + AT_DIGITS] = '\0';
}

bool position_parse(const char *text, struct live_position *position)
{
    return strlen(text) == 1 + SEQ_DIGITS + AT_DIGITS && *text == 'p' &&
           take_number(text + 1, SEQ_DIGITS, &position->seq) &&
           take_number(text + 1 + SEQ_DIGITS, AT_DIGITS, &position->at) && position->seq > 0;
}

enum error position_read(const struct storage_call *call, struct live_position *position)
{
    struct query *query = db_query(call->db, &position_of_tenant);
    enum error error;

    query_bind_text(query, call->tenant);
    *position = (struct live_position){0};
    if (query_next(query))
        *position = (struct live_position){query_integer(query, 0), query_integer(query, 1)};
    error = query_end(query, call->problem);
    if (error || !position->seq || position->at)
        return error;
    return journal_time(call, position->seq, &position->at);
}

enum error position_is_reached(const struct storage_call *call, struct live_position position,
                               int64_t kept_since, bool *reached)
{
    int64_t at, last;
    enum error error = journal_time(call, position.seq, &at);

    *reached = at && at == position.at;
    if (error || at || position.at >= kept_since)
        return error;
    error = journal_last_seq(call, &last);
    *reached = position.seq <= last;
    return error;
}

enum error position_check(const struct storage_call *call, struct live_position position,
                          int64_t kept_since)
{
    bool reached = false;
    enum error error = position_is_reached(call, position, kept_since, &reached);

    if (error || reached)
        return error;
    return problem_set(call->problem, ERROR_INVALID, "position_unknown",
                       "The database does not know this position: it was restored from an older "
                       "copy, or is another one. Read again without it.");
}

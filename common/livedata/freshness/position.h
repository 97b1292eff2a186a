/*
 * Positions: how far the journal had been written for a tenant. A position names the journal row
 * that was the last one at that moment, by its number and its time. Only one transaction at a time
 * writes the journal (apply.c), so rows become visible in the order of their numbers: a position
 * that was given out includes everything up to it, on every host of the database.
 *
 * A position that the database does not know was given out by another database, or before this one
 * was restored from an older copy: the row of its number is missing or has another time.
 */
#ifndef ASSAY_LIVEDATA_FRESHNESS_POSITION_H
#define ASSAY_LIVEDATA_FRESHNESS_POSITION_H

#include "base/error.h"
#include "livedata/storage_call.h"

#include <stdbool.h>

struct live_position {
    int64_t seq; /* 0 = nothing was written yet */
    int64_t at;  /* time of that row; 0 = it has been deleted as too old */
};

enum { POSITION_TEXT = 26 };

/* Texts of one length: those of one tenant compare as the positions do. "" for none. */
void position_format(struct live_position position, char text[POSITION_TEXT]);
bool position_parse(const char *text, struct live_position *position);

/* The position of the tenant. */
MUST_CHECK enum error position_read(const struct storage_call *call,
                                    struct live_position *position);

/* Whether the database contains everything up to the position. Rows that are older than
 * `kept_since` may have been deleted: then the number alone decides. */
MUST_CHECK enum error position_is_reached(const struct storage_call *call,
                                          struct live_position position, int64_t kept_since,
                                          bool *reached);
/* ERROR_INVALID position_unknown unless it does. */
MUST_CHECK enum error position_check(const struct storage_call *call, struct live_position position,
                                     int64_t kept_since);

#endif

/*
 * A segment: a named group of users that targeting rules ask for. Users belong to it who are in its
 * list, or for whom its rules hold. Does not depend on the database.
 */
#ifndef ASSAY_EXPERIMENTS_SEGMENTS_SEGMENT_H
#define ASSAY_EXPERIMENTS_SEGMENTS_SEGMENT_H

#include "experiments/payloads/payload_targeting.h"

enum {
    SEGMENT_USER_MAX = 200,      /* code points of a user's id, as of exposures */
    SEGMENT_LINE_MAX = 64 * 1024 /* bytes of a line of a list */
};

/* What people write; every change of it is a version. */
struct segment_definition {
    const char *name; /* by which rules ask for it */
    const char *description;
    int match; /* enum targeting_match: how many of the rules must hold */
    OBJECT_LIST(struct targeting_rule, rules);
};
SCHEMA_OF(segment_definition_schema, struct segment_definition);
/* The same as stored: unknown members are dropped. */
SCHEMA_OF(segment_definition_stored_schema, struct segment_definition);

/* The user ids of a file, one after the other: of each line the first column. */
struct segment_lines {
    char *at, *end; /* of the bytes that are not read yet; lines are cut where they lie */
    int64_t line;   /* of the user that was read last, from 1 */
};
enum segment_line { SEGMENT_LINE_USER, SEGMENT_LINE_END, SEGMENT_LINE_WRONG };

/* `bytes` are changed, and users point into them; one byte behind them belongs to the reader. */
struct segment_lines segment_lines_start(char *bytes, size_t length);

/* The next user. Blank lines are passed over, also blanks around an id, a byte order mark and both
 * line ends. A comma, a semicolon or a tab ends the id, unless it is in double quotes.
 * SEGMENT_LINE_WRONG: `wrong` says why. */
enum segment_line segment_lines_next(struct segment_lines *lines, const char **user,
                                     const char **wrong);

#endif

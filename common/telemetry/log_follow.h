/*
 * Follows the log files of a folder (`*.log`) line by line, from where it was before: the position
 * in each file is kept in a file of its own. A log that is renamed is read to its end before the
 * new one, and further until nobody has written to it for a quarter of an hour; one that is emptied
 * in place is read from its begin. Lines that are not ended yet wait. What was read counts as read
 * only when the caller says so: lines may come twice, after a crash or a failure, but none is left
 * out as long as its file is there.
 */
#ifndef ASSAY_TELEMETRY_LOG_FOLLOW_H
#define ASSAY_TELEMETRY_LOG_FOLLOW_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LOG_FILES_MAX = 512, LOG_NAME_MAX = 128, LOG_PIECE_MAX = 256 * 1024 };

struct log_follower;

/* Some whole lines of one file. */
struct log_piece {
    const char *name; /* of the file, without `.log` */
    const char *lines;
    size_t length; /* ends with the end of a line, unless a line is longer than a piece */
};

/* `positions` is the file that keeps the positions; without it every log is followed from its end,
 * and logs that come later from their begin. ERROR_SYSTEM. */
MUST_CHECK enum error log_follower_open(const char *folder, const char *positions,
                                        struct log_follower **follower, struct problem *problem);
void log_follower_close(struct log_follower *follower);

/* The next lines of some file, each file in its turn; false when there are none now. They are valid
 * until the next call, which gives other files' lines, or the same again unless they were kept. */
bool log_follower_read(struct log_follower *follower, struct log_piece *piece);

/* The piece that was read last counts as read. */
void log_follower_keep(struct log_follower *follower);

/* Writes the positions down, if any has changed. */
void log_follower_save(struct log_follower *follower);

#endif

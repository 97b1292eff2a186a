/* Private to common/experiments/workspace: finds members and items of JSON text without decoding
 * them. The caller decodes a piece strictly. */
#ifndef ASSAY_EXPERIMENTS_WORKSPACE_SCAN_H
#define ASSAY_EXPERIMENTS_WORKSPACE_SCAN_H

#include <stdbool.h>
#include <stddef.h>

struct scan {
    const char *at, *end;
    bool broken; /* what was met cannot be JSON; then everything says that it is over */
};

struct scan_piece {
    const char *at;
    size_t length;
};

/* Enters an object ('{') or an array ('['); false, and broken, when it is none. */
bool scan_open(struct scan *scan, char bracket);

/* The next member or item of what was entered; false behind the last one. A key stays as it is
 * written, with its quotes. */
bool scan_member(struct scan *scan, bool first, struct scan_piece *key, struct scan_piece *value);
bool scan_item(struct scan *scan, bool first, struct scan_piece *value);

/* Whether nothing but blanks is left. */
bool scan_is_over(struct scan *scan);

#endif

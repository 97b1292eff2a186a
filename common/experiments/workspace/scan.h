/* Private to common/experiments/workspace: finds members and items of JSON text without decoding
 * them. The caller decodes each piece strictly. */
#ifndef ASSAY_EXPERIMENTS_WORKSPACE_SCAN_H
#define ASSAY_EXPERIMENTS_WORKSPACE_SCAN_H

#include <stdbool.h>
#include <stddef.h>

struct scan {
    const char *at, *end;
    bool broken; /* invalid JSON was found; from then on every function reports the end */
};

struct scan_piece {
    const char *at;
    size_t length;
};

/* Enters an object ('{') or an array ('['); false, and broken, when the next value is neither. */
bool scan_open(struct scan *scan, char bracket);

/* The next member or item of the entered value; false after the last one. A key is returned as
 * written, with its quotes. */
bool scan_member(struct scan *scan, bool first, struct scan_piece *key, struct scan_piece *value);
bool scan_item(struct scan *scan, bool first, struct scan_piece *value);

/* Whether only white space is left. */
bool scan_is_over(struct scan *scan);

#endif

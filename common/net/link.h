/* Resolves the links of web pages to addresses that can be fetched, in one form for each page. */
#ifndef ASSAY_NET_LINK_H
#define ASSAY_NET_LINK_H

#include "base/arena.h"

enum { LINK_BYTES_MAX = 1000 };

/* The absolute address that `reference` means in the page `base` (NULL = it is absolute): without
 * dot segments, fragment and default port, scheme and host in lower case. NULL for everything else
 * than http and https, for addresses with a user or password, and for more than LINK_BYTES_MAX. */
const char *link_resolve(struct arena *arena, const char *base, const char *reference);

/* Length of scheme, host and port of such an address; its path begins there. */
size_t link_origin_length(const char *address);

#endif

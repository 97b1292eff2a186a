/*
 * Identifies the host that stores a file. Hosts may share one database, but each stores its own
 * uploads: a DATA_DIR has a name, and a host with another DATA_DIR does not claim its jobs.
 */
#ifndef ASSAY_SUPPORT_DOCUMENTS_HOST_H
#define ASSAY_SUPPORT_DOCUMENTS_HOST_H

#include "base/arena.h"
#include "base/error.h"
#include "crypto/digest.h"
#include "support/settings.h"

/* The name of DATA_DIR. ERROR_UNAVAILABLE `host_not_named`. */
MUST_CHECK enum error host_name(struct arena *arena, const struct support_settings *settings,
                                const char **name, struct problem *problem);

/* SHA-256 of the bytes of a file; "" when it cannot be read. */
void host_file_hash(const char *path, char hash[DIGEST_SHA256_TEXT]);

#endif

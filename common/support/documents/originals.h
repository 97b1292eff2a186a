/*
 * Moves the originals of all documents to where SUPPORT_BLOB_URL says, and checks them: from files
 * of this host, from the database, or from the object store of SUPPORT_BLOB_URL_BEFORE. Each is in
 * its new place before it leaves the old one, so that a run that was interrupted is continued by
 * the next, and services may run meanwhile.
 */
#ifndef ASSAY_SUPPORT_DOCUMENTS_ORIGINALS_H
#define ASSAY_SUPPORT_DOCUMENTS_ORIGINALS_H

#include "support/documents/ingest.h"

struct originals_counts {
    int64_t documents; /* with an original */
    int64_t moved;     /* from files or to files, and copies in the database or a bucket */
    int64_t failed;    /* that could not be moved; each is logged */
    int64_t missing;   /* not in the place of the settings: on another host, or lost */
};

/* Files of other hosts are moved by the program there. */
MUST_CHECK enum error originals_move(struct db *db, struct arena *arena,
                                     const struct support_settings *settings,
                                     struct originals_counts *counts, struct problem *problem);

/* Fetches each original and compares it with its document; moves nothing. */
MUST_CHECK enum error originals_check(struct db *db, struct arena *arena,
                                      const struct support_settings *settings,
                                      struct originals_counts *counts, struct problem *problem);

#endif

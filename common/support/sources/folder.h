/*
 * Takes the files of a folder into the knowledge base, by the same steps as uploads. A scan
 * compares the folder with what was taken before, so that it takes what is new or changed and
 * removes what is gone, also after a restart. Symbolic links and names that begin with a full stop
 * are passed over.
 */
#ifndef ASSAY_SUPPORT_SOURCES_FOLDER_H
#define ASSAY_SUPPORT_SOURCES_FOLDER_H

#include "support/documents/ingest.h"

/* How a file ended; for reports. */
enum folder_outcome {
    FOLDER_TAKEN,
    FOLDER_SAME,    /* the text is that of the document already */
    FOLDER_REFUSED, /* not tried again until it changes */
    FOLDER_FAILED,  /* tried again with the next scan */
    FOLDER_REMOVED,
    FOLDER_OUTCOME__MAX
};

struct folder_plan {
    const struct support_settings *settings;
    const char *root;          /* absolute path of a folder, without links and slash at the end */
    struct string_list groups; /* of new documents */
    bool group_by_folder;      /* new documents get the name of the folder below the root */
    bool removes;              /* documents whose file is gone */
    int64_t quiet_seconds;     /* files that changed later are left for the next scan */
    struct models *models;     /* as of struct ingest_request */
    struct arena *work;        /* of one file, reset after it */
    bool (*must_stop)(void);   /* ends the scan early; NULL = never */
    /* May be NULL, as `unread`. `folder` is called for each folder before its files are read. */
    void (*folder)(void *context, const char *path);
    /* What cannot be read, or is not because of the limits; documents of files that cannot be seen
     * are not removed. */
    void (*unread)(void *context, const char *path, const char *why);
    void (*report)(void *context, enum folder_outcome outcome, const char *path, const char *why);
    void *context;
};

struct folder_result {
    int64_t found; /* files */
    int64_t counts[FOLDER_OUTCOME__MAX];
    int64_t waiting; /* still written, or just changed */
};

/* One scan. Of the call the tenant, the database, the arena and the problem are used. Errors are
 * those of the database, and ERROR_UNAVAILABLE `folder_unreadable`; those of single files are
 * reported. A scan that found no file at all removes nothing: the folder may not be mounted. */
MUST_CHECK enum error folder_scan(const struct document_call *call, const struct folder_plan *plan,
                                  struct folder_result *result);

/* The same for one file below the root. */
MUST_CHECK enum error folder_take(const struct document_call *call, const struct folder_plan *plan,
                                  const char *path, struct folder_result *result);

#endif

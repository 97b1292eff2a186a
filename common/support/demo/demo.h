/*
 * The demonstration of the support service: documents, cases with the answers expected from them,
 * and a week of conversations, from config/demo/<language>/support.yaml.
 */
#ifndef ASSAY_SUPPORT_DEMO_DEMO_H
#define ASSAY_SUPPORT_DEMO_DEMO_H

#include "base/demo_files.h"
#include "support/documents/document_store.h"
#include "support/settings.h"

struct demo_document {
    const char *file; /* below documents/ of the language; also the name of the document */
    const char *title;
    const char *before; /* the file of its earlier version; NULL = none */
};

/* A section of the manual. */
struct demo_section {
    const char *heading, *text;
    struct string_list steps;
};

/* A document that is written as PDF, or as HTML if its name says so. */
struct demo_manual {
    const char *file, *title, *subtitle;
    OBJECT_LIST(struct demo_section, sections);
};

struct demo_case {
    const char *category, *question, *answer;
    const char *document; /* NULL = no document contains the answer */
    struct string_list keywords;
};

struct demo_turn {
    const char *question;
    const char *vote;   /* up, down or NULL */
    const char *reason; /* of the vote; NULL = none */
};

struct demo_conversation {
    const char *customer;
    struct number_list hours_ago; /* the same conversation happened at each of these times */
    OBJECT_LIST(struct demo_turn, turns);
    bool handed_over;  /* the last question waits for a person */
    const char *reply; /* of that person; NULL = still waiting */
};

struct demo_support {
    OBJECT_LIST(struct demo_document, documents);
    const struct demo_manual *manual;
    OBJECT_LIST(struct demo_case, cases);
    OBJECT_LIST(struct demo_conversation, conversations);
};

struct demo_call {
    const struct document_call *documents; /* the tenant and the database */
    const struct support_settings *settings;
    const struct demo_files *files;
};

/* Errors of demo_file_read(). */
MUST_CHECK enum error demo_support_read(struct arena *arena, const struct demo_files *files,
                                        struct demo_support *demo, struct problem *problem);

/* Ingests a document unless it exists; `overwrite` ingests it again. `written` says whether it was
 * ingested. */
MUST_CHECK enum error demo_add_document(const struct demo_call *call,
                                        const struct demo_document *document, bool overwrite,
                                        bool *written);

/* The same for the manual, whose file is written here. */
MUST_CHECK enum error demo_add_manual(const struct demo_call *call,
                                      const struct demo_manual *manual, bool *written);

/* Writes the cases as questions of `eval-gate` and `offline-benchmark`, and as curated cases.
 * Existing curated cases are always kept, existing questions unless `overwrite`. */
MUST_CHECK enum error demo_add_cases(const struct demo_call *call, const struct demo_support *demo,
                                     bool overwrite);

#endif

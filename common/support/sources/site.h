/*
 * Takes the pages of a documentation site into the knowledge base, by the same steps as uploads.
 * Pages come from its sitemap, else from links; only those of one host whose path begins as that of
 * the start page, and that robots.txt allows. A later crawl asks for what has changed. A document
 * is removed only when the server answers that its page is gone.
 */
#ifndef ASSAY_SUPPORT_SOURCES_SITE_H
#define ASSAY_SUPPORT_SOURCES_SITE_H

#include "support/documents/ingest.h"

/* How a page ended; for reports. */
enum site_outcome {
    SITE_TAKEN,
    SITE_SAME,    /* the server, or its text, says that nothing has changed */
    SITE_PASSED,  /* no page to take: refused by robots.txt, no HTML, moved, not found */
    SITE_REFUSED, /* too large, or not readable */
    SITE_FAILED,  /* not answered; the next crawl tries again */
    SITE_REMOVED,
    SITE_OUTCOME__MAX
};

struct site_limits {
    int64_t pages;      /* requests for pages */
    int64_t depth;      /* links from the start page */
    int64_t page_bytes; /* of a page, and of a sitemap */
    double page_seconds;
    double minutes; /* of the whole crawl */
};
extern const struct site_limits site_limits_default;

struct site_plan {
    const struct support_settings *settings;
    const char *start;         /* address of the start page */
    struct string_list groups; /* of new documents */
    struct site_limits limits;
    bool private_too;      /* the site may have a private address */
    struct models *models; /* as of struct ingest_request */
    struct arena *work;    /* of one page, reset after it */
    void (*report)(void *context, enum site_outcome outcome, const char *url, const char *why);
    void *context;
};

struct site_result {
    int64_t counts[SITE_OUTCOME__MAX];
    const char *ended_by; /* the limit that ended the crawl; NULL = none */
};

/* One crawl. Of the call the tenant, the database, the arena and the problem are used. Errors are
 * those of the database; ERROR_INVALID for a start address that cannot be called; and
 * ERROR_UNAVAILABLE `site_unavailable` when robots.txt or the start page is not answered, or
 * several pages in a row are not: then nothing more is removed. */
MUST_CHECK enum error site_crawl(const struct document_call *call, const struct site_plan *plan,
                                 struct site_result *result);

#endif

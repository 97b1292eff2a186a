/* Private to common/support/sources: the parts of a crawl. */
#ifndef ASSAY_SUPPORT_SOURCES_SITE_PARTS_H
#define ASSAY_SUPPORT_SOURCES_SITE_PARTS_H

#include "net/fetch.h"
#include "support/sources/robots.h"
#include "support/sources/site.h"
#include "support/sources/site_queue.h"
#include "support/sources/source_store.h"

enum { REDIRECTS_MOST = 5 }; /* from one address on */

/* Pages are taken once, whatever host crawls them. */
#define SITE_ORIGIN "site"

struct crawl {
    const struct document_call *call;
    const struct site_plan *plan;
    struct site_result *result;
    const char *scope;       /* scheme, host, port and path that addresses begin with, up to "/" */
    size_t host_length;      /* of scheme, host and port in it */
    struct object_list rows; /* struct source_row, by name: what was taken before */
    struct robots robots;
    struct site_queue queue;
    bool by_links;      /* links are followed: there is no sitemap */
    int64_t until;      /* monotonic us */
    int64_t request_at; /* of the next one, as robots.txt demands */
    int64_t pages;      /* requested */
    int silent;         /* pages in a row that were not answered */
};

void crawl_report(const struct crawl *crawl, enum site_outcome outcome, const char *url,
                  const char *why);

/* Whether it is a page of the site, and whether robots.txt allows it. */
bool crawl_is_inside(const struct crawl *crawl, const char *url);
bool crawl_is_allowed(const struct crawl *crawl, const char *url);

struct crawl_request {
    const char *url;
    const struct source_row *row; /* asks whether it has changed since; NULL = unconditional */
    size_t most;                  /* bytes of the answer */
    bool html_only;               /* a 2xx answer of another type is cancelled before its body */
};

/* One GET, after the pause that robots.txt demands. */
void crawl_fetch(struct crawl *crawl, struct arena *arena, const struct crawl_request *what,
                 struct fetch_answer *answer);

/* The address that a redirect leads to; NULL when the answer is none. */
const char *crawl_redirect(struct arena *arena, const char *url, const struct fetch_answer *answer);

/* Why there is no answer, as a text. */
const char *crawl_why(struct arena *arena, const struct fetch_answer *answer);

/* Reads robots.txt. ERROR_UNAVAILABLE when the server does not answer, or with 5xx: then nothing
 * may be fetched (RFC 9309 section 2.3.1.4). */
MUST_CHECK enum error crawl_read_robots(struct crawl *crawl);

/* Adds the pages of the site's sitemaps to the queue; none: links are followed. */
void crawl_read_sitemaps(struct crawl *crawl);

/* Requests one page, and takes, keeps or removes its document. Errors are those of the database. */
MUST_CHECK enum error crawl_page(struct crawl *crawl, const struct site_address *address);

/* What a page says. */
struct site_page {
    const char *title;        /* "" = none */
    struct string_list links; /* absolute */
    const char *content;      /* of its main element, or the whole page */
    size_t content_length;
};
void site_page_read(struct arena *arena, const char *url, const char *bytes, size_t length,
                    struct site_page *page);

/* The page as it is stored: its title, links and main content. */
const char *site_page_file(struct arena *arena, const struct site_page *page, size_t *length);

#endif

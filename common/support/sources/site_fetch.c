/* Requests of a crawl, robots.txt and sitemaps. */
#include "base/clock.h"
#include "base/gunzip.h"
#include "base/text.h"
#include "net/link.h"
#include "support/sources/markup.h"
#include "support/sources/site_parts.h"

#include <string.h>
#include <strings.h>
#include <time.h>

enum {
    DELAY_MOST = 10, /* seconds; a site that demands more gets this */
    ROBOTS_BYTES = 512 * 1024,
    SITEMAP_BYTES = 16 * 1024 * 1024, /* unpacked */
    SITEMAPS_MOST = 100,
    SITEMAP_DEPTH = 2, /* indexes of indexes */
    PIECE = 65536
};

static const char agent[] = "assay", user_agent[] = "Assay/1.0 (documentation crawl)";

bool crawl_is_inside(const struct crawl *crawl, const char *url)
{
    return strncmp(url, crawl->scope, strlen(crawl->scope)) == 0;
}

static bool is_of_host(const struct crawl *crawl, const char *url)
{
    return strncmp(url, crawl->scope, crawl->host_length + 1) == 0; /* with the "/" */
}

bool crawl_is_allowed(const struct crawl *crawl, const char *url)
{
    return robots_allow(&crawl->robots, url + crawl->host_length);
}

/* -- requests ---------------------------------------------------------------------------------- */

static void wait_for_turn(struct crawl *crawl)
{
    double delay = crawl->robots.delay < DELAY_MOST ? crawl->robots.delay : DELAY_MOST;
    int64_t left = crawl->request_at - clock_monotonic_microseconds();

    if (left > 0)
        nanosleep(&(struct timespec){left / 1000000, left % 1000000 * 1000}, NULL);
    crawl->request_at = clock_monotonic_microseconds() + (int64_t)(delay * 1e6);
}

static struct fetch_policy policy_of(const struct crawl *crawl)
{
    double seconds = crawl->plan->limits.page_seconds;
    double left = (double)(crawl->until - clock_monotonic_microseconds()) / 1e6;
    double total = 2 * seconds + 5;

    return (struct fetch_policy){.connect_seconds = seconds,
                                 .attempt_seconds = seconds,
                                 .total_seconds = total < left ? total
                                                  : left > 1   ? left
                                                               : 1,
                                 .attempts = 2,
                                 .first_pause_seconds = 1,
                                 .pause_factor = 1,
                                 .retry_after_seconds = 5};
}

static void add_header(struct fetch_request *request, const char *name, const char *value)
{
    if (value && *value)
        request->headers[request->header_count++] = (struct fetch_header){name, value};
}

static bool is_html(struct arena *arena, const struct fetch_answer *answer)
{
    const char *type = fetch_find_header(arena, answer, "Content-Type");

    return !type || strncasecmp(type, "text/html", 9) == 0 ||
           strncasecmp(type, "application/xhtml+xml", 21) == 0;
}

/* False cancels the call. */
static bool wants_body(const struct fetch_answer *answer, void *context)
{
    return answer->status / 100 != 2 || is_html(context, answer);
}

void crawl_fetch(struct crawl *crawl, struct arena *arena, const struct crawl_request *what,
                 struct fetch_answer *answer)
{
    struct fetch_request request = {.url = what->url,
                                    .answer_max = what->most,
                                    .private_too = crawl->plan->private_too,
                                    .on_headers = what->html_only ? wants_body : NULL,
                                    .context = arena};

    wait_for_turn(crawl);
    request.policy = policy_of(crawl);
    add_header(&request, "User-Agent", user_agent);
    add_header(&request, "If-None-Match", what->row ? what->row->etag : NULL);
    add_header(&request, "If-Modified-Since", what->row ? what->row->last_modified : NULL);
    fetch(arena, &request, answer);
}

const char *crawl_why(struct arena *arena, const struct fetch_answer *answer)
{
    static const char *const whys[FETCH_OUTCOME__MAX] = {
        [FETCH_TIMED_OUT] = "no answer in time",
        [FETCH_UNREACHABLE] = "the server cannot be reached",
        [FETCH_BROKEN] = "the answer ended early",
        [FETCH_TOO_LARGE] = "the page is larger than --page-bytes",
        [FETCH_FORBIDDEN] = "the address is not public",
        [FETCH_INVALID] = "the address cannot be called",
        [FETCH_CANCELLED] = "not HTML",
    };

    if (answer->outcome == FETCH_ANSWERED || !whys[answer->outcome])
        return arena_print(arena, "the server answered %d", answer->status);
    return whys[answer->outcome];
}

const char *crawl_redirect(struct arena *arena, const char *url, const struct fetch_answer *answer)
{
    static const int statuses[] = {301, 302, 303, 307, 308};
    bool is_redirect = false;
    const char *location;

    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++)
        is_redirect |= answer->outcome == FETCH_ANSWERED && answer->status == statuses[i];
    location = is_redirect ? fetch_find_header(arena, answer, "Location") : NULL;
    return location ? link_resolve(arena, url, location) : NULL;
}

/* Follows redirects to the same host. */
static void get(struct crawl *crawl, struct arena *arena, const char *url, size_t most,
                struct fetch_answer *answer)
{
    *answer = (struct fetch_answer){.outcome = FETCH_INVALID};
    for (int i = 0; url && i <= REDIRECTS_MOST; i++) {
        crawl_fetch(crawl, arena, &(struct crawl_request){.url = url, .most = most}, answer);
        url = crawl_redirect(arena, url, answer);
        if (url && !is_of_host(crawl, url))
            return;
    }
}

/* -- robots.txt -------------------------------------------------------------------------------- */

enum error crawl_read_robots(struct crawl *crawl)
{
    struct arena *arena = crawl->call->arena;
    const char *url = arena_print(arena, "%.*s/robots.txt", (int)crawl->host_length, crawl->scope);
    struct fetch_answer answer;

    get(crawl, arena, url, ROBOTS_BYTES, &answer);
    if (answer.outcome == FETCH_ANSWERED && answer.status / 100 == 2)
        robots_read(arena, answer.body, answer.length, agent, &crawl->robots);
    if (answer.outcome == FETCH_ANSWERED && answer.status < 500)
        return ERROR_NONE;
    return problem_set(crawl->call->problem, ERROR_UNAVAILABLE, "site_unavailable", "%s: %s", url,
                       crawl_why(arena, &answer));
}

/* -- sitemaps ---------------------------------------------------------------------------------- */

static bool unpack(struct arena *arena, struct fetch_answer *answer)
{
    struct gunzip *gunzip;
    struct problem problem = {0};
    struct text text;
    size_t count = 1;
    char *piece;

    if (answer->length < 2 || memcmp(answer->body, "\x1f\x8b", 2) != 0)
        return true;
    gunzip = gunzip_start(arena, answer->body, answer->length, SITEMAP_BYTES);
    piece = ARENA_ARRAY(arena, char, PIECE);
    text_start(&text, arena, SITEMAP_BYTES);
    while (count) {
        if (gunzip_read(gunzip, piece, PIECE, &count, &problem))
            return false;
        text_append(&text, piece, count);
    }
    answer->body = text.bytes;
    answer->length = text.length;
    return !text.overflowed;
}

static size_t read_addresses(struct crawl *crawl, struct site_queue *sitemaps,
                             const struct site_address *sitemap, const struct fetch_answer *answer)
{
    struct markup_reader reader = {answer->body, answer->body + answer->length};
    struct arena *arena = crawl->plan->work;
    struct markup_tag tag;
    bool is_index = false;
    size_t pages = 0;

    while (markup_next(&reader, &tag)) {
        const char *url;

        is_index |= markup_is(&tag, "sitemapindex");
        if (tag.closes || !markup_is(&tag, "loc"))
            continue;
        url = link_resolve(arena, NULL, markup_text(arena, &reader));
        if (!url || !is_of_host(crawl, url))
            continue;
        if (is_index && sitemap->depth < SITEMAP_DEPTH && sitemaps->count < SITEMAPS_MOST)
            site_queue_add(sitemaps, url, sitemap->depth + 1, 0);
        else if (!is_index && crawl_is_inside(crawl, url))
            pages += site_queue_add(&crawl->queue, url, 0, 0);
    }
    return pages;
}

static size_t read_sitemap(struct crawl *crawl, struct site_queue *sitemaps,
                           const struct site_address *sitemap)
{
    const struct site_address at = *sitemap; /* adding moves it */
    struct arena *arena = crawl->plan->work;
    struct fetch_answer answer;
    size_t pages = 0;

    if (crawl_is_allowed(crawl, at.url)) {
        get(crawl, arena, at.url, SITEMAP_BYTES, &answer);
        if (answer.outcome == FETCH_ANSWERED && answer.status == 200 && unpack(arena, &answer))
            pages = read_addresses(crawl, sitemaps, &at, &answer);
    }
    arena_reset(arena);
    return pages;
}

void crawl_read_sitemaps(struct crawl *crawl)
{
    struct arena *arena = crawl->call->arena;
    const struct site_address *sitemap;
    struct site_queue sitemaps;
    size_t pages = 0;

    site_queue_start(&sitemaps, arena);
    for (size_t i = 0; i < crawl->robots.sitemaps.count && i < SITEMAPS_MOST; i++) {
        const char *url = link_resolve(arena, crawl->scope, crawl->robots.sitemaps.items[i]);

        if (url && is_of_host(crawl, url))
            site_queue_add(&sitemaps, url, 0, 0);
    }
    if (!sitemaps.count) {
        site_queue_add(&sitemaps, arena_print(arena, "%ssitemap.xml", crawl->scope), 0, 0);
        site_queue_add(
            &sitemaps,
            arena_print(arena, "%.*s/sitemap.xml", (int)crawl->host_length, crawl->scope), 0, 0);
    }
    while ((sitemap = site_queue_take(&sitemaps)) && clock_monotonic_microseconds() < crawl->until)
        pages += read_sitemap(crawl, &sitemaps, sitemap);
    crawl->by_links = !pages;
}

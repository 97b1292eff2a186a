/* A crawl from the start page to the pages that earlier crawls have taken. */
#include "support/sources/site.h"
#include "base/clock.h"
#include "net/egress.h"
#include "net/link.h"
#include "support/sources/site_parts.h"

#include <string.h>

const struct site_limits site_limits_default = {
    .pages = 2000, .depth = 20, .page_bytes = 5000000, .page_seconds = 30, .minutes = 120};

void crawl_report(const struct crawl *crawl, enum site_outcome outcome, const char *url,
                  const char *why)
{
    crawl->result->counts[outcome]++;
    if (crawl->plan->report)
        crawl->plan->report(crawl->plan->context, outcome, url, why);
}

/* Up to the last slash of the path. */
static const char *scope_of(struct arena *arena, const char *start)
{
    size_t length = strcspn(start, "?");

    while (length && start[length - 1] != '/')
        length--;
    return arena_copy(arena, start, length);
}

static enum error begin(struct crawl *crawl, const char **start)
{
    const struct document_call *call = crawl->call;
    const struct egress_policy policy = {.private_too = crawl->plan->private_too};
    enum error error = egress_check(crawl->plan->start, &policy, call->problem);

    if (error)
        return error;
    *start = link_resolve(call->arena, NULL, crawl->plan->start);
    if (!*start)
        return problem_set(call->problem, ERROR_INVALID, "url_malformed", "not a usable URL");
    crawl->scope = scope_of(call->arena, *start);
    crawl->host_length = link_origin_length(crawl->scope);
    crawl->until = clock_monotonic_microseconds() + (int64_t)(crawl->plan->limits.minutes * 6e7);
    site_queue_start(&crawl->queue, call->arena);
    error =
        source_list(call, SITE_ORIGIN,
                    arena_copy(call->arena, crawl->scope, strlen(crawl->scope) - 1), &crawl->rows);
    return error ? error : crawl_read_robots(crawl);
}

/* Whether a limit is reached. */
static bool is_over(struct crawl *crawl)
{
    if (clock_monotonic_microseconds() >= crawl->until)
        crawl->result->ended_by = "--minutes";
    else if (crawl->pages >= crawl->plan->limits.pages)
        crawl->result->ended_by = "--pages";
    return crawl->result->ended_by != NULL;
}

static enum error run(struct crawl *crawl)
{
    const struct site_address *address;
    enum error error = ERROR_NONE;

    while (!error && (address = site_queue_take(&crawl->queue))) {
        if (!crawl_is_allowed(crawl, address->url))
            crawl_report(crawl, SITE_PASSED, address->url, "robots.txt refuses it");
        else if (is_over(crawl))
            return ERROR_NONE;
        else
            error = crawl_page(crawl, address);
    }
    return error;
}

/* Those that the site does not name any more: they may be gone. Their links are not followed. */
static void add_known(struct crawl *crawl)
{
    const struct source_row *rows = crawl->rows.items;

    for (size_t i = 0; i < crawl->rows.count; i++)
        site_queue_add(&crawl->queue, rows[i].name, (int)crawl->plan->limits.depth, 0);
}

static enum error refused(const struct crawl *crawl, const char *start)
{
    return problem_set(crawl->call->problem, ERROR_UNAVAILABLE, "site_unavailable",
                       "%s: robots.txt refuses it", start);
}

enum error site_crawl(const struct document_call *call, const struct site_plan *plan,
                      struct site_result *result)
{
    struct crawl crawl = {.call = call, .plan = plan, .result = result};
    const char *start;
    enum error error;

    *result = (struct site_result){0};
    error = begin(&crawl, &start);
    if (error)
        return error;
    if (!crawl_is_allowed(&crawl, start))
        return refused(&crawl, start);
    site_queue_add(&crawl.queue, start, 0, 0);
    crawl_read_sitemaps(&crawl);
    error = run(&crawl);
    if (!error && !result->ended_by) {
        add_known(&crawl);
        error = run(&crawl);
    }
    if (!result->ended_by && crawl.queue.full)
        result->ended_by = "the number of addresses";
    return error;
}

/* One page of a crawl: its request, and what becomes of its document. */
#include "accounts/groups.h"
#include "base/clock.h"
#include "base/list.h"
#include "base/text.h"
#include "documents/web_text.h"
#include "net/link.h"
#include "support/documents/upload_name.h"
#include "support/programs/data_files.h"
#include "support/sources/site_parts.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { SILENT_MOST = 5, NAME_BYTES = 100, VALIDATOR_BYTES = 500 };

/* One page on its way, in the memory of one page. */
struct taking {
    struct crawl *crawl;
    const struct site_address *address;
    const struct source_row *before; /* NULL = new */
    const char *stored;              /* path of its file; NULL = there is none */
    struct fetch_answer answer;
    struct site_page page;
    const char *doc_id;
    const char *file; /* to be stored */
    size_t length;
    struct problem problem;
    struct document_call call;
};

static const char *path_of(const struct taking *taking, const char *doc_id)
{
    return arena_print(taking->call.arena, "%s/%s",
                       ingest_upload_folder(taking->call.arena, taking->crawl->plan->settings,
                                            taking->call.tenant),
                       doc_id);
}

/* -- files ------------------------------------------------------------------------------------- */

/* The stored file; NULL when it cannot be read. */
static const char *read_stored(const struct taking *taking, size_t *length)
{
    struct problem problem;
    char *bytes;

    *length = 0;
    if (!taking->stored ||
        data_file_read(taking->call.arena, taking->stored, &bytes, length, &problem))
        return NULL;
    return bytes;
}

static bool is_as_stored(const struct taking *taking)
{
    size_t length;
    const char *bytes = read_stored(taking, &length);

    return bytes && length == taking->length && memcmp(bytes, taking->file, length) == 0;
}

static enum error write_file(struct taking *taking)
{
    taking->stored = path_of(taking, taking->doc_id);
    return data_file_write(taking->call.arena, taking->stored, taking->file, taking->length,
                           &taking->problem);
}

/* -- documents --------------------------------------------------------------------------------- */

/* The last part of the path, as the name of an HTML file. */
static const char *name_of(struct arena *arena, const char *url)
{
    const char *path = url + link_origin_length(url), *end = path + strcspn(path, "?");
    const char *from, *name;

    while (end > path && end[-1] == '/')
        end--;
    for (from = end; from > path && from[-1] != '/'; from--)
        continue;
    if (from == end)
        return "index.html";
    name = arena_copy(arena, from,
                      (size_t)(end - from) < NAME_BYTES ? (size_t)(end - from) : NAME_BYTES);
    name = upload_clean_name(arena, name);
    if (!name)
        return "page.html";
    return file_type_of(name) == FILE_HTML ? name : arena_print(arena, "%s.html", name);
}

static enum error ingest(struct taking *taking, struct ingest_result *done)
{
    const char *name = name_of(taking->call.arena, taking->address->url);
    const struct ingest_request request = {.path = taking->stored,
                                           .doc_id = taking->doc_id,
                                           .title = *taking->page.title ? taking->page.title : name,
                                           .source = taking->address->url,
                                           .models = taking->crawl->plan->models};
    enum error error =
        ingest_document(&taking->call, taking->crawl->plan->settings, &request, done);

    if (!error && !done->documents)
        error = problem_set(&taking->problem, ERROR_INVALID, "page_empty",
                            "no text could be extracted");
    if (error) /* else the next crawl would find it unchanged */
        unlink(taking->stored);
    return error;
}

static enum error take(struct taking *taking, struct ingest_result *done)
{
    const char *url = taking->address->url;
    enum error error =
        source_claim(&taking->call, SITE_ORIGIN, url, name_of(taking->call.arena, url),
                     taking->before, &taking->crawl->plan->groups, &taking->doc_id);

    if (!error)
        error = write_file(taking);
    return error ? error : ingest(taking, done);
}

/* A header that can be stored, and sent back as it is; else NULL. */
static const char *validator(const struct taking *taking, const char *name)
{
    const char *value = fetch_find_header(taking->call.arena, &taking->answer, name);
    size_t length = value ? strlen(value) : 0;

    for (size_t i = 0; i < length; i++) {
        if (value[i] < ' ' || value[i] > '~')
            return NULL;
    }
    return length && length <= VALIDATOR_BYTES ? value : NULL;
}

static enum error keep(const struct taking *taking, const char *doc_id)
{
    const struct source_row row = {.name = taking->address->url,
                                   .doc_id = doc_id,
                                   .size_bytes = (int64_t)taking->length,
                                   .modified_at = clock_unix_microseconds(),
                                   .etag = validator(taking, "ETag"),
                                   .last_modified = validator(taking, "Last-Modified")};

    return source_put(taking->crawl->call, SITE_ORIGIN, &row);
}

static void report(const struct taking *taking, enum site_outcome outcome, const char *why)
{
    crawl_report(taking->crawl, outcome, taking->address->url, why);
}

static void follow(const struct taking *taking)
{
    struct crawl *crawl = taking->crawl;
    const struct string_list *links = &taking->page.links;
    int depth = taking->address->depth + 1;

    for (size_t i = 0; crawl->by_links && depth <= crawl->plan->limits.depth && i < links->count;
         i++) {
        if (crawl_is_inside(crawl, links->items[i]))
            site_queue_add(&crawl->queue, links->items[i], depth, 0);
    }
}

/* The set in "text/html; charset=..."; NULL without it. */
static const char *charset_of(const struct taking *taking)
{
    const char *type = fetch_find_header(taking->call.arena, &taking->answer, "Content-Type");
    const char *set = type ? strcasestr(type, "charset=") : NULL;

    if (!set)
        return NULL;
    set += strlen("charset=");
    set += *set == '"' || *set == '\'';
    return arena_copy(taking->call.arena, set, strcspn(set, "\"'; \t"));
}

static enum error take_answer(struct taking *taking)
{
    struct ingest_result done = {0};
    const char *reason, *text;
    size_t length;
    enum error error;

    text = web_text_decode(taking->call.arena, taking->answer.body, taking->answer.length,
                           charset_of(taking), &length, &reason);
    if (!text) {
        report(taking, SITE_REFUSED, reason);
        return ERROR_NONE;
    }
    site_page_read(taking->call.arena, taking->address->url, text, length, &taking->page);
    follow(taking);
    taking->file = site_page_file(taking->call.arena, &taking->page, &taking->length);
    if (is_as_stored(taking)) {
        report(taking, SITE_SAME, NULL);
        return keep(taking, taking->before->doc_id);
    }
    error = take(taking, &done);
    if (error) {
        report(taking, source_may_pass(error) ? SITE_FAILED : SITE_REFUSED, taking->problem.text);
        return ERROR_NONE;
    }
    report(taking, done.deduplicated ? SITE_SAME : SITE_TAKEN, NULL);
    return keep(taking, taking->doc_id);
}

/* -- answers ----------------------------------------------------------------------------------- */

static enum error no_site(const struct taking *taking, const char *why)
{
    return problem_set(taking->crawl->call->problem, ERROR_UNAVAILABLE, "site_unavailable",
                       "%s: %s", taking->address->url, why);
}

static bool is_start(const struct taking *taking)
{
    return taking->crawl->pages == 1;
}

static enum error redirected(const struct taking *taking, const char *to)
{
    struct crawl *crawl = taking->crawl;
    const char *why = arena_print(taking->call.arena, "it leads to %s", to);

    if (!crawl_is_inside(crawl, to)) {
        if (is_start(taking))
            return no_site(taking, why);
        report(taking, SITE_PASSED, arena_print(taking->call.arena, "%s, outside the site", why));
    } else if (taking->address->redirects >= REDIRECTS_MOST) {
        report(taking, SITE_PASSED, "it leads from page to page");
    } else {
        report(taking, SITE_PASSED, why);
        site_queue_add(&crawl->queue, to, taking->address->depth, taking->address->redirects + 1);
    }
    return ERROR_NONE;
}

static enum error gone(const struct taking *taking)
{
    const char *why = crawl_why(taking->call.arena, &taking->answer);
    enum error error;

    if (is_start(taking))
        return no_site(taking, why);
    if (!taking->before) {
        report(taking, SITE_PASSED, why);
        return ERROR_NONE;
    }
    error = source_remove(taking->crawl->call, SITE_ORIGIN, taking->before,
                          &taking->crawl->plan->groups);
    if (!error)
        report(taking, SITE_REMOVED, why);
    return error;
}

static enum error not_answered(const struct taking *taking)
{
    const struct fetch_answer *answer = &taking->answer;
    const char *why = crawl_why(taking->call.arena, answer);
    bool is_silent = answer->outcome != FETCH_ANSWERED || answer->status >= 500;

    if (answer->outcome == FETCH_CANCELLED || answer->outcome == FETCH_TOO_LARGE) {
        taking->crawl->silent = 0;
        report(taking, answer->outcome == FETCH_CANCELLED ? SITE_PASSED : SITE_REFUSED, why);
        return is_start(taking) ? no_site(taking, why) : ERROR_NONE;
    }
    report(taking, SITE_FAILED, why);
    taking->crawl->silent = is_silent ? taking->crawl->silent + 1 : 0;
    if (taking->crawl->silent >= SILENT_MOST)
        return no_site(taking, "several pages in a row were not answered");
    return is_start(taking) ? no_site(taking, why) : ERROR_NONE;
}

static enum error unchanged(struct taking *taking)
{
    size_t length;
    const char *bytes = read_stored(taking, &length);

    if (bytes)
        site_page_read(taking->call.arena, taking->address->url, bytes, length, &taking->page);
    follow(taking);
    report(taking, SITE_SAME, NULL);
    return ERROR_NONE;
}

static enum error judge(struct taking *taking)
{
    const struct fetch_answer *answer = &taking->answer;
    const char *to = crawl_redirect(taking->call.arena, taking->address->url, answer);

    if (answer->outcome != FETCH_ANSWERED ||
        (answer->status >= 400 && answer->status != 404 && answer->status != 410))
        return not_answered(taking);
    taking->crawl->silent = 0;
    if (to)
        return redirected(taking, to);
    if (answer->status == 404 || answer->status == 410)
        return gone(taking);
    if (answer->status == 304 && taking->stored)
        return unchanged(taking);
    return answer->status == 200 ? take_answer(taking) : not_answered(taking);
}

enum error crawl_page(struct crawl *crawl, const struct site_address *address)
{
    struct arena *arena = crawl->plan->work;
    const struct site_address copy = *address; /* adding moves it */
    struct taking taking = {
        .crawl = crawl, .address = &copy, .before = source_find(&crawl->rows, copy.url)};
    struct crawl_request request = {
        .url = copy.url, .most = (size_t)crawl->plan->limits.page_bytes, .html_only = true};
    enum error error;

    taking.call = (struct document_call){.db = crawl->call->db,
                                         .arena = arena,
                                         .tenant = crawl->call->tenant,
                                         .problem = &taking.problem};
    if (taking.before && taking.before->doc_id)
        taking.stored = path_of(&taking, taking.before->doc_id);
    if (taking.stored && access(taking.stored, R_OK) != 0)
        taking.stored = NULL;
    request.row = taking.stored ? taking.before : NULL;
    crawl->pages++;
    crawl_fetch(crawl, arena, &request, &taking.answer);
    error = judge(&taking);
    arena_reset(arena);
    return error;
}

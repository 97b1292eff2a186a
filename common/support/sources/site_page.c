/* What a page says: title, links and main content. The stored file has all three, so that a later
 * crawl knows the links of a page that has not changed. */
#include "base/list.h"
#include "base/text.h"
#include "net/link.h"
#include "support/sources/markup.h"
#include "support/sources/site_parts.h"

#include <string.h>
#include <strings.h>

enum { LINKS_MOST = 5000 /* of a page */, TITLE_POINTS = 200 };

/* Of links in stored files; readers ignore it. */
static const char stored_link[] = "x-assay-page";

struct content {
    const char *name; /* of the element, in the page; NULL before it */
    size_t length;
    int depth; /* of elements of that name */
    bool ended;
};

static bool is_main(struct arena *arena, const struct markup_tag *tag)
{
    const char *role;

    if (tag->closes)
        return false;
    if (markup_is(tag, "main"))
        return true;
    if (!markup_is(tag, "div") && !markup_is(tag, "section") && !markup_is(tag, "article"))
        return false;
    role = markup_attribute(arena, tag, "role");
    return role && strcasecmp(role, "main") == 0;
}

static void begin_content(struct site_page *page, const char *at)
{
    page->content_length -= (size_t)(at - page->content);
    page->content = at;
}

/* The main element ends where as many of its name have ended as have begun. */
static void find_content(struct arena *arena, const struct markup_tag *tag, struct content *content,
                         struct site_page *page)
{
    if (!content->name) {
        if (markup_is(tag, "body") && !tag->closes)
            begin_content(page, tag->to);
        if (!is_main(arena, tag))
            return;
        *content = (struct content){.name = tag->name, .length = tag->length, .depth = 1};
        begin_content(page, tag->from);
    } else if (!content->ended && tag->length == content->length &&
               strncasecmp(tag->name, content->name, tag->length) == 0) {
        content->depth += tag->closes ? -1 : 1;
        content->ended = content->depth == 0;
        if (content->ended)
            page->content_length = (size_t)(tag->to - page->content);
    }
}

static const char *link_of(struct arena *arena, const struct markup_tag *tag)
{
    const char *relation;

    if (markup_is(tag, "a") || markup_is(tag, "area"))
        return markup_attribute(arena, tag, "href");
    if (!markup_is(tag, "link"))
        return NULL;
    relation = markup_attribute(arena, tag, "rel");
    return relation && strcmp(relation, stored_link) == 0 ? markup_attribute(arena, tag, "href")
                                                          : NULL;
}

static void add_link(struct arena *arena, const char *base, const struct markup_tag *tag,
                     struct site_page *page)
{
    const char *link = page->links.count < LINKS_MOST ? link_of(arena, tag) : NULL;

    link = link ? link_resolve(arena, base, link) : NULL;
    if (link)
        *LIST_ADD(arena, &page->links) = link;
}

void site_page_read(struct arena *arena, const char *url, const char *bytes, size_t length,
                    struct site_page *page)
{
    struct markup_reader reader = {bytes, bytes + length};
    struct content content = {0};
    struct markup_tag tag;
    const char *base = url;

    *page = (struct site_page){.title = "", .content = bytes, .content_length = length};
    while (markup_next(&reader, &tag)) {
        find_content(arena, &tag, &content, page);
        if (tag.closes)
            continue;
        if (markup_is(&tag, "title") && !*page->title) {
            page->title = utf8_copy_prefix(arena, markup_text(arena, &reader), TITLE_POINTS);
        } else if (markup_is(&tag, "base")) {
            const char *href = markup_attribute(arena, &tag, "href");

            href = href ? link_resolve(arena, url, href) : NULL;
            base = href ? href : base;
        } else {
            add_link(arena, base, &tag, page);
        }
    }
}

const char *site_page_file(struct arena *arena, const struct site_page *page, size_t *length)
{
    struct text text;

    text_start(&text, arena, SIZE_MAX / 2);
    text_append_string(&text, "<!doctype html>\n<html><head><meta charset=\"utf-8\">");
    text_append_format(&text, "<title>%s</title>\n", markup_escape(arena, page->title));
    for (size_t i = 0; i < page->links.count; i++)
        text_append_format(&text, "<link rel=\"%s\" href=\"%s\">\n", stored_link,
                           markup_escape(arena, page->links.items[i]));
    text_append_string(&text, "</head><body>\n");
    text_append(&text, page->content, page->content_length);
    text_append_string(&text, "\n</body></html>\n");
    *length = text.length;
    return text.bytes;
}

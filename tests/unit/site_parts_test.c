/* What a crawl reads: robots.txt, tags of pages and sitemaps, links. */
#include "net/link.h"
#include "support/sources/markup.h"
#include "support/sources/robots.h"
#include "support/sources/site_parts.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct arena *arena;

/* RFC 9309, sections 2.2 and 5. */
static const struct {
    const char *rules, *path;
    bool allowed;
} robots_rows[] = {
    {"", "/a", true},
    {"User-agent: *\nDisallow: /", "/a", false},
    {"User-agent: *\nDisallow:", "/a", true},
    {"User-agent: other\nDisallow: /", "/a", true},
    {"User-agent: ASSAY/2.0\nDisallow: /a", "/ab", false},
    {"User-agent: assayer\nDisallow: /", "/a", true},
    {"User-agent: *\nDisallow: /\nUser-agent: assay\nAllow: /", "/a", true},
    {"User-agent: assay\nUser-agent: b\nDisallow: /a", "/a", false},
    {"User-agent: assay\nDisallow: /a\nUser-agent: b\nDisallow: /c", "/c", true},
    {"User-agent: assay\nDisallow: /a\n\nUser-agent: assay\nDisallow: /c", "/c", false},
    {"User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", true},
    {"User-agent: *\nAllow: /a\nDisallow: /a", "/a", true},
    {"User-agent: *\nDisallow: /*.gif$", "/x/y.gif", false},
    {"User-agent: *\nDisallow: /*.gif$", "/x/y.gif?z", true},
    {"User-agent: *\nDisallow: /*a*b*c$", "/xxaxxbxxbxxcxxc", false},
    {"User-agent: *\r\nDisallow: /a # why\r\n", "/a", false},
    {"\xef\xbb\xbfuser-agent:*\ndisallow:/a", "/a", false},
    {"Disallow: /\nnonsense\n: :\nUser-agent: *\nAllow: /a", "/b", true},
};

TEST(robots_txt_is_obeyed)
{
    for (size_t i = 0; i < sizeof robots_rows / sizeof robots_rows[0]; i++) {
        struct robots robots;

        robots_read(arena, robots_rows[i].rules, strlen(robots_rows[i].rules), "assay", &robots);
        if (robots_allow(&robots, robots_rows[i].path) != robots_rows[i].allowed)
            printf("robots row %zu\n", i);
        CHECK(robots_allow(&robots, robots_rows[i].path) == robots_rows[i].allowed);
    }
}

static const struct {
    const char *base, *reference, *address; /* NULL = no link */
} link_rows[] = {
    {NULL, "HTTP://Example.COM:80/a/./b/../c#d", "http://example.com/a/c"},
    {NULL, "https://example.com", "https://example.com/"},
    {NULL, "/a", NULL},
    {NULL, "ftp://example.com/", NULL},
    {NULL, "http://user:secret@example.com/", NULL},
    {"http://a/b/c?d", "e?f=1#g", "http://a/b/e?f=1"},
    {"http://a/b/c?d", "../../..", "http://a/"},
    {"http://a/b/c?d", "//B/x", "http://b/x"},
    {"http://a/b/c?d", "?e", "http://a/b/c?e"},
    {"http://a/b/c?d", "#e", "http://a/b/c?d"},
    {"http://a/b/c?d", "", "http://a/b/c?d"},
    {"http://a/b/c?d", "mailto:a@b.c", NULL},
    {"http://a/b/c?d", "javascript:x()", NULL},
    {"http://a/b/c?d", "e f", "http://a/b/e%20f"},
};

TEST(links_are_resolved)
{
    for (size_t i = 0; i < sizeof link_rows / sizeof link_rows[0]; i++) {
        const char *address = link_resolve(arena, link_rows[i].base, link_rows[i].reference);
        bool good = address && link_rows[i].address ? strcmp(address, link_rows[i].address) == 0
                                                    : !address && !link_rows[i].address;

        if (!good)
            printf("link row %zu: %s\n", i, address ? address : "none");
        CHECK(good);
    }
}

static const struct {
    const char *html, *title, *content;
    size_t links;
} page_rows[] = {
    {"<title> A &amp;\n <!-- --> B</title><body>x<main>y</main>z", "A &", "<main>y</main>", 0},
    {"<body class='>'>x", "", "x", 0},
    {"no tags", "", "no tags", 0},
    {"<div role=main><div>a</div>b</div>c", "", "<div role=main><div>a</div>b</div>", 0},
    {"<main>a<main>b", "", "<main>a<main>b", 0},
    {"<a href=x>1</a><A HREF = \"y\">2<area href='z'><link rel=stylesheet href=s>", "",
     "<a href=x>1</a><A HREF = \"y\">2<area href='z'><link rel=stylesheet href=s>", 3},
    {"<script><a href=x></script><!-- <a href=y> --><style><a href=z></style><a name=n>", "",
     "<script><a href=x></script><!-- <a href=y> --><style><a href=z></style><a name=n>", 0},
    {"<title>&#x41;&#66;&#0;&unknown;&#xD800;&mdash;</title><p>", "AB &unknown; \xe2\x80\x94",
     "<title>&#x41;&#66;&#0;&unknown;&#xD800;&mdash;</title><p>", 0},
    {"<", "", "<", 0},
    {"</", "", "</", 0},
    {"<a href=\"", "", "<a href=\"", 1},
    {"<!--", "", "<!--", 0},
    {"<script>", "", "<script>", 0},
};

TEST(pages_are_read)
{
    for (size_t i = 0; i < sizeof page_rows / sizeof page_rows[0]; i++) {
        size_t length = strlen(page_rows[i].html);
        char *exact = malloc(length ? length : 1); /* so that a byte beyond it is found */
        struct site_page page;
        bool good;

        memcpy(exact, page_rows[i].html, length);
        site_page_read(arena, "http://a/b", exact, length, &page);
        good = strcmp(page.title, page_rows[i].title) == 0 &&
               page.content_length == strlen(page_rows[i].content) &&
               memcmp(page.content, page_rows[i].content, page.content_length) == 0 &&
               page.links.count == page_rows[i].links;
        if (!good)
            printf("page row %zu: [%s] [%.*s] %zu\n", i, page.title, (int)page.content_length,
                   page.content, page.links.count);
        CHECK(good);
        free(exact);
    }
}

/* A stored page says the same as the page itself. */
TEST(stored_pages_keep_their_links)
{
    static const char html[] = "<title>A \"b\" &lt;c&gt;</title><a href='/x?a=1&amp;b=2'>x</a>"
                               "<main><p>Text</main>";
    struct site_page page, again;
    size_t length;
    const char *file;

    site_page_read(arena, "http://a/b", html, strlen(html), &page);
    file = site_page_file(arena, &page, &length);
    site_page_read(arena, "http://a/b", file, length, &again);
    CHECK(strcmp(again.title, "A \"b\" <c>") == 0);
    CHECK(again.links.count == 1 && strcmp(again.links.items[0], "http://a/x?a=1&b=2") == 0);
    CHECK(again.content_length == page.content_length);
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(robots_txt_is_obeyed),
        CASE(links_are_resolved),
        CASE(pages_are_read),
        CASE(stored_pages_keep_their_links),
    };

    int failed;

    arena = arena_create(64 * 1024 * 1024);
    failed = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    return failed;
}

/* Writes a report document as one self-contained HTML file for screen and print. */
#include "report/document.h"
#include "report/html_text.h"

#include <string.h>

const char document_html_style[] =
    "body{margin:0;background:#f5f6f8;color:#1c2028;font:15px/1.55 system-ui,'Segoe UI',"
    "'Noto Sans',sans-serif}main{max-width:860px;margin:0 auto;padding:32px 24px;background:#fff}"
    "h1{margin:0 0 4px;font-size:28px}h2{margin:32px 0 8px;padding-top:12px;font-size:20px;"
    "border-top:1px solid #d6dae2}h3{margin:20px 0 6px;font-size:16px}.meta{color:#5c6370}"
    ".cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px;"
    "margin:16px 0}.card{padding:12px 16px;border:1px solid #d6dae2;border-radius:8px}"
    ".card strong{display:block;font-size:22px}table{width:100%;border-collapse:collapse;"
    "margin:8px 0}th,td{padding:6px 10px;text-align:start;border-bottom:1px solid #d6dae2;"
    "vertical-align:top;overflow-wrap:break-word}svg{width:100%;height:auto;font-family:inherit}"
    ".warning{padding:8px 12px;margin:8px 0;border-inline-start:4px solid #5c6370;background:"
    "#f5f6f8}.warning-high{border-color:#b3261e}.warning-medium{border-color:#b26a00}"
    ".button a{display:inline-block;padding:8px 16px;border:1px solid #1f5fd0;border-radius:6px;"
    "color:#1f5fd0;text-decoration:none}"
    "@media screen and (max-width:640px){table{display:block;overflow-x:auto}}"
    "@media "
    "print{.button{display:none}body{background:#fff;font-size:11pt}main{max-width:none;padding:0}"
    "h2,h3{"
    "break-after:avoid}tr,.card,.warning,svg{break-inside:avoid}@page{margin:18mm}}";

static void append_element(struct text *out, const char *name, const char *text)
{
    text_append_format(out, "<%s>", name);
    html_append(out, text);
    text_append_format(out, "</%s>", name);
}

static void append_list(const struct report_document *document, const struct block *block,
                        struct text *out)
{
    text_append_string(out, "<ul>");
    for (size_t i = 0; i < block->texts.count; i++)
        append_element(out, "li", block->texts.items[i]);
    if (!block->texts.count)
        append_element(out, "li", document->none);
    text_append_string(out, "</ul>\n");
}

static void append_table(const struct block *block, struct text *out)
{
    if (!block->columns)
        return;
    text_append_string(out, "<table><thead>");
    for (size_t i = 0; i < block->texts.count; i++) {
        bool head = i < block->columns;

        if (i % block->columns == 0)
            text_append_string(out, "<tr>");
        append_element(out, head ? "th" : "td", block->texts.items[i]);
        if ((i + 1) % block->columns == 0)
            text_append_string(out, "</tr>");
        if (i + 1 == block->columns)
            text_append_string(out, "</thead><tbody>");
    }
    text_append_string(out, "</tbody></table>\n");
}

static void append_facts(const struct block *block, struct text *out)
{
    text_append_string(out, "<table><tbody>");
    for (size_t i = 0; i + 1 < block->texts.count; i += 2) {
        text_append_string(out, "<tr><th scope=\"row\">");
        html_append(out, block->texts.items[i]);
        text_append_string(out, "</th>");
        append_element(out, "td", block->texts.items[i + 1]);
        text_append_string(out, "</tr>");
    }
    text_append_string(out, "</tbody></table>\n");
}

static void append_cards(const struct block *block, struct text *out)
{
    text_append_string(out, "<div class=\"cards\">");
    for (size_t i = 0; i + 1 < block->texts.count; i += 2) {
        text_append_string(out, "<div class=\"card\">");
        append_element(out, "strong", block->texts.items[i + 1]);
        append_element(out, "span", block->texts.items[i]);
        text_append_string(out, "</div>");
    }
    text_append_string(out, "</div>\n");
}

/* Severities are known words; others have no color. */
static void append_notice(const struct block *block, struct text *out)
{
    static const char *const known[] = {"high", "medium", "low"};
    const char *severity = "none";

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(block->texts.items[0], known[i]) == 0)
            severity = known[i];
    text_append_format(out, "<p class=\"warning warning-%s\">", severity);
    html_append(out, block->texts.items[1]);
    text_append_string(out, "</p>\n");
}

static void append_block(const struct report_document *document, const struct block *block,
                         struct text *out)
{
    static const char *const headings[] = {"h2", "h3", "h4"};

    switch (block->kind) {
    case BLOCK_HEADING:
        append_element(out, headings[block->level - 1], block->texts.items[0]);
        break;
    case BLOCK_TEXT:
        append_element(out, "p", block->texts.items[0]);
        break;
    case BLOCK_LIST:
        append_list(document, block, out);
        break;
    case BLOCK_FACTS:
        append_facts(block, out);
        break;
    case BLOCK_CARDS:
        append_cards(block, out);
        break;
    case BLOCK_NOTICE:
        append_notice(block, out);
        break;
    case BLOCK_TABLE:
        append_table(block, out);
        break;
    case BLOCK_CHART:
        drawing_write_svg(block->drawing, out);
        break;
    case BLOCK_PAGE:
        break;
    }
    text_append_byte(out, '\n');
}

void html_append(struct text *out, const char *text)
{
    static const char *const escapes[] = {
        ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&#39;"};

    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        const char *escape = byte < sizeof escapes / sizeof escapes[0] ? escapes[byte] : NULL;

        if (escape)
            text_append_string(out, escape);
        else
            text_append_byte(out, *text);
    }
}

static void append_button(const struct report_document *document, struct text *out)
{
    if (!document->link)
        return;
    text_append_string(out, "<p class=\"button\"><a href=\"");
    html_append(out, document->link);
    text_append_string(out, "\">");
    html_append(out, document->link_title);
    text_append_string(out, "</a></p>\n");
}

void document_write_html(const struct report_document *document, struct text *out)
{
    text_append_format(out, "<!doctype html>\n<html lang=\"%s\" dir=\"%s\">\n<head>\n",
                       document->language, document->right_to_left ? "rtl" : "ltr");
    text_append_string(out, "<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
                            "content=\"width=device-width,initial-scale=1\">\n");
    append_element(out, "title", document->title);
    text_append_string(out, "\n<style>");
    text_append_string(out, document_html_style);
    text_append_string(out, "</style>\n</head>\n<body>\n<main>\n<header>");
    append_element(out, "h1", document->title);
    if (document->subtitle) {
        text_append_string(out, "<p class=\"meta\">");
        html_append(out, document->subtitle);
        text_append_string(out, "</p>");
    }
    text_append_string(out, "</header>\n");
    append_button(document, out);
    for (size_t i = 0; i < document->count; i++)
        append_block(document, &document->blocks[i], out);
    text_append_string(out, "<footer class=\"meta\">");
    html_append(out, document->mark);
    text_append_string(out, "</footer>\n</main>\n</body>\n</html>\n");
}

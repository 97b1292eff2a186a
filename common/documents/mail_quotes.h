/*
 * What a person has written in a reply, without the quoted messages before it and without his
 * signature. The rules look at marks that mail programs set, not at words, so they hold in every
 * language. When nothing would be left the whole text stays.
 */
#ifndef ASSAY_DOCUMENTS_MAIL_QUOTES_H
#define ASSAY_DOCUMENTS_MAIL_QUOTES_H

#include "base/arena.h"

/* Of a plain text. */
const char *mail_without_quotes(struct arena *arena, const char *body);

/* HTML up to the element in which mail programs put the quoted message. */
const char *mail_html_without_quotes(struct arena *arena, const char *html);

#endif

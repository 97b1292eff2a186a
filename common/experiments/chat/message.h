/*
 * Messages in the format of the chat platform: answers to its calls, posts to a response URL and to
 * a channel. User texts are escaped here, so that a name can neither link nor mention anyone.
 */
#ifndef ASSAY_EXPERIMENTS_CHAT_MESSAGE_H
#define ASSAY_EXPERIMENTS_CHAT_MESSAGE_H

#include "experiments/projects/project_store.h"
#include "experiments/settings.h"
#include "i18n/i18n.h"

struct chat_format {
    const struct locale *locale;
    struct arena *arena;
    size_t text_max; /* bytes of the message text */
    size_t name_max; /* bytes of a name in it */
};

/* The language and the limits of the settings. */
struct chat_format chat_format_of(const struct experiments_settings *settings, struct arena *arena);

/* Bytes of a whole message, as JSON. */
size_t chat_message_max(const struct chat_format *format);

/* A name in one line of at most `most` bytes before escaping, without markup. */
const char *chat_text(struct arena *arena, size_t most, const char *text);
const char *chat_name(const struct chat_format *format, const char *text);

/* A text of the catalogs. Values must come from chat_name(). */
const char *chat_translate(const struct chat_format *format, const char *key,
                           const struct text_argument *arguments, size_t count);

/* A message visible only to the user who sent the command. */
const char *chat_reply(const struct chat_format *format, const char *text);

/* The same about a project, with its known values and with buttons. `total` and `days` are those of
 * its newest analysis. */
struct chat_project {
    const struct project *project;
    struct optional_integer total;
    struct optional_integer days;
};
const char *chat_project_reply(const struct chat_format *format, const struct chat_project *about);

/* The post to a channel when `user` requests a review. */
const char *chat_review_post(const struct chat_format *format, const char *channel,
                             const char *user, const struct project *project);

extern const char chat_approve_action[], chat_review_action[];

#endif

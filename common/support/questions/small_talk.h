/*
 * Messages that are no question about the documents: greetings, thanks, farewells, "who are you"
 * and "I want to talk to a person". They are recognized as a whole: a message with any other word
 * is a question. Their replies are fixed texts.
 */
#ifndef ASSAY_SUPPORT_QUESTIONS_SMALL_TALK_H
#define ASSAY_SUPPORT_QUESTIONS_SMALL_TALK_H

#include "base/arena.h"
#include "text/language.h"

/* Of two kinds in one message, the later one of this list counts. */
enum small_talk {
    SMALL_TALK_NONE,
    SMALL_TALK_GREETING,
    SMALL_TALK_THANKS,
    SMALL_TALK_FAREWELL,
    SMALL_TALK_IDENTITY,
    SMALL_TALK_PERSON, /* wants a human: the only kind that opens a ticket */
    SMALL_TALK__MAX
};

/* The kind of a message; sets the language of its phrases when it is one. */
enum small_talk small_talk_of(struct arena *arena, const char *message,
                              enum text_language *language);

/* The message without the greetings and thanks before and after its question: "Hello, how long is
 * the warranty? Thanks!" is "how long is the warranty?". */
const char *small_talk_strip(struct arena *arena, const char *message);

/* English for languages without texts of their own. */
const char *small_talk_reply(enum small_talk kind, enum text_language language);

#endif

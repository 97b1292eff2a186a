/* An answer in the form in which clients receive it, and in which a conversation keeps it: text,
 * sources, citations, confidence, suggestions. */
#ifndef ASSAY_SUPPORT_CONVERSATION_ANSWER_REPLY_H
#define ASSAY_SUPPORT_CONVERSATION_ANSWER_REPLY_H

#include "base/schema.h"
#include "support/conversation/ask.h"

struct answer_reply {
    const char *answer;
    int64_t quality_score;
    const char *route;
    OBJECT_LIST(struct answer_source, sources);
    OBJECT_LIST(struct citation, citations);
    const char *session_id, *trace_id;
    struct string_list suggested_questions;
    bool requires_confirmation;
    const char *action_summary;
    bool cached;
    struct optional_integer factuality_score;
    const char *quality_source, *language;
};
SCHEMA_OF(answer_schema, struct answer_reply);

/* In the arena; texts are borrowed from the outcome. */
struct answer_reply *answer_reply_of(struct arena *arena, const struct asked *asked);

#endif

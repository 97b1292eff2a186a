/* Answers as clients receive them. */
#include "support/conversation/answer_reply.h"
#include "support/answer/citation_list.h"

struct answer_source {
    const char *source, *page_content;
};

#define OWNER struct answer_source
static const struct field source_fields[] = {STRING(OWNER, source), STRING(OWNER, page_content)};
#undef OWNER
static SCHEMA(source_schema, struct answer_source, "Source", source_fields);

#define OWNER struct answer_reply
static const struct field answer_fields[] = {
    STRING(OWNER, answer, .help = "With markers `[N]`: N is a citation's index."),
    INTEGER(OWNER, quality_score),
    STRING(OWNER, route, .help = "auto, human, agentic, error_escalation or timeout."),
    OBJECTS(OWNER, sources, source_schema),
    OBJECTS(OWNER, citations, citation_schema),
    STRING(OWNER, session_id),
    STRING(OWNER, trace_id),
    STRINGS(OWNER, suggested_questions),
    BOOLEAN(OWNER, requires_confirmation),
    STRING(OWNER, action_summary),
    BOOLEAN(OWNER, cached),
    NULLABLE_INTEGER(OWNER, factuality_score),
    STRING(OWNER, quality_source),
    STRING(OWNER, language),
};
#undef OWNER
SCHEMA(answer_schema, struct answer_reply, "Answer", answer_fields);

static struct object_list sources_of(struct arena *arena, const struct graph_outcome *outcome)
{
    struct answer_source *sources =
        ARENA_ARRAY(arena, struct answer_source, outcome->source_count + 1);

    for (size_t i = 0; i < outcome->source_count; i++) {
        const struct graph_source *from = &outcome->sources[i];

        sources[i] = (struct answer_source){.source = from->source, .page_content = from->text};
    }
    return (struct object_list){outcome->source_count, sources};
}

struct answer_reply *answer_reply_of(struct arena *arena, const struct asked *asked)
{
    struct answer_reply *reply = ARENA_NEW(arena, struct answer_reply);
    const struct graph_outcome *outcome = &asked->outcome;

    *reply = (struct answer_reply){
        .answer = outcome->answer,
        .quality_score = outcome->quality,
        .route = route_kind_names[outcome->route],
        .sources = sources_of(arena, outcome),
        .citations = citations_of(arena, outcome),
        .session_id = asked->session_id,
        .trace_id = asked->trace_id,
        .suggested_questions = {outcome->suggestion_count, (const char **)outcome->suggestions},
        .requires_confirmation = outcome->requires_confirmation,
        .action_summary = outcome->action_summary ? outcome->action_summary : "",
        .cached = outcome->cached,
        .factuality_score = GIVEN_INTEGER(outcome->factuality),
        .quality_source = outcome->quality_source,
        .language = language_codes[outcome->language]};
    return reply;
}

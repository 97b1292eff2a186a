/* The node of the graph that answers small talk. */
#include "support/answer/graph_state.h"

enum small_talk graph_small_talk(const struct graph_tools *tools,
                                 const struct graph_request *request, enum text_language *language)
{
    enum small_talk kind = SMALL_TALK_NONE;

    if (!request->pending_ticket)
        kind = small_talk_of(tools->call->arena, request->question, language);
    return kind == SMALL_TALK_PERSON && tools->settings->agentic ? SMALL_TALK_NONE : kind;
}

/* Its score is fixed, and nothing is looked up. */
enum error small_talk_answer(struct graph_state *state)
{
    struct graph_outcome *outcome = state->outcome;

    outcome->answer = small_talk_reply(outcome->small_talk, outcome->language);
    outcome->search_query = state->request->question;
    outcome->quality = outcome->factuality = 100;
    outcome->relevance = 1;
    outcome->quality_source = "fixed";
    outcome->verification_skipped = true;
    outcome->route = ROUTE_AUTO;
    state->scored = true;
    return ERROR_NONE;
}

/*
 * Private to common/support/answer: questions that want something done or looked up beside the
 * documents (RAG_AGENTIC_MODE). A model that can use tools chooses them; without one, words do.
 * What changes anything is done only after the person has confirmed it.
 */
#ifndef ASSAY_SUPPORT_ANSWER_TOOL_FLOW_H
#define ASSAY_SUPPORT_ANSWER_TOOL_FLOW_H

#include "support/answer/graph_state.h"

/* Answers with tools; false when the question is one for the documents alone. */
bool tool_flow(struct graph_state *state);

#endif

/*
 * Private to common/support/answer: questions that need an action or a lookup outside the documents
 * (RAG_AGENTIC_MODE). A model with tool support selects the tools; without one, keywords do.
 * Actions that change data run only after the user has confirmed them.
 */
#ifndef ASSAY_SUPPORT_ANSWER_TOOL_FLOW_H
#define ASSAY_SUPPORT_ANSWER_TOOL_FLOW_H

#include "support/answer/graph_state.h"

/* Answers with tools; false when the question needs only the documents. */
bool tool_flow(struct graph_state *state);

#endif

/* Model names of the OpenAI-compatible API that select a pattern, not a model. */
#ifndef ASSAY_ORCHESTRATOR_FRONT_NAMES_H
#define ASSAY_ORCHESTRATOR_FRONT_NAMES_H

#define FRONT_SMART "orch:smart"
#define FRONT_CONSENSUS "orch:consensus"

#endif

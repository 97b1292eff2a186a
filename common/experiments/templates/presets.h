/* The presets as designs. */
#ifndef ASSAY_EXPERIMENTS_TEMPLATES_PRESETS_H
#define ASSAY_EXPERIMENTS_TEMPLATES_PRESETS_H

#include "experiments/templates/preset_table.h"

/* The design of a preset. From the arena; its texts are those of the table. */
const struct experiment_payload *preset_payload(const struct preset *preset, struct arena *arena);

/* The tags of a preset. From the arena. */
struct string_list preset_tags(const struct preset *preset, struct arena *arena);

#endif

/* Citations from the sources of an outcome. */
#include "support/answer/citation_list.h"

#define OWNER struct citation
static const struct field citation_fields[] = {
    INTEGER(OWNER, index, .help = "The number of its markers in the answer."),
    STRING(OWNER, doc_id),
    STRING(OWNER, title),
    STRING(OWNER, excerpt, .help = "The 300 characters round the passage."),
};
#undef OWNER
SCHEMA(citation_schema, struct citation, "Citation", citation_fields);

struct object_list citations_of(struct arena *arena, const struct graph_outcome *outcome)
{
    struct citation *citations = ARENA_ARRAY(arena, struct citation, outcome->source_count + 1);

    for (size_t i = 0; i < outcome->source_count; i++) {
        const struct graph_source *source = &outcome->sources[i];

        citations[i] = (struct citation){.index = (int64_t)i + 1,
                                         .doc_id = source->doc_id,
                                         .title = source->title,
                                         .excerpt = source->excerpt};
    }
    return (struct object_list){outcome->source_count, citations};
}

/* Asks the embedder, and counts the vectors in the database. */
#include "support/documents/vector_status.h"
#include "embedding/model_files.h"
#include "support/documents/ingest.h"
#include "support/documents/search_engine.h"
#include "support/documents/search_engine_store.h"
#include "support/documents/vector_store.h"

const char *const vector_state_names[VECTOR_STATE__MAX + 1] = {"off",     "none",  "away",
                                                               "working", "ready", NULL};

#define OWNER struct vector_status
static const struct field status_fields[] = {
    CHOICE(OWNER, state, vector_state_names, .choice_count = VECTOR_STATE__MAX,
           .help =
               "`off` by RAG_EMBEDDING_BACKEND or SEARCH_URL; `none`: there is no model; `away`: "
               "the embedder "
               "does not answer; `working`: some chunks have no vector yet; `ready`. Answers are "
               "found by words until it is ready."),
    STRING(OWNER, model, .nullable = true),
    INTEGER(OWNER, chunks),
    INTEGER(OWNER, embedded, .help = "Of documents whose chunks all have a vector."),
};
#undef OWNER
SCHEMA(vector_status_schema, struct vector_status, "VectorStatus", status_fields);

/* Why there is no model that answers. */
static enum vector_state state_without(const struct support_settings *settings)
{
    char folder[MODEL_PATH_MAX], name[EMBEDDER_MODEL_MAX];

    if (settings->embedding_backend == EMBEDDING_WORDS)
        return VECTORS_OFF;
    return model_folder(settings->embedder_directory, folder) && model_name_read(folder, name)
               ? VECTORS_AWAY
               : VECTORS_NONE;
}

/* A search engine has vectors of fewer documents than the database, and may keep none. */
static enum error read_engine(struct db *db, const struct support_settings *settings,
                              const char *model, struct vector_status *status,
                              struct problem *problem)
{
    int64_t lag = 0;
    bool keeps;
    enum error error = search_engine_keeps_vectors(db, settings, &keeps, problem);

    if (!error && !keeps)
        status->state = VECTORS_OFF;
    if (!error && keeps && model)
        error = search_vectors_lag(db, model, &lag, problem);
    if (!error && lag && status->state == VECTORS_READY)
        status->state = VECTORS_WORKING;
    return error;
}

enum error vector_status_read(struct db *db, struct arena *arena,
                              const struct support_settings *settings, const char *tenant,
                              struct vector_status *status, struct problem *problem)
{
    struct vector_progress progress;
    const char *model = ingest_vector_model(arena, settings);
    enum error error = vectors_progress(db, tenant, model ? model : "?", &progress, problem);

    *status = (struct vector_status){
        .model = model, .chunks = progress.chunks, .embedded = progress.embedded};
    status->state = !model                                ? state_without(settings)
                    : progress.embedded < progress.chunks ? VECTORS_WORKING
                                                          : VECTORS_READY;
    return error || !search_engine_is_used(settings)
               ? error
               : read_engine(db, settings, model, status, problem);
}

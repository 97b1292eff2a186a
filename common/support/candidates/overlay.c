/* Applies an experiment's changes to the settings. The type and range of a key are those of its
 * setting. */
#include "support/candidates/overlay.h"
#include "base/log.h"
#include "base/yaml.h"
#include "crypto/digest.h"
#include "support/candidates/assignment_store.h"
#include "support/candidates/experiment.h"
#include "support/programs/data_files.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 100, MARK_DIGITS = 16, TEXT_MOST = 1 << 20 };

const struct overlay_key overlay_keys[] = {
    {"llm_provider_profile", "LLM_PROVIDER_PROFILE", OVERLAY_START, true, false},
    {"ollama_model_name", "OLLAMA_MODEL_NAME", OVERLAY_START, true, false},
    {"ollama_fast_model_name", "OLLAMA_FAST_MODEL_NAME", OVERLAY_START, true, false},
    {"model_routing_enabled", "MODEL_ROUTING_ENABLED", OVERLAY_AT_ONCE, false, true},
    {"embedding_model", "RAG_EMBEDDING_MODEL", OVERLAY_INGESTION, true, false},
    {"reranker_model", "RAG_RERANKER_MODEL", OVERLAY_START, true, false},
    {"hybrid_search", "RAG_HYBRID_SEARCH", OVERLAY_NONE, false, true},
    {"retrieval_strategy", "RAG_RETRIEVAL_STRATEGY", OVERLAY_NONE, true, false},
    {"retrieval_top_k", "RAG_RETRIEVAL_TOP_K", OVERLAY_AT_ONCE, false, false},
    {"rerank_top_k", "RAG_RERANK_TOP_K", OVERLAY_AT_ONCE, false, false},
    {"rrf_k", "RRF_K", OVERLAY_AT_ONCE, false, false},
    {"quality_threshold", "QUALITY_THRESHOLD", OVERLAY_AT_ONCE, false, false},
    {"embedded_min_evidence", "EMBEDDED_MIN_EVIDENCE", OVERLAY_AT_ONCE, false, false},
    {"semantic_chunking", "RAG_SEMANTIC_CHUNKING", OVERLAY_INGESTION, false, true},
    {"structural_chunking", "RAG_STRUCTURAL_CHUNKING", OVERLAY_INGESTION, false, true},
    {"contextual_headers", "RAG_CONTEXTUAL_HEADERS", OVERLAY_INGESTION, false, true},
    {"agentic_mode", "RAG_AGENTIC_MODE", OVERLAY_AT_ONCE, false, true},
    {"hyde", "RAG_HYDE", OVERLAY_AT_ONCE, false, true},
    {"parent_child", "RAG_PARENT_CHILD", OVERLAY_INGESTION, false, true},
    {"parent_expansion", "RAG_PARENT_EXPANSION", OVERLAY_AT_ONCE, false, true},
    {"parent_expansion_window", "RAG_PARENT_EXPANSION_WINDOW", OVERLAY_AT_ONCE, false, false},
    {"parent_expansion_max_chars", "RAG_PARENT_EXPANSION_MAX_CHARS", OVERLAY_AT_ONCE, false, false},
    {"self_rag_max_iterations", "RAG_SELF_RAG_MAX_ITER", OVERLAY_AT_ONCE, false, false},
    {"self_rag_min_quality", "RAG_SELF_RAG_MIN_QUALITY", OVERLAY_NONE, false, false},
    {"fact_verification_enabled", "FACT_VERIFICATION_ENABLED", OVERLAY_AT_ONCE, false, true},
    {"fact_verify_consensus_enabled", "FACT_VERIFY_CONSENSUS_ENABLED", OVERLAY_AT_ONCE, false,
     true},
    {"fact_verify_reliability_level", "FACT_VERIFY_RELIABILITY_LEVEL", OVERLAY_AT_ONCE, true,
     false},
    {"fact_verification_min_score", "FACT_VERIFICATION_MIN_SCORE", OVERLAY_AT_ONCE, false, false},
    {"chunk_size", "CHUNK_SIZE", OVERLAY_INGESTION, false, false},
    {"chunk_overlap", "CHUNK_OVERLAP", OVERLAY_INGESTION, false, false},
};
const size_t overlay_key_count = sizeof overlay_keys / sizeof overlay_keys[0];

const struct overlay_key *overlay_key_of(const char *name)
{
    for (size_t i = 0; i < overlay_key_count; i++)
        if (strcmp(overlay_keys[i].name, name) == 0)
            return &overlay_keys[i];
    return NULL;
}

static const struct setting *setting_of(const struct overlay_key *key)
{
    for (size_t i = 0; i < support_settings_count; i++)
        if (strcmp(support_settings_table[i].name, key->variable) == 0)
            return &support_settings_table[i];
    return NULL;
}

/* The index of a choice; -1 = invalid. */
static int choice_of(const struct setting *setting, const char *text)
{
    for (int i = 0; text && setting->choices[i]; i++)
        if (strcmp(setting->choices[i], text) == 0)
            return i;
    return -1;
}

static bool fits(const struct overlay_key *key, const json_t *value)
{
    const struct setting *setting = setting_of(key);
    double number = json_number_value(value);

    if (setting && setting->type == SETTING_CHOICE)
        return choice_of(setting, json_string_value(value)) >= 0;
    if (key->text)
        return json_is_string(value) || json_is_null(value);
    if (key->flag)
        return json_is_boolean(value);
    if (setting && setting->type == SETTING_INTEGER && !json_is_integer(value))
        return false;
    return json_is_number(value) &&
           (!setting ||
            (number >= setting->minimum && (setting->maximum == 0 || number <= setting->maximum)));
}

static bool is_prompt(const char *name)
{
    for (size_t i = 0; i < PROMPT__MAX; i++)
        if (strcmp(prompt_ids[i], name) == 0)
            return true;
    return false;
}

enum error overlay_check(const json_t *settings, const json_t *prompts, struct problem *problem)
{
    const char *name;
    const json_t *value;

    if ((settings && !json_is_object(settings) && !json_is_null(settings)) ||
        (prompts && !json_is_object(prompts) && !json_is_null(prompts)))
        return problem_set(problem, ERROR_INVALID, "overlay_invalid", "overrides must be maps");
    json_object_foreach((json_t *)settings, name, value)
    {
        const struct overlay_key *key = overlay_key_of(name);

        if (!key)
            return problem_set(problem, ERROR_INVALID, "overlay_invalid", "unknown setting: %s",
                               name);
        if (!fits(key, value))
            return problem_set(problem, ERROR_INVALID, "overlay_invalid",
                               "settings_overrides.%s is of the wrong type or out of bounds", name);
    }
    json_object_foreach((json_t *)prompts, name, value)
    {
        if (!is_prompt(name))
            return problem_set(problem, ERROR_INVALID, "overlay_invalid", "unknown prompt: %s",
                               name);
        if (!json_is_string(value))
            return problem_set(problem, ERROR_INVALID, "overlay_invalid",
                               "prompt_overrides.%s must be a text", name);
    }
    return ERROR_NONE;
}

void overlay_start(struct overlay *overlay, const struct support_settings *settings)
{
    *overlay = (struct overlay){.settings = *settings, .mark = ""};
    memcpy(overlay->prompts, prompt_texts, sizeof overlay->prompts);
}

static void put_setting(struct overlay *overlay, const struct overlay_key *key, const json_t *value)
{
    const struct setting *setting = setting_of(key);
    char *place = setting ? (char *)&overlay->settings + setting->offset : NULL;
    int64_t whole = json_integer_value(value);
    double number = json_number_value(value);
    bool flag = json_is_true(value);
    int choice;

    if (!setting || key->reach != OVERLAY_AT_ONCE)
        return;
    if (setting->type == SETTING_INTEGER)
        memcpy(place, &whole, sizeof whole);
    else if (setting->type == SETTING_NUMBER)
        memcpy(place, &number, sizeof number);
    else if (setting->type == SETTING_BOOLEAN)
        memcpy(place, &flag, sizeof flag);
    else if (setting->type == SETTING_CHOICE) {
        choice = choice_of(setting, json_string_value(value));
        memcpy(place, &choice, sizeof choice);
    }
}

static const char *mark_of(struct arena *arena, const char *before, const json_t *settings,
                           const json_t *prompts)
{
    struct text text;
    struct json_writer writer;
    char digest[DIGEST_SHA256_TEXT];

    text_start(&text, arena, TEXT_MOST);
    text_append_string(&text, before);
    writer_start(&writer, &text);
    writer_open_array(&writer);
    writer_value_sorted(&writer, settings);
    writer_value_sorted(&writer, prompts);
    writer_close_array(&writer);
    digest_sha256_hex(text.bytes, text.length, digest);
    return arena_copy(arena, digest, MARK_DIGITS);
}

void overlay_put(struct arena *arena, struct overlay *overlay, const char *experiment_id,
                 const json_t *settings, const json_t *prompts, bool below_environment)
{
    const char *name;
    const json_t *value;

    json_object_foreach((json_t *)settings, name, value)
    {
        const struct overlay_key *key = overlay_key_of(name);
        const char *given = below_environment && key ? getenv(key->variable) : NULL;

        if (key && (!given || !*given))
            put_setting(overlay, key, value);
    }
    for (size_t i = 0; i < PROMPT__MAX; i++) {
        const char *text = json_string_value(json_object_get(prompts, prompt_ids[i]));

        if (text)
            overlay->prompts[i] = arena_copy_string(arena, text);
    }
    if (experiment_id)
        overlay->experiment_id = arena_copy_string(arena, experiment_id);
    overlay->mark = mark_of(arena, overlay->mark, settings ? settings : json_null(),
                            prompts ? prompts : json_null());
}

static json_t *as_json(struct arena *arena, const char *text)
{
    struct json_fault fault;
    json_t *value = NULL;

    return json_read(arena, text, strlen(text), 4, &value, &fault) ? NULL : value;
}

const json_t *overlay_value(struct arena *arena, const struct overlay *overlay,
                            const struct overlay_key *key)
{
    const struct setting *setting = setting_of(key);
    const char *place = setting ? (const char *)&overlay->settings + setting->offset : NULL;
    struct text text;
    struct json_writer writer;
    int64_t whole;
    double number;
    int choice;
    bool flag;

    if (!setting || (setting->type != SETTING_INTEGER && setting->type != SETTING_NUMBER &&
                     setting->type != SETTING_BOOLEAN && setting->type != SETTING_CHOICE))
        return NULL;
    text_start(&text, arena, 64);
    writer_start(&writer, &text);
    if (setting->type == SETTING_INTEGER) {
        memcpy(&whole, place, sizeof whole);
        writer_integer(&writer, whole);
    } else if (setting->type == SETTING_NUMBER) {
        memcpy(&number, place, sizeof number);
        writer_number(&writer, number);
    } else if (setting->type == SETTING_CHOICE) {
        memcpy(&choice, place, sizeof choice);
        writer_string(&writer, setting->choices[choice]);
    } else {
        memcpy(&flag, place, sizeof flag);
        writer_boolean(&writer, flag);
    }
    return as_json(arena, text.bytes);
}

static void warn(const struct problem *problem)
{
    log_event(LOG_WARNING, "overlay_not_read", problem->text);
}

static void put_deployed(struct arena *arena, const struct support_settings *settings,
                         struct overlay *overlay)
{
    struct problem problem = {0};
    json_t *document = NULL;
    enum error error = yaml_read_file(
        arena, data_file_path(arena, settings, experiment_deployed_path), &document, &problem);

    if (error == ERROR_NOT_FOUND)
        return;
    if (!error)
        error = overlay_check(json_object_get(document, "settings"),
                              json_object_get(document, "prompts"), &problem);
    if (error)
        warn(&problem);
    else
        overlay_put(arena, overlay, json_string_value(json_object_get(document, "experiment_id")),
                    json_object_get(document, "settings"), json_object_get(document, "prompts"),
                    true);
}

static void put_staged(struct arena *arena, const struct support_settings *settings,
                       struct overlay *overlay)
{
    const char *active = experiment_active(arena, settings), *named;
    struct problem problem = {0};
    json_t *document = NULL;
    enum error error;

    if (!active)
        return;
    error = yaml_read_file(arena, data_file_path(arena, settings, experiment_override_path),
                           &document, &problem);
    if (error == ERROR_NOT_FOUND)
        return;
    if (!error)
        error = overlay_check(json_object_get(document, "settings_overrides"),
                              json_object_get(document, "prompt_overrides"), &problem);
    if (error) {
        warn(&problem);
        return;
    }
    named = json_string_value(json_object_get(document, "experiment_id"));
    if (!named || !*named || strcmp(named, active) == 0)
        overlay_put(arena, overlay, active, json_object_get(document, "settings_overrides"),
                    json_object_get(document, "prompt_overrides"), false);
}

void overlay_of_files(struct arena *arena, const struct support_settings *settings,
                      struct overlay *overlay)
{
    overlay_start(overlay, settings);
    put_deployed(arena, settings, overlay);
    put_staged(arena, settings, overlay);
}

static const char *bucket_key(struct arena *arena, const char *tenant, const char *session_id,
                              const char *user_id)
{
    const char *who = session_id && *session_id ? session_id
                      : user_id && *user_id     ? user_id
                                                : "anonymous";

    return arena_print(arena, "%s:%s", tenant, who);
}

static int bucket_of(const char *text)
{
    unsigned char digest[DIGEST_SHA256_BYTES];

    digest_sha256(text, strlen(text), digest);
    return (int)(((uint32_t)digest[0] << 24 | (uint32_t)digest[1] << 16 | (uint32_t)digest[2] << 8 |
                  digest[3]) %
                 BUCKETS);
}

/* A share of 0 or 100 percent compares nothing. */
static bool is_judged(const struct support_settings *settings, const struct assignment *assignment)
{
    return settings->ab_base_url && settings->ab_api_key && assignment->rollout_percentage > 0 &&
           assignment->rollout_percentage < BUCKETS;
}

void overlay_of_question(const struct graph_tools *tools, const char *session_id,
                         const char *user_id, struct overlay *overlay)
{
    const struct document_call *call = tools->call;
    const char *text = bucket_key(call->arena, call->tenant, session_id, user_id);
    struct assignment assignment;
    struct experiment experiment;
    struct problem problem = {0};
    bool found = false, inside, judged;
    enum error error;

    overlay_of_files(call->arena, tools->settings, overlay);
    if (!tools->settings->experiment_assignment)
        return;
    error =
        assignment_of_tenant(call->db, call->arena, call->tenant, &assignment, &found, &problem);
    inside = !error && found && bucket_of(text) < assignment.rollout_percentage;
    judged = !error && found && is_judged(tools->settings, &assignment);
    if (inside || judged) {
        error = experiment_read(call->arena, tools->settings, assignment.experiment_id, &experiment,
                                &problem);
        if (!error && strcmp(experiment.status, "archived") != 0) {
            if (inside)
                overlay_put(call->arena, overlay, experiment.id, experiment.settings,
                            experiment.prompts, false);
            if (judged)
                overlay->side = split_arm_of(call->arena, &assignment, text, inside);
        }
    }
    if (error)
        warn(&problem);
}

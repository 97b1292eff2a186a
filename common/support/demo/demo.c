/* Reads the demonstration's file and ingests its documents. */
#include "support/demo/demo.h"

#include "support/documents/ingest.h"
#include "support/programs/data_files.h"

#include <string.h>

static const char *const votes[] = {"up", "down", NULL};

#define TEXT(member) STRING(OWNER, member, .required = true, .min_length = 1)
#define OWNER struct demo_document
static const struct field document_fields[] = {TEXT(file), TEXT(title),
                                               STRING(OWNER, before, .nullable = true)};
#undef OWNER
static SCHEMA(document_schema, struct demo_document, "DemoDocument", document_fields);

#define OWNER struct demo_section
static const struct field section_fields[] = {TEXT(heading), TEXT(text), STRINGS(OWNER, steps)};
#undef OWNER
static SCHEMA(section_schema, struct demo_section, "DemoSection", section_fields);

#define OWNER struct demo_manual
static const struct field manual_fields[] = {TEXT(file), TEXT(title), TEXT(subtitle),
                                             OBJECTS(OWNER, sections, section_schema)};
#undef OWNER
static SCHEMA(manual_schema, struct demo_manual, "DemoManual", manual_fields);

#define OWNER struct demo_case
static const struct field case_fields[] = {
    TEXT(category), TEXT(question), TEXT(answer), STRING(OWNER, document, .nullable = true),
    STRINGS(OWNER, keywords, .required = true, .min_length = 1)};
#undef OWNER
static SCHEMA(case_schema, struct demo_case, "DemoSupportCase", case_fields);

static bool vote_is_known(const void *object)
{
    const char *vote = ((const struct demo_turn *)object)->vote;

    return !vote || strcmp(vote, votes[0]) == 0 || strcmp(vote, votes[1]) == 0;
}

static const struct schema_rule turn_rules[] = {{"vote", vote_is_known}};

#define OWNER struct demo_turn
static const struct field turn_fields[] = {TEXT(question), STRING(OWNER, vote, .nullable = true),
                                           STRING(OWNER, reason, .nullable = true)};
#undef OWNER
static SCHEMA(turn_schema, struct demo_turn, "DemoTurn", turn_fields, RULES(turn_rules));

#define OWNER struct demo_conversation
static const struct field conversation_fields[] = {
    TEXT(customer), NUMBERS(OWNER, hours_ago, .required = true, .min_length = 1, .lower = ABOVE(0)),
    OBJECTS(OWNER, turns, turn_schema, .required = true, .min_length = 1),
    BOOLEAN(OWNER, handed_over), STRING(OWNER, reply, .nullable = true)};
#undef OWNER
static SCHEMA(conversation_schema, struct demo_conversation, "DemoConversation",
              conversation_fields);

#define OWNER struct demo_support
static const struct field support_fields[] = {
    OBJECTS(OWNER, documents, document_schema, .required = true),
    OBJECT(OWNER, manual, manual_schema, .required = true),
    OBJECTS(OWNER, cases, case_schema, .required = true),
    OBJECTS(OWNER, conversations, conversation_schema, .required = true)};
#undef OWNER
static SCHEMA(support_schema, struct demo_support, "DemoSupport", support_fields);

enum error demo_support_read(struct arena *arena, const struct demo_files *files,
                             struct demo_support *demo, struct problem *problem)
{
    return demo_file_read(arena, files, "support.yaml", &support_schema, demo, problem);
}

/* Copies a file of the language into the uploads and ingests it from there. */
static enum error ingest(const struct demo_call *call, const struct demo_document *document,
                         const char *file)
{
    const struct document_call *documents = call->documents;
    const char *from = demo_file_path(documents->arena, call->files,
                                      arena_print(documents->arena, "documents/%s", file));
    const struct ingest_request request = {
        .path =
            arena_print(documents->arena, "%s/%s",
                        ingest_upload_folder(documents->arena, call->settings, documents->tenant),
                        document->file),
        .doc_id = document->file,
        .title = document->title};
    struct ingest_result result;
    char *bytes;
    size_t length;
    enum error error = data_file_read(documents->arena, from, &bytes, &length, documents->problem);

    if (!error)
        error = data_file_write(documents->arena, request.path, bytes, length, documents->problem);
    return error ? error : ingest_document(documents, call->settings, &request, &result);
}

enum error demo_add_document(const struct demo_call *call, const struct demo_document *document,
                             bool overwrite, bool *written)
{
    struct document_row row;
    bool found;
    enum error error = document_find(call->documents, document->file, &row, &found);

    *written = !error && (!found || overwrite);
    if (*written && !found && document->before)
        error = ingest(call, document, document->before);
    if (*written && !error)
        error = ingest(call, document, document->file);
    return error;
}

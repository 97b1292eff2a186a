/* Measures expected answers, and lists the categories that have documents. */
#include "support/regression/benchmark.h"
#include "base/clock.h"
#include "base/number.h"
#include "support/programs/batch.h"
#include "support/programs/data_files.h"
#include "support/regression/fixed_questions.h"
#include "support/trends/measures.h"

#include <string.h>

enum {
    QUESTION_MEMORY = 64 << 20,
    RESULT_MOST = 16 << 20,
    DOCUMENT_MOST = 16 << 20,
    DEPTH = 8,
    DECIMALS = 4
};

struct question_scores {
    const char *question, *category;
    const struct measures *scores; /* rounded */
};

#define OWNER struct question_scores
static const struct field question_fields[] = {STRING(OWNER, question), STRING(OWNER, category),
                                               OBJECT(OWNER, scores, measures_schema)};
#undef OWNER
static SCHEMA(question_schema, struct question_scores, "BenchmarkQuestion", question_fields);

struct benchmark_document {
    const struct measures *aggregate;
    OBJECT_LIST(struct question_scores, per_question);
    int64_t num_cases;
    const char *timestamp;
    /* Of a run with documents. */
    const char *context_source;
    json_t *category_coverage;
    struct string_list supported_categories;
};

#define OWNER struct benchmark_document
#define RESULT_FIELDS                                                                              \
    OBJECT(OWNER, aggregate, measures_schema), OBJECTS(OWNER, per_question, question_schema),      \
        INTEGER(OWNER, num_cases), STRING(OWNER, timestamp)
static const struct field plain_fields[] = {RESULT_FIELDS};
static const struct field document_fields[] = {RESULT_FIELDS, STRING(OWNER, context_source),
                                               JSON_OBJECT(OWNER, category_coverage),
                                               STRINGS(OWNER, supported_categories)};
#undef OWNER
static SCHEMA(plain_schema, struct benchmark_document, "BenchmarkResult", plain_fields);
static SCHEMA(document_schema, struct benchmark_document, "BenchmarkWithDocuments",
              document_fields);

/* A category: how many questions it has, and how many of them stand on a document. */
struct coverage {
    const char *category;
    int64_t questions, grounded;
};

/* All words of a document, chunk by chunk. */
static enum error read_document(const struct document_call *call, const char *doc_id,
                                const char **words)
{
    struct document_row row;
    struct object_list chunks;
    struct text text;
    bool found = false;
    enum error error = document_find(call, doc_id, &row, &found);

    if (error)
        return error;
    if (!found)
        return problem_set(call->problem, ERROR_NOT_FOUND, "document_not_found",
                           "there is no document %s in the knowledge base of %s", doc_id,
                           call->tenant);
    error = document_chunks(call, row.key, 0, row.chunk_count, &chunks);
    if (error)
        return error;
    text_start(&text, call->arena, DOCUMENT_MOST);
    for (size_t i = 0; i < chunks.count; i++)
        text_append_format(&text, "%s\n", ((const struct chunk_row *)chunks.items)[i].body);
    *words = text.bytes;
    return ERROR_NONE;
}

static enum error measure(const struct document_call *call, const struct fixed_question *question,
                          bool with_documents, struct measures *scores)
{
    const char *document = NULL;
    struct measured what = {.question = question->question,
                            .answer = question->expected_answer,
                            .documents = &document,
                            .keywords = question->expected_keywords};
    enum error error = ERROR_NONE;

    if (with_documents && question->grounding_doc) {
        error = read_document(call, question->grounding_doc, &document);
        what.document_count = 1;
    }
    if (error)
        return error;
    measures_take(call->arena, &what, scores->values);
    for (int i = 0; i < MEASURE__MAX; i++)
        scores->values[i] = number_round(scores->values[i], DECIMALS);
    return ERROR_NONE;
}

/* In memory of their own: documents may be large. */
static enum error measure_all(const struct document_call *call,
                              const struct fixed_questions *questions, bool with_documents,
                              struct question_scores *scores)
{
    struct measures *values = ARENA_ARRAY(call->arena, struct measures, questions->count + 1);
    struct document_call apart = *call;
    enum error error = ERROR_NONE;

    apart.arena = arena_create(QUESTION_MEMORY);
    if (!apart.arena)
        return problem_set(call->problem, ERROR_SYSTEM, "out_of_memory", "no memory");
    for (size_t i = 0; i < questions->count && !error; i++) {
        const struct fixed_question *question = &questions->items[i];

        scores[i] = (struct question_scores){
            .question = question->question, .category = question->category, .scores = &values[i]};
        error = measure(&apart, question, with_documents, &values[i]);
        arena_reset(apart.arena);
    }
    arena_destroy(apart.arena);
    return error;
}

static struct coverage *coverage_of(struct coverage *all, size_t *count, const char *category)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp(all[i].category, category) == 0)
            return &all[i];
    all[*count] = (struct coverage){category, 0, 0};
    return &all[(*count)++];
}

/* Fills what is known of the categories: which share of their questions stands on a document; those
 * with any are supported. */
static void fill_coverage(struct arena *arena, const struct fixed_questions *questions,
                          struct benchmark_document *document)
{
    struct coverage *all = ARENA_ARRAY(arena, struct coverage, questions->count + 1);
    const char **supported = ARENA_ARRAY(arena, const char *, questions->count + 1);
    struct json_fault fault;
    struct json_writer writer;
    struct text text;
    size_t count = 0, supported_count = 0;

    for (size_t i = 0; i < questions->count; i++) {
        struct coverage *coverage = coverage_of(all, &count, questions->items[i].category);

        coverage->questions++;
        coverage->grounded += questions->items[i].grounding_doc != NULL;
    }
    text_start(&text, arena, RESULT_MOST);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    for (size_t i = 0; i < count; i++) {
        writer_key_number(
            &writer, all[i].category,
            number_round((double)all[i].grounded / (double)all[i].questions, DECIMALS));
        if (all[i].grounded)
            supported[supported_count++] = all[i].category;
    }
    writer_close_object(&writer);
    document->context_source = "grounding_doc";
    if (json_read(arena, text.bytes, text.length, DEPTH, &document->category_coverage, &fault))
        document->category_coverage = NULL;
    document->supported_categories = (struct string_list){supported_count, supported};
}

static struct measures mean_of(const struct question_scores *scores, size_t count)
{
    struct measures mean = {{0}};

    for (int measure = 0; measure < MEASURE__MAX && count; measure++) {
        for (size_t i = 0; i < count; i++)
            mean.values[measure] += scores[i].scores->values[measure];
        mean.values[measure] = number_round(mean.values[measure] / (double)count, DECIMALS);
    }
    return mean;
}

enum error benchmark_run(const struct document_call *call, const struct benchmark_plan *plan,
                         const char **result, size_t *count)
{
    struct fixed_questions questions;
    struct question_scores *scores;
    struct measures mean;
    struct benchmark_document document = {0};
    enum error error = fixed_questions_read(call->arena, plan->path, &questions, call->problem);

    *count = questions.count;
    if (error)
        return error;
    scores = ARENA_ARRAY(call->arena, struct question_scores, questions.count + 1);
    error = measure_all(call, &questions, plan->with_documents, scores);
    if (error)
        return error;
    mean = mean_of(scores, questions.count);
    document = (struct benchmark_document){.aggregate = &mean,
                                           .per_question = {questions.count, scores},
                                           .num_cases = (int64_t)questions.count,
                                           .timestamp =
                                               batch_time(call->arena, clock_unix_microseconds())};
    if (plan->with_documents)
        fill_coverage(call->arena, &questions, &document);
    *result = data_file_json(call->arena, RESULT_MOST,
                             plan->with_documents ? &document_schema : &plain_schema, &document);
    return *result ? ERROR_NONE
                   : problem_set(call->problem, ERROR_TOO_LARGE, "result_too_large",
                                 "the result is too large; take fewer cases");
}

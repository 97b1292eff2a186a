/* Measuring expected answers, and telling which categories have documents. */
#include "support/regression/benchmark.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/number.h"
#include "support/programs/batch.h"
#include "support/regression/fixed_questions.h"
#include "support/trends/measures.h"

#include <string.h>

enum { QUESTION_MEMORY = 64 << 20, RESULT_MOST = 16 << 20, DOCUMENT_MOST = 16 << 20, DECIMALS = 4 };

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
                          bool with_documents, double scores[MEASURE__MAX])
{
    const char *document = NULL;
    struct measured what = {.question = question->question,
                            .answer = question->expected_answer,
                            .documents = &document,
                            .keywords = question->keywords};
    enum error error = ERROR_NONE;

    if (with_documents && question->document) {
        error = read_document(call, question->document, &document);
        what.document_count = 1;
    }
    if (!error)
        measures_take(call->arena, &what, scores);
    return error;
}

/* In memory of their own: documents may be large. */
static enum error measure_all(const struct document_call *call,
                              const struct fixed_questions *questions, bool with_documents,
                              double (*scores)[MEASURE__MAX])
{
    struct document_call apart = *call;
    enum error error = ERROR_NONE;

    apart.arena = arena_create(QUESTION_MEMORY);
    if (!apart.arena)
        return problem_set(call->problem, ERROR_SYSTEM, "out_of_memory", "no memory");
    for (size_t i = 0; i < questions->count && !error; i++) {
        error = measure(&apart, &questions->items[i], with_documents, scores[i]);
        arena_reset(apart.arena);
    }
    arena_destroy(apart.arena);
    return error;
}

static void write_scores(struct json_writer *writer, const char *key, const double *scores,
                         double of)
{
    writer_key(writer, key);
    writer_open_object(writer);
    for (int i = 0; i < MEASURE__MAX; i++)
        writer_key_number(writer, measure_names[i],
                          of > 0 ? number_round(scores[i] / of, DECIMALS) : 0);
    writer_close_object(writer);
}

static void write_questions(struct json_writer *writer, const struct fixed_questions *questions,
                            double (*scores)[MEASURE__MAX])
{
    writer_key(writer, "per_question");
    writer_open_array(writer);
    for (size_t i = 0; i < questions->count; i++) {
        writer_open_object(writer);
        writer_key_string(writer, "question", questions->items[i].question);
        writer_key_string(writer, "category", questions->items[i].category);
        write_scores(writer, "scores", scores[i], 1);
        writer_close_object(writer);
    }
    writer_close_array(writer);
}

static struct coverage *coverage_of(struct coverage *all, size_t *count, const char *category)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp(all[i].category, category) == 0)
            return &all[i];
    all[*count] = (struct coverage){category, 0, 0};
    return &all[(*count)++];
}

/* Which share of a category's questions stands on a document; those with any are supported. */
static void write_coverage(struct arena *arena, struct json_writer *writer,
                           const struct fixed_questions *questions)
{
    struct coverage *all = ARENA_ARRAY(arena, struct coverage, questions->count + 1);
    size_t count = 0;

    for (size_t i = 0; i < questions->count; i++) {
        struct coverage *coverage = coverage_of(all, &count, questions->items[i].category);

        coverage->questions++;
        coverage->grounded += questions->items[i].document != NULL;
    }
    writer_key_string(writer, "context_source", "grounding_doc");
    writer_key(writer, "category_coverage");
    writer_open_object(writer);
    for (size_t i = 0; i < count; i++)
        writer_key_number(
            writer, all[i].category,
            number_round((double)all[i].grounded / (double)all[i].questions, DECIMALS));
    writer_close_object(writer);
    writer_key(writer, "supported_categories");
    writer_open_array(writer);
    for (size_t i = 0; i < count; i++)
        if (all[i].grounded)
            writer_string(writer, all[i].category);
    writer_close_array(writer);
}

static void write_result(const struct document_call *call, const struct benchmark_plan *plan,
                         const struct fixed_questions *questions, double (*scores)[MEASURE__MAX],
                         struct text *result)
{
    double sums[MEASURE__MAX] = {0};
    struct json_writer writer;

    for (size_t i = 0; i < questions->count; i++)
        for (int j = 0; j < MEASURE__MAX; j++)
            sums[j] += number_round(scores[i][j], DECIMALS);
    text_start(result, call->arena, RESULT_MOST);
    writer_start(&writer, result);
    writer.indent = 2;
    writer_open_object(&writer);
    write_scores(&writer, "aggregate", sums, (double)questions->count);
    write_questions(&writer, questions, scores);
    writer_key_integer(&writer, "num_cases", (int64_t)questions->count);
    writer_key_string(&writer, "timestamp", batch_time(call->arena, clock_unix_microseconds()));
    if (plan->with_documents)
        write_coverage(call->arena, &writer, questions);
    writer_close_object(&writer);
    text_append_byte(result, '\n');
}

enum error benchmark_run(const struct document_call *call, const struct benchmark_plan *plan,
                         struct text *result, size_t *count)
{
    struct fixed_questions questions;
    double(*scores)[MEASURE__MAX];
    enum error error = fixed_questions_read(call->arena, plan->path, &questions, call->problem);

    *count = questions.count;
    if (error)
        return error;
    scores = arena_alloc_array(call->arena, questions.count + 1, sizeof *scores);
    error = measure_all(call, &questions, plan->with_documents, scores);
    if (!error)
        write_result(call, plan, &questions, scores, result);
    return error;
}

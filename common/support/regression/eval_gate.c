/* Answers the fixed questions and evaluates the answers. */
#include "support/regression/eval_gate.h"
#include "base/json.h"
#include "base/number.h"
#include "support/answer/answer.h"
#include "support/programs/data_files.h"
#include "support/regression/target.h"
#include "support/trends/nightly.h"

#include <string.h>

enum {
    DEPTH = 8,
    DECIMALS = 4,
    RESULT_MOST = 4096,
    REFUSED = 1,
    FAILURES_MOST = 2 * MEASURE__ANSWERED
};

static const char baseline_path[] = "evaluation/baseline_metrics.json";
const char eval_gate_result_path[] = "evaluation/current_metrics.json";

static const double close_enough = 1e-9;

/* The content of the result file. */
struct result_file {
    const struct answered_measures *aggregate;
    const char *nothing; /* in place of the aggregate of a run that was skipped */
    bool skipped;
    const char *reason;
};

#define OWNER struct result_file
static const struct field result_file_fields[] = {
    OBJECT(OWNER, aggregate, answered_measures_schema), BOOLEAN(OWNER, skipped)};
static const struct field skipped_file_fields[] = {
    WRITTEN_OBJECT(OWNER, nothing, "aggregate", answered_measures_schema), BOOLEAN(OWNER, skipped),
    STRING(OWNER, reason)};
#undef OWNER
static SCHEMA(result_file_schema, struct result_file, "EvalGateResult", result_file_fields);
static SCHEMA(skipped_file_schema, struct result_file, "EvalGateSkipped", skipped_file_fields);

/* -- one question ------------------------------------------------------------------------------ */

static bool names_document(const struct execution *execution, const char *doc_id)
{
    const struct citation *citations = execution->citations.items;

    for (size_t i = 0; i < execution->citations.count; i++)
        if (strcmp(citations[i].doc_id, doc_id) == 0)
            return true;
    return false;
}

static bool is_right(struct arena *arena, const struct fixed_question *question,
                     const struct execution *execution)
{
    if (question->grounding_doc)
        return names_document(execution, question->grounding_doc);
    return !execution->citation_count &&
           (strcmp(execution->route, "human") == 0 || answer_is_refusal(arena, execution->answer));
}

/* A wrong answer has no measures; a correct refusal has nothing to measure. */
static enum error measure(const struct regression_tools *tools, const struct execution *execution,
                          struct eval_gate_case *judged)
{
    struct measured what = {.question = judged->question->question,
                            .answer = execution->answer,
                            .keywords = judged->question->expected_keywords};
    double scores[MEASURE__MAX] = {0};
    enum error error = ERROR_NONE;

    judged->right = is_right(tools->arena, judged->question, execution);
    if (judged->right && judged->question->grounding_doc) {
        error = nightly_documents(tools->db, tools->arena, execution->trace_id, &what.documents,
                                  &what.document_count, tools->problem);
        measures_take(tools->arena, &what, scores);
    }
    for (int i = 0; i < MEASURE__ANSWERED; i++)
        judged->scores.values[i] = !judged->right ? 0
                                   : !judged->question->grounding_doc
                                       ? REFUSED
                                       : number_round(scores[i], DECIMALS);
    return error;
}

static enum error answer(const struct regression_tools *tools, const struct target *target,
                         const char *tenant, size_t number, struct eval_gate_case *judged)
{
    const struct curated_case item = {.case_id = arena_print(tools->arena, "case-%zu", number),
                                      .tenant_id = tenant,
                                      .query = judged->question->question,
                                      .channel = "web"};
    struct execution execution;
    enum error error = target_answer(tools, target, &item, &execution);

    if (error)
        return error;
    judged->route = execution.route;
    if (execution_is_infrastructure(tools->arena, &execution))
        return problem_set(tools->problem, ERROR_UNAVAILABLE, "no_model",
                           "case %zu: no model has answered (LLM_PROVIDER_PROFILE)", number);
    return measure(tools, &execution, judged);
}

/* -- all of them ------------------------------------------------------------------------------- */

/* Whether the models are unavailable rather than wrong: an invalid key, an exhausted daily limit,
 * an unreachable provider. */
static bool is_absence(enum error error, const struct problem *problem)
{
    static const char *const reasons[] = {"no_model", "paid_apis", "daily_cost_limit"};

    for (size_t i = 0; error && i < sizeof reasons / sizeof reasons[0]; i++)
        if (strcmp(problem->reason, reasons[i]) == 0)
            return true;
    return false;
}

static enum error answer_all(const struct regression_tools *tools, const char *tenant,
                             struct eval_gate_case *cases, size_t count)
{
    const struct regression_plan plan = {.calls = tools->settings->benchmark_calls};
    const char *fault =
        arena_copy_string(tools->arena, tools->problem->text); /* of engine_open() */
    struct target target;
    enum error error = target_resolve(tools, &plan, "current", &target);

    if (!error && !target.asks)
        error = problem_set(tools->problem, ERROR_UNAVAILABLE, "no_model",
                            "the registry of models cannot be read: %s", fault);
    target.needs_models = true;
    for (size_t i = 0; i < count && !error; i++) {
        error = answer(tools, &target, tenant, i + 1, &cases[i]);
        if (!error && tools->on_case)
            error = tools->on_case(tools->context, (int64_t)i + 1, (int64_t)count, tools->problem);
    }
    return error;
}

/* Selects the questions that can be evaluated: with an expected answer. */
static struct eval_gate_case *usable(struct arena *arena, const struct fixed_questions *questions,
                                     size_t *count)
{
    struct eval_gate_case *cases = ARENA_ARRAY(arena, struct eval_gate_case, questions->count + 1);

    *count = 0;
    for (size_t i = 0; i < questions->count; i++)
        if (*questions->items[i].question && *questions->items[i].expected_answer)
            cases[(*count)++] = (struct eval_gate_case){.question = &questions->items[i]};
    return cases;
}

/* -- judging ----------------------------------------------------------------------------------- */

static enum error read_figure(const struct regression_tools *tools, const json_t *figures,
                              int which, struct eval_gate *gate)
{
    static const char alias[] = "answer_relevance";
    const json_t *value = json_object_get(figures, measure_names[which]);

    if (!value && which == MEASURE_RELEVANCY)
        value = json_object_get(figures, alias);
    if (value && !json_is_number(value))
        return problem_set(tools->problem, ERROR_MALFORMED, "baseline_malformed",
                           "%s: %s must be a number", baseline_path, measure_names[which]);
    gate->baseline[which] = (struct optional_number){value != NULL, json_number_value(value)};
    return ERROR_NONE;
}

/* Without a baseline only the minimum values apply. */
static enum error read_baseline(const struct regression_tools *tools, struct eval_gate *gate)
{
    struct json_fault fault;
    json_t *document = NULL;
    const json_t *figures;
    size_t length = 0;
    char *bytes = NULL;
    enum error error =
        data_file_read(tools->arena, data_file_path(tools->arena, tools->settings, baseline_path),
                       &bytes, &length, tools->problem);

    if (error)
        return error == ERROR_NOT_FOUND ? ERROR_NONE : error;
    if (json_read(tools->arena, bytes, length, DEPTH, &document, &fault) ||
        !json_is_object(document))
        return problem_set(tools->problem, ERROR_MALFORMED, "baseline_malformed",
                           "%s is no JSON object", baseline_path);
    figures = json_object_get(document, "aggregate");
    for (int i = 0; i < MEASURE__ANSWERED && !error; i++)
        error = read_figure(tools, figures ? figures : document, i, gate);
    return error;
}

static void judge(const struct regression_tools *tools, struct eval_gate *gate)
{
    const double least[MEASURE__ANSWERED] = {tools->settings->eval_gate_faithfulness,
                                             tools->settings->eval_gate_precision,
                                             tools->settings->eval_gate_relevancy};
    struct string_list *failures = &gate->failures;

    failures->items = ARENA_ARRAY(tools->arena, const char *, FAILURES_MOST);
    for (int i = 0; i < MEASURE__ANSWERED; i++) {
        double sum = 0;

        for (size_t j = 0; j < gate->count; j++)
            sum += gate->cases[j].scores.values[i];
        gate->values.values[i] = number_round(sum / (double)gate->count, DECIMALS);
        if (gate->values.values[i] < least[i] - close_enough)
            failures->items[failures->count++] =
                arena_print(tools->arena, "%s %.4f below minimum %.4f", measure_names[i],
                            gate->values.values[i], least[i]);
        if (gate->baseline[i].given &&
            gate->values.values[i] < gate->baseline[i].value - close_enough)
            failures->items[failures->count++] =
                arena_print(tools->arena, "%s %.4f below baseline %.4f", measure_names[i],
                            gate->values.values[i], gate->baseline[i].value);
    }
}

static enum error write_result(const struct regression_tools *tools, const struct eval_gate *gate)
{
    const struct result_file file = {.aggregate = gate->skipped ? NULL : &gate->values,
                                     .nothing = "{}",
                                     .skipped = gate->skipped,
                                     .reason = gate->reason};
    const char *json =
        data_file_json(tools->arena, RESULT_MOST,
                       gate->skipped ? &skipped_file_schema : &result_file_schema, &file);

    return data_file_write(tools->arena,
                           data_file_path(tools->arena, tools->settings, eval_gate_result_path),
                           json, strlen(json), tools->problem);
}

enum error eval_gate_run(const struct regression_tools *tools, const char *path, const char *tenant,
                         struct eval_gate *gate)
{
    struct fixed_questions questions;
    struct eval_gate_case *cases;
    enum error error = fixed_questions_read(tools->arena, path, &questions, tools->problem);

    *gate = (struct eval_gate){.skipped = false};
    if (error)
        return error;
    gate->cases = cases = usable(tools->arena, &questions, &gate->count);
    if ((int64_t)gate->count < tools->settings->eval_gate_cases)
        return problem_set(
            tools->problem, ERROR_INVALID, "too_few_cases",
            "%s has %zu cases with question and expected_answer; the gate needs %lld", path,
            gate->count, (long long)tools->settings->eval_gate_cases);
    error = read_baseline(tools, gate);
    if (!error)
        error = answer_all(tools, tenant, cases, gate->count);
    if (is_absence(error, tools->problem)) {
        gate->skipped = true;
        gate->reason = arena_copy_string(tools->arena, tools->problem->text);
        return write_result(tools, gate);
    }
    if (error)
        return error;
    judge(tools, gate);
    return write_result(tools, gate);
}

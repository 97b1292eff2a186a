/* Reads the file once into rows of numbers, then analyzes those. */
#include "experiments/datafiles/data_analysis.h"

#include "base/list.h"
#include "base/number.h"
#include "experiments/datafiles/user_rows.h"

#include <math.h>
#include <string.h>

enum { RANKED_USERS_MAX = 500000, RESAMPLED_USERS_MAX = 20000, ROWS_PER_CHECK = 65536 };

struct reading {
    const struct results_call *call;
    const struct data_mapping *mapping;
    const struct data_upload *upload;
    struct data_reader reader;
    struct user_rows rows;
    int arm, value, denominator, covariates[REGRESSION_COVARIATES_MAX]; /* columns */
    size_t label_count;
    struct data_arm *labels; /* as they came */
    struct data_reply *answer;
};

static enum error refuse(const struct reading *reading, const char *reason, const char *key,
                         const char *name)
{
    return problem_set(reading->call->problem, ERROR_INVALID, reason, "%s",
                       locale_format(reading->call->locale, reading->call->arena, key,
                                     TEXT_ARGUMENTS({"name", name})));
}

static enum error find_column(const struct reading *reading, const char *name, int *column)
{
    *column = data_reader_column(&reading->reader, name);
    return *column < 0 ? refuse(reading, "unknown_column", "errors.data.unknown_column", name)
                       : ERROR_NONE;
}

static enum error find_columns(struct reading *reading)
{
    const struct data_mapping *mapping = reading->mapping;
    enum error error = find_column(reading, mapping->arm, &reading->arm);

    if (!error)
        error = find_column(reading, mapping->value, &reading->value);
    if (!error && mapping->metric_type == METRIC_RATIO)
        error = find_column(reading, mapping->denominator ? mapping->denominator : "",
                            &reading->denominator);
    for (size_t i = 0; !error && i < mapping->covariates.count; i++)
        error = find_column(reading, mapping->covariates.items[i], &reading->covariates[i]);
    return error;
}

/* The position of the label; more than REGRESSION_ARMS_MAX are not told apart. */
static int label_position(struct reading *reading, const struct data_cell *cell)
{
    char digits[NUMBER_TEXT_MAX];
    const char *label = cell->text;

    if (cell->is_number) {
        bool whole = cell->number == floor(cell->number) && fabs(cell->number) < 1e15;

        digits[whole ? integer_format((int64_t)cell->number, digits)
                     : number_format(cell->number, digits)] = '\0';
        label = digits;
    }
    for (size_t i = 0; i < reading->label_count; i++)
        if (strcmp(reading->labels[i].label, label) == 0)
            return (int)i;
    if (reading->label_count <= REGRESSION_ARMS_MAX) {
        reading->labels[reading->label_count].label =
            arena_print(reading->call->arena, "%s", label);
        reading->label_count++;
    }
    return (int)reading->label_count - 1;
}

static void note_bad_row(struct reading *reading, int64_t line, const char *column,
                         const char *reason)
{
    struct data_reply *answer = reading->answer;
    struct data_bad_row *rows = answer->first_bad_rows.items;

    answer->bad_rows++;
    if (answer->first_bad_rows.count == DATA_BAD_ROWS_SHOWN)
        return;
    rows[answer->first_bad_rows.count++] = (struct data_bad_row){line, column, reason};
}

/* NULL, or why the cell is no number; `empty` is the reason where there is none. */
static const char *take_number(const struct reading *reading, int column, const char *name,
                               const char *empty, double *number)
{
    struct data_cell cell = data_reader_cell(&reading->reader, column, name);

    *number = NAN;
    if (data_cell_is_empty(&cell))
        return empty;
    return data_cell_number(&reading->reader, &cell, number) ? NULL : "not_a_number";
}

static const char *check_value(const struct data_mapping *mapping, double value)
{
    if (mapping->metric_type == METRIC_BINARY && value != 0 && value != 1)
        return "not_binary";
    return mapping->metric_type == METRIC_COUNT && value < 0 ? "negative" : NULL;
}

/* NULL, or the reason and the column of a bad row. */
static const char *take_outcome(const struct reading *reading, struct regression_user *user,
                                const char **column)
{
    const struct data_mapping *mapping = reading->mapping;
    const char *reason =
        take_number(reading, reading->value, *column = mapping->value, "no_value", &user->value);

    if (!reason)
        reason = check_value(mapping, user->value);
    user->denominator = 1;
    if (!reason && mapping->metric_type == METRIC_RATIO)
        reason = take_number(reading, reading->denominator, *column = mapping->denominator,
                             "no_value", &user->denominator);
    for (size_t i = 0; !reason && i < mapping->covariates.count; i++)
        reason = take_number(reading, reading->covariates[i],
                             *column = mapping->covariates.items[i], NULL, &user->covariates[i]);
    return reason;
}

static enum error take_record(struct reading *reading, const struct data_record *record)
{
    static const char *const faults[] = {[DATA_RECORD_TOO_LONG] = "too_long",
                                         [DATA_RECORD_UNTERMINATED] = "unterminated_quote",
                                         [DATA_RECORD_NO_JSON] = "not_json"};
    const char *column = reading->mapping->arm, *reason;
    struct regression_user user;
    struct data_cell label;

    reading->answer->rows++;
    if (record->fault) {
        note_bad_row(reading, record->line, NULL, faults[record->fault]);
        return ERROR_NONE;
    }
    label = data_reader_cell(&reading->reader, reading->arm, reading->mapping->arm);
    if (!label.is_number && (!label.text || !*label.text))
        reason = "no_arm";
    else
        reason = take_outcome(reading, &user, &column);
    if (reason) {
        note_bad_row(reading, record->line, column, reason);
        return ERROR_NONE;
    }
    user.arm = label_position(reading, &label);
    reading->labels[user.arm].users++;
    reading->answer->users++;
    return user_rows_add(&reading->rows, &user, reading->call->problem);
}

static enum error check_client(const struct reading *reading)
{
    const struct data_upload *upload = reading->upload;

    if (upload->gone && upload->gone(upload->context, reading->reader.bytes))
        return problem_set(reading->call->problem, ERROR_UNAVAILABLE, "cancelled",
                           "Nobody waits for the answer");
    return ERROR_NONE;
}

/* Between passes over the users. */
static enum error check_pass(const struct reading *reading)
{
    if (reading->rows.failed)
        return problem_set(reading->call->problem, ERROR_UNAVAILABLE, "file_not_read",
                           "The numbers of the file could not be read back");
    return check_client(reading);
}

static enum error read_records(struct reading *reading)
{
    struct data_record record;
    enum error error = ERROR_NONE;

    while (!error && reading->label_count <= REGRESSION_ARMS_MAX &&
           data_reader_next(&reading->reader, &record)) {
        error = take_record(reading, &record);
        if (!error && reading->answer->rows % ROWS_PER_CHECK == 0)
            error = check_client(reading);
    }
    if (!error && reading->reader.failed)
        error = problem_set(reading->call->problem, ERROR_UNAVAILABLE, "file_not_read",
                            "The file could not be read");
    return error ? error : user_rows_flush(&reading->rows, reading->call->problem);
}

/* Rows with the control's label first. */
struct ordered_rows {
    struct user_rows *rows;
    int control;
};

static void rewind_ordered(void *state)
{
    user_rows_rewind(((struct ordered_rows *)state)->rows);
}

static bool next_ordered(void *state, struct regression_user *user)
{
    const struct ordered_rows *ordered = state;

    if (!user_rows_next(ordered->rows, user))
        return false;
    if (user->arm == ordered->control)
        user->arm = 0;
    else if (user->arm < ordered->control)
        user->arm++;
    return true;
}

static enum error order_arms(struct reading *reading, int *control)
{
    const char *wanted = reading->mapping->control;
    struct data_arm *labels = reading->labels, first;

    if (reading->label_count < 2 || reading->label_count > REGRESSION_ARMS_MAX)
        return refuse(reading, "data_arms", "errors.data.arms", reading->mapping->arm);
    *control = 0;
    while (wanted && *control < (int)reading->label_count &&
           strcmp(labels[*control].label, wanted) != 0)
        ++*control;
    if (*control == (int)reading->label_count)
        return refuse(reading, "unknown_control", "errors.data.unknown_control", wanted);
    first = labels[*control];
    memmove(labels + 1, labels, (size_t)*control * sizeof *labels);
    labels[0] = first;
    reading->answer->arms.count = reading->label_count;
    reading->answer->arms.items = labels;
    return ERROR_NONE;
}

/* The values of two arms, for analyses of ranks. */
static const struct ranked_observation *ranked_of(const struct reading *reading,
                                                  struct ordered_rows *ordered, int treatment,
                                                  double alpha)
{
    struct arena *arena = reading->call->arena;
    struct ranked_observation *observed = ARENA_NEW(arena, struct ranked_observation);
    struct regression_user user;

    observed->alpha = alpha;
    observed->quantile = reading->mapping->quantile;
    observed->trim = reading->mapping->trim;
    observed->control_values.items = ARENA_ARRAY(arena, double, (size_t)reading->labels[0].users);
    observed->treatment_values.items =
        ARENA_ARRAY(arena, double, (size_t)reading->labels[treatment].users);
    rewind_ordered(ordered);
    while (next_ordered(ordered, &user)) {
        if (user.arm == 0)
            observed->control_values.items[observed->control_values.count++] = user.value;
        else if (user.arm == treatment)
            observed->treatment_values.items[observed->treatment_values.count++] = user.value;
    }
    return observed;
}

static int64_t whole(double value)
{
    return (int64_t)llround(value);
}

/* The observation of the metric's own analyzer, from means: a rate in percent, a mean of events. */
static bool summarize(const struct reading *reading, const struct regression *fit, int treatment,
                      double alpha, struct results_request *request)
{
    struct arena *arena = reading->call->arena;
    const double n[] = {(double)fit->moments[0].n, (double)fit->moments[treatment].n};
    const double mean[] = {regression_plain_mean(fit, 0), regression_plain_mean(fit, treatment)};
    struct binary_observation *binary = ARENA_NEW(arena, struct binary_observation);
    struct count_observation *count = ARENA_NEW(arena, struct count_observation);
    struct continuous_observation *means = ARENA_NEW(arena, struct continuous_observation);

    *binary = (struct binary_observation){whole(mean[0] * n[0] / 100), whole(n[0]),
                                          whole(mean[1] * n[1] / 100), whole(n[1]), alpha};
    *means = (struct continuous_observation){
        .control_mean = mean[0],
        .control_std = fit->unit * sqrt(fit->moments[0].products[0][0] / (n[0] - 1)),
        .control_n = whole(n[0]),
        .treatment_mean = mean[1],
        .treatment_std = fit->unit * sqrt(fit->moments[treatment].products[0][0] / (n[1] - 1)),
        .treatment_n = whole(n[1]),
        .alpha = alpha};
    if (n[0] < 2 || n[1] < 2)
        return false;
    switch (reading->mapping->metric_type) {
    case METRIC_BINARY:
        request->metric_type = ANALYZER_BINARY;
        request->binary = binary;
        return true;
    case METRIC_CONTINUOUS:
        request->metric_type = ANALYZER_CONTINUOUS;
        request->continuous = means;
        return true;
    case METRIC_COUNT:
        *count = (struct count_observation){whole(mean[0] * n[0]), n[0], whole(mean[1] * n[1]),
                                            n[1], alpha};
        request->metric_type = ANALYZER_COUNT;
        request->count = count;
        return mean[0] * n[0] + mean[1] * n[1] < 0x1p53;
    default:
        return false;
    }
}

static enum error add_analysis(const struct reading *reading, const struct results_request *request,
                               int treatment)
{
    struct data_reply *answer = reading->answer;
    struct data_pair_analysis *analyses = answer->analyses.items;
    struct results_reply *analysis = ARENA_NEW(reading->call->arena, struct results_reply);
    enum error error = results_analyze(reading->call, request, analysis);

    if (!error)
        analyses[answer->analyses.count++] = (struct data_pair_analysis){treatment, analysis};
    return error;
}

/* An analysis of ranks by its name. */
static enum error analyze_ranks(const struct reading *reading, struct ordered_rows *ordered,
                                const char *name, int treatment, double alpha)
{
    static const int ranked[] = {ANALYZER_MANN_WHITNEY, ANALYZER_TRIMMED_T, ANALYZER_QUANTILE,
                                 ANALYZER_BOOTSTRAP};
    struct results_request request = {.direction = reading->mapping->direction};
    enum error error;
    size_t i = 0;

    while (i < COUNT_OF(ranked) && strcmp(results_analyzer_names[ranked[i]], name) != 0)
        i++;
    if (i == COUNT_OF(ranked) || reading->mapping->metric_type == METRIC_RATIO)
        return refuse(reading, "data_analyses", "errors.data.analyses", name);
    if (reading->labels[0].users > (i < 2 ? RANKED_USERS_MAX : RESAMPLED_USERS_MAX) ||
        reading->labels[treatment].users > (i < 2 ? RANKED_USERS_MAX : RESAMPLED_USERS_MAX))
        return refuse(reading, "too_many_users", "errors.data.too_many_users", name);
    if (reading->labels[0].users < 2 || reading->labels[treatment].users < 2)
        return ERROR_NONE;
    request.metric_type = ranked[i];
    request.ranked = ranked_of(reading, ordered, treatment, alpha);
    error = check_pass(reading);
    return error ? error : add_analysis(reading, &request, treatment);
}

static enum error analyze_pairs(const struct reading *reading, const struct regression *fit,
                                struct ordered_rows *ordered)
{
    const struct data_mapping *mapping = reading->mapping;
    double alpha = mapping->alpha / (fit->arms - 1);
    enum error error = ERROR_NONE;

    reading->answer->analyses.items =
        ARENA_ARRAY(reading->call->arena, struct data_pair_analysis,
                    (1 + mapping->analyses.count) * (size_t)fit->arms);
    for (int a = 1; !error && a < fit->arms; a++) {
        struct results_request request = {.direction = mapping->direction};

        if (summarize(reading, fit, a, alpha, &request))
            error = add_analysis(reading, &request, a);
        for (size_t i = 0; !error && i < mapping->analyses.count; i++)
            error = analyze_ranks(reading, ordered, mapping->analyses.items[i], a, alpha);
    }
    return error;
}

static enum error analyze_rows(struct reading *reading, int control)
{
    const struct data_mapping *mapping = reading->mapping;
    struct adjusted_reply *comparison = ARENA_NEW(reading->call->arena, struct adjusted_reply);
    struct regression *fit = ARENA_NEW(reading->call->arena, struct regression);
    struct ordered_rows ordered = {&reading->rows, control};
    enum error error;
    const struct regression_source source = {.arms = (int)reading->label_count,
                                             .covariates = (int)mapping->covariates.count,
                                             .ratio = mapping->metric_type == METRIC_RATIO,
                                             .state = &ordered,
                                             .rewind = rewind_ordered,
                                             .next = next_ordered};

    regression_from_source(&source, reading->call->arena, fit);
    error = check_pass(reading);
    if (error)
        return error;
    if (fit->ratio_undefined)
        return refuse(reading, "degenerate", "errors.schemas.ratio_degenerate", "");
    if (mapping->metric_type == METRIC_BINARY)
        fit->unit *= 100;
    adjusted_compose(
        reading->call, fit,
        &(struct adjusted_options){.metric_type = (enum metric_type)mapping->metric_type,
                                   .variance = (enum regression_variance)mapping->variance,
                                   .normal = mapping->distribution == 1,
                                   .alpha = mapping->alpha,
                                   .direction = (enum goal_direction)mapping->direction,
                                   .covariate_count = mapping->covariates.count,
                                   .covariate_names = mapping->covariates.items},
        comparison);
    reading->answer->comparison = comparison;
    return analyze_pairs(reading, fit, &ordered);
}

static const char *delimiter_name(const struct data_reader *reader)
{
    if (reader->format == DATA_NDJSON)
        return NULL;
    if (reader->delimiter == ',')
        return "comma";
    return reader->delimiter == ';' ? "semicolon" : "tab";
}

enum error data_analyze(const struct results_call *call, const struct data_mapping *mapping,
                        const struct data_upload *upload, struct data_reply *answer)
{
    static const char delimiters[] = {'\0', ',', ';', '\t'};
    struct reading *reading = ARENA_NEW(call->arena, struct reading);
    int control = 0;
    enum error error;

    *reading = (struct reading){
        .call = call,
        .mapping = mapping,
        .upload = upload,
        .labels = ARENA_ARRAY(call->arena, struct data_arm, REGRESSION_ARMS_MAX + 1),
        .answer = answer};
    *answer = (struct data_reply){
        .first_bad_rows = {0, ARENA_ARRAY(call->arena, struct data_bad_row, DATA_BAD_ROWS_SHOWN)}};
    if (!data_reader_start(&reading->reader, upload->file, upload->length,
                           (enum data_format)mapping->format, delimiters[mapping->delimiter],
                           call->arena))
        return refuse(reading, "empty_file", "errors.data.empty_file", "");
    answer->format = reading->reader.format == DATA_NDJSON ? "ndjson" : "csv";
    answer->delimiter = delimiter_name(&reading->reader);
    error = find_columns(reading);
    if (error)
        return error;
    user_rows_start(&reading->rows, upload->file, upload->length, mapping->covariates.count,
                    call->arena);
    reading->rows.most = upload->rows_most;
    error = read_records(reading);
    if (!error)
        error = order_arms(reading, &control);
    return error ? error : analyze_rows(reading, control);
}

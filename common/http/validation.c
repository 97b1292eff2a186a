/* Answers 422 with every error of a document, as a list of objects or as one text. */
#include "base/number.h"
#include "http/http_internal.h"

#include <stdio.h>
#include <string.h>

enum {
    INPUT_ECHO_MAX = 256,              /* bytes of a rejected value that are echoed */
    VALIDATION_TEXT_MAX = 1024 * 1024, /* bytes of all validation errors of an answer */
};

/* Writes a value without the members that look like secrets; stops once `out` is full. */
static void echo_value(struct json_writer *writer, const json_t *value)
{
    json_t *object = (json_t *)(uintptr_t)value; /* iterated, not changed */
    const char *key;

    if (json_is_object(value)) {
        writer_open_object(writer);
        for (void *at = json_object_iter(object); at && !writer->out->overflowed;
             at = json_object_iter_next(object, at)) {
            key = json_object_iter_key(at);
            writer_key(writer, key);
            if (schema_is_secret_name(key))
                writer_string(writer, "***");
            else
                echo_value(writer, json_object_iter_value(at));
        }
        writer_close_object(writer);
    } else if (json_is_array(value)) {
        writer_open_array(writer);
        for (size_t i = 0; i < json_array_size(value) && !writer->out->overflowed; i++)
            echo_value(writer, json_array_get(value, i));
        writer_close_array(writer);
    } else {
        writer_value(writer, value);
    }
}

static void write_cut(struct json_writer *writer, const char *text, size_t length)
{
    struct arena *arena = writer->out->arena;

    length = utf8_valid_prefix(text, length < INPUT_ECHO_MAX ? length : INPUT_ECHO_MAX);
    writer_string(writer, arena_print(arena, "%.*s…", (int)length, text));
}

/* The rejected value, cut to INPUT_ECHO_MAX. */
static void write_input(struct json_writer *writer, const struct schema_error *error)
{
    struct text echo;
    struct json_writer inner;
    const char *last_key = error->path ? error->path->key : NULL;

    writer_key(writer, "input");
    if (error->field && error->field->secret && error->fault != FAULT_MISSING) {
        writer_string(writer, "***");
        return;
    }
    if (error->fault != FAULT_MISSING && last_key && schema_is_secret_name(last_key)) {
        writer_string(writer, "***");
        return;
    }
    if (json_string_length(error->input) > INPUT_ECHO_MAX) {
        write_cut(writer, json_string_value(error->input), json_string_length(error->input));
        return;
    }
    text_start(&echo, writer->out->arena, INPUT_ECHO_MAX * 8);
    writer_start(&inner, &echo);
    echo_value(&inner, error->input);
    if (!json_is_string(error->input) && (echo.overflowed || echo.length > INPUT_ECHO_MAX))
        write_cut(writer, echo.bytes, echo.length);
    else
        writer_raw(writer, echo.bytes);
}

static void write_location(struct json_writer *writer, const struct schema_path *path)
{
    if (!path)
        return;
    write_location(writer, path->parent);
    if (path->key)
        writer_string(writer, path->key);
    else
        writer_integer(writer, (int64_t)path->index);
}

/* The message of each fault; {bound} and {choices} are placeholders. */
static const struct {
    const char *type;
    const char *message;
} faults[FAULT__MAX] = {
    [FAULT_MISSING] = {"missing", "Field required"},
    [FAULT_EXTRA] = {"extra_forbidden", "Extra inputs are not permitted"},
    [FAULT_STRING_TYPE] = {"string_type", "Input should be a valid string"},
    [FAULT_LIST_TYPE] = {"list_type", "Input should be a valid list"},
    [FAULT_INTEGER_TYPE] = {"int_type", "Input should be a valid integer"},
    [FAULT_NUMBER_TYPE] = {"float_type", "Input should be a valid number"},
    [FAULT_BOOLEAN_TYPE] = {"bool_type", "Input should be a valid boolean"},
    [FAULT_OBJECT_TYPE] = {"model_attributes_type",
                           "Input should be a valid dictionary or object to extract fields from"},
    [FAULT_DICTIONARY_TYPE] = {"dict_type", "Input should be a valid dictionary"},
    [FAULT_INTEGER_PARSING] = {"int_parsing", "Input should be a valid integer, unable to parse "
                                              "string as an integer"},
    [FAULT_NUMBER_PARSING] = {"float_parsing", "Input should be a valid number, unable to parse "
                                               "string as a number"},
    [FAULT_BOOLEAN_PARSING] = {"bool_parsing",
                               "Input should be a valid boolean, unable to interpret input"},
    [FAULT_INTEGER_FROM_FRACTION] = {"int_from_float", "Input should be a valid integer, got a "
                                                       "number with a fractional part"},
    [FAULT_MOMENT] = {"datetime_parsing", "Input should be a valid datetime: ISO 8601 text, or "
                                          "seconds or milliseconds since 1970"},
    [FAULT_CHOICE] = {"literal_error", "Input should be "},
    [FAULT_LOWER_BOUND] = {"greater_than", "Input should be greater than "},
    [FAULT_UPPER_BOUND] = {"less_than", "Input should be less than "},
    [FAULT_STRING_TOO_SHORT] = {"string_too_short", "String should have at least "},
    [FAULT_STRING_TOO_LONG] = {"string_too_long", "String should have at most "},
    [FAULT_LIST_TOO_SHORT] = {"too_short", "List should have at least "},
    [FAULT_LIST_TOO_LONG] = {"too_long", "List should have at most "},
    [FAULT_RULE] = {"value_error", "Value error, "},
};

static bool is_integer_field(const struct field *field)
{
    return field->type == FIELD_INTEGER || field->type == FIELD_INTEGERS;
}

/* 'a', 'b' or 'c' */
static const char *choices_text(const struct field *field, struct arena *arena)
{
    struct text text;

    text_start(&text, arena, 4096);
    for (size_t i = 0; i < field->choice_count; i++) {
        const char *glue = i == 0 ? "" : i + 1 == field->choice_count ? " or " : ", ";

        text_append_format(&text, "%s'%s'", glue, field->choices[i]);
    }
    return text.bytes;
}

static bool is_list_length(const struct schema_error *error)
{
    return error->fault == FAULT_LIST_TOO_SHORT || error->fault == FAULT_LIST_TOO_LONG;
}

static size_t length_limit(const struct schema_error *error)
{
    bool is_short = error->fault == FAULT_LIST_TOO_SHORT || error->fault == FAULT_STRING_TOO_SHORT;

    return is_short ? error->field->min_length : error->field->max_length;
}

static const char *bound_message(const struct schema_error *error, struct arena *arena)
{
    char number[NUMBER_TEXT_MAX];
    size_t length = number_format(error->bound.value, number);

    if (length > 2 && strcmp(number + length - 2, ".0") == 0)
        number[length - 2] = '\0';
    return arena_print(arena, "%s%s%s", faults[error->fault].message,
                       error->bound.kind == BOUND_INCLUSIVE ? "or equal to " : "", number);
}

static const char *length_message(const struct schema_error *error, struct arena *arena)
{
    size_t limit = length_limit(error);
    const char *text =
        arena_print(arena, "%s%zu %s%s", faults[error->fault].message, limit,
                    is_list_length(error) ? "item" : "character", limit == 1 ? "" : "s");

    return is_list_length(error)
               ? arena_print(arena, "%s after validation, not %zu", text, error->actual)
               : text;
}

static const char *rule_message(const struct schema_error *error, const struct locale *locale,
                                struct arena *arena)
{
    struct text_argument arguments[SCHEMA_RULE_ARGUMENTS_MAX];

    for (size_t i = 0; i < error->breach.count; i++)
        arguments[i] = (struct text_argument){error->breach.arguments[i].name,
                                              error->breach.arguments[i].value};
    return arena_print(
        arena, "%s%s", faults[FAULT_RULE].message,
        locale_format(locale, arena, error->rule->key, arguments, error->breach.count));
}

static const char *fault_message(const struct schema_error *error, const struct locale *locale,
                                 struct arena *arena)
{
    switch (error->fault) {
    case FAULT_LOWER_BOUND:
    case FAULT_UPPER_BOUND:
        return bound_message(error, arena);
    case FAULT_STRING_TOO_SHORT:
    case FAULT_STRING_TOO_LONG:
    case FAULT_LIST_TOO_SHORT:
    case FAULT_LIST_TOO_LONG:
        return length_message(error, arena);
    case FAULT_CHOICE:
        return arena_print(arena, "%s%s", faults[FAULT_CHOICE].message,
                           choices_text(error->field, arena));
    case FAULT_RULE:
        return rule_message(error, locale, arena);
    default:
        return faults[error->fault].message;
    }
}

static const char *fault_type(const struct schema_error *error, struct arena *arena)
{
    bool is_bound = error->fault == FAULT_LOWER_BOUND || error->fault == FAULT_UPPER_BOUND;

    return is_bound && error->bound.kind == BOUND_INCLUSIVE
               ? arena_print(arena, "%s_equal", faults[error->fault].type)
               : faults[error->fault].type;
}

static void write_bound_context(struct json_writer *writer, const struct schema_error *error)
{
    bool inclusive = error->bound.kind == BOUND_INCLUSIVE;
    bool lower = error->fault == FAULT_LOWER_BOUND;

    writer_key(writer, lower ? (inclusive ? "ge" : "gt") : (inclusive ? "le" : "lt"));
    if (is_integer_field(error->field))
        writer_integer(writer, (int64_t)error->bound.value);
    else
        writer_number(writer, error->bound.value);
}

static void write_length_context(struct json_writer *writer, const struct schema_error *error)
{
    bool is_short = error->fault == FAULT_LIST_TOO_SHORT || error->fault == FAULT_STRING_TOO_SHORT;

    if (is_list_length(error))
        writer_key_string(writer, "field_type", "List");
    writer_key_integer(writer, is_short ? "min_length" : "max_length",
                       (int64_t)length_limit(error));
    if (is_list_length(error))
        writer_key_integer(writer, "actual_length", (int64_t)error->actual);
}

/* The numbers of the message as JSON members, for programs. */
static void write_context(struct json_writer *writer, const struct schema_error *error)
{
    if (error->fault < FAULT_CHOICE)
        return;
    writer_key(writer, "ctx");
    writer_open_object(writer);
    if (error->fault == FAULT_LOWER_BOUND || error->fault == FAULT_UPPER_BOUND) {
        write_bound_context(writer, error);
    } else if (error->fault == FAULT_CHOICE) {
        writer_key_string(writer, "expected", choices_text(error->field, writer->out->arena));
    } else if (error->fault == FAULT_RULE) {
        writer_key(writer, "error");
        writer_open_object(writer);
        writer_close_object(writer);
    } else {
        write_length_context(writer, error);
    }
    writer_close_object(writer);
}

static void write_item(struct json_writer *writer, const struct serving *serving,
                       const struct schema_error *error)
{
    struct arena *arena = writer->out->arena;

    writer_open_object(writer);
    writer_key_string(writer, "type", fault_type(error, arena));
    writer_key_string(writer, "msg", fault_message(error, serving->request.locale, arena));
    write_context(writer, error);
    writer_key(writer, "loc");
    writer_open_array(writer);
    write_location(writer, error->path);
    writer_close_array(writer);
    write_input(writer, error);
    writer_close_object(writer);
}

static void append_location(struct text *out, const struct schema_path *path)
{
    if (!path)
        return;
    append_location(out, path->parent);
    if (path->parent)
        text_append_string(out, ".");
    if (path->key)
        text_append_string(out, path->key);
    else
        text_append_format(out, "%zu", path->index);
}

static void append_separator(struct text *out)
{
    if (out->length)
        text_append_string(out, "; ");
}

static int unfit_status(const struct serving *serving)
{
    const struct route *route = serving->match.route;

    return route && route->unfit_status ? route->unfit_status : 422;
}

static void answer_text(struct serving *serving, const struct text *detail)
{
    answer_error(serving, unfit_status(serving),
                 failure_message(serving->format, FAILURE_VALIDATION).error_code, detail->bytes);
}

static void answer_list(struct serving *serving, const char *items)
{
    answer_detail(serving, unfit_status(serving),
                  failure_message(serving->format, FAILURE_VALIDATION).error_code, items);
}

/* Missing and wrong members in the order of the table, unknown members last. */
static void append_errors(struct text *out, const struct serving *serving,
                          const struct schema_errors *errors, bool extras)
{
    for (size_t i = 0; i < errors->count; i++) {
        const struct schema_error *error = &errors->items[i];

        if ((error->fault == FAULT_EXTRA) != extras)
            continue;
        append_separator(out);
        append_location(out, error->path);
        text_append_format(out, ": %s",
                           fault_message(error, serving->request.locale, serving->request.arena));
    }
}

void answer_validation(struct serving *serving, const struct schema_errors *errors)
{
    struct text detail;
    struct json_writer writer;

    text_start(&detail, serving->request.arena, VALIDATION_TEXT_MAX);
    if (serving->format->validation == VALIDATION_TEXT) {
        append_errors(&detail, serving, errors, false);
        append_errors(&detail, serving, errors, true);
        answer_text(serving, &detail);
        return;
    }
    writer_start(&writer, &detail);
    writer_open_array(&writer);
    for (size_t i = 0; i < errors->count; i++)
        write_item(&writer, serving, &errors->items[i]);
    writer_close_array(&writer);
    answer_list(serving, detail.bytes);
}

enum error request_fault_in(struct request *request, const char *where, const char *field,
                            const char *input, const char *type, const char *message)
{
    if (request->fault_count < REQUEST_FAULTS_MAX)
        request->faults[request->fault_count++] =
            (struct request_fault){where, field, type, message, input};
    return problem_set(&request->problem, ERROR_MALFORMED, "request_fault", "%s", message);
}

enum error request_fault(struct request *request, const char *where, const char *field,
                         const char *type, const char *message)
{
    return request_fault_in(request, where, field, NULL, type, message);
}

/* `escalation.1.webhook_url` as name, list index, name. */
static void write_field(struct json_writer *writer, const char *field)
{
    for (size_t length; *field; field += length + (field[length] == '.')) {
        int64_t index;
        const char *part;

        length = strcspn(field, ".");
        part = arena_copy(writer->out->arena, field, length);
        if (integer_parse(part, &index))
            writer_integer(writer, index);
        else
            writer_string(writer, part);
    }
}

static void write_fault(struct json_writer *writer, const struct request_fault *fault)
{
    writer_open_object(writer);
    writer_key_string(writer, "type", fault->type);
    writer_key_string(writer, "msg", fault->message);
    writer_key(writer, "loc");
    writer_open_array(writer);
    writer_string(writer, fault->where);
    if (fault->field)
        write_field(writer, fault->field);
    writer_close_array(writer);
    writer_key(writer, "input");
    writer_string(writer, fault->input);
    writer_close_object(writer);
}

void answer_faults(struct serving *serving)
{
    const struct request *request = &serving->request;
    struct text detail;
    struct json_writer writer;

    text_start(&detail, request->arena, VALIDATION_TEXT_MAX);
    if (serving->format->validation == VALIDATION_TEXT) {
        for (size_t i = 0; i < request->fault_count; i++) {
            const struct request_fault *fault = &request->faults[i];

            append_separator(&detail);
            text_append_format(&detail, "%s%s%s: %s", fault->where, fault->field ? "." : "",
                               fault->field ? fault->field : "", fault->message);
        }
        answer_text(serving, &detail);
        return;
    }
    writer_start(&writer, &detail);
    writer_open_array(&writer);
    for (size_t i = 0; i < request->fault_count; i++)
        write_fault(&writer, &request->faults[i]);
    writer_close_array(&writer);
    answer_list(serving, detail.bytes);
}

/* Malformed JSON, with the offset where parsing stopped. */
static void write_json_fault(struct json_writer *writer, const struct serving *serving,
                             const struct json_fault *fault)
{
    const struct request *request = &serving->request;
    const char *at = fault->offset <= request->length
                         ? json_path_at(request->arena, request->bytes, fault->offset)
                         : NULL;

    writer_open_array(writer);
    writer_open_object(writer);
    writer_key_string(writer, "type", "json_invalid");
    writer_key_string(writer, "msg", "JSON decode error");
    writer_key(writer, "ctx");
    writer_open_object(writer);
    writer_key_string(writer, "error", fault->text);
    if (at)
        writer_key_string(writer, "at", at);
    writer_close_object(writer);
    writer_key(writer, "loc");
    writer_open_array(writer);
    writer_string(writer, "body");
    writer_integer(writer, (int64_t)fault->offset);
    writer_close_array(writer);
    writer_key(writer, "input");
    writer_raw(writer, "{}");
    writer_close_object(writer);
    writer_close_array(writer);
}

void answer_json_invalid(struct serving *serving, const struct json_fault *fault)
{
    struct text detail;
    struct json_writer writer;

    text_start(&detail, serving->request.arena, 4096);
    if (serving->format->validation == VALIDATION_TEXT) {
        text_append_format(&detail, "body.%zu: JSON decode error", fault->offset);
        answer_text(serving, &detail);
        return;
    }
    writer_start(&writer, &detail);
    write_json_fault(&writer, serving, fault);
    answer_list(serving, detail.bytes);
}

void answer_body_missing(struct serving *serving)
{
    serving->request.fault_count = 0;
    (void)request_fault(&serving->request, "body", NULL, "missing", "Field required");
    answer_faults(serving);
}

void answer_body_not_json(struct serving *serving)
{
    serving->request.fault_count = 0;
    (void)request_fault(&serving->request, "body", NULL, "model_attributes_type",
                        "Input should be a valid dictionary or object to extract fields from; send "
                        "it as application/json");
    answer_faults(serving);
}

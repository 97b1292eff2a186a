/* Every answer that is not a success: one envelope for all of them, and the list of validation
 * errors inside it. */
#include "base/log.h"
#include "base/number.h"
#include "http/http_internal.h"

#include <stdio.h>
#include <string.h>

enum {
    INPUT_ECHO_MAX = 256,              /* bytes of a rejected value that are sent back */
    VALIDATION_TEXT_MAX = 1024 * 1024, /* bytes of all validation errors of an answer */
};

void answer_error(struct serving *serving, int status, const char *error_code, const char *detail)
{
    struct reply *reply = &serving->reply;
    struct json_writer writer;

    reply->status = status;
    reply->object = NULL;
    reply->content_type = "application/json";
    serving->error_code = error_code;
    text_cut(&reply->body, 0);
    writer_start(&writer, &reply->body);
    writer_open_object(&writer);
    writer_key_string(&writer, "detail", detail);
    writer_key_string(&writer, "error_code", error_code);
    writer_key_integer(&writer, "status_code", status);
    writer_key_string(&writer, "request_id", serving->request.id);
    writer_close_object(&writer);
    reply_add_header(reply, "X-Error-Code", error_code);
}

void answer_retry_after(struct serving *serving, uint32_t seconds)
{
    reply_add_header(&serving->reply, "Retry-After",
                     arena_print(serving->request.arena, "%u", seconds ? seconds : 1));
}

/* How each class of problem is answered when its reason has no row of its own. */
static const struct {
    int status;
    const char *error_code;
} classes[ERROR__MAX] = {
    [ERROR_NONE] = {500, "internal_error"},   [ERROR_INVALID] = {400, "bad_request"},
    [ERROR_NOT_FOUND] = {404, "not_found"},   [ERROR_CONFLICT] = {409, "http_error"},
    [ERROR_FORBIDDEN] = {403, "forbidden"},   [ERROR_TOO_LARGE] = {400, "bad_request"},
    [ERROR_BUSY] = {503, "http_error"},       [ERROR_UNAVAILABLE] = {503, "http_error"},
    [ERROR_MALFORMED] = {400, "bad_request"}, [ERROR_SYSTEM] = {500, "internal_error"},
};

static const struct reason_answer *find_reason(const struct application *application,
                                               const char *reason)
{
    for (size_t i = 0; reason && i < application->reason_count; i++)
        if (strcmp(application->reasons[i].reason, reason) == 0)
            return &application->reasons[i];
    return NULL;
}

void answer_problem(struct serving *serving, enum error error)
{
    const struct problem *problem = &serving->request.problem;
    const struct reason_answer *row = find_reason(serving->server->application, problem->reason);
    int status = row ? row->status : classes[error].status;
    const char *error_code = row ? row->error_code : classes[error].error_code;
    const char *detail = problem->text;
    bool hidden = serving->policy->production && strcmp(error_code, "bad_request") == 0;

    if (hidden || status >= 500)
        log_event(status >= 500 ? LOG_ERROR : LOG_INFO, "http_request_error", problem->text);
    if (row && row->detail)
        detail = row->detail;
    else if (hidden)
        detail = "Invalid value";
    else if (status == 500)
        detail = "Internal server error";
    else if (status > 500) /* what is wrong inside is for the log */
        detail = "A part of the service is not available; try again shortly";
    answer_error(serving, status, error_code, detail);
    if (problem->reason)
        reply_add_header(&serving->reply, "X-Error-Reason", problem->reason);
    if (status == 401)
        reply_add_header(&serving->reply, "WWW-Authenticate", "Bearer");
    if (status == 503)
        answer_retry_after(serving, 1);
}

/* Writes a value without the members that look like secrets; gives up once `out` is full. */
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

/* Wording of each fault; {bound} and {choices} stand for what follows. */
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

static void write_bound(struct json_writer *writer, const struct schema_error *error)
{
    struct arena *arena = writer->out->arena;
    bool inclusive = error->bound.kind == BOUND_INCLUSIVE;
    bool lower = error->fault == FAULT_LOWER_BOUND;
    const char *type = faults[error->fault].type;
    const char *name = lower ? (inclusive ? "ge" : "gt") : (inclusive ? "le" : "lt");
    char number[NUMBER_TEXT_MAX];
    size_t length = number_format(error->bound.value, number);

    if (length > 2 && strcmp(number + length - 2, ".0") == 0)
        number[length - 2] = '\0';
    writer_key_string(writer, "type", inclusive ? arena_print(arena, "%s_equal", type) : type);
    writer_key_string(writer, "msg",
                      arena_print(arena, "%s%s%s", faults[error->fault].message,
                                  inclusive ? "or equal to " : "", number));
    writer_key(writer, "ctx");
    writer_open_object(writer);
    writer_key(writer, name);
    if (is_integer_field(error->field))
        writer_integer(writer, (int64_t)error->bound.value);
    else
        writer_number(writer, error->bound.value);
    writer_close_object(writer);
}

static void write_length(struct json_writer *writer, const struct schema_error *error)
{
    bool is_list = error->fault == FAULT_LIST_TOO_SHORT || error->fault == FAULT_LIST_TOO_LONG;
    bool is_short = error->fault == FAULT_LIST_TOO_SHORT || error->fault == FAULT_STRING_TOO_SHORT;
    size_t limit = is_short ? error->field->min_length : error->field->max_length;
    struct text message;

    text_start(&message, writer->out->arena, 256);
    text_append_format(&message, "%s%zu %s%s", faults[error->fault].message, limit,
                       is_list ? "item" : "character", limit == 1 ? "" : "s");
    if (is_list)
        text_append_format(&message, " after validation, not %zu", error->actual);
    writer_key_string(writer, "type", faults[error->fault].type);
    writer_key_string(writer, "msg", message.bytes);
    writer_key(writer, "ctx");
    writer_open_object(writer);
    if (is_list)
        writer_key_string(writer, "field_type", "List");
    writer_key_integer(writer, is_short ? "min_length" : "max_length", (int64_t)limit);
    if (is_list)
        writer_key_integer(writer, "actual_length", (int64_t)error->actual);
    writer_close_object(writer);
}

static void write_choice(struct json_writer *writer, const struct schema_error *error)
{
    const char *choices = choices_text(error->field, writer->out->arena);

    writer_key_string(writer, "type", faults[FAULT_CHOICE].type);
    writer_key_string(
        writer, "msg",
        arena_print(writer->out->arena, "%s%s", faults[FAULT_CHOICE].message, choices));
    writer_key(writer, "ctx");
    writer_open_object(writer);
    writer_key_string(writer, "expected", choices);
    writer_close_object(writer);
}

static void write_rule(struct json_writer *writer, const struct schema_error *error,
                       const struct locale *locale)
{
    struct arena *arena = writer->out->arena;
    struct text_argument arguments[SCHEMA_RULE_ARGUMENTS_MAX];

    for (size_t i = 0; i < error->breach.count; i++)
        arguments[i] = (struct text_argument){error->breach.arguments[i].name,
                                              error->breach.arguments[i].value};
    writer_key_string(writer, "type", faults[FAULT_RULE].type);
    writer_key_string(writer, "msg",
                      arena_print(arena, "%s%s", faults[FAULT_RULE].message,
                                  locale_format(locale, arena, error->rule->key, arguments,
                                                error->breach.count)));
    writer_key(writer, "ctx");
    writer_open_object(writer);
    writer_key(writer, "error");
    writer_open_object(writer);
    writer_close_object(writer);
    writer_close_object(writer);
}

static void write_error(struct json_writer *writer, const struct schema_error *error,
                        const struct locale *locale)
{
    writer_open_object(writer);
    switch (error->fault) {
    case FAULT_LOWER_BOUND:
    case FAULT_UPPER_BOUND:
        write_bound(writer, error);
        break;
    case FAULT_STRING_TOO_SHORT:
    case FAULT_STRING_TOO_LONG:
    case FAULT_LIST_TOO_SHORT:
    case FAULT_LIST_TOO_LONG:
        write_length(writer, error);
        break;
    case FAULT_CHOICE:
        write_choice(writer, error);
        break;
    case FAULT_RULE:
        write_rule(writer, error, locale);
        break;
    default:
        writer_key_string(writer, "type", faults[error->fault].type);
        writer_key_string(writer, "msg", faults[error->fault].message);
    }
    writer_key(writer, "loc");
    writer_open_array(writer);
    write_location(writer, error->path);
    writer_close_array(writer);
    write_input(writer, error);
    writer_close_object(writer);
}

/* The envelope round a detail that is JSON already. */
static void answer_detail(struct serving *serving, const char *detail)
{
    struct reply *reply = &serving->reply;
    struct json_writer writer;

    answer_error(serving, 422, "validation_error", NULL);
    text_cut(&reply->body, 0);
    writer_start(&writer, &reply->body);
    writer_open_object(&writer);
    writer_key(&writer, "detail");
    writer_raw(&writer, detail);
    writer_key_string(&writer, "error_code", "validation_error");
    writer_key_integer(&writer, "status_code", 422);
    writer_key_string(&writer, "request_id", serving->request.id);
    writer_close_object(&writer);
}

void answer_validation(struct serving *serving, const struct schema_errors *errors)
{
    struct text detail;
    struct json_writer writer;

    text_start(&detail, serving->request.arena, VALIDATION_TEXT_MAX);
    writer_start(&writer, &detail);
    writer_open_array(&writer);
    for (size_t i = 0; i < errors->count; i++)
        write_error(&writer, &errors->items[i], serving->request.locale);
    writer_close_array(&writer);
    answer_detail(serving, detail.bytes);
}

void answer_json_invalid(struct serving *serving, const struct json_fault *fault)
{
    struct text detail;
    struct json_writer writer;

    text_start(&detail, serving->request.arena, 4096);
    writer_start(&writer, &detail);
    writer_open_array(&writer);
    writer_open_object(&writer);
    writer_key_string(&writer, "type", "json_invalid");
    writer_key_string(&writer, "msg", "JSON decode error");
    writer_key(&writer, "ctx");
    writer_open_object(&writer);
    writer_key_string(&writer, "error", fault->text);
    writer_close_object(&writer);
    writer_key(&writer, "loc");
    writer_open_array(&writer);
    writer_string(&writer, "body");
    writer_integer(&writer, (int64_t)fault->offset);
    writer_close_array(&writer);
    writer_key(&writer, "input");
    writer_raw(&writer, "{}");
    writer_close_object(&writer);
    writer_close_array(&writer);
    answer_detail(serving, detail.bytes);
}

void answer_body_missing(struct serving *serving)
{
    answer_detail(serving, "[{\"type\":\"missing\",\"msg\":\"Field required\","
                           "\"loc\":[\"body\"],\"input\":null}]");
}

void answer_body_not_json(struct serving *serving)
{
    answer_detail(serving,
                  "[{\"type\":\"model_attributes_type\",\"msg\":\"Input should be a valid "
                  "dictionary or object to extract fields from; send it as application/json\","
                  "\"loc\":[\"body\"],\"input\":null}]");
}

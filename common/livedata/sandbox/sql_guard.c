/* The parser of the allowed SQL. */
#include "livedata/sandbox/sql_guard.h"
#include "livedata/sandbox/sql_tokens.h"

#include "base/number.h"
#include "base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { DEPTH_MAX = 40, NAMES_MAX = 64 };

/* The allowed functions. Both engines use them only to read data; none of them sleeps, reads files,
 * or returns values more than a constant factor larger than its arguments. */
const char *const guard_functions[] = {
    "abs",          "avg",        "ceil",         "ceiling",     "char_length", "coalesce",
    "concat",       "count",      "cume_dist",    "date",        "date_part",   "date_trunc",
    "datetime",     "dense_rank", "extract",      "first_value", "floor",       "greatest",
    "group_concat", "ifnull",     "iif",          "instr",       "julianday",   "lag",
    "last_value",   "lead",       "least",        "length",      "like",        "lower",
    "ltrim",        "max",        "min",          "mod",         "now",         "nth_value",
    "ntile",        "nullif",     "percent_rank", "position",    "pow",         "power",
    "rank",         "round",      "row_number",   "rtrim",       "sign",        "sqrt",
    "strftime",     "string_agg", "strpos",       "substr",      "substring",   "sum",
    "time",         "total",      "trim",         "trunc",       "typeof",      "unixepoch",
    "upper",        NULL};

static const char *const forbidden_nodes[] = {
    "alter",     "attach", "command", "commit",  "copy",     "create",      "delete",
    "drop",      "insert", "merge",   "pragma",  "rollback", "transaction", "update",
    "use",       "vacuum", "reindex", "analyze", "detach",   "grant",       "revoke",
    "truncate",  "call",   "execute", "listen",  "notify",   "lock",        "into",
    "returning", "table",  "values",  "explain", "set",      NULL};

/* Keywords that may precede a parenthesis without being functions. */
static const char *const no_functions[] = {
    "all",    "and",    "any",          "as",       "between", "by",     "case",  "distinct",
    "else",   "end",    "exists",       "filter",   "from",    "having", "in",    "is",
    "like",   "limit",  "materialized", "not",      "offset",  "on",     "or",    "over",
    "select", "some",   "then",         "using",    "when",    "where",  "ilike", "partition",
    "union",  "except", "intersect",    "interval", NULL};

/* Types allowed in a cast; types that search the engine's catalog are not. */
static const char *const cast_types[] = {
    "bigint", "bool", "boolean",   "char",        "date",    "decimal", "double",
    "float",  "int",  "integer",   "interval",    "numeric", "real",    "smallint",
    "text",   "time", "timestamp", "timestamptz", "varchar", NULL};

static const char *const table_functions[] = {"delta_scan",    "glob",         "iceberg_scan",
                                              "mysql_scan",    "parquet_scan", "postgres_scan",
                                              "read_csv_auto", "sqlite_scan",  NULL};

struct guard {
    struct arena *arena;
    const char *sql;
    struct sql_tokens tokens;
    size_t at;
    int depth;
    size_t order_at; /* of the last ORDER outside of parentheses; 0 = none */
    const struct string_list *allowed;
    struct string_list names; /* of common table expressions that are visible */
    struct string_list tables;
    struct string_list unknown;
    struct string_list shadows; /* recursive ones called like an allowed table */
    struct problem *problem;
};

static enum error refuse(struct guard *guard, const char *what)
{
    return problem_set(guard->problem, ERROR_FORBIDDEN, "unsafe_query", "%s", what);
}

static enum error unparseable(struct guard *guard)
{
    return refuse(guard, "Unparseable SQL");
}

static const struct sql_token *token(const struct guard *guard)
{
    return &guard->tokens.items[guard->at];
}

static const struct sql_token *ahead(const struct guard *guard, size_t steps)
{
    size_t at = guard->at + steps;

    return &guard->tokens.items[at < guard->tokens.count ? at : guard->tokens.count];
}

static bool is(const struct sql_token *one, const char *word)
{
    return one->kind == SQL_WORD && strcmp(one->text, word) == 0;
}

static bool at_word(const struct guard *guard, const char *word)
{
    return is(token(guard), word);
}

static bool take_word(struct guard *guard, const char *word)
{
    if (!at_word(guard, word))
        return false;
    guard->at++;
    return true;
}

static bool take_kind(struct guard *guard, enum sql_token_kind kind)
{
    if (token(guard)->kind != kind)
        return false;
    guard->at++;
    return true;
}

static bool listed(const char *const *list, const char *text)
{
    for (; *list; list++)
        if (strcmp(*list, text) == 0)
            return true;
    return false;
}

static bool has(const struct string_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcasecmp(list->items[i], name) == 0)
            return true;
    return false;
}

static void add(struct string_list *list, const char *name)
{
    if (list->count < NAMES_MAX && !has(list, name))
        list->items[list->count++] = name;
}

static bool is_name(const struct sql_token *one)
{
    return one->kind == SQL_WORD || one->kind == SQL_NAME;
}

/* A quoted name in capitals is a different table in PostgreSQL than the allowed one. */
static bool is_table_name(const struct sql_token *one)
{
    if (one->kind == SQL_NAME)
        for (const char *at = one->text; *at; at++)
            if (isupper((unsigned char)*at))
                return false;
    return is_name(one);
}

static enum error parse_query(struct guard *guard);
static enum error parse_parens(struct guard *guard, bool may_from);
static enum error parse_term(struct guard *guard);

/* Words that end an expression where no parenthesis is open. */
static bool ends_expression(const struct sql_token *one)
{
    static const char *const words[] = {
        "from",      "where",  "group", "having", "order", "limit", "offset", "union",
        "intersect", "except", "join",  "left",   "right", "full",  "inner",  "cross",
        "natural",   "on",     "using", "window", "fetch", "for",   NULL};

    return one->kind == SQL_END || one->kind == SQL_CLOSE || one->kind == SQL_SEMICOLON ||
           (one->kind == SQL_WORD && listed(words, one->text));
}

static enum error check_function(struct guard *guard, const struct sql_token *name)
{
    char text[128];

    if (name->kind == SQL_WORD && listed(no_functions, name->text))
        return ERROR_NONE;
    for (size_t i = 0; guard_functions[i]; i++)
        if (strcasecmp(guard_functions[i], name->text) == 0)
            return ERROR_NONE;
    (void)!snprintf(text, sizeof text, "Forbidden function: %.60s", name->text);
    return refuse(guard, text);
}

/* A type after `::`, or after AS in a cast. */
static enum error parse_type(struct guard *guard)
{
    char text[128];

    if (token(guard)->kind != SQL_WORD)
        return unparseable(guard);
    if (!listed(cast_types, token(guard)->text)) {
        (void)!snprintf(text, sizeof text, "Forbidden function: %.60s", token(guard)->text);
        return refuse(guard, text);
    }
    guard->at++;
    (void)(take_word(guard, "precision") || take_word(guard, "varying"));
    return token(guard)->kind == SQL_OPEN ? parse_parens(guard, false) : ERROR_NONE;
}

/* What stands after CAST: (expression AS type). */
static enum error parse_cast(struct guard *guard)
{
    enum error error = ERROR_NONE;

    if (!take_kind(guard, SQL_OPEN))
        return unparseable(guard);
    while (!error && !at_word(guard, "as") && token(guard)->kind != SQL_END &&
           token(guard)->kind != SQL_CLOSE)
        error = parse_term(guard);
    if (error)
        return error;
    if (!take_word(guard, "as"))
        return unparseable(guard);
    error = parse_type(guard);
    if (!error && !take_kind(guard, SQL_CLOSE))
        return unparseable(guard);
    return error;
}

/* Bare words that PostgreSQL takes for functions. */
static const char *const word_functions[] = {
    "current_catalog", "current_role", "current_schema", "current_user",
    "session_user",    "system_user",  "user",           NULL};

/* One token of an expression, or a whole parenthesis. */
static enum error parse_term(struct guard *guard)
{
    const struct sql_token *one = token(guard);
    enum error error;

    if (one->kind == SQL_OPEN)
        return parse_parens(guard, false);
    if (is(one, "cast")) {
        guard->at++;
        return parse_cast(guard);
    }
    if (one->kind == SQL_SIGN && strcmp(one->text, "::") == 0) {
        guard->at++;
        return parse_type(guard);
    }
    if (one->kind == SQL_WORD && listed(word_functions, one->text))
        return check_function(guard, one);
    if (is(one, "in") && ahead(guard, 1)->kind != SQL_OPEN)
        return unparseable(guard); /* x IN table */
    guard->at++;
    if (!is_name(one) || token(guard)->kind != SQL_OPEN)
        return ERROR_NONE;
    error = check_function(guard, one);
    return error
               ? error
               : parse_parens(guard, is(one, "extract") || is(one, "substring") || is(one, "trim"));
}

/* Expressions with commas, up to the word or sign that ends them. */
static enum error parse_expressions(struct guard *guard, bool may_from)
{
    enum error error = ERROR_NONE;

    while (!error && (!ends_expression(token(guard)) || (may_from && at_word(guard, "from"))))
        error = parse_term(guard);
    return error;
}

/* From `(` to its `)`: a query, or expressions; OVER and FILTER bring clauses of their own. */
static enum error parse_parens(struct guard *guard, bool may_from)
{
    static const char *const clauses[] = {"partition", "order", "where", "rows",
                                          "range",     "by",    NULL};
    enum error error;

    if (++guard->depth > DEPTH_MAX || !take_kind(guard, SQL_OPEN))
        return unparseable(guard);
    if (at_word(guard, "select") || at_word(guard, "with")) {
        error = parse_query(guard);
    } else {
        error = parse_expressions(guard, may_from);
        while (!error && token(guard)->kind == SQL_WORD && listed(clauses, token(guard)->text)) {
            guard->at++;
            error = parse_expressions(guard, may_from);
        }
    }
    guard->depth--;
    if (!error && !take_kind(guard, SQL_CLOSE))
        return unparseable(guard);
    return error;
}

/* A name after a table or a query, with AS or without. */
static void skip_alias(struct guard *guard)
{
    bool named = take_word(guard, "as");

    if (named || (is_name(token(guard)) && !ends_expression(token(guard)))) {
        if (is_name(token(guard)))
            guard->at++;
        if (token(guard)->kind == SQL_OPEN && is_name(ahead(guard, 1))) {
            while (token(guard)->kind != SQL_CLOSE && token(guard)->kind != SQL_END &&
                   (is_name(token(guard)) || token(guard)->kind == SQL_COMMA ||
                    token(guard)->kind == SQL_OPEN))
                guard->at++;
            (void)take_kind(guard, SQL_CLOSE);
        }
    }
}

static enum error parse_from(struct guard *guard);

static enum error parse_table(struct guard *guard)
{
    const struct sql_token *name;

    (void)(take_word(guard, "lateral") || take_word(guard, "only"));
    name = token(guard);
    if (name->kind == SQL_OPEN) {
        enum error error;

        if (is(ahead(guard, 1), "select") || is(ahead(guard, 1), "with")) {
            error = parse_parens(guard, false);
        } else {
            guard->at++;
            error = ++guard->depth > DEPTH_MAX ? unparseable(guard) : parse_from(guard);
            guard->depth--;
            if (!error && !take_kind(guard, SQL_CLOSE))
                error = unparseable(guard);
        }
        skip_alias(guard);
        return error;
    }
    if (!is_table_name(name))
        return unparseable(guard);
    guard->at++;
    if (token(guard)->kind == SQL_DOT)
        return refuse(guard, "Schema-qualified table names are not allowed");
    if (token(guard)->kind == SQL_OPEN)
        return refuse(guard, "Table-valued functions not allowed");
    if (!has(&guard->names, name->text))
        add(has(guard->allowed, name->text) ? &guard->tables : &guard->unknown, name->text);
    skip_alias(guard);
    return ERROR_NONE;
}

static bool take_join(struct guard *guard)
{
    static const char *const words[] = {"natural", "left",  "right", "full",
                                        "inner",   "cross", "outer", NULL};
    while (token(guard)->kind == SQL_WORD && listed(words, token(guard)->text))
        guard->at++;
    return take_word(guard, "join");
}

static enum error parse_from(struct guard *guard)
{
    enum error error = parse_table(guard);

    while (!error) {
        if (take_kind(guard, SQL_COMMA) || take_join(guard)) {
            error = parse_table(guard);
        } else if (take_word(guard, "on")) {
            error = parse_expressions(guard, false);
        } else if (take_word(guard, "using")) {
            error = parse_parens(guard, false);
        } else {
            break;
        }
    }
    return error;
}

/* SELECT … up to a set operator, ORDER BY or the end. */
static enum error parse_core(struct guard *guard)
{
    static const char *const clauses[] = {"where", "having", "group", "by", "window", NULL};
    enum error error;

    if (token(guard)->kind == SQL_OPEN &&
        (is(ahead(guard, 1), "select") || is(ahead(guard, 1), "with")))
        return parse_parens(guard, false);
    if (!take_word(guard, "select"))
        return unparseable(guard);
    (void)(take_word(guard, "distinct") || take_word(guard, "all"));
    if (ends_expression(token(guard)))
        return unparseable(guard);
    error = parse_expressions(guard, false);
    if (!error && take_word(guard, "from"))
        error = parse_from(guard);
    while (!error && token(guard)->kind == SQL_WORD && listed(clauses, token(guard)->text)) {
        guard->at++;
        error = parse_expressions(guard, false);
    }
    return error;
}

static enum error parse_body(struct guard *guard)
{
    static const char *const tails[] = {"order", "by", "limit", "offset", NULL};
    enum error error = parse_core(guard);

    while (!error && (take_word(guard, "union") || take_word(guard, "intersect") ||
                      take_word(guard, "except"))) {
        (void)(take_word(guard, "all") || take_word(guard, "distinct"));
        error = parse_core(guard);
    }
    while (!error && token(guard)->kind == SQL_WORD && listed(tails, token(guard)->text)) {
        if (!guard->depth && at_word(guard, "order"))
            guard->order_at = guard->at;
        guard->at++;
        error = parse_expressions(guard, false);
    }
    return error;
}

/* One of WITH: its name counts inside itself when it is recursive, and for what follows. */
static enum error parse_cte(struct guard *guard, bool recursive)
{
    const struct sql_token *name = token(guard);
    enum error error;

    if (!is_table_name(name))
        return unparseable(guard);
    guard->at++;
    if (token(guard)->kind == SQL_OPEN) {
        error = parse_parens(guard, false);
        if (error)
            return error;
    }
    if (recursive && has(guard->allowed, name->text))
        add(&guard->shadows, name->text);
    if (recursive)
        add(&guard->names, name->text);
    if (!take_word(guard, "as"))
        return unparseable(guard);
    (void)take_word(guard, "not");
    (void)take_word(guard, "materialized");
    if (!is(ahead(guard, 1), "select") && !is(ahead(guard, 1), "with"))
        return unparseable(guard);
    error = parse_parens(guard, false);
    add(&guard->names, name->text);
    return error;
}

static enum error parse_query(struct guard *guard)
{
    size_t visible = guard->names.count;
    enum error error = ERROR_NONE;

    if (take_word(guard, "with")) {
        bool recursive = take_word(guard, "recursive");

        do
            error = parse_cte(guard, recursive);
        while (!error && take_kind(guard, SQL_COMMA));
    }
    if (!error)
        error = parse_body(guard);
    guard->names.count = visible;
    return error;
}

/* Checks that need no parsing: number and kind of statements, and words that write. */
static enum error check_tokens(struct guard *guard)
{
    const struct sql_tokens *tokens = &guard->tokens;
    char text[128];

    for (size_t i = 0; i + 1 < tokens->count; i++)
        if (tokens->items[i].kind == SQL_SEMICOLON)
            return refuse(guard, "Expected single statement");
    if (!tokens->count || token(guard)->kind == SQL_SEMICOLON)
        return unparseable(guard);
    for (size_t i = 0; i < tokens->count; i++) {
        const struct sql_token *one = &tokens->items[i];
        bool member = i && tokens->items[i - 1].kind == SQL_DOT;

        if (one->kind != SQL_WORD || member || !listed(forbidden_nodes, one->text))
            continue;
        (void)!snprintf(text, sizeof text,
                        i ? "Forbidden node: %c%s" : "Statement type %c%s not allowed",
                        toupper((unsigned char)*one->text), one->text + 1);
        return refuse(guard, text);
    }
    if (!at_word(guard, "select") && !at_word(guard, "with") && token(guard)->kind != SQL_OPEN) {
        (void)!snprintf(text, sizeof text, "Statement type %.40s not allowed", token(guard)->text);
        return refuse(guard, text);
    }
    return ERROR_NONE;
}

static enum error refuse_names(struct guard *guard, const char *what,
                               const struct string_list *list)
{
    struct text text;

    text_start(&text, guard->arena, 400);
    text_append_format(&text, "%s: [", what);
    for (size_t i = 0; i < list->count; i++)
        text_append_format(&text, "%s'%.60s'", i ? ", " : "", list->items[i]);
    text_append_byte(&text, ']');
    return refuse(guard, text.bytes);
}

/* Table-valued functions unknown to the engine have a separate reason. */
static enum error look_for_table_functions(struct guard *guard)
{
    const struct sql_tokens *tokens = &guard->tokens;

    for (size_t i = 1; i < tokens->count; i++)
        if (tokens->items[i].kind == SQL_WORD && listed(table_functions, tokens->items[i].text) &&
            is(&tokens->items[i - 1], "from"))
            return refuse(guard, "Table-valued functions not allowed");
    return ERROR_NONE;
}

/* Names with ASC or DESC, and nothing else, up to LIMIT or the end. */
static void find_order(const struct guard *guard, struct guard_finding *finding)
{
    const struct sql_token *one = &guard->tokens.items[guard->order_at];

    if (!finding->ordered || !is(one + 1, "by"))
        return;
    for (one += 2; is_name(one) && finding->order_count < GUARD_ORDER_MAX; one++) {
        size_t position = finding->order_count++;

        finding->order[position].column = one->text;
        finding->order[position].descending = is(one + 1, "desc");
        one += is(one + 1, "desc") || is(one + 1, "asc");
        one++;
        if (one->kind == SQL_END || one->kind == SQL_SEMICOLON || is(one, "limit"))
            return;
        if (one->kind != SQL_COMMA)
            break;
    }
    finding->order_count = 0;
}

enum error guard_check(struct arena *arena, const char *sql, const struct string_list *allowed,
                       struct guard_finding *finding, struct problem *problem)
{
    struct guard guard = {.arena = arena, .sql = sql, .allowed = allowed, .problem = problem};
    struct string_list *const lists[] = {&guard.names, &guard.tables, &guard.unknown,
                                         &guard.shadows};
    enum error error;

    *finding = (struct guard_finding){0};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        lists[i]->items = ARENA_ARRAY(arena, const char *, NAMES_MAX + 1);
    if (!sql_tokenize(arena, sql, &guard.tokens))
        return unparseable(&guard);
    error = check_tokens(&guard);
    if (!error)
        error = look_for_table_functions(&guard);
    if (!error && at_word(&guard, "with"))
        error = parse_query(&guard);
    else if (!error)
        error = parse_body(&guard);
    if (error)
        return error;
    finding->length = token(&guard)->start;
    (void)take_kind(&guard, SQL_SEMICOLON);
    if (token(&guard)->kind != SQL_END)
        return unparseable(&guard);
    if (guard.shadows.count)
        return refuse_names(&guard, "Recursive CTE shadows physical table(s)", &guard.shadows);
    if (guard.unknown.count)
        return refuse_names(&guard, "Unknown tables", &guard.unknown);
    finding->tables = guard.tables;
    finding->ordered = guard.order_at != 0;
    find_order(&guard, finding);
    return ERROR_NONE;
}

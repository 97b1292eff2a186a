/* Tokens of SQL, as strict as both engines together. */
#include "livedata/sandbox/sql_tokens.h"

#include <ctype.h>
#include <string.h>

enum { SQL_BYTES_MAX = 20000 };

static bool word_byte(char byte)
{
    return isalnum((unsigned char)byte) || byte == '_';
}

/* Length of what stands between quotes, with them; 0 when it does not end. */
static size_t quoted(const char *at)
{
    char quote = *at;

    for (size_t i = 1; at[i]; i++) {
        if (at[i] != quote)
            continue;
        if (at[i + 1] != quote)
            return i + 1;
        i++;
    }
    return 0;
}

/* Length of white space and comments; -1 for a comment that the engines would end differently. */
static long blank(const char *at)
{
    const char *start = at, *end, *inner;

    for (;;) {
        if (isspace((unsigned char)*at)) {
            at++;
        } else if (at[0] == '-' && at[1] == '-') {
            at += strcspn(at, "\r\n");
            if (*at != '\n')
                return -1;
        } else if (at[0] == '/' && at[1] == '*') {
            end = strstr(at + 2, "*/");
            inner = strstr(at + 2, "/*");
            if (!end || (inner && inner < end))
                return -1;
            at = end + 2;
        } else {
            return at - start;
        }
    }
}

static size_t number(const char *at)
{
    size_t length = strspn(at, "0123456789.");

    if ((at[length] == 'e' || at[length] == 'E') && length) {
        size_t sign = at[length + 1] == '+' || at[length + 1] == '-';
        size_t digits = strspn(at + length + 1 + sign, "0123456789");

        if (digits)
            length += 1 + sign + digits;
    }
    return word_byte(at[length]) ? 0 : length;
}

/* Operators that neither engine gives another meaning. */
static size_t sign(const char *at)
{
    static const char *const signs[] = {"<=", ">=", "<>", "!=", "||", "::", "==", "->>", "->",
                                        "=",  "<",  ">",  "+",  "-",  "*",  "/",  "%"};

    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (strncmp(at, signs[i], strlen(signs[i])) == 0)
            return strlen(signs[i]);
    return 0;
}

static const char *lowered(struct arena *arena, const char *at, size_t length)
{
    char *copy = arena_copy(arena, at, length);

    for (size_t i = 0; i < length; i++)
        copy[i] = (char)tolower((unsigned char)copy[i]);
    return copy;
}

static bool take_word(struct arena *arena, const char *at, struct sql_token *token)
{
    token->kind = SQL_WORD;
    while (word_byte(at[token->length]))
        token->length++;
    token->text = lowered(arena, at, token->length);
    return at[token->length] != '\'' && at[token->length] != '&'; /* E'…', X'…', U&'…' */
}

static bool take_token(struct arena *arena, const char *at, struct sql_token *token)
{
    static const char punctuation[] = "(),.;";
    static const enum sql_token_kind kinds[] = {SQL_OPEN, SQL_CLOSE, SQL_COMMA, SQL_DOT,
                                                SQL_SEMICOLON};
    const char *found;

    if (isalpha((unsigned char)*at) || *at == '_')
        return take_word(arena, at, token);
    if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1]))) {
        token->kind = SQL_NUMBER;
        token->length = number(at);
    } else if (*at == '\'') {
        token->kind = SQL_STRING;
        token->length = quoted(at);
        if (token->length && memchr(at, '\\', token->length))
            return false;
    } else if (*at == '"') {
        token->kind = SQL_NAME;
        token->length = quoted(at);
        if (token->length > 2)
            token->text = arena_copy(arena, at + 1, token->length - 2);
        return token->length > 2;
    } else if ((found = strchr(punctuation, *at)) != NULL) {
        token->kind = kinds[found - punctuation];
        token->length = 1;
    } else {
        token->kind = SQL_SIGN;
        token->length = sign(at);
    }
    if (token->length)
        token->text = arena_copy(arena, at, token->length);
    return token->length > 0;
}

bool sql_tokenize(struct arena *arena, const char *sql, struct sql_tokens *tokens)
{
    size_t length = strlen(sql), at = 0;

    *tokens = (struct sql_tokens){.items = ARENA_ARRAY(arena, struct sql_token, length + 1)};
    if (length > SQL_BYTES_MAX)
        return false;
    for (;;) {
        struct sql_token token = {0};
        long skip = blank(sql + at);

        if (skip < 0)
            return false;
        at += (size_t)skip;
        token.start = at;
        if (!sql[at]) {
            token.kind = SQL_END;
            token.text = "";
            tokens->items[tokens->count] = token;
            return true;
        }
        if (!take_token(arena, sql + at, &token))
            return false;
        tokens->items[tokens->count++] = token;
        at += token.length;
    }
}

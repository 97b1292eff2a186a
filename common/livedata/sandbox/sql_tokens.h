/* Private to common/livedata/sandbox: splits SQL into tokens. Syntax that an engine could read
 * differently from this lexer is not a token: escapes, dollar quotes, parameters, brackets, nested
 * comments. */
#ifndef ASSAY_LIVEDATA_SANDBOX_SQL_TOKENS_H
#define ASSAY_LIVEDATA_SANDBOX_SQL_TOKENS_H

#include "base/arena.h"

#include <stdbool.h>

enum sql_token_kind {
    SQL_WORD,   /* bare; `text` in lower case */
    SQL_NAME,   /* in double quotes; `text` without them */
    SQL_STRING, /* in single quotes */
    SQL_NUMBER,
    SQL_SIGN, /* one or more operator characters */
    SQL_OPEN,
    SQL_CLOSE,
    SQL_COMMA,
    SQL_DOT,
    SQL_SEMICOLON,
    SQL_END
};

struct sql_token {
    enum sql_token_kind kind;
    const char *text;
    size_t start, length; /* in the statement */
};

struct sql_tokens {
    size_t count; /* without the end token, which is items[count] */
    struct sql_token *items;
};

/* False when the text is not SQL that both engines read the same way. */
bool sql_tokenize(struct arena *arena, const char *sql, struct sql_tokens *tokens);

#endif

/* Private to common/livedata/sandbox: SQL taken apart into tokens. What an engine could read in
 * another way than we do is no token: escapes, dollar quotes, parameters, brackets, comments that
 * nest. */
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
    size_t count; /* without the end, which is items[count] */
    struct sql_token *items;
};

/* False when the text is no SQL that both engines read alike. */
bool sql_tokenize(struct arena *arena, const char *sql, struct sql_tokens *tokens);

#endif

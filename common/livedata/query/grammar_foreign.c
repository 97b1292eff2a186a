/* Words of grammar of other languages, and the English that they mean. */
#include "livedata/query/tokens.h"

#define LIST(tag, table)                                                                           \
    {                                                                                              \
        .language = (tag), .items = (table), .count = sizeof(table) / sizeof((table)[0])           \
    }

static const struct phrase russian[] = {
    {"сколько", "how many"},
};

const struct phrase_list foreign_phrases[] = {LIST("ru", russian)};
const size_t foreign_phrase_lists = sizeof foreign_phrases / sizeof foreign_phrases[0];

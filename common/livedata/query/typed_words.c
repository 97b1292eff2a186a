/* The words in which typed plans are described, language by language; names stay as files have
 * them. */
#include "livedata/query/typed_words.h"

#include <string.h>

/* Signs that are read alike everywhere. */
#define SIGNS                                                                                      \
    [TYPED_EQUAL] = " = ", [TYPED_NOT_EQUAL] = " ≠ ", [TYPED_BELOW] = " < ",                       \
    [TYPED_AT_MOST] = " ≤ ", [TYPED_ABOVE] = " > ", [TYPED_AT_LEAST] = " ≥ "

static const struct typed_words languages[] = {
    {.language = "en",
     .selects = {[TYPED_ROWS] = "Rows of %s",
                 [TYPED_RECORD] = "The row of %s with the key %s, as it is now",
                 [TYPED_COUNT] = "Number of rows of %s",
                 [TYPED_SUM] = "Sum of %s over rows of %s",
                 [TYPED_AVERAGE] = "Average of %s over rows of %s",
                 [TYPED_MIN] = "Least %s of rows of %s",
                 [TYPED_MAX] = "Greatest %s of rows of %s",
                 [TYPED_DISTINCT] = "Number of different values of %s in rows of %s",
                 [TYPED_QUANTILE] = "Quantile of %s over rows of %s",
                 [TYPED_METRIC] = "Metric %s (%s)"},
     .column = "%s of rows of %s",
     .only = ", only %s",
     .quantile = " (%s)",
     .where = ", where ",
     .and = " and ",
     .operators = {SIGNS, [TYPED_BETWEEN] = " is between ", [TYPED_IN] = " is one of ",
                   [TYPED_NOT_IN] = " is none of ", [TYPED_CONTAINS] = " contains ",
                   [TYPED_IS_NULL] = " has no value", [TYPED_IS_NOT_NULL] = " has a value"},
     .time = ", with %s",
     .from = " from %s",
     .until = " until %s",
     .always = ", of all time",
     .last = {" in the last %s minutes", " in the last %s hours", " in the last %s days"},
     .compared = ", compared with",
     .by = ", by ",
     .descending = ", in descending order of %s",
     .ascending = ", in ascending order of %s",
     .value = "the value",
     .limit = ", at most %s",
     .currency = ", in %s, without other currencies",
     .stop = "."},
    {.language = "ru",
     .selects = {[TYPED_ROWS] = "Строки %s",
                 [TYPED_RECORD] = "Строка %s с ключом %s в её нынешнем виде",
                 [TYPED_COUNT] = "Число строк %s",
                 [TYPED_SUM] = "Сумма %s по строкам %s",
                 [TYPED_AVERAGE] = "Среднее %s по строкам %s",
                 [TYPED_MIN] = "Наименьшее %s в строках %s",
                 [TYPED_MAX] = "Наибольшее %s в строках %s",
                 [TYPED_DISTINCT] = "Число разных значений %s в строках %s",
                 [TYPED_QUANTILE] = "Квантиль %s по строкам %s",
                 [TYPED_METRIC] = "Метрика %s (%s)"},
     .column = "%s строк %s",
     .only = ", только %s",
     .quantile = " (%s)",
     .where = ", где ",
     .and = " и ",
     .operators = {SIGNS, [TYPED_BETWEEN] = " между ", [TYPED_IN] = " — одно из ",
                   [TYPED_NOT_IN] = " — ни одно из ", [TYPED_CONTAINS] = " содержит ",
                   [TYPED_IS_NULL] = " без значения", [TYPED_IS_NOT_NULL] = " со значением"},
     .time = ", %s",
     .from = " с %s",
     .until = " до %s",
     .always = ", за всё время",
     .last = {" за последние минуты: %s", " за последние часы: %s", " за последние дни: %s"},
     .compared = ", в сравнении с периодом",
     .by = ", по ",
     .descending = ", по убыванию %s",
     .ascending = ", по возрастанию %s",
     .value = "значения",
     .limit = ", не больше %s",
     .currency = ", в %s, без других валют",
     .stop = "."},
};

const struct typed_words *typed_words_of(const char *language)
{
    for (size_t i = 0; language && i < sizeof languages / sizeof languages[0]; i++)
        if (strcmp(languages[i].language, language) == 0)
            return &languages[i];
    return &languages[0];
}

/* What texts count as, and what calls cost. */
#include "base/text.h"
#include "support/models/models.h"

#include <math.h>
#include <string.h>

static const double micro = 1e6;

int models_estimate_tokens(const char *text)
{
    const char *start = text + strspn(text, " \t\r\n");
    size_t points;

    if (!*start)
        return 0;
    points = utf8_count(start);
    for (const char *end = start + strlen(start); end > start && strchr(" \t\r\n", end[-1]); end--)
        points--;
    return points <= 4 ? 1 : (int)((points + 3) / 4);
}

double models_cost(const struct registry_model *model, int64_t input_tokens, int64_t output_tokens)
{
    double dollars =
        ((double)input_tokens * model->input_price + (double)output_tokens * model->output_price) /
        micro;

    return fmax(0, round(dollars * micro) / micro);
}

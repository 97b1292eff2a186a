/* One-sided normal tests about a margin. */
#include "stats/non_inferiority.h"

#include "math/normal.h"

#include <math.h>

void harm_test(double harm, double variance, double margin, double alpha,
               struct harm_result *result)
{
    double error = sqrt(variance), half = normal_upper_quantile(alpha) * error;

    *result = (struct harm_result){0};
    if (!(variance > 0 && isfinite(variance)))
        return;
    result->evaluable = true;
    result->harm_lower_bound = harm - half;
    result->harm_upper_bound = harm + half;
    result->p_value = normal_survival((harm - margin) / error);
    result->p_non_inferior = normal_cdf((harm - margin) / error);
    result->is_breached = result->harm_lower_bound > margin;
    result->is_warning = !result->is_breached && harm > margin;
    result->is_non_inferior = margin > 0 && result->harm_upper_bound < margin;
}

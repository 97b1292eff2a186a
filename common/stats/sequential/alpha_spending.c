/* The closed forms of the spending functions. */
#include "stats/sequential/alpha_spending.h"

#include "math/normal.h"

#include <math.h>

#define PARAMETER_MAX 50.0

const char *const spending_names[SPENDING__MAX] = {"obrien_fleming", "pocock", "kim_demets",
                                                   "hwang_shih_decani"};

bool spending_is_valid(const struct spending *spending)
{
    double parameter = spending->parameter;

    switch (spending->kind) {
    case SPENDING_POWER:
        return parameter > 0 && parameter <= PARAMETER_MAX;
    case SPENDING_HWANG_SHIH_DECANI:
        return fabs(parameter) <= PARAMETER_MAX;
    default:
        return true;
    }
}

double spending_at(const struct spending *spending, double total, double t)
{
    double parameter = spending->parameter;

    if (!(t > 0))
        return 0;
    if (t >= 1)
        return total;
    switch (spending->kind) {
    case SPENDING_OBRIEN_FLEMING:
        return 2 * normal_survival(normal_upper_quantile(total / 2) / sqrt(t));
    case SPENDING_POCOCK:
        return total * log1p((M_E - 1) * t);
    case SPENDING_POWER:
        return total * pow(t, parameter);
    default: /* the limit at 0 is linear */
        return parameter == 0 ? total * t : total * expm1(-parameter * t) / expm1(-parameter);
    }
}

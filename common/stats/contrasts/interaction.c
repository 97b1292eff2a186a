/* The contrast of four independent cells. */
#include "stats/contrasts/interaction.h"

#include "math/student.h"

#include <math.h>

enum { CELL_USERS_MIN = 2 };

static double effect_beside(const struct interaction_cells *cells, int other)
{
    return cells->at[1][other].value - cells->at[0][other].value;
}

bool interaction_test(const struct interaction_cells *cells, double level,
                      struct interaction *result)
{
    double variance = 0, spread = 0, t, radius;

    *result = (struct interaction){.effect = {effect_beside(cells, 0), effect_beside(cells, 1)}};
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            const struct interaction_cell *cell = &cells->at[i][j];

            if (cell->n < CELL_USERS_MIN)
                return false;
            variance += cell->variance;
            spread += cell->variance * cell->variance / (cell->n - 1);
        }
    }
    if (!(variance > 0) || !isfinite(variance) || !(spread > 0))
        return false;
    result->difference = result->effect[1] - result->effect[0];
    result->standard_error = sqrt(variance);
    result->freedom = variance * variance / spread;
    t = fabs(result->difference) / result->standard_error;
    radius = student_upper_quantile(level / 2, result->freedom) * result->standard_error;
    result->ci_lower = result->difference - radius;
    result->ci_upper = result->difference + radius;
    result->p_value = fmin(1, 2 * student_survival(t, result->freedom));
    return true;
}

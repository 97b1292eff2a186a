/* The layers of the ziggurat, and the rare branches of a draw. */
#include "math/draws.h"

#include "math/normal.h"

/* Where the tail begins, so that 255 rectangles and the bottom layer with its tail have the same
 * area under exp(-x^2 / 2). */
static const double TAIL_START = 3.6541528853610088;
static const double ROOT_TWO_PI = 2.5066282746310002;

static double bell(double x)
{
    return exp(-0.5 * x * x);
}

void ziggurat_build(struct ziggurat *ziggurat)
{
    double area = TAIL_START * bell(TAIL_START) + ROOT_TWO_PI * normal_survival(TAIL_START);
    double *edge = ziggurat->edge;

    edge[0] = area / bell(TAIL_START);
    edge[1] = TAIL_START;
    for (int i = 1; i < ZIGGURAT_LAYERS - 1; i++)
        edge[i + 1] = sqrt(-2 * log(area / edge[i] + bell(edge[i])));
    edge[ZIGGURAT_LAYERS] = 0;
    for (int i = 0; i < ZIGGURAT_LAYERS; i++)
        ziggurat->scale[i] = edge[i] * 0x1p-43;
    for (int i = 0; i <= ZIGGURAT_LAYERS; i++)
        ziggurat->density[i] = bell(edge[i]);
}

void draws_start(struct draws *draws, const struct ziggurat *ziggurat, uint64_t seed,
                 uint64_t stream)
{
    const uint64_t counter[4] = {0}, key[2] = {seed, stream};
    uint64_t words[4];

    random_philox(counter, key, words);
    *draws = (struct draws){.ziggurat = ziggurat, .place = words[0]};
}

/* Beyond the edge of the bottom layer (Marsaglia 1964). */
static double draw_tail(struct draws *draws)
{
    for (;;) {
        double beyond = -log(draws_uniform(draws)) / TAIL_START;

        if (-2 * log(draws_uniform(draws)) > beyond * beyond)
            return TAIL_START + beyond;
    }
}

bool draws_normal_edge(struct draws *draws, uint64_t word, double *normal)
{
    unsigned layer = word & (ZIGGURAT_LAYERS - 1);
    double low = draws->ziggurat->density[layer], high = draws->ziggurat->density[layer + 1];

    if (layer == 0) {
        *normal = copysign(draw_tail(draws), *normal);
        return true;
    }
    return low + draws_uniform(draws) * (high - low) < bell(*normal);
}

struct gamma_shape gamma_shape_of(double shape)
{
    double d = shape - 1.0 / 3;

    return (struct gamma_shape){
        .d = d, .c = 1 / sqrt(9 * d), .squeeze = (1 << DRAWS_SPARE_BITS) / (54 * d)};
}

bool draws_gamma_accepts(struct draws *draws, const struct gamma_shape *shape, double normal,
                         uint64_t word)
{
    double root = 1 + shape->c * normal, cube = root * root * root;
    double uniform = (draws_spare(word) + draws_uniform(draws)) / (1 << DRAWS_SPARE_BITS);

    return root > 0 && log(uniform) < 0.5 * normal * normal + shape->d * (1 - cube + log(cube));
}

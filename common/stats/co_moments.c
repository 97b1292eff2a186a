/* Batches are small enough for two passes: means first, then products about them. */
#include "stats/co_moments.h"

#include <string.h>

void co_moments_merge(struct co_moments *all, const struct co_moments *part)
{
    double n = (double)all->n, m = (double)part->n, gap[CO_MOMENTS_MAX];

    if (part->n == 0)
        return;
    for (int i = 0; i < part->columns; i++)
        gap[i] = part->mean[i] - all->mean[i];
    for (int i = 0; i < part->columns; i++) {
        all->mean[i] += gap[i] * (m / (n + m));
        for (int j = 0; j < part->columns; j++)
            all->products[i][j] += part->products[i][j] + gap[i] * gap[j] * (n * m / (n + m));
    }
    all->n += part->n;
}

void co_moments_push(struct co_moments_stream *stream, const double *row)
{
    memcpy(stream->rows[stream->waiting++], row, (size_t)stream->total.columns * sizeof(double));
    if (stream->waiting == CO_MOMENTS_BATCH)
        co_moments_flush(stream);
}

static void set_means(struct co_moments *part, const struct co_moments_stream *stream)
{
    for (int r = 0; r < stream->waiting; r++)
        for (int i = 0; i < part->columns; i++)
            part->mean[i] += stream->rows[r][i];
    for (int i = 0; i < part->columns; i++)
        part->mean[i] /= (double)part->n;
}

/* What rounding left of the means is taken off the products again. */
static void correct(struct co_moments *part, const double *rest)
{
    for (int i = 0; i < part->columns; i++) {
        for (int j = 0; j <= i; j++) {
            part->products[i][j] -= rest[i] * rest[j] / (double)part->n;
            part->products[j][i] = part->products[i][j];
        }
    }
    for (int i = 0; i < part->columns; i++)
        part->mean[i] += rest[i] / (double)part->n;
}

void co_moments_flush(struct co_moments_stream *stream)
{
    struct co_moments part = {.n = stream->waiting, .columns = stream->total.columns};
    double rest[CO_MOMENTS_MAX] = {0}, distance[CO_MOMENTS_MAX];

    if (stream->waiting == 0)
        return;
    set_means(&part, stream);
    for (int r = 0; r < stream->waiting; r++) {
        for (int i = 0; i < part.columns; i++) {
            distance[i] = stream->rows[r][i] - part.mean[i];
            rest[i] += distance[i];
            for (int j = 0; j <= i; j++)
                part.products[i][j] += distance[i] * distance[j];
        }
    }
    correct(&part, rest);
    co_moments_merge(&stream->total, &part);
    stream->waiting = 0;
}

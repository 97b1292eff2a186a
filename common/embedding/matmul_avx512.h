/* The product of matrices for AVX-512 VNNI, in place of matmul_q4q8() of e5.c: 16 rows of weights
 * side by side in one register, so that a block of 32 values takes 8 instructions for 16 rows.
 * `embedder --fetch` compiles it into the engine; no program of the suite includes it. */
#ifndef ASSAY_EMBEDDING_MATMUL_AVX512_H
#define ASSAY_EMBEDDING_MATMUL_AVX512_H

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

enum { ROWS = 16, BLOCK = 32, BLOCKS_MAX = 64, BLOCK_BYTES = 18, TOKENS = 4 };

/* 16 rows of 4-bit weights, unpacked: for each block, 8 times 4 bytes of each row; and scales. */
struct weight_rows {
    _Alignas(64) uint8_t bytes[BLOCKS_MAX][BLOCK / 4][ROWS][4];
    _Alignas(64) float scales[BLOCKS_MAX][ROWS];
};

static inline void unpack_row(const uint8_t *row, int blocks, int place, struct weight_rows *out)
{
    const __m128i four_bits = _mm_set1_epi8(15);

    for (int b = 0; b < blocks; b++, row += BLOCK_BYTES) {
        const __m128i both = _mm_loadu_si128((const __m128i *)(row + 2));
        const __m128i halves[2] = {_mm_and_si128(both, four_bits),
                                   _mm_and_si128(_mm_srli_epi16(both, 4), four_bits)};
        int32_t fours[BLOCK / 4];
        uint16_t scale;

        memcpy(&scale, row, sizeof scale);
        memcpy(fours, halves, sizeof fours);
        out->scales[b][place] = _cvtsh_ss(scale);
        for (int j = 0; j < BLOCK / 4; j++)
            memcpy(out->bytes[b][j][place], &fours[j], sizeof fours[j]);
    }
}

/* The products of 16 rows with `count` tokens, at most TOKENS. A weight is its 4 bits less 8;
 * `sums` of the activations take the 8 into account. */
static inline __attribute__((always_inline)) void multiply(const struct weight_rows *rows,
                                                           int blocks, const int8_t *values,
                                                           const float *scales, const int32_t *sums,
                                                           int width, const int count,
                                                           __m512 *results)
{
    for (int t = 0; t < count; t++)
        results[t] = _mm512_setzero_ps();
    for (int b = 0; b < blocks; b++) {
        __m512i dot[TOKENS];

        for (int t = 0; t < count; t++)
            dot[t] = _mm512_set1_epi32(-8 * sums[t * blocks + b]);
        for (int j = 0; j < BLOCK / 4; j++) {
            const __m512i weights = _mm512_load_si512(rows->bytes[b][j]);

            for (int t = 0; t < count; t++) {
                int32_t four;

                memcpy(&four, values + (size_t)t * (size_t)width + b * BLOCK + 4 * j, sizeof four);
                dot[t] = _mm512_dpbusd_epi32(dot[t], weights, _mm512_set1_epi32(four));
            }
        }
        for (int t = 0; t < count; t++)
            results[t] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(dot[t]),
                                         _mm512_mul_ps(_mm512_load_ps(rows->scales[b]),
                                                       _mm512_set1_ps(scales[t * blocks + b])),
                                         results[t]);
    }
}

/* As in e5.c. The widths and heights of the model's matrices are multiples of 32. */
static void matmul_q4q8(const void *weights, const float *bias, const int8_t *values,
                        const float *scales, const int32_t *sums, float *out, int tokens,
                        int height, int width)
{
    static __thread struct weight_rows rows;
    const int blocks = width / BLOCK;

    for (int row = 0; row < height; row += ROWS) {
        const __m512 base = bias ? _mm512_loadu_ps(bias + row) : _mm512_setzero_ps();
        __m512 results[TOKENS];
        int t = 0;

        for (int i = 0; i < ROWS; i++)
            unpack_row((const uint8_t *)weights + (size_t)(row + i) * (size_t)blocks * BLOCK_BYTES,
                       blocks, i, &rows);
        for (; t + TOKENS <= tokens; t += TOKENS) {
            multiply(&rows, blocks, values + (size_t)t * (size_t)width, scales + t * blocks,
                     sums + t * blocks, width, TOKENS, results);
            for (int i = 0; i < TOKENS; i++)
                _mm512_storeu_ps(out + (size_t)(t + i) * (size_t)height + row,
                                 _mm512_add_ps(base, results[i]));
        }
        for (; t < tokens; t++) {
            multiply(&rows, blocks, values + (size_t)t * (size_t)width, scales + t * blocks,
                     sums + t * blocks, width, 1, results);
            _mm512_storeu_ps(out + (size_t)t * (size_t)height + row,
                             _mm512_add_ps(base, results[0]));
        }
    }
}

#endif

/*
 * Vectors of texts in 8 bits per value, as segments and the database store them: a packed row is a
 * scale (a 32-bit float, little-endian), then a signed byte per value, then zeros up to a multiple
 * of four bytes. A value is its byte times the scale; the scale gives the row the length 1. A row
 * of zeros means that there is no vector.
 */
#ifndef ASSAY_SEARCH_VECTOR_H
#define ASSAY_SEARCH_VECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bytes of a packed row; 4 for the dimension 0. */
static inline size_t search_vector_bytes(uint32_t dimension)
{
    return sizeof(float) + ((size_t)dimension + 3) / 4 * 4;
}

/* Packs a vector of any length other than 0 into `row`. */
void search_vector_pack(const float *vector, uint32_t dimension, uint8_t *row);

/* Writes a vector that is near to nothing, for a text that cannot be embedded. */
void search_vector_pack_none(uint32_t dimension, uint8_t *row);

bool search_vector_present(const uint8_t *row);

/* The cosine of two packed vectors, within about .002 of that of the vectors before packing. */
double search_vector_cosine(const uint8_t *a, const uint8_t *b, uint32_t dimension);

#endif

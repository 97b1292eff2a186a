/*
 * Writes messages of protocol buffers (protobuf.dev, encoding). Fields are appended to a text in
 * any order; a nested message is begun and ended. Numbers of fields are 1 to 2^29 - 1. Nothing is
 * written for a field that is not called.
 */
#ifndef ASSAY_BASE_PROTOBUF_H
#define ASSAY_BASE_PROTOBUF_H

#include "base/text.h"

#include <stdint.h>

void protobuf_integer(struct text *out, uint32_t field, uint64_t value); /* uint, int, bool, enum */
void protobuf_fixed64(struct text *out, uint32_t field, uint64_t value);
void protobuf_number(struct text *out, uint32_t field, double value);
void protobuf_bytes(struct text *out, uint32_t field, const void *bytes, size_t length);
void protobuf_string(struct text *out, uint32_t field, const char *string);

/* Begins a nested message; what is appended until protobuf_end() belongs to it. Returns its place,
 * which protobuf_end() takes. A message takes at most 2^28 - 1 bytes. */
size_t protobuf_begin(struct text *out, uint32_t field);
void protobuf_end(struct text *out, size_t place);

#endif

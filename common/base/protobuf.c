/* Tags, varints and lengths. */
#include "base/protobuf.h"

#include <string.h>

enum wire_type { VARINT = 0, FIXED64 = 1, LENGTH = 2 };
enum {
    VARINT_MAX = 10,
    LENGTH_BYTES = 4 /* of a nested message: padded, so that it is known later */
};

static void append_varint(struct text *out, uint64_t value)
{
    char bytes[VARINT_MAX];
    size_t count = 0;

    for (; value >= 0x80; value >>= 7)
        bytes[count++] = (char)(value | 0x80);
    bytes[count++] = (char)value;
    text_append(out, bytes, count);
}

static void append_tag(struct text *out, uint32_t field, enum wire_type type)
{
    append_varint(out, (uint64_t)field << 3 | (uint64_t)type);
}

void protobuf_integer(struct text *out, uint32_t field, uint64_t value)
{
    append_tag(out, field, VARINT);
    append_varint(out, value);
}

void protobuf_fixed64(struct text *out, uint32_t field, uint64_t value)
{
    char bytes[sizeof value];

    for (size_t i = 0; i < sizeof value; i++)
        bytes[i] = (char)(value >> (8 * i));
    append_tag(out, field, FIXED64);
    text_append(out, bytes, sizeof bytes);
}

void protobuf_number(struct text *out, uint32_t field, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    protobuf_fixed64(out, field, bits);
}

void protobuf_bytes(struct text *out, uint32_t field, const void *bytes, size_t length)
{
    append_tag(out, field, LENGTH);
    append_varint(out, length);
    text_append(out, bytes, length);
}

void protobuf_string(struct text *out, uint32_t field, const char *string)
{
    protobuf_bytes(out, field, string, strlen(string));
}

size_t protobuf_begin(struct text *out, uint32_t field)
{
    append_tag(out, field, LENGTH);
    text_append(out, "\x80\x80\x80\x00", LENGTH_BYTES);
    return out->length;
}

void protobuf_end(struct text *out, size_t place)
{
    size_t length = out->length - place;

    if (out->overflowed)
        return;
    for (size_t i = 0; i < LENGTH_BYTES; i++)
        out->bytes[place - LENGTH_BYTES + i] =
            (char)((length >> (7 * i) & 0x7f) | (i + 1 < LENGTH_BYTES ? 0x80 : 0));
}

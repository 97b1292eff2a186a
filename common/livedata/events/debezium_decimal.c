/* Decimals of change data as Debezium sends them by default: the bytes of a whole number in base64,
 * with the number of places in the schema of the row, or beside them. */
#include "livedata/events/debezium.h"

#include "crypto/base64url.h"
#include "livedata/events/own.h"

#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 wide;

enum { BYTES_MOST = 16, BASE64_LONGEST = 24, PLACES_MOST = 38 };

static const int64_t units_most = INT64_C(999999999999999999);

/* Big-endian, in two's complement. */
static bool read_bytes(struct arena *arena, const char *base64, wide *number)
{
    size_t length = base64 ? strlen(base64) : 0, size;
    unsigned char *bytes;
    char *text;

    while (length && base64[length - 1] == '=')
        length--;
    if (!length || length > BASE64_LONGEST)
        return false;
    text = arena_copy(arena, base64, length);
    for (size_t i = 0; i < length; i++)
        text[i] = text[i] == '+' ? '-' : text[i] == '/' ? '_' : text[i];
    bytes = base64url_read(arena, text, length, &size);
    if (!bytes || !size || size > BYTES_MOST)
        return false;
    *number = bytes[0] & 0x80 ? -1 : 0;
    for (size_t i = 0; i < size; i++)
        *number = *number * 256 + bytes[i];
    return true;
}

/* `number` x 10^-from as a whole number of units of 10^-to. Zeros at the end are no places. */
static bool rescale(wide number, int64_t from, int64_t to, int64_t *units)
{
    for (; from > to; from--, number /= 10)
        if (number % 10)
            return false;
    for (; from < to && number <= units_most && number >= -units_most; from++)
        number *= 10;
    *units = (int64_t)number;
    return number <= units_most && number >= -units_most;
}

static bool take(struct arena *arena, const char *base64, int64_t from, int to, int64_t *units)
{
    wide number;

    return from >= -PLACES_MOST && from <= PLACES_MOST && read_bytes(arena, base64, &number) &&
           rescale(number, from, to, units);
}

bool debezium_decimal(struct arena *arena, const json_t *fields, const char *member,
                      const json_t *value, int scale, int64_t *units)
{
    const json_t *field = debezium_field(fields, member);
    const char *type = json_string_value(json_object_get(field, "name"));
    const json_t *places = json_object_get(json_object_get(field, "parameters"), "scale");

    if (json_is_object(value)) {
        const json_t *own = json_object_get(value, "scale");

        return json_is_integer(own) &&
               take(arena, json_string_value(json_object_get(value, "value")),
                    json_integer_value(own), scale, units);
    }
    if (!type || strcmp(type, "org.apache.kafka.connect.data.Decimal") != 0)
        return own_decimal(value, scale, units);
    return json_is_string(places) && json_is_string(value) &&
           take(arena, json_string_value(value), strtol(json_string_value(places), NULL, 10), scale,
                units);
}

/* The function pointers of librdkafka after loading. */
#include "kafka/librdkafka.h"

#include "base/library.h"

struct librdkafka rdkafka;

bool librdkafka_load(void)
{
#define NAME(name) "rd_kafka_" #name,
    static const char *const names[] = {LIBRDKAFKA_FUNCTIONS(NAME)};

    _Static_assert(sizeof names == sizeof rdkafka, "a name for each member");
    return rdkafka.poll ||
           library_load("librdkafka.so.1", names, sizeof names / sizeof *names, &rdkafka);
}

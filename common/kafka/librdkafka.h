/* Private to common/kafka: librdkafka, which is loaded when a client is made. What librdkafka calls
 * rd_kafka_new is rdkafka.new here. */
#ifndef ASSAY_KAFKA_LIBRDKAFKA_H
#define ASSAY_KAFKA_LIBRDKAFKA_H

#include "base/error.h"

#include <librdkafka/rdkafka.h>
#include <stdbool.h>

/* The functions that are used; clang-format would take the list for nested calls. */
/* clang-format off */
#define LIBRDKAFKA_FUNCTIONS(X) \
    X(assign) X(conf_destroy) X(conf_get_default_topic_conf) X(conf_new) X(conf_set) \
    X(conf_set_dr_msg_cb) X(conf_set_log_cb) X(conf_set_opaque) X(conf_set_rebalance_cb) \
    X(consumer_close) X(consumer_poll) X(destroy) X(err2str) X(error_code) X(error_destroy) \
    X(get_watermark_offsets) X(message_destroy) X(metadata) X(metadata_destroy) \
    X(msg_partitioner_consistent) X(msg_partitioner_consistent_random) \
    X(msg_partitioner_fnv1a) X(msg_partitioner_fnv1a_random) X(msg_partitioner_murmur2) \
    X(msg_partitioner_murmur2_random) X(msg_partitioner_random) X(new) X(offsets_store) X(outq_len) \
    X(poll) X(poll_set_consumer) X(produceva) X(purge) X(query_watermark_offsets) \
    X(set_log_queue) X(subscribe) X(topic_conf_get) X(topic_conf_set_opaque) \
    X(topic_conf_set_partitioner_cb) X(topic_name) X(topic_partition_list_add) \
    X(topic_partition_list_copy) X(topic_partition_list_destroy) X(topic_partition_list_new)
/* clang-format on */

#define LIBRDKAFKA_MEMBER(name) __typeof__(rd_kafka_##name) *(name);
struct librdkafka {
    LIBRDKAFKA_FUNCTIONS(LIBRDKAFKA_MEMBER)
};
#undef LIBRDKAFKA_MEMBER

extern struct librdkafka rdkafka;

/* False if librdkafka cannot be loaded; rdkafka must not be used then. */
MUST_CHECK bool librdkafka_load(void);

#endif

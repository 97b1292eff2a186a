/* Notifications of changes for other hosts. */
#include "livedata/ingest/notify.h"

#include "base/json.h"
#include "base/log.h"
#include "livedata/cache/live_cache.h"
#include "net/redis.h"

enum { WORDS_BYTES_MAX = 7900 };

const char *notify_words(struct apply_call *call, const struct apply_touched *touched)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, call->storage.arena, WORDS_BYTES_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key_string(&writer, "tenant", call->storage.tenant);
    writer_key(&writer, "generations");
    writer_open_object(&writer);
    for (size_t i = 0; i < touched->table_count; i++)
        writer_key_integer(&writer, touched->tables[i].name, touched->tables[i].gen);
    writer_close_object(&writer);
    writer_close_object(&writer);
    return text.bytes;
}

void notify_publish(struct apply_call *call, const struct apply_touched *touched)
{
    struct problem problem;

    if (!call->redis || !touched->table_count)
        return;
    if (redis_publish(call->redis, LIVE_REDIS_CHANNEL, notify_words(call, touched), &problem))
        log_event(LOG_DEBUG, "redis_unavailable", problem.text);
}

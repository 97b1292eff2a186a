/* The table of faults. tests/unit/health_fault_test.c holds it to docs/operate/health.md. */
#include "telemetry/health_fault.h"

#define OWNER struct health_fault
static const struct field fault_fields[] = {
    STRING(OWNER, code, .help = "Stable: it can be matched by programs."),
    STRING(OWNER, meaning),
    STRING(OWNER, guide, .help = "The section of the documentation that says what to do."),
};
#undef OWNER
SCHEMA(health_fault_schema, struct health_fault, "HealthFault", fault_fields);

#define FAULT(name, text)                                                                          \
    {                                                                                              \
        .code = (name), .meaning = (text), .guide = "docs/operate/health.md#" name                 \
    }

static const struct health_fault faults[HEALTH_CODE__MAX] = {
    [HEALTH_DATABASE_UNREACHABLE] =
        FAULT("database_unreachable", "The database of the service does not answer."),
    [HEALTH_DATABASE_NOT_WRITABLE] =
        FAULT("database_not_writable", "The database answers, but nothing can be written to it."),
    [HEALTH_SCHEMA_DIFFERS] = FAULT(
        "schema_differs", "The tables of the database are not those of this version of Assay."),
    [HEALTH_JOURNAL_MODE_DIFFERS] = FAULT(
        "journal_mode_differs", "The SQLite file has another journal mode than the settings say."),
    [HEALTH_LIMITS_SERVER_UNREACHABLE] =
        FAULT("limits_server_unreachable",
              "The server of ASSAY_LIMITS_URL does not answer; this host counts its share alone."),
    [HEALTH_SHARED_MEMORY_DAMAGED] =
        FAULT("shared_memory_damaged",
              "The file that the workers share is damaged; they leave it for a new one."),
    [HEALTH_PAGES_MISSING] =
        FAULT("pages_missing", "The files of the browser interface are not where they should be."),
    [HEALTH_KAFKA_WITHOUT_TOPICS] =
        FAULT("kafka_without_topics", "The bridge has not found a topic of Kafka yet."),
    [HEALTH_KAFKA_SILENT] =
        FAULT("kafka_silent", "The bridge has not heard of Kafka for a while; no records arrive."),
    [HEALTH_CLOCK_SET_BACK] =
        FAULT("clock_set_back", "The clock of this host is behind the newest event."),
    [HEALTH_NO_EVENTS] = FAULT("no_events", "No events have arrived lately."),
    [HEALTH_EVENTS_LATE] =
        FAULT("events_late", "The newest event is older than the freshness that was promised."),
    [HEALTH_EVENTS_REJECTED] =
        FAULT("events_rejected", "Too many events of the last hour were rejected."),
    [HEALTH_COLUMNAR_BEHIND] =
        FAULT("columnar_behind",
              "A copy in ClickHouse cannot answer; the database answers in its place."),
    [HEALTH_INDEX_UNREADABLE] =
        FAULT("index_unreadable", "The index of the documents cannot be read."),
    [HEALTH_OBJECT_STORE_UNREACHABLE] =
        FAULT("object_store_unreachable",
              "The store of SUPPORT_BLOB_URL does not answer; uploads are refused."),
    [HEALTH_EMBEDDER_UNREACHABLE] =
        FAULT("embedder_unreachable",
              "The embedder does not answer; questions are answered by words alone."),
    [HEALTH_EMBEDDER_WITHOUT_MODEL] =
        FAULT("embedder_without_model",
              "There is no model of meaning; questions are answered by words alone."),
    [HEALTH_SEARCH_ENGINE_UNREACHABLE] =
        FAULT("search_engine_unreachable",
              "The engine of SEARCH_URL does not answer; questions go to a person."),
    [HEALTH_PROVIDER_SUSPENDED] = FAULT(
        "provider_suspended", "Calls of this provider failed, so it is not called for a while."),
    [HEALTH_API_KEY_MISSING] = FAULT("api_key_missing", "There is no API key of this provider."),
    [HEALTH_CACHE_UNREACHABLE] =
        FAULT("cache_unreachable",
              "The server of ORCH_CACHE_URL does not answer; limits hold per host, or not at all."),
    [HEALTH_BROWSER_NOT_CONFIGURED] =
        FAULT("browser_not_configured", "The settings let no browser be used."),
    [HEALTH_BROWSER_UNREACHABLE] =
        FAULT("browser_unreachable", "The browser's process (orch-browserd) does not answer."),
    [HEALTH_BROWSER_SIGNED_OUT] =
        FAULT("browser_signed_out", "The browser is not signed in at the web provider."),
    [HEALTH_BROWSER_FAILING] = FAULT("browser_failing", "The last calls of the browser failed."),
};

const struct health_fault *health_fault(enum health_code code)
{
    return code == HEALTH_GOOD ? NULL : &faults[code];
}

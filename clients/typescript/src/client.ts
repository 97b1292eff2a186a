/** The operations of the service. */
import { DataFreshnessError, LiveDataError } from './errors.js';
import { type Freshness, boundsOf } from './freshness.js';
import { CircuitBreaker, RetryPolicy } from './resilience.js';
import { Frames } from './stream.js';
import { type Call, Transport, type TransportOptions, errorOf, pause } from './transport.js';
import type * as types from './types.js';

export interface ClientOptions extends TransportOptions {
    /** `<entity>:<version>`: entities of that type are held to that contract. */
    contractVersion?: string;
}

interface Cancel {
    signal?: AbortSignal;
}
interface Fresh {
    /** How fresh the answer must be; a text is the position of a write that it must include. */
    fresh?: Freshness | string;
}
interface AsOf extends Cancel, Fresh {
    asOf?: Date | string;
}
interface Keyed extends Cancel {
    idempotencyKey?: string;
}

/** Numbers that older services send as text. */
const NUMERIC: Record<string, string[]> = {
    order: ['total_amount'],
    user: ['total_orders', 'total_spent'],
    product: ['price', 'stock_quantity'],
    session: ['duration_seconds', 'event_count', 'unique_pages'],
};

/** Most rows that the service answers in one request. */
const FEATURES_AT_ONCE = 10000;

const momentOf = (asOf: Date | string | undefined) => (asOf instanceof Date ? asOf.toISOString() : asOf);

function keyed(key: string | undefined): Pick<Call, 'headers'> {
    return key === undefined ? {} : { headers: { 'Idempotency-Key': key } };
}

function numberOrNull(value: unknown): number | null {
    const number = value === null || value === undefined || value === '' ? NaN : Number(value);

    return Number.isFinite(number) ? number : null;
}

function parsePin(pin: string | undefined): [string, string] | undefined {
    if (pin === undefined) return undefined;
    const [, entity, version] = /^([^:]+):v?([^:]+)$/.exec(pin) ?? [];
    if (!entity || !version) throw new LiveDataError("contractVersion must use '<entity>:<version>' format.");
    return [entity, version];
}

/** A question in words, or a plan instead of one. */
const asked = (question: string | types.QueryPlan) =>
    typeof question === 'string' ? { question } : { plan: question };

const randomId = () => Math.floor(Math.random() * 2 ** 32).toString(16).padStart(8, '0');

/** RFC 9562, version 4. */
function uuid(): string {
    const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16));

    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'))
        .join('')
        .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

export class LiveDataClient {
    readonly #transport: Transport;
    readonly #pin: [string, string] | undefined;
    #contract: types.EntityContract | undefined;

    constructor(baseUrl: string, apiKey: string, options: ClientOptions = {}) {
        this.#transport = new Transport(baseUrl, apiKey, options);
        this.#pin = parsePin(options.contractVersion);
    }

    /** Changes what is given and returns the client. */
    configureResilience(options: { retryPolicy?: RetryPolicy; circuitBreaker?: CircuitBreaker }): this {
        this.#transport.retry = options.retryPolicy ?? this.#transport.retry;
        this.#transport.breaker = options.circuitBreaker ?? this.#transport.breaker;
        return this;
    }

    get retryPolicy(): RetryPolicy {
        return this.#transport.retry;
    }
    get circuitBreaker(): CircuitBreaker | undefined {
        return this.#transport.breaker;
    }
    get lastServerVersion(): string | null {
        return this.#transport.last?.get('x-live-version') ?? null;
    }
    get lastLatestVersion(): string | null {
        return this.#transport.last?.get('x-live-latest-version') ?? null;
    }
    get lastDeprecated(): string | null {
        return this.#transport.last?.get('x-live-deprecated') ?? null;
    }
    get lastDeprecationWarning(): string | null {
        return this.#transport.last?.get('x-live-deprecation-warning') ?? null;
    }

    #get<T>(segments: string[], params: Call['params'] = {}, signal?: AbortSignal): Promise<T> {
        return this.#transport.json<T>({ method: 'GET', segments, params, signal });
    }

    #post<T>(segments: string[], body: unknown, options: Keyed): Promise<T> {
        const { idempotencyKey, signal } = options;

        return this.#transport.json<T>({ method: 'POST', segments, body, signal, ...keyed(idempotencyKey) });
    }

    async getEntity<T = Record<string, unknown>>(
        type: string,
        id: string,
        options: AsOf = {},
    ): Promise<types.EntityEnvelope<T>> {
        const params = { as_of: momentOf(options.asOf), ...boundsOf(options.fresh) };
        const envelope = await this.#get<types.EntityEnvelope>(['entity', type, id], params, options.signal);

        for (const name of NUMERIC[type] ?? [])
            if (envelope.data && name in envelope.data)
                envelope.data[name] = numberOrNull(envelope.data[name]);
        if (this.#pin?.[0] === type) await this.#holdToContract(envelope, options.signal);
        return envelope as types.EntityEnvelope<T>;
    }

    async #holdToContract(envelope: types.EntityEnvelope, signal?: AbortSignal): Promise<void> {
        const [entity, version] = this.#pin as [string, string];
        const contract = (this.#contract ??= await this.#get<types.EntityContract>(
            ['contracts', entity, version],
            {},
            signal,
        ));
        const missing = contract.fields.filter((field) => field.required && !(field.name in envelope.data));

        if (missing.length > 0) {
            const names = missing.map((field) => field.name).join(', ');
            throw new LiveDataError(`Contract validation failed. Missing required fields: ${names}`);
        }
        envelope.data = Object.fromEntries(
            contract.fields
                .filter((field) => field.name in envelope.data)
                .map((field) => [field.name, envelope.data[field.name]]),
        );
    }

    async getOrder(id: string, options?: AsOf): Promise<types.OrderEntity> {
        return (await this.getEntity<types.OrderEntity>('order', id, options)).data;
    }

    async getUser(id: string, options?: AsOf): Promise<types.UserEntity> {
        return (await this.getEntity<types.UserEntity>('user', id, options)).data;
    }

    async getProduct(id: string, options?: AsOf): Promise<types.ProductEntity> {
        return (await this.getEntity<types.ProductEntity>('product', id, options)).data;
    }

    async getSession(id: string, options?: AsOf): Promise<types.SessionEntity> {
        return (await this.getEntity<types.SessionEntity>('session', id, options)).data;
    }

    async getMetric(
        name: types.MetricName | (string & {}),
        window: types.TimeWindow | (string & {}) = '1h',
        options: AsOf = {},
    ): Promise<types.MetricResult> {
        const params = { window, as_of: momentOf(options.asOf), ...boundsOf(options.fresh) };
        const result = await this.#get<types.MetricResult>(['metrics', name], params, options.signal);

        return { ...result, value: numberOrNull(result.value), components: result.components ?? null };
    }

    async query(
        question: string | types.QueryPlan,
        options: Keyed & Fresh & { limit?: number; cursor?: string } = {},
    ): Promise<types.QueryResult> {
        const { limit, cursor } = options;
        const body = {
            ...asked(question),
            ...(limit === undefined ? {} : { limit }),
            ...(cursor === undefined ? {} : { cursor }),
            ...boundsOf(options.fresh),
        };
        const answer = await this.#post<Record<string, unknown>>(['query'], body, options);
        const metadata = { ...(answer['metadata'] as Record<string, unknown> | undefined) };

        for (const name of ['total_count', 'next_cursor', 'has_more', 'page_size'])
            if (name in answer) metadata[name] = answer[name];
        return {
            answer: (answer['answer'] ?? answer['rows'] ?? []) as unknown[],
            sql: (answer['sql'] ?? null) as string | null,
            metadata,
            ...(typeof answer['interpretation'] === 'string' ? { interpretation: answer['interpretation'] } : {}),
            ...(answer['plan'] ? { plan: answer['plan'] as types.QueryPlan } : {}),
            ...(answer['freshness'] ? { freshness: answer['freshness'] as types.AnswerFreshness } : {}),
        };
    }

    /** The rows of the answer, page by page. */
    async *paginate(
        question: string | types.QueryPlan,
        options: Cancel & { pageSize?: number } = {},
    ): AsyncGenerator<unknown[], void> {
        let cursor: string | undefined;

        do {
            const page = await this.query(question, {
                limit: options.pageSize ?? 100,
                ...(cursor === undefined ? {} : { cursor }),
                ...(options.signal ? { signal: options.signal } : {}),
            });
            const next = page.metadata['next_cursor'];

            yield Array.isArray(page.answer) ? page.answer : [page.answer];
            cursor = page.metadata['has_more'] && typeof next === 'string' ? next : undefined;
        } while (cursor !== undefined);
    }

    explainQuery(
        question: string | types.QueryPlan,
        options: Cancel & { contractVersion?: string } = {},
    ): Promise<types.QueryExplanation> {
        const { contractVersion } = options;
        const body = { ...asked(question), ...(contractVersion ? { contract_version: contractVersion } : {}) };

        return this.#post(['query', 'explain'], body, options);
    }

    search(
        query: string,
        options: Cancel & { limit?: number; entityTypes?: string[] } = {},
    ): Promise<types.SearchResults> {
        const params = {
            q: query,
            limit: options.limit ?? 10,
            entity_types: options.entityTypes?.length ? options.entityTypes.join(',') : undefined,
        };

        return this.#get(['search'], params, options.signal);
    }

    async listContracts(options: Cancel = {}): Promise<types.ContractSummary[]> {
        const answer = await this.#get<{ contracts?: types.ContractSummary[] }>(['contracts'], {}, options.signal);

        return answer.contracts ?? [];
    }

    getContract(entity: string, version?: string, options: Cancel = {}): Promise<types.EntityContract> {
        return this.#get(version === undefined ? ['contracts', entity] : ['contracts', entity, version], {}, options.signal);
    }

    diffContracts(entity: string, from: string, to: string, options: Cancel = {}): Promise<types.ContractDiff> {
        return this.#get(['contracts', entity, 'diff', from, to], {}, options.signal);
    }

    validateContract(
        entity: string,
        payload: Record<string, unknown>,
        options: Keyed = {},
    ): Promise<types.ContractValidation> {
        return this.#post(['contracts', entity, 'validate'], payload, options);
    }

    getLineage(type: string, id: string, options: Cancel = {}): Promise<types.Lineage> {
        return this.#get(['lineage', type, id], {}, options.signal);
    }

    getChangelog(options: Cancel = {}): Promise<types.Changelog> {
        return this.#get(['changelog'], {}, options.signal);
    }

    async health(options: Cancel = {}): Promise<types.HealthStatus> {
        const status = await this.#get<types.HealthStatus>(['health'], {}, options.signal);
        const freshness = status.components.find((component) => component.name === 'freshness');

        return { ...status, freshness_seconds: numberOrNull(freshness?.metrics?.['last_event_age_seconds']) };
    }

    /** Whether something arrived within so many seconds; DataFreshnessError where that cannot be told. For a bound on
     *  one answer, give `fresh` to the read itself. */
    async isFresh(maxAgeSeconds = 60, options: Cancel = {}): Promise<boolean> {
        const status = await this.health(options);
        const unwell = status.components.filter((component) => component.status !== 'healthy');
        const isOnlyOld = unwell.length === 1 && unwell[0]?.name === 'freshness';

        if (typeof status.freshness_seconds === 'number' && status.freshness_seconds >= maxAgeSeconds) return false;
        if (status.status !== 'healthy' && !isOnlyOld)
            throw new DataFreshnessError(`Pipeline is ${status.status}; freshness check cannot be trusted`);
        if (status.freshness_seconds === null)
            throw new DataFreshnessError('Pipeline freshness metric is unavailable');
        return status.freshness_seconds < maxAgeSeconds;
    }

    catalog(options: Cancel = {}): Promise<types.CatalogResponse> {
        return this.#get(['catalog'], {}, options.signal);
    }

    slo(options: Cancel = {}): Promise<types.SloResponse> {
        return this.#get(['slo'], {}, options.signal);
    }

    /** An item fails by itself. batchEntity() and its like make the items. */
    batch(requests: types.BatchItem[], options: Keyed & Fresh = {}): Promise<types.BatchResponse> {
        return this.#post(['batch'], { requests, ...boundsOf(options.fresh) }, options);
    }

    batchEntity(type: string, id: string, requestId = `entity-${randomId()}`): types.BatchItem {
        return { id: requestId, type: 'entity', params: { entity_type: type, entity_id: id } };
    }

    batchMetric(name: string, window = '1h', requestId = `metric-${randomId()}`): types.BatchItem {
        return { id: requestId, type: 'metric', params: { name, window } };
    }

    batchQuery(
        question: string,
        context?: Record<string, unknown>,
        requestId = `query-${randomId()}`,
    ): types.BatchItem {
        return { id: requestId, type: 'query', params: { question, ...(context ? { context } : {}) } };
    }

    /** Columns of many entities, each as of a time of its own, in the order of `rows`. */
    async features<T = Record<string, unknown>>(
        type: string,
        rows: Iterable<types.FeatureAsked> | AsyncIterable<types.FeatureAsked>,
        options: Cancel & { columns?: string[] } = {},
    ): Promise<types.FeatureRow<T>[]> {
        const all: types.FeatureRow<T>[] = [];

        for await (const row of this.streamFeatures<T>(type, rows, options)) all.push(row);
        return all;
    }

    /** The same row by row: `rows` is read, and asked for, in pages. */
    async *streamFeatures<T = Record<string, unknown>>(
        type: string,
        rows: Iterable<types.FeatureAsked> | AsyncIterable<types.FeatureAsked>,
        options: Cancel & { columns?: string[]; pageSize?: number } = {},
    ): AsyncGenerator<types.FeatureRow<T>, void> {
        const size = Math.min(options.pageSize ?? 1000, FEATURES_AT_ONCE);
        let page: types.FeatureAsked[] = [];

        for await (const row of rows) {
            page.push(row);
            if (page.length < size) continue;
            yield* await this.#featurePage<T>(type, page, options);
            page = [];
        }
        if (page.length > 0) yield* await this.#featurePage<T>(type, page, options);
    }

    async #featurePage<T>(
        type: string,
        page: types.FeatureAsked[],
        options: Cancel & { columns?: string[] },
    ): Promise<types.FeatureRow<T>[]> {
        const rows = page.map(({ entity_id, at }) => (at ? { entity_id, at: momentOf(at) } : { entity_id }));
        const body = { entity_type: type, rows, ...(options.columns ? { columns: options.columns } : {}) };
        const { signal } = options;
        const found = await this.#transport.lines<types.FeatureRow<T>>({ method: 'POST', segments: ['features'], body, signal });

        if (found.length !== page.length)
            throw new LiveDataError(`Unexpected answer: ${found.length} lines for ${page.length} rows`);
        return found;
    }

    /** Sends one event, which gets an id and the present time where it has none, and says what became of it. */
    async sendEvent(event: types.NewEvent, options: Keyed = {}): Promise<types.SentEvent> {
        const sent = await this.sendEvents([event], options);

        return sent.results[0] as types.SentEvent;
    }

    /** Sends events in one request; each is applied, a duplicate, or a dead letter. It is safe to try again. */
    sendEvents(events: types.NewEvent[], options: Keyed = {}): Promise<types.SentEvents> {
        const timestamp = new Date().toISOString();
        const complete = events.map((event) => ({ event_id: uuid(), timestamp, ...event }));

        return this.#post(['events'], { events: complete }, { ...options, idempotencyKey: options.idempotencyKey ?? uuid() });
    }

    /** Says that the source has sent everything up to `watermark`, or to now: a quiet source is no silent one. `feeds`
     *  names the entity types that it changes, all where absent; a retired source is forgotten. */
    sendHeartbeat(
        source: string,
        options: Cancel & { watermark?: Date | string; feeds?: string[]; retired?: boolean } = {},
    ): Promise<types.SentEvents> {
        const { watermark, feeds, retired } = options;
        const beat = {
            source,
            ...(watermark === undefined ? {} : { watermark: momentOf(watermark) }),
            ...(feeds ? { feeds } : {}),
            ...(retired === undefined ? {} : { retired }),
        };

        return this.#post(['events'], { heartbeats: [beat] }, { ...options, idempotencyKey: uuid() });
    }

    /** Events as they are applied, without end. A stream that breaks off goes on where it was. */
    async *streamEvents(
        options: types.EventFilters & Cancel & { reconnect?: boolean } = {},
    ): AsyncGenerator<types.PipelineEvent, void> {
        const frames = new Frames();
        const reconnect = options.reconnect ?? true;

        for (let failures = 0; !options.signal?.aborted; ) {
            try {
                for await (const event of this.#streamOnce(options, frames)) {
                    failures = 0;
                    yield event;
                }
            } catch (error) {
                if (options.signal?.aborted) return;
                if (error instanceof LiveDataError) throw error;
                failures++;
                if (!reconnect || failures >= this.#transport.retry.maxAttempts)
                    throw new LiveDataError(`Failed to read SSE stream: ${String(error)}`, undefined, { cause: error });
            }
            if (!reconnect) return;
            await pause(this.#transport.retry.computeDelay(failures), options.signal).catch(() => undefined);
        }
    }

    async *#streamOnce(
        options: types.EventFilters & Cancel,
        frames: Frames,
    ): AsyncGenerator<types.PipelineEvent, void> {
        const call: Call = {
            method: 'GET',
            segments: ['stream', 'events'],
            params: {
                event_type: options.eventType,
                entity_id: options.entityId,
                after: frames.lastId === undefined ? options.after : undefined,
            },
            headers: frames.lastId === undefined ? {} : { 'Last-Event-ID': frames.lastId },
            signal: options.signal,
        };
        const response = await this.#transport.open(call, 'text/event-stream');

        if (!response.ok || !response.body) throw await errorOf(response, call.segments);
        const reader = response.body.getReader();
        const decoder = new TextDecoder();
        const stop = () => void reader.cancel().catch(() => undefined);

        options.signal?.addEventListener('abort', stop, { once: true });
        try {
            for (;;) {
                const { done, value } = await reader.read();

                if (done) break;
                yield* frames.feed(decoder.decode(value, { stream: true }));
            }
            if (!options.signal?.aborted) yield* frames.end();
        } finally {
            options.signal?.removeEventListener('abort', stop);
            stop();
        }
    }
}

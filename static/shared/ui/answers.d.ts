/*
 * What the compiler knows of the services' answers. `Answers` and a namespace per service are made from
 * the OpenAPI documents by tools/answers.js, into build/types/, with each run of the tests. This says how
 * a call finds its answer there: with a client that is a Client<'livedata'>,
 *
 *   (await client.get(`/v1/alerts/${encodeURIComponent(id)}/history`)).data
 *
 * is a livedata.AlertHistory.
 */
interface Answers {}

/** A path as a call writes it, `/v1/alerts/${string}/history`, as the documents' key: /v1/alerts/{}/history. */
type KeyOf<Path extends string> = Path extends `${infer First}/${infer Rest}`
    ? `${KeyOf<First>}/${KeyOf<Rest>}`
    : `${any}` extends Path
      ? '{}'
      : Path;

/** The other way round. */
type Written<Key extends string> = Key extends `${infer Before}{}${infer After}` ? `${Before}${string}${Written<After>}` : Key;

type PathOf<Service extends keyof Answers, Method extends string> = keyof Answers[Service] extends infer Call
    ? Call extends `${Method} ${infer Key}`
        ? Written<Key>
        : never
    : never;

type Answer<Service extends keyof Answers, Method extends string, Path extends string> = `${Method} ${KeyOf<Path>}` extends infer Call
    ? Call extends keyof Answers[Service]
        ? Answers[Service][Call]
        : unknown
    : never;

interface Reply<Data> {
    data: Data;
    status: number;
    requestId: string | null;
    etag: string | null;
    notModified: boolean;
    headers: Headers;
}

interface RequestOptions {
    query?: Record<string, any>;
    body?: any;
    form?: FormData | Blob;
    headers?: Record<string, string>;
    signal?: AbortSignal;
    timeoutMs?: number;
    etag?: string;
    method?: string;
}

type Resource<Data> = import('./resource.js').Resource<Data>;

/** Only the data of an answer; for pages that ask for nothing else. */
type GetData<Service extends keyof Answers> = <Path extends PathOf<Service, 'GET'>>(path: Path, options?: RequestOptions) => Promise<Answer<Service, 'GET', Path>>;

/** What ui/client.js makes, for the pages of one service. */
interface Client<Service extends keyof Answers> {
    request<Method extends string, Path extends PathOf<Service, Method>>(method: Method, path: Path, options?: RequestOptions): Promise<Reply<Answer<Service, Method, Path>>>;
    get<Path extends PathOf<Service, 'GET'>>(path: Path, options?: RequestOptions): Promise<Reply<Answer<Service, 'GET', Path>>>;
    post<Path extends PathOf<Service, 'POST'>>(path: Path, body: any, options?: RequestOptions): Promise<Reply<Answer<Service, 'POST', Path>>>;
    put<Path extends PathOf<Service, 'PUT'>>(path: Path, body: any, options?: RequestOptions): Promise<Reply<Answer<Service, 'PUT', Path>>>;
    patch<Path extends PathOf<Service, 'PATCH'>>(path: Path, body: any, options?: RequestOptions): Promise<Reply<Answer<Service, 'PATCH', Path>>>;
    delete<Path extends PathOf<Service, 'DELETE'>>(path: Path, options?: RequestOptions): Promise<Reply<Answer<Service, 'DELETE', Path>>>;
    text(path: string, options?: RequestOptions): Promise<string>;
    file(path: string, options?: RequestOptions): Promise<{ blob: Blob; name: string | null }>;
    events(path: string, options?: RequestOptions): AsyncGenerator<any>;
    lines(path: string, options?: RequestOptions): AsyncGenerator<any>;
}

/*
 * What the compiler knows of the services' answers. openapi-typescript makes build/types/<service>.d.ts from the
 * OpenAPI document of each service with each run of the tests (tests/browser/types.js); its schemas are
 * `livedata.AlertHistory` everywhere. This file says how a call finds its answer: with a client that is a
 * Client<'livedata'>,
 *
 *   (await client.get(`/v1/alerts/${encodeURIComponent(id)}/history`)).data
 *
 * is a livedata.AlertHistory.
 */
interface Services {
    accounts: import('../../../build/types/accounts.js').paths;
    experiments: import('../../../build/types/experiments.js').paths;
    support: import('../../../build/types/support.js').paths;
    orchestrator: import('../../../build/types/orchestrator.js').paths;
    livedata: import('../../../build/types/livedata.js').paths;
}

/** A path of a document without the names of its parameters: /v1/alerts/{}/history. */
type Shape<Path> = Path extends `${infer Before}{${string}}${infer After}` ? `${Before}{}${Shape<After>}` : Path;

/** A path as a call writes it, `/v1/alerts/${string}/history`, in that form. */
type ShapeOf<Path extends string> = Path extends `${infer First}/${infer Rest}`
    ? `${ShapeOf<First>}/${ShapeOf<Rest>}`
    : `${any}` extends Path
      ? '{}'
      : Path;

/** The other way round. */
type Written<Path> = Path extends `${infer Before}{}${infer After}` ? `${Before}${string}${Written<After>}` : Path;

type Operations<Service extends keyof Services, Method extends string> = {
    [Path in keyof Services[Service] as Services[Service][Path] extends Record<Lowercase<Method>, { responses: any }> ? Shape<Path> : never]: Services[Service][Path] extends Record<Lowercase<Method>, { responses: infer Responses }> ? Responses : never;
};

type PathOf<Service extends keyof Services, Method extends string> = Written<keyof Operations<Service, Method>> & string;

/** What a script gets of one response: nothing where it has no content. */
type Content<Response> = Response extends { content: infer Types } ? (Types extends { 'application/json': infer Data } ? Data : string) : null;

type Success<Responses> = Extract<keyof Responses, 200 | 201 | 202 | 203 | 204 | 205 | 206>;

/** Of the responses that are no failure; null where there is only a redirection. */
type AnswerOf<Responses> = [Success<Responses>] extends [never] ? null : Content<Responses[Success<Responses>]>;

type Answer<Service extends keyof Services, Method extends string, Path extends string> =
    ShapeOf<Path> extends keyof Operations<Service, Method> ? AnswerOf<Operations<Service, Method>[ShapeOf<Path>]> : unknown;

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
type GetData<Service extends keyof Services> = <Path extends PathOf<Service, 'GET'>>(path: Path, options?: RequestOptions) => Promise<Answer<Service, 'GET', Path>>;

/** What ui/client.js makes, for the pages of one service. */
interface Client<Service extends keyof Services> {
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

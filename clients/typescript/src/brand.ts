/** The package under another name: for programs that were written for a client of another brand. */
const OWN_PREFIX = 'LiveData';
const NAMES = [
    'LiveDataClient',
    'LiveDataError',
    'AuthError',
    'CircuitOpenError',
    'DataFreshnessError',
    'EntityNotFoundError',
    'PermissionDeniedError',
    'RateLimitError',
    'StaleDataError',
    'CircuitBreaker',
    'CircuitState',
    'RetryPolicy',
    'RETRYABLE_STATUS',
    'isRetryableMethod',
];

/** The files of a package `moduleName` that exports this one's names with `classPrefix` in place of LiveData. */
export function brandAlias(moduleName: string, classPrefix: string): Record<string, string> {
    const exported = NAMES.map((name) =>
        name.startsWith(OWN_PREFIX) ? `${name} as ${name.replace(OWN_PREFIX, classPrefix)}` : name,
    ).join(', ');
    const code = `export { ${exported} } from 'livedata-client';\n`;
    const description = {
        name: moduleName,
        version: '2.0.0',
        type: 'module',
        main: './index.js',
        types: './index.d.ts',
        exports: { '.': { types: './index.d.ts', import: './index.js' } },
    };

    return {
        'package.json': `${JSON.stringify(description, null, 2)}\n`,
        'index.js': code,
        'index.d.ts': `${code}export type * from 'livedata-client';\n`,
    };
}

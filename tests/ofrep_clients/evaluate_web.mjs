// Evaluates flags with the OpenFeature SDK for browsers and its provider for remote evaluation: all at once, again with the
// tag of the first answer, and after the context changes. Prints what they made of it as JSON, and every exchange.
// tests/api/ofrep_clients_test.py says what that has to be.

import { OpenFeature, ProviderEvents } from '@openfeature/web-sdk';
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';

const baseUrl = process.env.FLAGS_URL;
const keys = JSON.parse(process.env.FLAGS_KEYS);
const exchanges = [];

/* Node sends no Origin of its own; a browser would. */
async function fetchImplementation(input, init) {
    const request = new Request(input, init);
    const headers = new Headers(request.headers);
    headers.set('Origin', process.env.FLAGS_ORIGIN);
    const answer = await fetch(request.url, { method: request.method, headers, body: await request.text() });
    exchanges.push([answer.status, Boolean(headers.get('If-None-Match')), Boolean(answer.headers.get('ETag'))]);
    return answer;
}

function provider(token) {
    return new OFREPWebProvider({
        baseUrl, fetchImplementation, pollInterval: 0, cacheMode: 'disabled', changeDetection: 'none',
        headers: [['Authorization', `Bearer ${token}`]],
    });
}

const shown = ({ value, variant, reason, errorCode, flagMetadata }) =>
    ({ value, variant: variant ?? null, reason, error: errorCode ?? null, metadata: flagMetadata });

async function begin(token, domain, context) {
    await OpenFeature.setContext(domain, context);
    try {
        await OpenFeature.setProviderAndWait(domain, provider(token));
        return [OpenFeature.getClient(domain), null];
    } catch (error) {
        return [OpenFeature.getClient(domain), error.constructor.name];
    }
}

const told = {};
const [page] = await begin(process.env.FLAGS_TOKEN, 'page', { targetingKey: 'forced', country: 'DE' });
told.boolean = shown(page.getBooleanDetails(keys.boolean, false));
told.string = shown(page.getStringDetails(keys.string, ''));
told.integer = shown(page.getNumberDetails(keys.integer, 0));
told.float = shown(page.getNumberDetails(keys.float, 0.5));
told.object = shown(page.getObjectDetails(keys.object, {}));
told.off = shown(page.getBooleanDetails(keys.off, true));
told.fixed = shown(page.getBooleanDetails(keys.fixed, false));
told.unknown = shown(page.getBooleanDetails('no-such-flag', true));
told.first = exchanges.splice(0);

/* The same context once more: the provider shows the tag it has. */
await OpenFeature.setContext('page', { targetingKey: 'forced', country: 'DE' });
told.again = exchanges.splice(0);
told['after again'] = shown(page.getStringDetails(keys.string, ''));
await OpenFeature.setContext('page', { targetingKey: 'web-user', country: 'FR' });
told.outside = shown(page.getStringDetails(keys.targeted, ''));
told.changed = exchanges.splice(0);

/* The key of a page has one flag. */
const [one] = await begin(process.env.FLAGS_CLIENT, 'one', { targetingKey: 'web-user' });
told.split = shown(one.getStringDetails(keys.split, ''));
told.foreign = shown(one.getBooleanDetails(keys.boolean, true));

exchanges.splice(0);
told.unauthorized = (await begin('no-such-token', 'nobody', { targetingKey: 'u' }))[1] && exchanges.splice(0);
const [limited] = await begin(process.env.FLAGS_LIMITED, 'limited', { targetingKey: 'web-limited' });
const stale = new Promise((resolve) => limited.addHandler(ProviderEvents.Stale, resolve));
for (let i = 0; i < 5; i++) await OpenFeature.setContext('limited', { targetingKey: `web-limited-${i}` });
await stale;
told.limited = exchanges.splice(0).map(([status]) => status);
console.log(JSON.stringify(told));
process.exit(0);

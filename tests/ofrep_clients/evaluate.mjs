// Evaluates flags with the OpenFeature SDK for servers and its provider for remote evaluation, and prints what they made of
// it as JSON. tests/api/ofrep_clients_test.py says what that has to be.

import { OpenFeature } from '@openfeature/server-sdk';
import { OFREPProvider } from '@openfeature/ofrep-provider';

const baseUrl = process.env.FLAGS_URL;
const keys = JSON.parse(process.env.FLAGS_KEYS);

async function client(token, domain) {
    await OpenFeature.setProviderAndWait(domain, new OFREPProvider({ baseUrl, headers: [['Authorization', `Bearer ${token}`]] }));
    return OpenFeature.getClient(domain);
}

const shown = ({ value, variant, reason, errorCode, flagMetadata }) =>
    ({ value, variant: variant ?? null, reason, error: errorCode ?? null, metadata: flagMetadata });

const writer = await client(process.env.FLAGS_TOKEN, 'writer');
const user = { targetingKey: 'forced', country: 'DE', age: 30, beta: true };
const told = {
    boolean: shown(await writer.getBooleanDetails(keys.boolean, false, user)),
    string: shown(await writer.getStringDetails(keys.string, '', user)),
    integer: shown(await writer.getNumberDetails(keys.integer, 0, user)),
    float: shown(await writer.getNumberDetails(keys.float, 0.5, user)),
    object: shown(await writer.getObjectDetails(keys.object, {}, user)),
    split: shown(await writer.getStringDetails(keys.split, '', { targetingKey: 'node-user' })),
    targeted: shown(await writer.getStringDetails(keys.targeted, '', { targetingKey: 'node-user', country: 'DE' })),
    outside: shown(await writer.getStringDetails(keys.targeted, '', { targetingKey: 'node-other', country: 'FR' })),
    off: shown(await writer.getBooleanDetails(keys.off, true, user)),
    fixed: shown(await writer.getBooleanDetails(keys.fixed, false)),
    'wrong type': shown(await writer.getBooleanDetails(keys.string, true, user)),
    unknown: shown(await writer.getBooleanDetails('no-such-flag', true, user)),
    nobody: shown(await writer.getStringDetails(keys.split, 'mine', { country: 'DE' })),
    unauthorized: shown(await (await client('no-such-token', 'nobody')).getBooleanDetails(keys.boolean, true, user)),
};
const limited = await client(process.env.FLAGS_LIMITED, 'limited');
told.limited = [];
for (let i = 0; i < 4; i++) {
    const { value, errorCode } = await limited.getStringDetails(keys.split, 'mine', { targetingKey: 'node-limited' });
    told.limited.push([value === 'mine', errorCode ?? null]);
}
console.log(JSON.stringify(told));

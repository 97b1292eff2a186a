// A certified identity provider (npm oidc-provider) for tests, on the loopback interface. Anybody signs in with any
// password, and is in the groups of ASSAY_TEST_PEOPLE: {"ann": {"name": ..., "groups": [...]}}. Prints its issuer when
// it listens; POST /rotate replaces its keys, as an operator would.
import { generateKeyPairSync } from 'node:crypto';
import http from 'node:http';
import Provider from 'oidc-provider';

const people = JSON.parse(process.env.ASSAY_TEST_PEOPLE);
const clients = JSON.parse(process.env.ASSAY_TEST_CLIENTS);
const port = Number(process.env.ASSAY_TEST_PORT);
const issuer = `http://127.0.0.1:${port}`;

function newKeys() {
    const make = (type, options, more) => ({
        ...generateKeyPairSync(type, options).privateKey.export({ format: 'jwk' }),
        use: 'sig',
        ...more,
    });

    return {
        keys: [make('rsa', { modulusLength: 2048 }), make('ec', { namedCurve: 'P-256' }, { alg: 'ES256' })],
    };
}

function newProvider() {
    const provider = new Provider(issuer, {
        clients,
        jwks: newKeys(),
        cookies: { keys: ['not secret'] },
        claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'preferred_username', 'groups'] },
        enabledJWA: { idTokenSigningAlgValues: ['RS256', 'PS256', 'ES256'] },
        features: { rpInitiatedLogout: { enabled: true }, devInteractions: { enabled: true } },
        pkce: { required: () => true },
        findAccount: (context, id) => ({ accountId: id, claims: () => ({ sub: id, ...people[id] }) }),
    });

    provider.on('server_error', (context, error) => console.error(error));
    return provider.callback();
}

let answer = newProvider();
http.createServer((request, response) => {
    if (request.method === 'POST' && request.url === '/rotate') {
        answer = newProvider();
        response.end();
    } else {
        answer(request, response);
    }
}).listen(port, '127.0.0.1', () => console.log(issuer));

// Signs in by OAuth with an official client for Node, as it comes, and calls tools: sign_in.mjs SERVER COOKIE read|write
// CALLS, the same as tests/oauth_clients/call_tools.py. MCP_CLIENT names the package, as in use.mjs.

const packages = {
    sdk: ["@modelcontextprotocol/sdk/client/index.js", "@modelcontextprotocol/sdk/client/streamableHttp.js"],
    client: ["@modelcontextprotocol/client", "@modelcontextprotocol/client"],
};
const [main, transport] = packages[process.env.MCP_CLIENT];
const { Client } = await import(main);
const { StreamableHTTPClientTransport } = await import(transport);

const [server, cookie, right, calls] = process.argv.slice(2);
const callback = "http://127.0.0.1:3030/callback";
const statuses = [];
const kept = {};
let back;

// The page of consent, without a browser: what it asks and sends.
async function consent(address) {
    const question = Object.fromEntries(address.searchParams);
    const headers = { Origin: address.origin, Cookie: `assay_session=${cookie}`, "Content-Type": "application/json" };
    const page = `${address.origin}/accounts/api/oauth/authorization`;
    const about = await (await fetch(`${page}?${address.searchParams}`, { headers })).json();
    if (about.error || about.client_name !== "A client of npm") throw new Error(JSON.stringify(about));
    const decided = await fetch(page, {
        method: "POST", headers, body: JSON.stringify({ ...question, allow: true, write: right === "write" }),
    });
    back = new URL((await decided.json()).redirect_to).searchParams;
}

const provider = {
    redirectUrl: callback,
    clientMetadata: { client_name: "A client of npm", redirect_uris: [callback], token_endpoint_auth_method: "none" },
    state: () => "a state of this client",
    clientInformation: () => kept.client,
    saveClientInformation: (client) => { kept.client = client; },
    tokens: () => kept.tokens,
    saveTokens: (tokens) => { kept.tokens = tokens; },
    saveCodeVerifier: (verifier) => { kept.verifier = verifier; },
    codeVerifier: () => kept.verifier,
    redirectToAuthorization: consent,
};

async function watched(address, options) {
    const answer = await fetch(address, options);
    if (String(address) === server && options?.method === "POST") statuses.push(answer.status);
    return answer;
}

const made = () => new StreamableHTTPClientTransport(new URL(server), { authProvider: provider, fetch: watched });
const refused = made();
const failure = await new Client({ name: "test", version: "1" }).connect(refused).then(() => null, (error) => error);
if (failure === null || !back) throw failure ?? new Error("it was let in without a token");
await refused.finishAuth(back.get("code"), back.get("iss"));

const client = new Client({ name: "test", version: "1" });
await client.connect(made());
const results = [];
for (const [name, args] of JSON.parse(calls)) {
    const told = await client.callTool({ name, arguments: args });
    results.push({ error: told.isError ?? false, structure: told.structuredContent ?? null, meta: told._meta ?? null });
}
console.log(JSON.stringify({ statuses, scope: kept.tokens.scope, results }));
await client.close();

// The same as use.py with the official clients for Node: MCP_CLIENT names the package, the SDK of the first
// generation or the client of the second.

const packages = {
    sdk: ["@modelcontextprotocol/sdk/client/index.js", "@modelcontextprotocol/sdk/client/streamableHttp.js"],
    client: ["@modelcontextprotocol/client", "@modelcontextprotocol/client"],
};
const [main, transport] = packages[process.env.MCP_CLIENT];
const { Client } = await import(main);
const { StreamableHTTPClientTransport } = await import(transport);

const token = process.env.MCP_TOKEN;
const client = new Client({ name: "test", version: "1" });
await client.connect(new StreamableHTTPClientTransport(new URL(process.env.MCP_URL), {
    requestInit: { headers: token ? { Authorization: `Bearer ${token}` } : {} },
}));

const tools = [];
let cursor;
do {
    const page = await client.listTools(cursor ? { cursor } : {});
    tools.push(...page.tools);
    cursor = page.nextCursor;
} while (cursor);

async function call(name, args) {
    try {
        const told = await client.callTool({ name, arguments: args });
        return {
            error: told.isError ?? false, text: told.content.filter((part) => part.type === "text").map((part) => part.text),
            structure: told.structuredContent ?? null, meta: told._meta ?? null,
        };
    } catch (error) {
        return { raised: String(error) };
    }
}

let calls = JSON.parse(process.env.MCP_CALLS ?? "{}");
if (Object.keys(calls).length === 0) {
    const free = tools.filter((tool) => tool.annotations.readOnlyHint && tool.inputSchema.required.length === 0);
    calls = Object.fromEntries(free.map((tool) => [tool.name, {}]));
}
const results = {};
for (const [name, args] of Object.entries(calls)) results[name] = await call(name, args);
const prompts = (await client.listPrompts()).prompts;
console.log(JSON.stringify({
    tools: tools.map((tool) => tool.name), results, prompts: prompts.map((one) => one.name),
}));
await client.close();

// Asks the front for OpenAI's clients with the official Node client, which finds address and key in
// its own variables, and prints what it got as JSON. tests/api/orchestrator_front_test.py says what
// that has to be.

import OpenAI from "openai";

const client = new OpenAI({ maxRetries: 0 });
const user = [{ role: "user", content: "hi there" }];
const tools = [{ type: "function", function: { name: "look_up", parameters: { type: "object" } } }];

async function failure(ask) {
    try {
        return { answered: String(await ask()) };
    } catch (error) {
        if (error.status === undefined) return { class: error.constructor.name, code: error.code };
        return {
            class: error.constructor.name, status: error.status, code: error.code, param: error.param ?? null,
            type: error.type, request_id: Boolean(error.requestID),
        };
    }
}

const create = (options, client_) =>
    (client_ ?? client).chat.completions.create({ model: "plain", messages: user, ...options });

async function completion(options) {
    const answer = await create(options);
    const [choice] = answer.choices;
    return {
        text: choice.message.content, finish: choice.finish_reason, role: choice.message.role,
        tokens: answer.usage.total_tokens, model: answer.model, object: answer.object,
        tools: (choice.message.tool_calls ?? []).map((call) => [call.function.name, call.function.arguments]),
    };
}

async function streamed(options) {
    const told = { text: "", finish: null, tokens: null, tools: [] };
    for await (const chunk of await create({ stream: true, stream_options: { include_usage: true }, ...options })) {
        for (const choice of chunk.choices) {
            told.text += choice.delta.content ?? "";
            told.finish = choice.finish_reason ?? told.finish;
            for (const call of choice.delta.tool_calls ?? [])
                told.tools.push([call.function.name, call.function.arguments]);
        }
        told.tokens = chunk.usage?.total_tokens ?? told.tokens;
    }
    return told;
}

const accumulated = async () =>
    (await client.chat.completions.stream({ model: "plain", messages: user }).finalChatCompletion()).choices[0].message.content;

const listed = [];
for await (const model of client.models.list()) listed.push(model.id);

console.log(JSON.stringify({
    models: listed,
    model: (await client.models.retrieve("plain")).owned_by,
    completion: await completion(),
    stream: await streamed(),
    accumulated: await accumulated(),
    concurrently: (await Promise.all([1, 2, 3, 4].map(() => completion()))).map((answer) => answer.text),
    tools: await completion({ model: "tools", tools, tool_choice: "required" }),
    "tools streamed": await streamed({ model: "tools", tools }),
    "tool results": (await completion({
        model: "echo",
        messages: [...user,
            { role: "assistant", tool_calls: [{ id: "1", type: "function", function: { name: "look_up", arguments: "{}" } }] },
            { role: "tool", tool_call_id: "1", content: "found" }],
    })).text,
    wishes: JSON.parse((await completion({
        model: "wishes", response_format: { type: "json_object" }, frequency_penalty: 0.5, tools,
        tool_choice: { type: "function", function: { name: "look_up" } },
    })).text),
    "wishes of the other protocol": JSON.parse((await completion({
        model: "anthropic wishes", tools, tool_choice: "required", messages: [{ role: "system", content: "S" }, ...user],
        response_format: { type: "json_schema", json_schema: { name: "n", schema: { type: "array" } } },
    })).text),
    smart: (await completion({ model: "orch:smart" })).text,
    spliced: (await streamed({ model: "breaks" })).text,
    "unknown model": await failure(() => create({ model: "nobody" })),
    "unknown model retrieved": await failure(() => client.models.retrieve("nobody")),
    "wrong member": await failure(() => create({ temperature: 9 })),
    "wrong message": await failure(() => create({ messages: [{ role: "user", content: "x" }, { role: "nobody", content: "x" }] })),
    "wrong key": await failure(() => client.withOptions({ apiKey: "wrong" }).models.list()),
    busy: await failure(() => create({ model: "busy" })),
    broken: await failure(() => create({ model: "broken", messages: [{ role: "user", content: "fail" }] })),
    "broken stream": await failure(() => streamed({ model: "last", messages: [{ role: "user", content: "break" }] })),
}));

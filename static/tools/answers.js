/*
 * The answers of the services as TypeScript declarations, made from their OpenAPI documents: for the
 * compiler that checks the pages, never for a browser. What the pages call them by stands in
 * shared/ui/answers.d.ts.
 */
const methods = ['get', 'put', 'post', 'delete', 'patch'];
const plain = { string: 'string', number: 'number', integer: 'number', boolean: 'boolean', null: 'null' };
const quoted = (text) => JSON.stringify(text);
const oneOf = (types) => [...new Set(types)].join(' | ');

function objectType({ properties, required = [], additionalProperties }, service) {
    if (properties === undefined)
        return `Record<string, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties, service) : 'any'}>`;
    const members = Object.entries(properties).map(
        ([name, schema]) => `${quoted(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema, service)}`,
    );
    return `{ ${members.join('; ')} }`;
}

/* A schema as a type; what says nothing, or what this does not know, is `any`. */
function typeOf(schema, service) {
    if (schema.$ref !== undefined) return `${service}.${schema.$ref.split('/').at(-1)}`;
    if (schema.const !== undefined) return quoted(schema.const);
    if (schema.enum !== undefined) return oneOf(schema.enum.map(quoted));
    const alternatives = schema.anyOf ?? schema.oneOf;
    if (alternatives !== undefined) return oneOf(alternatives.map((one) => typeOf(one, service)));
    if (Array.isArray(schema.type)) return oneOf(schema.type.map((type) => typeOf({ ...schema, type }, service)));
    if (schema.type === 'array') return `(${typeOf(schema.items ?? {}, service)})[]`;
    if (schema.type === 'object') return objectType(schema, service);
    return plain[schema.type] ?? 'any';
}

/* Of the answers that are no failure, what a script gets: null where there is no content, or only a redirection. */
function answerOf({ responses }, service) {
    const contents = Object.entries(responses)
        .filter(([status]) => status.startsWith('2'))
        .map(([, { content }]) => content);
    const types = contents.map((content) => {
        if (content === undefined) return 'null';
        const json = content['application/json'];
        return json === undefined ? 'string' : typeOf(json.schema, service);
    });
    return types.length === 0 ? 'null' : oneOf(types);
}

/* Parameters of a path have no name here: a call knows only where they are. */
function callsOf({ paths }, service) {
    return Object.entries(paths).flatMap(([path, item]) =>
        methods
            .filter((method) => item[method] !== undefined)
            .map((method) => `${quoted(`${method.toUpperCase()} ${path.replace(/\{[^}]*\}/g, '{}')}`)}: ${answerOf(item[method], service)};`),
    );
}

/* The declarations of one service: its schemas as `service.Name`, its calls as a member of Answers. */
export function declarationsOf(service, document) {
    const schemas = Object.entries(document.components.schemas).map(([name, schema]) => `type ${name} = ${typeOf(schema, service)};`);
    return [
        `declare namespace ${service} {`,
        ...schemas.map((line) => `    ${line}`),
        '}',
        `interface Answers {\n    ${service}: {`,
        ...callsOf(document, service).map((line) => `        ${line}`),
        '    };\n}\n',
    ].join('\n');
}

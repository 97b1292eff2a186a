/* How a program asks for the flag by OpenFeature, in two languages; the value of the code is the flag's default. */

const methods = {
    boolean: ['getBooleanValue', 'get_boolean_value'],
    string: ['getStringValue', 'get_string_value'],
    number: ['getNumberValue', 'get_float_value'],
    object: ['getObjectValue', 'get_object_value'],
};

/* A value of JSON as Python writes it. */
function pythonOf(value) {
    if (value === null) return 'None';
    if (typeof value === 'boolean') return value ? 'True' : 'False';
    if (Array.isArray(value)) return `[${value.map(pythonOf).join(', ')}]`;
    if (typeof value === 'object') return `{${Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${pythonOf(one)}`).join(', ')}}`;
    return JSON.stringify(value);
}

/* Not one text of several lines: `import` at the beginning of a line would be taken for one of this module. */
function javascript({ api, key, method, value }) {
    return [
        '// npm install @openfeature/server-sdk @openfeature/core @openfeature/ofrep-provider',
        "import { OpenFeature } from '@openfeature/server-sdk';",
        "import { OFREPProvider } from '@openfeature/ofrep-provider';",
        '',
        `await OpenFeature.setProviderAndWait(new OFREPProvider({ baseUrl: '${api}' }));`,
        `const value = await OpenFeature.getClient().${method[0]}('${key}', ${JSON.stringify(value)}, { targetingKey: 'user-1' });`,
    ].join('\n');
}

function python({ api, key, method, value }) {
    return `# pip install openfeature-sdk openfeature-provider-ofrep
from openfeature import api
from openfeature.contrib.provider.ofrep import OFREPProvider
from openfeature.evaluation_context import EvaluationContext

api.set_provider(OFREPProvider("${api}"))
value = api.get_client().${method[1]}("${key}", ${pythonOf(value)}, EvaluationContext(targeting_key="user-1"))`;
}

export const flagLanguages = { javascript: { title: 'JavaScript', write: javascript }, python: { title: 'Python', write: python } };

/** @param {experiments.Flag} flag */
export function flagSnippetOf(language, api, flag) {
    const { key, value_type: type, variants, default_variation: index } = flag;
    const method = methods[type] ?? methods.boolean;
    return flagLanguages[language].write({ api, key, method, value: variants[index]?.value ?? false });
}

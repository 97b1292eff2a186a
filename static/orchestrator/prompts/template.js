/* Templates as texts: their variables, their text with values, and what differs between two versions, line by line. */

/* As the service reads them: {{name}}, with or without blanks. */
const variable = /\{\{ *([A-Za-z0-9_.-]+) *\}\}/g;

/* The names of the variables in messages, each once, in the order of their first use. */
export function variablesOf(messages) {
    return [...new Set(messages.flatMap(({ content }) => [...content.matchAll(variable)].map(([, name]) => name)))];
}

/* A text as parts {text, name}: name is that of a variable, null for what is between them. */
export function partsOf(content) {
    const parts = [];
    let end = 0;
    for (const found of content.matchAll(variable)) {
        if (found.index > end) parts.push({ text: content.slice(end, found.index), name: null });
        parts.push({ text: found[0], name: found[1] });
        end = found.index + found[0].length;
    }
    if (end < content.length) parts.push({ text: content.slice(end), name: null });
    return parts;
}

/* The lines of all messages, each message below a line with the name of its role. */
export function linesOf(messages, nameOfRole) {
    return messages.flatMap(({ role, content }) => [`${nameOfRole(role)}:`, ...content.split('\n')]);
}

/* Lengths of the longest common subsequences of the rests of two lists. */
function commonLengths(before, after) {
    const table = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1));
    for (let i = before.length - 1; i >= 0; i--)
        for (let j = after.length - 1; j >= 0; j--)
            table[i][j] = before[i] === after[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
    return table;
}

/* [{kind: 'same' | 'removed' | 'added', text}], in the order in which a reader wants them. */
export function diffLines(before, after) {
    const table = commonLengths(before, after);
    const rows = [];
    let i = 0;
    let j = 0;
    while (i < before.length || j < after.length) {
        if (i < before.length && j < after.length && before[i] === after[j]) {
            rows.push({ kind: 'same', text: before[i++] });
            j++;
        } else if (j >= after.length || (i < before.length && table[i + 1][j] >= table[i][j + 1])) rows.push({ kind: 'removed', text: before[i++] });
        else rows.push({ kind: 'added', text: after[j++] });
    }
    return rows;
}

/* All versions of each name: [{name, versions (the newest first), production}]. */
export function groupsOf(templates) {
    return [...Map.groupBy(templates, ({ name }) => name)].map(([name, versions]) => ({
        name,
        versions,
        production: versions.find(({ production }) => production) ?? null,
    }));
}

/* A call of the template as a program makes it. */
export function snippets({ name, version, variables, model, base }) {
    const values = Object.fromEntries(variables.map((one) => [one, '…']));
    const prompt = { id: name, version: String(version), ...(variables.length > 0 ? { variables: values } : {}) };
    const literal = JSON.stringify(prompt).replaceAll('":', '": ').replaceAll(',"', ', "');
    return {
        curl: `curl -sS ${base}/responses \\\n  -H "Authorization: Bearer $ASSAY_KEY" -H "Content-Type: application/json" \\\n  -d '{"model": ${JSON.stringify(model)}, "prompt": ${literal.replaceAll("'", "'\\''")}}'`,
        python: `import os\nfrom openai import OpenAI\n\nclient = OpenAI(base_url="${base}", api_key=os.environ["ASSAY_KEY"])\nanswer = client.responses.create(\n    model=${JSON.stringify(model)},\n    prompt=${literal},\n)\nprint(answer.output_text)`,
    };
}

/* Values of JSON as people type them: a text as it is, anything else as JSON writes it, and in quotes what would be taken for that. */

function parsed(text) {
    try {
        return JSON.parse(text);
    } catch {
        return undefined;
    }
}

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/* What is typed where a text is asked for: only quotes around all of it are not part of it. */
export function textIn(typed) {
    const value = parsed(typed);
    return typeof value === 'string' ? value : typed;
}

/* What is typed where any value may stand. */
export function valueIn(typed) {
    const value = parsed(typed);
    return value === undefined ? typed : value;
}

/* A list: as JSON, or its items with commas between them. */
export function listIn(typed) {
    const value = parsed(typed);
    if (Array.isArray(value)) return value;
    return typed
        .split(/[,،，]/)
        .map((item) => item.trim())
        .filter((item) => item !== '')
        .map(valueIn);
}

/* What somebody would type for a value, where `read` makes a value of it. */
export function typedOf(value, read) {
    const plain = Array.isArray(value) ? value.join(', ') : String(value);
    return plain === plain.trim() && same(read(plain), value) ? plain : JSON.stringify(value);
}

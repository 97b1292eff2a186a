/*
 * What was entered, as the address of the page: a link is the whole question. Long lists of values stand behind the
 * number sign, which no server reads, so that no limit of a server cuts them.
 */

const queryMax = 2000; /* characters that every server and chat takes */

/* Puts the values of a form into the address, without a step in the history. */
export function rememberInAddress(values) {
    const url = new URL(location.href);
    const lang = new URLSearchParams(url.search).get('lang');
    const entered = new URLSearchParams();
    for (const [name, value] of Object.entries(values)) entered.set(name, String(value));
    const text = entered.toString();
    const kept = new URLSearchParams(lang === null ? {} : { lang });
    url.search = text.length <= queryMax ? [text, kept.toString()].filter(Boolean).join('&') : kept.toString();
    url.hash = text.length <= queryMax ? '' : text;
    history.replaceState(history.state, '', url);
}

const isNumber = (text) => /^-?\d*\.?\d+(e[-+]?\d+)?$/i.test(text);
const valueOf = (text) => (isNumber(text) ? Number(text) : text);

/* The values of `fields` that the address names; numbers where the texts are some. */
export function valuesInAddress(fields) {
    const behind = location.hash.includes('=') ? location.hash.slice(1) : '';
    const query = new URLSearchParams([location.search.slice(1), behind].filter(Boolean).join('&'));
    const read = ({ name, list, kind }) => {
        const text = query.get(name);
        if (list) return text.split(',').map(valueOf);
        return kind === 'textarea' || kind === 'text' ? text : valueOf(text);
    };
    return Object.fromEntries(fields.filter(({ name }) => query.has(name)).map((field) => [field.name, read(field)]));
}

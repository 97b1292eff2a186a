/*
 * Finds in a source what an answer took from it. Answers quote their documents, so the sentences
 * before a citation mark usually stand in the source word for word; where none does, the excerpt of
 * the citation is marked.
 */

const shortest = 12; /* characters; less would mark words all over the text */

function escaped(text) {
    return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/* Where `wanted` lies in `text`, blanks and marks of lists and emphasis apart. */
function placeOf(text, wanted) {
    const words = wanted
        .replace(/^[\s….]+|[\s…]+$/g, '')
        .split(/[\s*_`#>|]+/)
        .filter((word) => !/^[:-]*$/.test(word));
    if (words.join(' ').length < shortest) return null;
    const found = new RegExp(words.map(escaped).join('[\\s*_`#>|:-]+'), 'iu').exec(text);
    return found === null ? null : { from: found.index, to: found.index + found[0].length };
}

/* The pieces of an answer that end in the mark [index]. */
export function quotesOf(answer, index) {
    const pieces = answer.split(/(?:\[\d+\]\s*)+[.!?。؟]?/u);
    const marks = [...answer.matchAll(/(?:\[\d+\]\s*)+[.!?。؟]?/gu)].map(([all]) => all);
    return pieces
        .filter((_, at) => marks[at]?.includes(`[${index}]`))
        .flatMap((piece) => piece.split(/\n+|(?<=[.!?。؟])\s+/u))
        .map((piece) => piece.replace(/^\s*(?:[-*•]|\d+[.)])\s+/, '').trim())
        .filter((piece) => piece.length >= shortest);
}

function merged(places) {
    const sorted = places.toSorted((a, b) => a.from - b.from);
    return sorted.reduce((all, place) => {
        const last = all.at(-1);
        if (last && place.from <= last.to + 1) last.to = Math.max(last.to, place.to);
        else all.push({ ...place });
        return all;
    }, []);
}

/* [{from, to}] of `text`: where the answer quotes it, else where the excerpt lies. */
export function markedRanges(text, { answer = '', index = 0, excerpt = '' }) {
    const quoted = quotesOf(answer, index).map((quote) => placeOf(text, quote)).filter(Boolean);
    return merged(quoted.length > 0 ? quoted : [placeOf(text, excerpt)].filter(Boolean));
}

/* `text` as [{text, marked}]. */
export function partsOf(text, ranges) {
    const parts = [];
    let at = 0;
    for (const { from, to } of ranges) {
        if (from > at) parts.push({ text: text.slice(at, from), marked: false });
        parts.push({ text: text.slice(from, to), marked: true });
        at = to;
    }
    if (at < text.length) parts.push({ text: text.slice(at), marked: false });
    return parts;
}

/* A text as pieces of text and the numbers of citation marks: ['… ', 1, ' …']. */
export function citedParts(text) {
    return text
        .split(/\[(\d{1,3})\]/)
        .map((part, at) => (at % 2 === 1 ? Number(part) : part))
        .filter((part) => part !== '');
}

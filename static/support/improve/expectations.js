/*
 * What a right answer must say and must not say, as fields of the page. The service keeps both in the
 * reviewer's notes: lines "include: a | b" and "exclude: c".
 */

const separators = /[|,;]+/g; /* they part phrases in the notes, so no phrase can hold them */

function phrasesOf(text) {
    return (text ?? '')
        .split('\n')
        .map((line) => line.replace(separators, ' ').replace(/\s+/g, ' ').trim())
        .filter((line) => line !== '');
}

/* The notes of a verdict from the values of the form. */
export function notesOf({ notes = '', must = '', must_not: mustNot = '' }) {
    const marks = [['include', phrasesOf(must)], ['exclude', phrasesOf(mustNot)]];
    return [notes.trim(), ...marks.filter(([, list]) => list.length > 0).map(([label, list]) => `${label}: ${list.join(' | ')}`)]
        .filter((line) => line !== '')
        .join('\n');
}

/* Notes taken apart again, for reading. */
export function readNotes(text) {
    const read = { notes: [], must: [], mustNot: [] };
    const labels = { include: 'must', must_include: 'must', answer_contains: 'must', exclude: 'mustNot', must_not_include: 'mustNot', answer_not_contains: 'mustNot' };
    for (const line of text.split('\n')) {
        const [, label, value] = /^\s*(\w+)\s*:\s*(.*)$/.exec(line) ?? [];
        const list = labels[label?.toLowerCase()];
        if (list) read[list].push(...value.split(/[|,;]/).map((one) => one.trim()).filter(Boolean));
        else read.notes.push(line);
    }
    return { ...read, notes: read.notes.join('\n').trim() };
}

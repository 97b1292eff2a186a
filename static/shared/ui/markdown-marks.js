/*
 * Ranges of a Markdown source that are shown as marked. Two characters of the private use area stand at their
 * ends while the source is taken apart; they are put where they cannot hide a list, a heading or a table.
 */

const begin = '\ue000';
const end = '\ue001';
const both = /[\ue000\ue001]/g;
const leading = /^[\s|>#*+_-]*(?:\d+[.)]\s+)?/; /* of a line: its signs, not its words */
const trailing = /[\s|*_]*$/;

export function withoutMarks(text) {
    return text.replace(both, '');
}

/* A marked range by lines, each from its first word to its last; lines without words stay as they are. */
function markLines(text) {
    return text
        .split('\n')
        .map((line) => {
            const from = leading.exec(line)[0].length;
            const to = line.length - trailing.exec(line)[0].length;
            if (to <= from || !/[\p{L}\p{N}]/u.test(line)) return line;
            return line.slice(0, from) + begin + line.slice(from, to) + end + line.slice(to);
        })
        .join('\n');
}

export function withMarks(source, ranges) {
    const clean = withoutMarks(source);
    if (clean.length !== source.length) return clean; /* the ranges would lie elsewhere */
    let at = 0;
    let text = '';
    for (const { from, to } of ranges) {
        text += source.slice(at, from) + markLines(source.slice(from, to));
        at = to;
    }
    return text + source.slice(at);
}

/*
 * (text, view) → the pieces of a text, each through `view`, marked ones through `mark` as well; whether one is marked
 * goes on from text to text.
 */
export function createMarker(mark) {
    let marked = false;
    return (text, view) => {
        if (!marked && !text.includes(begin)) return view(withoutMarks(text));
        return text.split(/([\ue000\ue001])/).map((piece) => {
            if (piece === begin) marked = true;
            else if (piece === end) marked = false;
            else if (piece !== '') return marked ? mark(view(piece)) : view(piece);
            return null;
        });
    };
}

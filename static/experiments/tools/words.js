/* Lists that people type into one field: numbers, and names with a number each. */
import { readNumber } from '../../shared/ui/units.js';

const partsOf = (text) => String(text ?? '').split(/[\s;]+|,(?=\s|$)|,(?=\d*\.)/).filter(Boolean);

/* Numbers of a text; what is none stays as it is written, for the API to refuse. `percent` reads 80% as 0.8. */
export function numbersIn(text) {
    return partsOf(text).map((part) => {
        const read = readNumber(part);
        if (read === null) return part;
        return read.percent ? Number((read.value / 100).toPrecision(15)) : read.value;
    });
}

/* Lines of a name and a number; a line without a name is called by its place. */
export function namedNumbers(text, nameOf) {
    return String(text ?? '')
        .split(/\r?\n/)
        .map((line) => line.trim())
        .filter(Boolean)
        .map((line, index) => {
            const [, name, last] = /^(.*?)[\s;:,=]*(\S+)$/.exec(line);
            return { name: name.trim() === '' ? nameOf(index) : name.trim(), value: readNumber(last)?.value ?? last };
        });
}

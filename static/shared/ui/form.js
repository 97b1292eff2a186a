/*
 * A form by description: fields under their names in the API. It keeps what has been typed, reads it
 * by the kind of each field, and shows what the API says about it. Any number of forms per page.
 */
import { hasText, t } from '../i18n.js';
import { released } from '../press.js';
import { fieldView } from './field.js';
import { html, nothing } from './lit.js';
import { pastedCells, readQuantity, writeQuantity } from './units.js';

const quantities = ['percent', 'fraction', 'count', 'number'];

const isName = (part) => typeof part === 'string';

function problemText(item) {
    const key = `problem.${item.type}`;
    const values = item.ctx ?? {};
    const complete = hasText(key) && !t(key, values).includes('{{');
    return complete ? t(key, values) : String(item.msg ?? '').replace(/^Value error, /, '');
}

/* The field that a text names first: rules about several fields point at the whole body. */
function namedIn(text, names) {
    return names
        .map((name) => ({ name, at: text.search(new RegExp(`\\b${name}\\b`)) }))
        .filter(({ at }) => at >= 0)
        .sort((a, b) => a.at - b.at)[0]?.name ?? null;
}

function startsUpper(text) {
    return text.charAt(0).toLocaleUpperCase() + text.slice(1);
}

/*
 * description: id (prefix of the ids of its controls, none by default); fields, a list of
 *   {name, kind, label, hint?, optional?, initial?, options?, affix?, placeholder?, wide?, …}
 *   kind: percent, fraction, count, number, text, textarea, password, date, select, choice, flag;
 *   kind, label, hint and the like may be functions of the values of the fields before, so that they
 *   follow language and input; applies(values) says whether the field is asked for at all; list {count(values),
 *   name(index), label(index), initial(index, count)} makes it one control per item; flagValue is
 *   what a ticked box is sent as; spread: names of the fields that a pasted row goes on into; holds: names in the API of
 *   what is typed into this field.
 * onInput(values) is called after each change, onSubmit(values) when the reader asks.
 */
export function createForm(update, { id = '', fields, onInput = null, onSubmit = null }) {
    const byName = new Map(fields.map((field) => [field.name, field]));
    const holders = new Map(fields.flatMap(({ name, holds = [] }) => holds.map((part) => [part, name])));
    const names = fields.map((field) => field.name);
    let texts = {};
    let problems = [];
    let spared = null; /* the field that is being typed in gets its message once it is left */
    let explicit = false;

    const domId = (name) => (id === '' ? name : `${id}-${name}`);
    const evaluated = (value, values) => (typeof value === 'function' ? value(values) : value);

    const kindOf = (field, values) => evaluated(field.kind, values);
    const isQuantity = (field, values) => quantities.includes(kindOf(field, values));

    function initialText(field, values) {
        if (field.kind === 'flag') return 'false';
        if (field.initial !== undefined) return writeQuantity(field.initial, kindOf(field, values));
        return '';
    }

    /* What is chosen, the first option where nothing is or what was is no longer there. */
    function chosen(field, values) {
        const options = evaluated(field.options, values);
        const found = options.find(({ value }) => String(value) === texts[field.name]);
        return found ?? options[0];
    }

    /* Texts of a list as long as it should be: another number of items starts anew. */
    function listTexts(field, values) {
        const count = field.list.count(values);
        if (texts[field.name]?.length !== count)
            texts[field.name] = Array.from({ length: count }, (_, index) =>
                writeQuantity(field.list.initial?.(index, count), field.kind),
            );
        return texts[field.name];
    }

    function valueOf(field, values) {
        if (field.list) {
            const all = listTexts(field, values);
            if (all.every((text) => text.trim() === '')) return undefined;
            return all.map((text) => readQuantity(text, field.kind).value ?? '');
        }
        const text = texts[field.name] ?? '';
        if (field.options) {
            const value = chosen(field, values)?.value;
            return value === '' ? undefined : value;
        }
        if (field.kind === 'flag') return text === 'true' ? (field.flagValue ?? true) : undefined;
        if (isQuantity(field, values)) return readQuantity(text, kindOf(field, values)).value;
        const kept = field.kind === 'textarea' || field.kind === 'password' ? text : text.trim();
        return kept === '' ? undefined : kept;
    }

    function readAll() {
        const values = {};
        for (const field of fields) {
            if (field.applies && !field.applies(values)) continue;
            const value = valueOf(field, values);
            if (value !== undefined) values[field.name] = value;
        }
        return values;
    }

    function changed() {
        onInput?.(readAll());
        update();
    }

    function type(field, text, index) {
        if (index === null || index === undefined) texts[field.name] = text;
        else texts[field.name] = texts[field.name].with(index, text);
        spared = field.name;
        changed();
    }

    /* Cells of a spreadsheet go into this control and the ones after it. */
    function paste(field, event, index) {
        const cells = pastedCells(event.clipboardData?.getData('text') ?? '');
        if (cells === null) return;
        event.preventDefault();
        if (field.list)
            cells.forEach((cell, at) => {
                if ((index ?? 0) + at < texts[field.name].length)
                    texts[field.name] = texts[field.name].with((index ?? 0) + at, cell);
            });
        else
            [field.name, ...(field.spread ?? [])].slice(0, cells.length).forEach((name, at) => {
                texts[name] = cells[at];
            });
        changed();
    }

    function descriptionOf(field) {
        const values = readAll();
        const mine = problems.filter(({ name }) => name === field.name);
        const shown = field.name === spared && !explicit ? [] : mine;
        const kind = kindOf(field, values);
        const read = quantities.includes(kind) && !field.list ? readQuantity(texts[field.name] ?? '', kind) : {};
        return {
            ...field,
            kind,
            id: domId(field.name),
            wide: evaluated(field.wide, values),
            label: evaluated(field.label, values),
            hint: evaluated(field.hint, values) ?? null,
            options: evaluated(field.options, values),
            affix: evaluated(field.affix, values) ?? (kind === 'percent' && !/[%\u066a]/.test(texts[field.name] ?? '') ? '%' : null),
            placeholder: evaluated(field.placeholder, values),
            text: field.list
                ? listTexts(field, values)
                : field.options
                  ? String(chosen(field, values)?.value ?? '')
                  : (texts[field.name] ?? ''),
            count: field.list?.count(values),
            itemName: field.list?.name,
            itemLabel: field.list?.label,
            required: !field.optional && field.kind !== 'flag',
            echo: read.echo ?? '',
            question: read.question ?? null,
            suggestion: read.hint ?? null,
            message: [...new Set(shown.map(({ message }) => message))].join(' '),
            wrong: (index) => shown.some((one) => one.index === null || index === null || one.index === index),
            type: (text, index = null) => type(field, text, index),
            paste: (event, index) => paste(field, event, index),
            take(meant) {
                texts[field.name] = meant.text;
                changed();
            },
        };
    }

    function labelOf(name) {
        const field = byName.get(name);
        return field ? evaluated(field.label, readAll()) : name;
    }

    /* The API names fields as its callers know them; a reader knows them by their labels. */
    function withLabels(text) {
        return startsUpper(
            text.replace(/\b[a-z]+(_[a-z]+)+\b/g, (name) => (byName.has(name) ? `“${labelOf(name)}”` : name)),
        );
    }

    /* The names of the fields that are asked for as things stand. */
    function namesNow() {
        const values = readAll();
        return fields.filter(({ applies }) => !applies || applies(values)).map(({ name }) => name);
    }

    /* Where in a path a field is named: as a whole (control_n for control.n), else by the last part that is one. */
    function fieldAt(loc) {
        const from = loc.findIndex((_, index) => byName.has(loc.slice(index).filter(isName).join('_')));
        if (from >= 0) return { name: loc.slice(from).filter(isName).join('_'), below: [] };
        const at = loc.findLastIndex((part) => byName.has(part) || holders.has(part));
        if (at < 0) return { name: null, below: [] };
        return byName.has(loc[at]) ? { name: loc[at], below: loc.slice(at + 1) } : { name: holders.get(loc[at]), below: loc.slice(at) };
    }

    /* Which item of a list that is typed into one field is meant: "3 · std: ". */
    function stepsBelow(name, below) {
        const steps = below.map((part) => (Number.isInteger(part) ? part + 1 : part));
        return steps.length > 0 && byName.get(name)?.kind === 'textarea' ? `${steps.join(' · ')}: ` : '';
    }

    function problemOf(item) {
        const loc = item.loc ?? [];
        const { name, below } = fieldAt(loc);
        const text = withLabels(problemText(item));
        const last = loc.at(-1);
        return {
            name: name ?? namedIn(String(item.msg ?? ''), namesNow()),
            index: name !== null && Number.isInteger(last) ? last : null,
            message: name === null && item.type !== 'value_error' && last ? `${last}: ${text}` : stepsBelow(name, below) + text,
        };
    }

    function focus(problem) {
        spared = null;
        update();
        queueMicrotask(() => {
            const inside = `[data-field="${problem.name}"] :is(input, select, textarea)`;
            /** @type {NodeListOf<HTMLElement>} */
            const all = document.querySelectorAll(id === '' ? inside : `#${id} ${inside}`);
            const control = all[problem.index ?? 0] ?? all[0];
            const fold = control?.closest('details');
            if (fold) fold.open = true;
            control?.focus();
            control?.scrollIntoView({ block: 'center' });
        });
    }

    const form = {
        names,
        values: readAll,
        texts: () => texts,

        /* Whether a field asks what was meant: until it is answered there is nothing to send. */
        unclear() {
            const values = readAll();
            const asks = (field) =>
                isQuantity(field, values) &&
                !field.list &&
                readQuantity(texts[field.name] ?? '', kindOf(field, values)).question !== null;
            return fields.some((field) => asks(field) && (!field.applies || field.applies(values)));
        },

        /* Empties the form to its defaults and puts `values` over them. */
        write(values = {}) {
            const plain = fields.filter((field) => !field.list);
            texts = Object.fromEntries(plain.map((field) => [field.name, initialText(field, values)]));
            for (const field of fields) {
                const value = values[field.name];
                if (value === undefined || value === null) continue;
                if (field.list) texts[field.name] = [...value].map((one) => writeQuantity(one, field.kind));
                else if (field.kind === 'flag') texts[field.name] = String(String(value) === String(field.flagValue ?? true));
                else texts[field.name] = writeQuantity(value, kindOf(field, values));
            }
            problems = [];
            update();
        },

        /* Puts texts in place as they are, for example those of an earlier form.texts(). */
        writeTexts(kept) {
            texts = structuredClone(kept);
            problems = [];
            update();
        },

        /* Shows what an ApiError says about fields; false when it is about none of them. */
        showError(error, { asked = true } = {}) {
            const items = error.items.map(problemOf);
            const named = items.length === 0 && error.kind === 'rejected' ? namedIn(error.message, namesNow()) : null;
            problems = named === null ? items : [{ name: named, index: null, message: withLabels(error.message) }];
            explicit = asked;
            update();
            if (asked && problems.length > 0)
                queueMicrotask(() => document.getElementById(domId('problems'))?.focus());
            return problems.length > 0;
        },

        clearProblems() {
            problems = [];
            explicit = false;
            update();
        },

        problems: () => problems,
        labelOf,
        withLabels,

        /* The template of one field; nothing where it does not apply. */
        field(name) {
            const field = byName.get(name);
            return field.applies && !field.applies(readAll()) ? nothing : fieldView(descriptionOf(field));
        },

        /* What is wrong, as links to the fields; nothing where all is well or nobody has asked. */
        summary() {
            if (problems.length === 0 || !explicit) return nothing;
            return html`<div class="notice" data-tone="danger" role="alert" tabindex="-1" id=${domId('problems')}>
                <h2 class="notice-title">${t('problem.summary')}</h2>
                <ul>
                    ${problems.map((problem) =>
                        problem.name === null
                            ? html`<li>${problem.message}</li>`
                            : html`<li>
                                  <a
                                      href=${`#${domId(problem.name)}`}
                                      @click=${(event) => {
                                          event.preventDefault();
                                          focus(problem);
                                      }}
                                      >${labelOf(problem.name)}</a
                                  >
                                  — ${problem.message}
                              </li>`,
                    )}
                </ul>
            </div>`;
        },

        /* The form around `content`; without content, all fields in a grid and a button `action`. */
        view(content, { label = null, action = null, busy = false, className = 'form', formId = id } = {}) {
            return html`<form
                class=${className}
                id=${formId === '' ? nothing : formId}
                novalidate
                aria-label=${label ?? nothing}
                @submit=${(event) => {
                    event.preventDefault();
                    spared = null;
                    if (!busy) onSubmit?.(readAll());
                }}
                @focusout=${async () => {
                    if (spared === null) return;
                    await released(); /* a message must not move what is being pressed */
                    spared = null;
                    update();
                }}
            >
                ${form.summary()}
                ${content ?? html`<div class="field-grid">${names.map((name) => form.field(name))}</div>`}
                ${action === null
                    ? null
                    : html`<div class="button-row">
                          <button type="submit" class="button" data-kind="primary" ?disabled=${busy}>${action}</button>
                      </div>`}
            </form>`;
        },
    };
    form.write();
    return form;
}

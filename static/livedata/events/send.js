/* One event that is sent from the page: a form made of what its type has, filled in with an example. */
import { hasText, t } from '../../shared/i18n.js';
import { ApiError } from '../../shared/ui/errors.js';
import { createForm } from '../../shared/ui/form.js';
import { attributeName } from '../words.js';

const atPath = (payload, path) => path.split('.').reduce((value, name) => value?.[name], payload);
const asText = (value) => (typeof value === 'object' && value !== null ? JSON.stringify(value, null, 1) : String(value ?? ''));

/* "data.value" is called "Value". */
export const memberName = (path) => attributeName(path.split('.').at(-1));

function put(payload, path, value) {
    const names = path.split('.');
    const last = names.pop();
    names.reduce((place, name) => (place[name] ??= {}), payload)[last] = value;
}

/* What a control holds as the event has it; undefined where it is left out. */
function valueOf({ type }, text) {
    if (text === undefined || text === '') return undefined;
    if (type === 'boolean') return text === 'true';
    if (type === 'integer' && /^-?\d{1,15}$/.test(text.trim())) return Number(text);
    return type === 'json' || type === 'list' ? JSON.parse(text) : text;
}

function optionsOf({ type, values, required }) {
    const all = type === 'boolean' ? ['true', 'false'] : values;
    const title = (value) => (type === 'boolean' ? t(value === 'true' ? 'word.yes' : 'word.no') : value);
    return [...(required ? [] : [{ value: '', title: '–' }]), ...all.map((value) => ({ value, title: title(value) }))];
}

/* A field of the form for a member of the event. */
function fieldOf(member) {
    const { path, type, required, scale, values, description } = member;
    const hints = [description, scale === undefined ? null : t('events.places', { count: scale })].filter(Boolean);
    return {
        name: path,
        kind: type === 'boolean' || values.length > 0 ? 'select' : type === 'json' || type === 'list' ? 'textarea' : 'text',
        ...(type === 'boolean' || values.length > 0 ? { options: () => optionsOf(member) } : {}),
        label: () => memberName(path),
        hint: () => hints.join(' · ') || null,
        optional: !required,
        wide: type === 'json' || type === 'list',
    };
}

const envelope = [
    { name: 'timestamp', kind: 'text', label: () => t('events.happened'), hint: () => t('events.happened_hint') },
    { name: 'source', kind: 'text', label: () => attributeName('source'), hint: () => t('events.source_hint'), maxLength: 64 },
];

/* {types, type, form, result, …}: `choose(domains, name)` begins with a type, or the first one. */
export function createSending({ client, update }) {
    const sending = { types: [], type: null, form: null, result: null, problem: null, busy: false, choose, fill, payload };

    function payload() {
        const values = sending.form.texts();
        const event = { event_id: sending.id, event_type: sending.type.event_type, timestamp: (values.timestamp ?? '').trim(), source: (values.source ?? '').trim() };
        for (const member of sending.type.members) {
            const value = valueOf(member, values[member.path]);
            if (value !== undefined) put(event, member.path, value);
        }
        return event;
    }

    /* The example, as of now. */
    function fill() {
        const { members, example } = sending.type;
        const given = members.map((member) => {
            const value = member.type === 'time' ? new Date().toISOString() : atPath(example, member.path);
            return [member.path, asText(value)];
        });
        sending.id = crypto.randomUUID();
        sending.form.writeTexts({ ...Object.fromEntries(given), timestamp: new Date().toISOString(), source: 'manual' });
    }

    function choose(domains, name) {
        sending.types = domains.flatMap(({ name: domain, entities }) => entities.flatMap(({ name: entity, events }) => events.map((event) => ({ ...event, domain, entity }))));
        const found = sending.types.find(({ event_type: type }) => type === name) ?? sending.types[0];
        if (found === undefined || found.event_type === sending.type?.event_type) return;
        Object.assign(sending, { type: found, result: null, problem: null });
        sending.form = createForm(update, { id: 'send', fields: [...found.members.map(fieldOf), ...envelope], onSubmit: send });
        fill();
    }

    async function send() {
        let event;
        try {
            event = payload();
        } catch {
            Object.assign(sending, { problem: t('events.bad_json'), result: null });
            update();
            return;
        }
        Object.assign(sending, { busy: true, problem: null, result: null });
        update();
        try {
            const { data } = await client.post('/v1/events', { events: [event] });
            sending.result = { ...data.results[0], key: atPath(event, sending.type.key) };
            sending.id = crypto.randomUUID();
        } catch (error) {
            if (!(error instanceof ApiError)) throw error;
            const key = `notice.${error.kind}`;
            sending.problem = error.message || t(hasText(key) ? key : 'notice.server');
        } finally {
            sending.busy = false;
            update();
            queueMicrotask(() => document.querySelector('#sent .notice')?.scrollIntoView({ block: 'nearest' }));
        }
    }

    return sending;
}

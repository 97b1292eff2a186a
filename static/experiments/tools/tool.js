/* A tool: a form that the API answers while one types, whose address is the question. */
import { createForm } from '../../shared/ui/form.js';
import { createLive } from '../../shared/ui/live.js';
import { rememberInAddress, valuesInAddress } from '../permalink.js';

/*
 * What is typed into fields whose meaning follows another field: `by` names that field, `of[its value]` are the texts.
 * Texts that nobody has changed follow it; those of the reader stay.
 */
function createExamples({ by, of }) {
    let current = null;
    const known = (name, text) => Object.values(of).some((texts) => texts[name] === text);
    return {
        texts: (values) => of[values[by]] ?? {},
        follow(form, values) {
            if (values[by] === current) return;
            current = values[by];
            const texts = form.texts();
            const fresh = Object.entries(of[current] ?? {}).filter(([name]) => (texts[name] ?? '') === '' || known(name, texts[name]));
            if (fresh.length > 0) form.writeTexts({ ...texts, ...Object.fromEntries(fresh) });
        },
    };
}

const noExamples = { by: '', of: {} };

/*
 * description: fields of createForm; request(values) gives {path, body}; result(answer, tool) a template;
 * announcement(answer) a line for screen readers; examples {by, of} as above; kept, names of fields that an example
 * leaves alone; left(values) is called with every input, and
 * says whether the reader went to another form. The tool has form, live, fill() for its example, and what its answer is
 * about: `question`, {path, body}, and `asked`, the values of the form.
 */
export function createTool(update, client, { fields, request, examples = noExamples, kept = [], left = (_values) => false, ...description }) {
    const filled = createExamples(examples);
    /** @type {any} */
    const tool = {
        ...description,
        get asked() {
            return tool.live.values;
        },
        get question() {
            return { path: tool.live.path, body: tool.live.body };
        },
    };
    /* A field that was emptied stands empty in the address; one that is not there has its first value. */
    const emptied = fields.filter(({ optional, initial }) => optional && initial !== undefined).map(({ name }) => [name, '']);
    tool.form = createForm(update, {
        fields,
        onInput: (values) => {
            if (left(values)) return;
            filled.follow(tool.form, values);
            tool.live.input();
        },
        onSubmit: () => tool.live.ask(true),
    });
    tool.live = createLive(update, {
        client,
        form: tool.form,
        request,
        changed: (values) => rememberInAddress({ ...Object.fromEntries(emptied), ...values }),
    });
    /* Writes values over the defaults, with the example that goes with them. */
    tool.write = (values) => {
        tool.form.write(values);
        const texts = filled.texts(tool.form.values());
        tool.form.write({ ...texts, ...values });
        filled.follow(tool.form, tool.form.values());
    };
    tool.fill = () => {
        const stays = [...kept, examples.by];
        tool.write(Object.fromEntries(Object.entries(tool.form.values()).filter(([name]) => stays.includes(name))));
        tool.live.ask(true);
    };
    tool.write(valuesInAddress(fields));
    return tool;
}

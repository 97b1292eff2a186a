/* A tool: a form that the API answers while one types, whose address is the question. */
import { createForm } from '../../shared/ui/form.js';
import { createLive } from '../../shared/ui/live.js';
import { rememberInAddress, valuesInAddress } from '../permalink.js';

/*
 * description: fields of createForm; request(values) gives {path, body}; result(answer, tool) a template;
 * announcement(answer) a line for screen readers. The tool has form, live, and `asked`, the values of the request.
 */
export function createTool(update, client, { fields, request, ...description }) {
    /** @type {any} */
    const tool = { ...description, asked: {} };
    tool.form = createForm(update, { fields, onInput: () => tool.live.input(), onSubmit: () => tool.live.ask(true) });
    tool.live = createLive(update, {
        client,
        form: tool.form,
        request: (values) => {
            tool.asked = values;
            tool.question = request(values);
            return tool.question;
        },
        changed: rememberInAddress,
    });
    tool.form.write(valuesInAddress(fields));
    return tool;
}

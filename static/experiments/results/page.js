/* The results page: asks the API about what was observed, and shows what that means. */
import { byId } from '../../shared/dom.js';
import { prepareFields } from '../../shared/forms.js';
import { onLocale } from '../../shared/i18n.js';
import { liveForm } from '../../shared/live-form.js';
import '../../shared/shell.js';
import {
    fieldNames,
    readAddress,
    refreshForm,
    rememberInAddress,
    requestOf,
    translateForm,
} from './observed-form.js';
import { showSplitCheck, showTwoSample } from './observed-result.js';

const form = byId('observed');

const page = liveForm({
    form,
    fieldNames,
    request: () => requestOf(form),
    changed: () => rememberInAddress(form),
    show: (_, answer) => ('is_srm' in answer ? showSplitCheck(answer) : showTwoSample(answer)),
});

function start() {
    prepareFields(form);
    refreshForm(form);
    readAddress(form);
    refreshForm(form);
    form.addEventListener('input', () => refreshForm(form));
    onLocale(() => {
        translateForm(form);
        refreshForm(form);
        page.ask(false);
    });
    page.ask(false);
}

start();

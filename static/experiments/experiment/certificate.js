/* The verdict as a signed file: saved here, and checked without the service, by the commands that stand beside it. */
import { t } from '../../shared/i18n.js';
import { codeblock } from '../../shared/ui/codeblock.js';
import { copyButton } from '../../shared/ui/copy.js';
import { html } from '../../shared/ui/lit.js';
import { resourceView } from '../../shared/ui/resource.js';

const commands = ({ api, id }) => `curl -s ${api}/api/v1/experiments/${encodeURIComponent(id)}/certificate -o certificate.json
curl -s ${api}/api/v1/certificates/key -o key.json
python3 verify_certificate.py certificate.json key.json`;

/** @param {experiments.CertificateKey} key */
function fingerprint({ fingerprint: text }) {
    return html`<div class="stack" id="fingerprint">
        <h3>${t('experiment.certificate_key')}</h3>
        <div class="button-row"><code class="key-text" dir="ltr">${text}</code>${copyButton({ text: () => text })}</div>
        <p class="section-note">${t('experiment.certificate_key_note')}</p>
    </div>`;
}

export function certificateCard(page) {
    const { actions, certificateKey } = page;
    return html`<section class="card section stack" aria-labelledby="certificate-title" id="certificate">
        <div class="section-head"><h2 id="certificate-title">${t('experiment.certificate')}</h2></div>
        <p class="section-note">${t('experiment.certificate_note')}</p>
        <div class="button-row">
            <button type="button" class="button" id="save-certificate" @click=${actions.certificate}>${t('experiment.certificate_save')}</button>
            <button type="button" class="button" id="save-key" @click=${actions.certificateKey}>${t('experiment.certificate_save_key')}</button>
        </div>
        ${resourceView(certificateKey, { quiet: true, skeleton: { lines: 1, height: 'row' }, ready: fingerprint })}
        <h3>${t('experiment.certificate_check')}</h3>
        <p class="section-note">${t('experiment.certificate_check_note')}</p>
        ${codeblock(commands(page), { language: 'shell', label: t('experiment.certificate_check') })}
    </section>`;
}

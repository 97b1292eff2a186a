/*
 * The renderer, in one place so that its version is. Templates hold no style= and no on…=: the
 * content policy refuses the one, and listeners are written @click=${…}.
 */
export { html, noChange, nothing, render, svg } from '../../vendor/lit-html-3.3.3/lit-html.js';
export { AsyncDirective } from '../../vendor/lit-html-3.3.3/async-directive.js';
export { directive } from '../../vendor/lit-html-3.3.3/directive.js';
export { keyed } from '../../vendor/lit-html-3.3.3/directives/keyed.js';
export { live } from '../../vendor/lit-html-3.3.3/directives/live.js';
export { ref } from '../../vendor/lit-html-3.3.3/directives/ref.js';
export { repeat } from '../../vendor/lit-html-3.3.3/directives/repeat.js';

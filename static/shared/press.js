/*
 * Holds changes back while a pointer is pressed: a message that appears between press and release
 * moves the button away under the pointer, and the click is lost.
 */

let pressed = false;
const waiting = [];

function release() {
    pressed = false;
    setTimeout(() => waiting.splice(0).forEach((resume) => resume())); /* the click comes first */
}

addEventListener('pointerdown', () => (pressed = true), true);

/* A press may also end without a pointerup, for example in the list of a <select>. */
for (const end of ['pointerup', 'pointercancel', 'input', 'keydown'])
    addEventListener(end, release, true);
addEventListener('blur', release); /* of the window; those of elements do not bubble here */

/* Resolves at once, or when the pointer that is pressed now has been released. */
export function released() {
    return pressed ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve();
}

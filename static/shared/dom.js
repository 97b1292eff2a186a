/*
 * Builds elements without markup strings: text is always text, and no attribute can carry a style
 * or a script.
 */

const svgNamespace = 'http://www.w3.org/2000/svg';

function setAttributes(element, attributes) {
    for (const [name, value] of Object.entries(attributes)) {
        if (name === 'style' || name.startsWith('on'))
            throw new TypeError(
                `attribute ${name} is not allowed: use a class or addEventListener`,
            );
        if (value === undefined || value === null || value === false) continue;
        element.setAttribute(name, value === true ? '' : String(value));
    }
}

function fill(element, children) {
    element.append(
        ...children
            .flat(Infinity)
            .filter((child) => child !== null && child !== undefined && child !== false),
    );
    return element;
}

/* html('p', {class: 'lead'}, 'text', child…): attributes that are null, undefined or false are
 * left out. */
export function html(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    setAttributes(element, attributes);
    return fill(element, children);
}

export function svg(name, attributes = {}, ...children) {
    const element = document.createElementNS(svgNamespace, name);
    setAttributes(element, attributes);
    return fill(element, children);
}

export function byId(id) {
    return document.getElementById(id);
}

/* An icon of 20 by 20 units made of stroked paths. */
export function icon(...paths) {
    return svg(
        'svg',
        {
            class: 'icon',
            viewBox: '0 0 20 20',
            fill: 'none',
            stroke: 'currentColor',
            'stroke-width': 1.5,
            'stroke-linecap': 'round',
            'stroke-linejoin': 'round',
            'aria-hidden': 'true',
        },
        paths.map((d) => svg('path', { d })),
    );
}

// Helpers. Text from a spec becomes text or the value of an attribute, never markup.

/**
 * byId returns the element of the page with an id. The kinds of elements are those of index.html.
 * @param {string} id
 * @returns {any}
 */
export const byId = id => document.getElementById(id);

/**
 * h returns an HTML element. Children are nodes or text.
 * @param {string} name
 * @param {Record<string, any>} attributes
 * @param {any[]} children
 * @returns {any}
 */
export function h(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/**
 * s returns an SVG element.
 * @param {string} name
 * @param {Record<string, any>} attributes
 * @param {any[]} children
 * @returns {any}
 */
export function s(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children.flat().map(c => (c instanceof Node ? c : visible(String(c)))));
  return element;
}

// visible escapes characters that are invisible or change the direction of writing.
export function visible(text) {
  return /^[ -~]*$/.test(text) ? text
    : text.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu, c => "\\u{" + c.codePointAt(0).toString(16) + "}");
}

export const number = n => n.toLocaleString("en");

export const plural = (n, noun) => number(n) + " " + noun + (n === 1 ? "" : "s");

export const capitalised = text => text[0].toUpperCase() + text.slice(1);

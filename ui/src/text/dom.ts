/* Elements made from text. Nothing here takes markup, so nothing that an agent wrote can become
 * any: a string is a text node or the value of an attribute, and that is all it can be. */

type Value = string | number | boolean | null | undefined | ((event: never) => void);
export type Child = Node | string | number | null | undefined | false;

/* Attributes that would run or load something are nobody's business here. */
const FORBIDDEN = /^on|^style$|^srcdoc$/i;
const SVG = "http://www.w3.org/2000/svg";

/* An element: h("button", { type: "button", class: "quiet", onclick: act }, "Pause"). A function
 * under a name like onclick becomes a listener; true is an attribute without a value; false, null
 * and undefined leave it out. "text" and numbers become text nodes, false and null nothing. */
export function h<K extends keyof HTMLElementTagNameMap>(
	tag: K, attributes: Record<string, Value> = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
	const element = document.createElement(tag);

	dress(element, attributes);
	fill(element, children);
	return element;
}

/* The same for what is drawn: svg("path", { d: "M0 0" }). */
export function svg<K extends keyof SVGElementTagNameMap>(
	tag: K, attributes: Record<string, Value> = {}, ...children: Child[]
): SVGElementTagNameMap[K] {
	const element = document.createElementNS(SVG, tag);

	dress(element, attributes);
	fill(element, children);
	return element;
}

/* One of the symbols of index.html, for the eye only. */
export function icon(name: string): SVGElement {
	return svg("svg", { class: "icon", "aria-hidden": "true" }, svg("use", { href: `#icon-${name}` }));
}

/* Replaces what is in an element. */
export function fill(element: Element, children: Child[]): void {
	element.replaceChildren(...children
		.filter((child) => child !== null && child !== undefined && child !== false)
		.map((child) => child instanceof Node ? child : String(child)));
}

/* Writes a text only where it is another one, so that nothing is laid out, selected anew or
 * read out for nothing. */
export function write(element: Element, text: string): void {
	if (element.textContent !== text)
		element.textContent = text;
}

function dress(element: Element, attributes: Record<string, Value>): void {
	for (const [name, value] of Object.entries(attributes)) {
		if (typeof value === "function")
			element.addEventListener(name.replace(/^on/, ""), value as EventListener);
		else if (FORBIDDEN.test(name))
			throw new Error(`no text may be the ${name} of an element`);
		else if (value !== null && value !== undefined && value !== false)
			element.setAttribute(name, value === true ? "" : String(value));
	}
}

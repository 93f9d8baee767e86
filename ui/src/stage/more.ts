/* How many are at work whom the scene has no figure for: said at the edge of the stage, where it
 * leads to the crew, which has everybody. */

import { h, write } from "../text/dom";

export interface More {
	readonly element: HTMLElement;
	look(count: number): void;
}

export function makeMore(name: string): More {
	const element = h("a", { class: name, href: "#/crew", hidden: true,
		title: "Every figure is taken. The next active agent gets the first one that becomes free; the crew lists all sessions." });
	let shown = 0;

	return {
		element,
		look(count) {
			if (count === shown)
				return;
			shown = count;
			element.hidden = count === 0;
			write(element, `and ${count} more at work`);
		},
	};
}

/* Elements in a row, each for a thing with a key. They are made once, moved when the order is
 * another one and removed with their thing, so that focus and selection stay. */

export interface Keyed<T> {
	draw(things: readonly [key: string, thing: T][]): void;
	get(key: string): HTMLElement | undefined;
}

interface Made<T> { root: HTMLElement; draw(thing: T): void }

export function keyed<T>(root: HTMLElement, make: (key: string, thing: T) => Made<T>): Keyed<T> {
	const made = new Map<string, Made<T>>();

	return {
		draw(things) {
			const wanted = new Set(things.map(([key]) => key));

			for (const [key, one] of made) {
				if (wanted.has(key))
					continue;
				one.root.remove();
				made.delete(key);
			}
			things.forEach(([key, thing], i) => {
				const one = made.get(key) ?? make(key, thing);
				made.set(key, one);
				one.draw(thing);
				if (root.children[i] !== one.root)
					root.insertBefore(one.root, root.children[i] ?? null);
			});
		},
		get: (key) => made.get(key)?.root,
	};
}

/* A show that is much to draw, for tests and for bench/page.mjs. */

/* Nobody arrives while somebody looks. */
export const LONG_MS = 300000;

/* Many, of whom some are on their way for long once a signal says "go". */
export function crowdShow(count, tweens) {
	const at = (i) => ({ x: 40 + (i % 20) * 46, y: 40 + Math.floor(i / 20) * 56 });

	return {
		version: 1, name: "A crowd",
		entities: { one: { label: "One", tags: ["agent"], displayWidth: 28, displayHeight: 36, fallbackColor: "#D97757", anchor: [0.5, 1],
			states: { idle: { type: "shape", shape: "person", motion: "breathe", color: "#D97757" } } } },
		scene: {
			dimensions: { width: 960, height: 640 }, layers: [{ id: "l", order: 0 }],
			entities: Array.from({ length: count }, (_, i) => ({ id: `e${i}`, entityId: "one", semanticId: `s${i}`, ...at(i), layerId: "l" })),
			positions: [{ id: "p", name: "there", x: 900, y: 600 }, { id: "q", name: "here", x: 60, y: 60 }],
		},
		choreographies: [{ id: "go", on: "go", steps: [{ action: "parallel", steps: Array.from({ length: tweens }, (_, i) => ({
			action: ["move", "fly", "pulse", "flash", "drawBeam"][i % 5], entity: `s${i}`, to: i % 5 === 4 ? `s${i + 50}` : i % 2 ? "there" : "here",
			duration: LONG_MS, easing: "easeInOut" })) }] }],
		wires: [], bindings: [],
	};
}

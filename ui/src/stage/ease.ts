/* How a movement goes from 0 to 1, exactly as the stage of the server has it. Choreographies
 * and bindings have the same names for different curves. A name that is unknown is linear. */

export type Curve = (t: number) => number;

const linear: Curve = (t) => t;
const easeIn: Curve = (t) => t * t;
const easeOut: Curve = (t) => 1 - (1 - t) ** 2;

const ofSteps: Record<string, Curve> = {
	linear, easeIn, easeOut,
	easeInOut: (t) => (t < 0.5 ? 4 * t ** 3 : 1 - (2 - 2 * t) ** 3 / 2),
	arc: (t) => 4 * t * (1 - t),
};

const ofBindings: Record<string, Curve> = {
	linear, easeIn, easeOut,
	easeInOut: (t) => (t < 0.5 ? 2 * t * t : 1 - (2 - 2 * t) ** 2 / 2),
	arc: (t) => Math.sin(Math.PI * t),
};

function find(curves: Record<string, Curve>, name: unknown): Curve {
	return typeof name === "string" && Object.hasOwn(curves, name) ? curves[name]! : linear;
}

export const curveOfStep = (name: unknown): Curve => find(ofSteps, name);
export const curveOfBinding = (name: unknown): Curve => find(ofBindings, name);

/* The painter of the stage. It is handed a frame and draws it: nothing of what it remembers is
 * more than pictures of what the frame says. PixiJS moves the pictures; they are drawn by our own
 * code, once. Nothing is loaded, and nothing is evaluated. */

import "pixi.js/unsafe-eval";
import { autoDetectRenderer, Container, type Renderer, Sprite } from "pixi.js";
import type { Actor, Attention, Camera, MakePainter, PainterStats, StageFrame, WordBox } from "../frame";
import { makeBubbles, type Speaker } from "./bubbles";
import { makeCast, type Member } from "./cast";
import { brightness, rgb } from "./colour";
import { lightsOf, makePool, paintEffect, paintLights, paintParticles, paintPuff, paintWay, type Whereabouts } from "./effects";
import { KIT } from "./kit";
import { makeLabels } from "./labels";
import { makeLand } from "./land";
import { dress, type Studio } from "./node";
import { stepOf } from "./sheet";
import { type Theme, themeOf } from "./theme";
import { makeWardrobe, type Wardrobe, type Wear } from "./wardrobe";

const NIGHT = 0x1a1a2e;
const COMING_MS = 420;
const FOLLOW_MS = 60;
const SLOW_MS = 45;
const LONG_MS = 1000;
/* A batch asks each of its textures for every pixel. Of many that is slow where no graphics
 * card is; of few there are more batches, which cost next to nothing. */
const TEXTURES = 8;
/* Seconds go round, so that sines stay exact. */
const ROUND_S = 7200;

interface Mutable { wardrobe: Wardrobe; kit: Wear; theme: Theme; density: number; isCalm: boolean; haste: number }

export const makePainter: MakePainter = () => {
	const stats: PainterStats = { drawn: 0, lastMs: 0, renderer: "" };
	let stage: Scene | null = null, renderer: Renderer | null = null;
	const pace = makePace();
	let isDark = true, isCalm = false, isThere = true;
	let contextChanged: (isThere: boolean) => void = () => {};

	function watch(canvas: HTMLCanvasElement): void {
		canvas.addEventListener("webglcontextlost", () => { isThere = false; contextChanged(false); });
		canvas.addEventListener("webglcontextrestored", () => { isThere = true; stage?.forget(); contextChanged(true); });
	}

	return {
		stats,
		async mount(host) {
			/* Edges are smooth in the pictures already; smoothing everything again costs four times. */
			renderer = await autoDetectRenderer({
				preference: ["webgl", "canvas"], autoDensity: true, backgroundAlpha: 1,
				resolution: densityNow(), width: Math.max(host.clientWidth, 1), height: Math.max(host.clientHeight, 1),
				powerPreference: "low-power",
			});
			stats.renderer = renderer.name;
			const canvas = renderer.canvas as HTMLCanvasElement;

			canvas.setAttribute("aria-hidden", "true");
			watch(canvas);
			host.append(canvas);
			stage = makeScene();
		},
		resize(width, height) {
			renderer?.resize(Math.max(width, 1), Math.max(height, 1), densityNow());
		},
		paint(frame, camera, attention) {
			if (stage === null || renderer === null || !isThere)
				return;
			const begun = performance.now();

			if (!pace.isDue(begun))
				return;
			renderer.limits.maxBatchableTextures = TEXTURES;
			stats.drawn = stage.update(frame, camera, attention, { isDark, isCalm }, renderer);
			renderer.render(stage.root);
			stats.lastMs = performance.now() - begun;
		},
		pick: (x, y) => stage?.pick(x, y) ?? null,
		words: () => stage?.words() ?? [],
		theme(dark) { isDark = dark; },
		calm(less) { isCalm = less; },
		onContext(changed) { contextChanged = changed; },
		dispose() {
			stage?.destroy();
			renderer?.destroy({ removeView: true });
			stage = renderer = null;
		},
	};
};

/* A machine without a graphics card draws as well as it can, and must not be kept from everything
 * else by that: when frames come slowly, only some of them are painted. */
function makePace(): { isDue(now: number): boolean } {
	let last = 0, spacing = 16, painted = 0;

	return {
		isDue(now) {
			/* The first frame, and the first after a while out of sight, say nothing. */
			if (now - last < LONG_MS)
				spacing += (now - last - spacing) * 0.1;
			last = now;
			if (spacing > SLOW_MS && now - painted < spacing * 2.5)
				return false;
			painted = now;
			return true;
		},
	};
}

/* More pixels than three to one nobody sees, and the memory of a 4K screen is not for free. */
function densityNow(): number {
	return Math.min(window.devicePixelRatio || 1, 3);
}

interface Scene {
	readonly root: Container;
	update(frame: StageFrame, camera: Camera, attention: Attention, mood: { isDark: boolean; isCalm: boolean }, renderer: Renderer): number;
	pick(x: number, y: number): string | null;
	words(): WordBox[];
	/* Pictures that only the graphics card had are gone. */
	forget(): void;
	destroy(): void;
}

function makeScene(): Scene {
	const wardrobe = makeWardrobe();
	const root = new Container();
	const land = makeLand(), ground = makePool(), above = makePool();
	const signs = makeLabels(), names = makeLabels(), bubbles = makeBubbles();
	const actors = new Container({ isRenderGroup: true });
	const chosen = new Sprite(), hovered = new Sprite();
	const marks = new Container();
	const speakers: Speaker[] = [];
	let painted = 0, people = 0, studio: Mutable | null = null, styled = "", document: unknown = null;
	let cast = makeCast(actors, signs, names), view: Camera = { x: 0, y: 0, zoom: 1 };

	marks.addChild(hovered, chosen);
	root.addChild(land.root, ground.root, signs.root, actors, above.root, names.root, marks, bubbles.root);

	/* Day or night, another show, another size: the land is drawn again. */
	function restyle(frame: StageFrame, mood: { isDark: boolean; isCalm: boolean }, pixels: number, density: number): Mutable {
		const kit = wardrobe.wear("kit", 1, () => KIT);
		const { ambient } = frame.lights;
		const style = `${mood.isDark} ${frame.background} ${JSON.stringify(ambient ?? null)} `
			+ `${frame.width} ${frame.height} ${stepOf(pixels)}`;

		if (studio === null || style !== styled || document !== frame.document) {
			const base = rgb(frame.background, NIGHT);

			styled = style;
			document = frame.document;
			const theme = themeOf(mood.isDark, mood.isDark && brightness(base) > 0.2 ? NIGHT : base,
				{ color: rgb(ambient?.color, 0xffffff), intensity: ambient?.intensity ?? 0.5 });

			land.restyle(theme, frame, pixels);
			studio = { wardrobe, kit, theme, density, isCalm: mood.isCalm, haste: 1 };
			cast.clear();
		}
		studio.kit = kit;
		studio.density = density;
		studio.isCalm = mood.isCalm;
		return studio;
	}

	function mark(sprite: Sprite, id: string | null, alpha: number, colour: number, now: Studio): void {
		const member = id === null ? undefined : cast.find(id);

		sprite.visible = member !== undefined && member.isSeen;
		if (member === undefined || !sprite.visible)
			return;
		const [left, top, right, bottom] = member.screenBox(view);

		dress(sprite, now.kit.sheet.cel("frame"));
		sprite.position.set((left + right) / 2, (top + bottom) / 2);
		sprite.scale.set((right - left + 14) / 92, (bottom - top + 14) / 92);
		sprite.tint = colour;
		sprite.alpha = alpha;
	}

	function paintAbove(frame: StageFrame, seconds: number, now: Studio): void {
		const at = (id: string): Whereabouts | null => cast.find(id)?.middle() ?? null;

		above.begin();
		for (const effect of frame.effects)
			paintEffect(above, effect, seconds, at, now);
		for (const member of cast.all()) {
			const age = member.age(frame.t) / COMING_MS;

			if (member.isBodied && age >= 0 && age < 1)
				paintPuff(above, member.middle(), age, now);
		}
		above.end();
	}

	function paintGround(frame: StageFrame, seconds: number, now: Studio): void {
		ground.begin();
		paintLights(ground, lightsOf(frame), seconds, now);
		paintParticles(ground, frame.document.scene.particles ?? [], seconds, now);
		for (const actor of frame.entities)
			if (actor.visible)
				paintWay(ground, actor, seconds, now);
		ground.end();
	}

	function listen(frame: StageFrame): void {
		speakers.length = people = 0;
		for (const actor of frame.entities) {
			if (actor.visible && actor.isSomebody)
				people++;
			const member = actor.speech === null || !actor.visible || actor.speech.text === "" ? undefined : cast.find(actor.id);

			if (member !== undefined)
				speakers.push(speakerOf(actor, member, view));
		}
	}

	return {
		root,
		update(frame, camera, attention, mood, renderer) {
			const screen = renderer.screen, density = renderer.resolution;
			const pixels = camera.zoom * density, seconds = frame.t / 1000 % ROUND_S;

			view = camera;
			wardrobe.attend(pixels);
			const now = restyle(frame, mood, pixels, density);

			/* The clock of the show may stop and leap. */
			now.haste = 1 - Math.exp(-Math.min(Math.max(frame.t - painted, 8), 1000) / FOLLOW_MS);
			painted = frame.t;

			for (const layer of [ground.root, actors, above.root]) {
				layer.position.set(camera.x, camera.y);
				layer.scale.set(camera.zoom);
			}
			land.update(frame, camera, renderer);
			signs.begin(camera.zoom, screen.width, now);
			names.begin(camera.zoom, screen.width, now);
			const drawn = cast.update(frame, seconds, view, screen, now);
			paintGround(frame, seconds, now);
			paintAbove(frame, seconds, now);
			listen(frame);
			bubbles.update(speakers, people, screen, camera.zoom, now);
			const said = bubbles.boxes();

			names.end(said);
			signs.end([...said, ...names.boxes()]);
			mark(hovered, attention.hovered === attention.selected ? null : attention.hovered, 0.55, 0xffffff, now);
			mark(chosen, attention.selected, attention.focused ? 1 : 0.8, attention.focused ? 0x7cc4ff : 0xffd67a, now);
			return drawn;
		},
		pick: (x, y) => cast.pick(x, y, view),
		words: () => [...names.boxes().map((box) => ({ kind: "name" as const, ...box })),
			...bubbles.boxes().map(({ id, ...box }) => ({ kind: "bubble" as const, of: id, ...box }))],
		forget: () => land.forget(),
		destroy() {
			cast.clear();
			bubbles.destroy();
			land.destroy();
			root.destroy({ children: true });
			wardrobe.destroy();
		},
	};
}

function speakerOf(actor: Actor, member: Member, view: Camera): Speaker {
	const [left, top, right] = member.screenBox(view);

	return { actor, headX: (left + right) / 2, headY: top };
}

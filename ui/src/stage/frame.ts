/* What stands between the stage's model and its painter. The model says, for one moment of the
 * server's time, what everything is: a StageFrame. The painter draws it and knows nothing of
 * commands, clocks and links; so it can be handed any frame, also one of a test.
 *
 * Frames are made sixty times a second. The model therefore keeps one frame and one actor for
 * each entity and changes them in place: the same `id` is always the same object as long as the
 * document is the same, and `document` is another object when that is another. The painter may
 * keep what it likes by id, and must not change anything. All text is as agents wrote it. */

import type { Member, Subagent } from "../desk";

/* ---- the document: what GET /api/show has, as far as screens need it ---- */

export type Shape =
	| "circle" | "square" | "rounded" | "diamond" | "triangle" | "hexagon" | "star"
	| "house" | "library" | "workshop" | "laboratory" | "harbour" | "toolbox"
	| "lantern" | "gauge" | "bell" | "letter" | "person";
export type Motion = "still" | "breathe" | "bob" | "walk" | "shake" | "spin";

export interface ShapeState {
	type: "shape";
	shape: Shape;
	color?: string;
	glyph?: string;
	motion?: Motion;
}
/* Pictures. An asset is drawn only if it is of our own origin; else the look's fallback is. */
export interface PictureState {
	type: "static";
	asset: string;
	sourceRect?: { x: number; y: number; width: number; height: number };
}
export interface StripState {
	type: "spritesheet";
	asset: string;
	frameWidth: number;
	frameHeight: number;
	frameCount: number;
	fps: number;
	frameRow?: number;
	frameStart?: number;
	loop?: boolean;
}
export type LookState = ShapeState | PictureState | StripState;

/* What an entity looks like. `states` by name; one that is missing looks like `idle`, and
 * without that like a circle of the fallback colour. */
export interface Look {
	label?: string;
	tags?: readonly string[];
	displayWidth: number;
	displayHeight: number;
	fallbackColor: string;
	anchor?: readonly [number, number];    /* shares of its size; [0.5, 0.5] without */
	flat?: boolean;
	states?: Readonly<Record<string, LookState>>;
}

export interface Bubble {
	bgColor?: string;
	borderColor?: string;
	textColor?: string;
	opacity?: number;
	fontSize?: number;
	maxWidth?: number;
	tailPosition?: "bottom" | "left" | "right";
	maxChars?: number;
	retentionMs?: number;
}

export interface Layer { id: string; name?: string; order: number; visible?: boolean }
export interface Place {
	id: string; name: string; x: number; y: number;
	color?: string; typeHint?: "spawn" | "waypoint" | "destination" | "generic";
	room?: { columns: number; rows: number; dx: number; dy: number };
}
/* Where the figure of a session is in this state, and how; without a position it is at home. */
export interface Seating { state: string; tools?: readonly string[]; at?: string; pose?: string }
export interface RoutePoint { x: number; y: number; cornerStyle?: "sharp" | "smooth"; name?: string }
export interface Route {
	id: string; name: string; points: readonly RoutePoint[];
	style?: "solid" | "dashed"; color?: string;
	fromPositionId?: string; toPositionId?: string;
}
export interface ZoneType { id: string; name?: string; color?: string; capacity?: number }
export interface ZoneGrid { cellSize: number; cols: number; rows: number; cells: readonly (string | null)[] }
export interface Light {
	id: string; x: number; y: number; color?: string; intensity?: number; radius?: number;
	flicker?: { speed: number; amount: number };
}
export interface Lighting {
	ambient?: { intensity?: number; color?: string };
	directional?: { enabled?: boolean; angle?: number; elevation?: number; color?: string; intensity?: number };
	sources?: readonly Light[];
}
export interface Emitter {
	id: string; x: number; y: number; type?: "radial" | "directional"; count?: number;
	lifetime?: readonly [number, number];
	velocity?: { x: readonly [number, number]; y: readonly [number, number] };
	direction?: { x: number; y: number }; speed?: readonly [number, number];
	colorOverLife?: readonly string[]; size?: readonly [number, number]; glow?: boolean;
}
export interface Placed {
	id: string; entityId: string; semanticId?: string; standIn?: boolean;
	x: number; y: number; scale?: number; rotation?: number; layerId: string; zIndex?: number;
	opacity?: number; flipH?: boolean; flipV?: boolean; visible?: boolean; activeState?: string;
	speechBubble?: Bubble;
}
export interface Scene {
	dimensions: { width: number; height: number };
	background?: { color?: string; asset?: string };
	layers: readonly Layer[];
	entities: readonly Placed[];
	positions?: readonly Place[];
	crew?: readonly Seating[];
	routes?: readonly Route[];
	zoneTypes?: readonly ZoneType[];
	zoneGrid?: ZoneGrid;
	lighting?: Lighting;
	particles?: readonly Emitter[];
}
export interface ShowDocument {
	name?: string;
	description?: string;
	entities: Readonly<Record<string, Look>>;
	scene: Scene;
}

/* ---- a moment ---- */

/* What is on its way: in which manner, in which direction (of any length), and how far it came,
 * by time (0 to 1); where it will be, and how high above the ground it is. */
export interface Moving {
	kind: "move" | "fly" | "route";
	dx: number;
	dy: number;
	progress: number;
	toX: number;
	toY: number;
	height: number;
}

export interface Speech {
	text: string;       /* typed so far */
	full: string;
	phase: "typing" | "visible" | "fading";
	opacity: number;
	thought: boolean;   /* rather than said */
	cut: boolean;       /* there was more than is kept */
}

/* The session of a figure, or the subagent of it, as the crew tells it; a pose where the crew says
 * how and where it stands, and not the choreographies. */
export interface Session { readonly member: Member; readonly sub: Subagent | null; readonly pose: string | null }

export interface Actor {
	readonly id: string;           /* of the placed entity */
	readonly look: Look;
	readonly bubble: Bubble;
	readonly layer: number;        /* the order of its layer */
	readonly isSomebody: boolean;  /* an agent or a person, and no place, letter or lamp */
	semanticId: string;            /* "" of a stand-in without a part */
	label: string;                 /* what to write under it */
	state: string;                 /* idle, thinking, acting, waiting, done, error, walk ... */
	stateSince: number;            /* server time; 0 when it was so before we came */
	x: number;
	y: number;
	scaleX: number;                /* without the pulse */
	scaleY: number;
	rotation: number;              /* degrees */
	opacity: number;
	tint: string | null;           /* "#RRGGBB" or "#RGB" */
	z: number;                     /* within its layer */
	flipH: boolean;
	flipV: boolean;
	visible: boolean;
	visibleSince: number;          /* server time of the last change of `visible`; 0: before */
	speed: number;                 /* of its animation; 1 is as drawn */
	moving: Moving | null;
	speech: Speech | null;
	session: Session | null;       /* whose figure it is; null: an agent of no session, or a thing */
	rank: number;                  /* whose name is shown where there is no room for two: the higher */
}

/* What is on top of things and leaves no trace. `progress` follows time, 0 to 1; `value` is what
 * the stage says: the strength of a flash, the size of a pulse. */
export type Effect =
	| { kind: "flash"; key: string; actor: string; color: string; progress: number; value: number }
	| { kind: "pulse"; key: string; actor: string; progress: number; value: number }
	| { kind: "beam"; key: string; actor: string; color: string; progress: number;
		x1: number; y1: number; x2: number; y2: number; to: string | null }
	| { kind: "sound"; key: string; actor: string; progress: number; name: string }
	/* An action that this page has no picture for: something happens at this actor. */
	| { kind: "other"; key: string; actor: string; progress: number; name: string };

export interface StageFrame {
	t: number;                     /* server time in milliseconds */
	width: number;
	height: number;
	background: string;
	lights: Lighting;
	document: ShowDocument;        /* positions, routes, zones, particles: painted once */
	entities: readonly Actor[];    /* as they are painted: by layer, z and place in the scene */
	effects: readonly Effect[];
}

/* ---- the painter ---- */

/* Where the stage is on the screen, in CSS pixels: screen = (x, y) + zoom * stage. */
export interface Camera { x: number; y: number; zoom: number }

/* What a person has in hand: drawn around the actors. */
export interface Attention {
	selected: string | null;       /* ids of actors */
	hovered: string | null;
	focused: boolean;              /* the selection has the keyboard: show it clearly */
}

export interface PainterStats {
	drawn: number;                 /* actors in the last frame */
	lastMs: number;                /* script time of the last paint */
	renderer: string;              /* "webgl", ... */
}

export interface WordBox { kind: "name" | "bubble"; of: string; x: number; y: number; width: number; height: number }

export interface Painter {
	/* Puts its canvas into the host. Refused when the browser has no WebGL. */
	mount(host: HTMLElement): Promise<void>;
	/* The host has another size, in CSS pixels. */
	resize(width: number, height: number): void;
	paint(frame: StageFrame, camera: Camera, attention: Attention): void;
	/* Who is at this place of the host, the uppermost first; null: nobody. */
	pick(screenX: number, screenY: number): string | null;
	/* The names and bubbles in sight, in CSS pixels of the host. */
	words(): WordBox[];
	/* The page's theme, and whether idle motion is unwanted. */
	theme(isDark: boolean): void;
	calm(wantsLessMotion: boolean): void;
	/* Called when the context is lost, and when it is back. */
	onContext(changed: (isThere: boolean) => void): void;
	readonly stats: PainterStats;
	dispose(): void;
}

/* ui/src/stage/paint/index.ts exports `makePainter: MakePainter`. */
export type MakePainter = () => Painter;

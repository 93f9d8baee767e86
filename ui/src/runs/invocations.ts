/* Who works in a run, and how fast: a row for each invocation, several of one name under a row
 * of their own with a bar. Below one that streams stands the end of what it says. */

import { stateWords } from "../crew/words";
import type { CrewState, Member } from "../desk";
import { h, write } from "../text/dom";
import { visible } from "../text/signal";
import { beginning, ending } from "../text/whole";
import { keyed, type Keyed } from "./keyed";
import { countWords, durationWords, groupsOf, isLive, rateWords, type Group, type Invocation } from "./model";

const CHILDREN_MAX = 6;       /* of one name; the rest is counted, unless it is wanted */
const NAME_MAX = 200;
const SAID_MAX = 240;

const MARKS: Record<string, [mark: string, words: string]> = {
	streaming: ["◂", "streaming"], thinking: ["…", "thinking"], waiting: ["◷", "waiting"],
	error: ["✗", "failed"], done: ["✓", "done"],
};

/* How the states of the crew are marked; all others are over. */
const CREW_KINDS: Partial<Record<string, string>> = {
	thinking: "thinking", answering: "streaming", tool: "streaming", asks: "waiting", waits: "waiting", failed: "error", gone: "error",
};

type Line =
	| { kind: "one"; one: Invocation; isChild: boolean; crew?: CrewState | undefined }
	| { kind: "group"; group: Group }
	| { kind: "more"; group: Group; count: number };

export interface Invocations {
	readonly root: HTMLElement;
	draw(all: readonly Invocation[], only: string | null, session?: Member): void;
}

/* `choose` is told the name of whose words alone are wanted. */
export function invocations(choose: (name: string) => void): Invocations {
	const rows = h("ul", { class: "runs-who" });
	const none = h("p", { class: "runs-none" }, "No agent is at work yet.");
	const root = h("section", { class: "runs-work", "aria-label": "Who works" }, rows, none);
	const open = new Set<string>();       /* names of which all are shown */
	let only: string | null = null;
	let last: readonly Invocation[] = [];
	let whole: Member | undefined;
	const list: Keyed<Line> = keyed<Line>(rows, (_key, line) => makeLine(line, {
		choose, isOnly: (name) => name === only,
		more(name) {
			open.add(name);
			draw(last, only, whole);
		},
	}));

	function draw(all: readonly Invocation[], whose: string | null, session?: Member): void {
		last = all;
		whole = session;
		only = whose;
		none.hidden = all.length > 0;
		rows.hidden = all.length === 0;
		list.draw(groupsOf(all).flatMap((group) => linesOf(group, open, session)).map((line) => [keyOf(line), line]));
	}

	return { root, draw };
}

/* How the crew has it: the session's own agent, or the one subagent of that name. */
function crewState(name: string, session?: Member): CrewState | undefined {
	const subs = session?.agents?.filter((agent) => (agent.name ?? agent.id) === name) ?? [];

	if (session === undefined || name === session.agentId)
		return session?.state;
	return subs.length === 1 ? subs[0]?.state : undefined;
}

function linesOf(group: Group, open: ReadonlySet<string>, session?: Member): Line[] {
	const [first] = group.all;

	if (group.all.length === 1 && first !== undefined)
		return [{ kind: "one", one: first, isChild: false, crew: crewState(group.name, session) }];
	const shown = open.has(group.name) ? group.all : group.all.slice(0, CHILDREN_MAX);
	const lines: Line[] = [{ kind: "group", group },
		...shown.map((one): Line => ({ kind: "one", one, isChild: true }))];
	if (shown.length < group.all.length)
		lines.push({ kind: "more", group, count: group.all.length - shown.length });
	return lines;
}

function keyOf(line: Line): string {
	return line.kind === "one" ? JSON.stringify([line.one.invokeid, line.one.session, line.isChild])
		: JSON.stringify([line.group.name, line.kind]);
}

interface Hands { choose(name: string): void; isOnly(name: string): boolean; more(name: string): void }
interface Made { root: HTMLElement; draw(line: Line): void }

function makeLine(line: Line, hands: Hands): Made {
	if (line.kind === "one")
		return makeOne(line.one, line.isChild, hands);
	return line.kind === "group" ? makeGroup(line.group, hands) : makeMore(line.group.name, hands);
}

function nameButton(name: string, words: string, { choose }: Hands): HTMLButtonElement {
	const text = visible(ending(words, NAME_MAX));

	return h("button", {
		type: "button", class: "runs-name", title: `Only the output of ${visible(beginning(name, NAME_MAX))}`,
		"aria-pressed": "false", onclick: () => choose(name),
	}, text);
}

function makeOne(first: Invocation, isChild: boolean, hands: Hands): Made {
	const mark = h("span", { class: "runs-mark", "aria-hidden": "true" });
	const status = h("span", { class: "runs-status" });
	const model = h("span", { class: "runs-model" });
	const tokens = h("span", { class: "runs-tokens" });
	const rate = h("span", { class: "runs-rate" });
	const took = h("span", { class: "runs-took" });
	const said = h("p", { class: "runs-said" });
	const name = isChild ? h("span", { class: "runs-name" }, visible(ending(first.session, NAME_MAX)))
		: nameButton(first.invokeid, first.invokeid, hands);
	const root = h("li", { class: isChild ? "runs-one child" : "runs-one" },
		mark, name, status, model, tokens, rate, took, said);

	return {
		root,
		draw(line) {
			if (line.kind !== "one")
				return;
			const { one, crew } = line;
			const kind = kindOf(one, crew);
			const [sign, words] = MARKS[kind] ?? ["·", kind];

			root.dataset.status = kind;
			name.setAttribute("aria-pressed", String(hands.isOnly(one.invokeid)));
			write(mark, sign);
			write(status, crew === undefined ? words : stateWords(crew));
			write(model, visible(beginning(one.model ?? "", NAME_MAX)));
			write(tokens, one.tokens > 0 ? `${countWords(one.tokens)} tok` : "");
			write(rate, rateWords(one));
			write(took, durationWords(one.elapsedMs > 0 ? one.elapsedMs : one.lastTs - one.firstTs));
			write(said, isLive(one) && kind !== "done" ? saidWords(one.text) : "");
			said.hidden = said.textContent === "";
			if (isChild)
				name.removeAttribute("aria-pressed");
		},
	};
}

function kindOf(one: Invocation, crew?: CrewState): string {
	if (crew !== undefined)
		return CREW_KINDS[crew.name] ?? "done";
	return one.status === "streaming" && one.thinking ? "thinking" : one.status;
}

function makeGroup(first: Group, hands: Hands): Made {
	const done = h("span", { class: "runs-status" });
	const bar = h("progress", { class: "runs-progress", max: "1", "aria-label": "done" });
	const tokens = h("span", { class: "runs-tokens" });
	const rate = h("span", { class: "runs-rate" });
	const name = nameButton(first.name, first.name, hands);
	const root = h("li", { class: "runs-one group" },
		h("span", { class: "runs-mark", "aria-hidden": "true" }, "◇"), name, done, bar, tokens, rate);

	return {
		root,
		draw(line) {
			if (line.kind !== "group")
				return;
			const { group } = line;

			name.setAttribute("aria-pressed", String(hands.isOnly(group.name)));
			write(done, `${group.done} of ${group.all.length} done`);
			bar.max = group.all.length;
			bar.value = group.done;
			write(tokens, group.tokens > 0 ? `${countWords(group.tokens)} tok` : "");
			write(rate, rateWords(group));
		},
	};
}

function makeMore(name: string, { more }: Hands): Made {
	const button = h("button", { type: "button", class: "quiet", onclick: () => more(name) });

	return {
		root: h("li", { class: "runs-one more" }, button),
		draw(line) {
			if (line.kind === "more")
				write(button, `${line.count} more`);
		},
	};
}

/* The last line of it that has something on it, and the end of that. */
function saidWords(text: string): string {
	const line = text.trimEnd().split("\n").at(-1) ?? "";

	return visible(line.length > SAID_MAX ? `…${ending(line, SAID_MAX)}` : line);
}

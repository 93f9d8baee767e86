/* What the link remembers for those who come late: a view is opened when it is first gone to,
 * and must know then what the server said before. */

import type { Envelope, Matter, Member, News, Prompt, Protocol, Source } from "../desk";

const RECENT = 2000;
const RECENT_CHARACTERS = 8 * 1024 * 1024;

export interface Memory {
	hear<K extends keyof News>(name: K, news: News[K]): void;
	/* Tells a new listener what it missed. */
	retell<K extends keyof News>(name: K, hear: (news: News[K]) => void): void;
	recent(): News["signal"][];
}

export function makeMemory(): Memory {
	const sources = new Map<string, Source>();
	const prompts = new Map<string, Prompt>();
	const crew = new Map<string, Member>();
	const matters = new Map<string, Matter>();
	const frames: string[] = [];
	let characters = 0;
	let protocols: Protocol[] = [];
	let hello: News["hello"] | null = null;
	let crewAt: number | null = null;
	let desktop: boolean | null = null;

	/* Trimmed in strides; both ceilings are soft by that. */
	function keep(text: string): void {
		frames.push(text);
		characters += text.length;
		if (frames.length < RECENT * 2 && characters < RECENT_CHARACTERS)
			return;
		let gone = 0;
		for (; frames.length - gone > RECENT || characters > RECENT_CHARACTERS / 2 && gone < frames.length - 1; gone++)
			characters -= frames[gone]?.length ?? 0;
		frames.splice(0, gone);
	}

	function hearSources({ all, protocols: told = protocols, changed = [], removed = [] }: News["sources"]): void {
		protocols = told;
		if (all !== undefined)
			sources.clear();
		for (const source of all ?? changed)
			sources.set(source.id, source);
		for (const id of removed)
			sources.delete(id);
	}

	function hearCrew({ all, changed = [], removed = [], at = 0 }: News["crew"]): void {
		crewAt = at;
		if (all !== undefined)
			crew.clear();
		for (const member of all ?? changed)
			crew.set(member.id, member);
		for (const id of removed)
			crew.delete(id);
	}

	function hearMatters({ all, desktop: told, raised = [], settled = [] }: News["matters"]): void {
		if (all !== undefined) {
			matters.clear();
			desktop = told === true;
		}
		for (const matter of all ?? raised)
			matters.set(matter.id, matter);
		for (const id of settled)
			matters.delete(id);
	}

	const hearers: { [K in keyof News]?: (news: News[K]) => void } = {
		/* All open prompts are told again after it. */
		hello: (news) => {
			hello = news;
			prompts.clear();
		},
		signal: ({ text }) => keep(text),
		sources: hearSources,
		crew: hearCrew,
		matters: hearMatters,
		prompts: () => prompts.clear(),
		prompt: (prompt) => {
			if (prompt.state === "open")
				prompts.set(prompt.id, prompt);
			else
				prompts.delete(prompt.id);
		},
	};
	const tellers: { [K in keyof News]?: (hear: (news: News[K]) => void) => void } = {
		hello: (hear) => { if (hello !== null) hear(hello); },
		sources: (hear) => { if (hello !== null) hear({ all: [...sources.values()], protocols }); },
		crew: (hear) => { if (crewAt !== null) hear({ all: [...crew.values()], at: crewAt }); },
		matters: (hear) => { if (desktop !== null) hear({ all: [...matters.values()], desktop }); },
		prompt: (hear) => { for (const prompt of prompts.values()) hear(prompt); },
	};

	return {
		hear: (name, news) => hearers[name]?.(news),
		retell: (name, hear) => tellers[name]?.(hear),
		recent: () => frames.map((text) => ({ envelope: JSON.parse(text) as Envelope, text, live: false })),
	};
}

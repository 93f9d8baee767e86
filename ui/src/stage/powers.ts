/* What can be done to somebody on the stage just now: what the source of their run takes, as the
 * server says it. What cannot be done has a reason in words. */

import type { Desk } from "../desk";
import type { Episode } from "./episodes";

export interface Power {
	can: ReadonlySet<string>;
	/* Why not; empty: it can be done. */
	whyNot(op: string): string;
	/* False: the server does not say. */
	isSure: boolean;
}

const NOTHING: ReadonlySet<string> = new Set();

export type Powers = (episode: Episode | undefined) => Promise<Power>;

function powerless(why: string, isSure: boolean): Power {
	return { can: NOTHING, whyNot: () => why, isSure };
}

export function makePowers({ link }: Desk): Powers {
	/* Words are a signal like any other; all else is a control. */
	const mayNot = (op: string): string => op === "tell"
		? link.scopes.has("emit") ? "" : "this session may not emit signals"
		: link.scopes.has("control") ? "" : "this session may not control runs";

	return async (episode) => {
		if (episode === undefined)
			return powerless("it has no known run", true);
		try {
			const { can } = await link.request<{ can: string[] }>("GET", `/api/runs/${encodeURIComponent(episode.correlationId)}`);
			const all = new Set(can);

			return { can: all, whyNot: (op) => mayNot(op) || (all.has(op) ? "" : "its source does not support that now"), isSure: true };
		} catch {
			return powerless("the server does not list the supported controls", false);
		}
	};
}

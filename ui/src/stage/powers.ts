/* What can be done to somebody on the stage just now: what the source of their run takes, as the
 * server says it. What cannot be done has a reason in words. */

import type { Desk } from "../desk";
import type { Episode } from "./episodes";

export interface Power {
	can: ReadonlySet<string>;
	/* Why not; empty: it can be done. */
	whyNot(op: string): string;
}

const NOTHING: ReadonlySet<string> = new Set();

export type Powers = (episode: Episode | undefined) => Promise<Power>;

function powerless(why: string): Power {
	return { can: NOTHING, whyNot: () => why };
}

export function makePowers({ link }: Desk): Powers {
	return async (episode) => {
		if (episode === undefined)
			return powerless("no run is known of it");
		if (!link.scopes.has("control"))
			return powerless("this session may not control runs");
		try {
			const { can } = await link.request<{ can: string[] }>("GET", `/api/runs/${encodeURIComponent(episode.correlationId)}`);
			const all = new Set(can);

			return { can: all, whyNot: (op) => all.has(op) ? "" : "its source cannot do that now" };
		} catch {
			return powerless("the server does not say what can be done");
		}
	};
}

/* One run from its first signal on, as a conversation. */

import type { Link } from "../desk";
import { followEpisode, type Followed } from "../link/episode";
import { createTalk, type Talk } from "./fold";

export interface Episode extends Followed { readonly talk: Talk }

/* `after` is a seq before the run's first signal, where it is known. */
export function followTalk(link: Link, correlationId: string,
	{ after = 0, changed }: { after?: number; changed: () => void }): Episode {
	const talk = createTalk();
	const gap = (from: number, to: number, why: string) => talk.take({ seq: from, id: "",
		type: "journal.gap", source: "signalbox", timestamp: NaN, payload: { from, to, why } });

	return Object.assign(followEpisode(link, correlationId, { take: talk.take, clear: talk.clear, gap },
		{ after: () => after, changed }), { talk });
}

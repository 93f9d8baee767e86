/* One episode as a line of time, from its first signal on. */

import type { Link } from "../desk";
import { followEpisode, type Followed as FollowedEpisode } from "../link/episode";
import { createEpisode, type Episode } from "./episode";

export interface Followed extends FollowedEpisode { readonly episode: Episode }

export function follow(link: Link, correlationId: string, changed: () => void): Followed {
	const episode = createEpisode();

	return Object.assign(followEpisode(link, correlationId, episode,
		{ after: async () => Math.max(0, await firstOf(link, correlationId) - 1), changed }), { episode });
}

/* Whoever remembers the run knows where it begins, which spares a search through everything. */
async function firstOf(link: Link, correlationId: string): Promise<number> {
	const answer = await link.request<{ run?: { firstSeq?: unknown } }>("GET",
		`/api/runs/${encodeURIComponent(correlationId)}`).catch(() => null);
	const first = answer?.run?.firstSeq;

	return typeof first === "number" && first > 0 ? first : 1;
}

/* What was asked before: the journal is searched for it from its end on, for a while. */

import type { Envelope, Link } from "../desk";

const ASKS = 300;         /* that are looked for */
const ROUNDS = 5;         /* of a search that takes long */

export async function readAsks(link: Link, take: (envelope: Envelope) => void): Promise<void> {
	let before = "";

	for (let round = 0; round < ROUNDS; round++) {
		const { signals, next } = await link.request<{ signals: Envelope[]; next: string | null }>("GET",
			`/api/signals?type=task_dispatch&source=user&limit=${ASKS}${before}`);
		signals.forEach(take);
		if (next === null || signals.length >= ASKS)
			break;
		before = `&before=${encodeURIComponent(next)}`;
	}
}

/* Which episode somebody on the stage is in: of a session its newest run; else the correlation of the last signal
 * that spoke of them, as the server has it too. The newest so many names are remembered. */

import type { Envelope } from "../desk";
import type { Actor } from "./frame";
import { textOf } from "./words";

const NAMES_MAX = 512;

export interface Episode { correlationId: string; source: string; seq: number; isDemo: boolean }

export interface Episodes {
	hear(envelope: Envelope): void;
	of(actor: Pick<Actor, "semanticId" | "session">): Episode | undefined;
}

/* Whom a signal speaks of. */
const MEMBERS = ["agentId", "from", "to", "invokeid"] as const;

export function makeEpisodes(): Episodes {
	const known = new Map<string, Episode>();

	return {
		hear({ type, source, seq, correlationId, metadata, payload }) {
			if (!correlationId || type.startsWith("user."))
				return;
			for (const member of MEMBERS) {
				const name = textOf(payload?.[member]);

				/* A state has members of these names too, which name nobody. */
				if (!name || (type === "agent_state_change" && member !== "agentId"))
					continue;
				known.delete(name);
				known.set(name, { correlationId, source, seq, isDemo: metadata?.demo === true });
				if (known.size > NAMES_MAX)
					known.delete(known.keys().next().value!);
			}
		},
		of({ semanticId, session }) {
			if (session === null)
				return known.get(semanticId);
			const { id, run = id, source = "" } = session.member;

			return { correlationId: run, source, seq: 0, isDemo: false };
		},
	};
}

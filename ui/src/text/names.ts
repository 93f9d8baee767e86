/* One name for a session wherever the page shows it: its handle. The crew tells who there is; an
 * agent's own name (`claude`) and the id stay in the data. */

import type { Link, Member, Names } from "../desk";
import { visible } from "./signal";
import { beginning } from "./whole";

const NAME_MAX = 80;

export function makeNames(link: Pick<Link, "on">): Names {
	const members = new Map<string, Member>();
	const runs = new Map<string, string>();     /* the session of a run that has another id */
	const hearers = new Set<() => void>();

	/* True: it is called by another name. */
	function put(member: Member): boolean {
		const before = members.get(member.id);

		members.set(member.id, member);
		for (const run of [...member.runs ?? [], member.run])
			if (run !== undefined && run !== member.id)
				runs.set(run, member.id);
		return before === undefined || before.handle !== member.handle || before.project !== member.project
			|| before.agents?.length !== member.agents?.length;
	}

	link.on("crew", ({ all, changed = [], removed = [] }) => {
		let isOther = all !== undefined || removed.length > 0;

		if (all !== undefined) {
			members.clear();
			runs.clear();
		}
		for (const member of all ?? changed)
			isOther = put(member) || isOther;
		for (const id of removed)
			members.delete(id);
		if (isOther)
			hearers.forEach((changed) => changed());
	});
	const of = (id: string): Member | undefined => members.get(id) ?? members.get(runs.get(id) ?? "");

	return {
		of,
		who(id, agent) {
			const member = of(id);

			if (member === undefined)
				return undefined;
			const sub = agent === undefined ? undefined : member.agents?.find((one) => one.id === agent);

			/* Several agents of one session are told apart. */
			if (sub === undefined && agent !== undefined && agent !== "" && member.agentId !== undefined && agent !== member.agentId)
				return `${shortened(member.handle)} › ${shortened(agent)}`;
			return sub === undefined ? shortened(member.handle) : `${shortened(member.handle)} › ${shortened(sub.name ?? sub.id)}`;
		},
		on(changed) {
			hearers.add(changed);
			return () => { hearers.delete(changed); };
		},
	};
}

/* A name from outside, as much of it as a line shows. */
export function shortened(name: string, most = NAME_MAX): string {
	return visible(beginning(String(name), most));
}

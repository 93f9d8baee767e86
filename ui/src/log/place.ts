/* What the address says of the log: which signal is open, whether what comes by the clock is
 * shown, and the filter, which is the rest of it: #/log/4711?all&f=type:error timeout. A link
 * carries all of it. */

import { beginning } from "../text/whole";

export interface Place { seq: number | null; filter: string; showsAll: boolean }

const FILTER_MAX = 2000;
const PLACE = /^(\d{1,16})?(?:\?(all)?&?(?:f=(.*))?)?$/s;

/* `rest` is what follows "log/". What makes no sense is passed over. */
export function placeOf(rest: string): Place {
	const [, digits, all, filter = ""] = PLACE.exec(rest) ?? [];
	const seq = Number(digits ?? 0);

	return {
		seq: Number.isSafeInteger(seq) && seq > 0 ? seq : null,
		filter: beginning(filter, FILTER_MAX),
		showsAll: all !== undefined,
	};
}

export function addressOf({ seq, filter, showsAll }: Place): string {
	const words = [showsAll ? "all" : "", filter === "" ? "" : `f=${filter}`]
		.filter((word) => word !== "").join("&");

	return `log${seq === null && words === "" ? "" : "/"}${seq ?? ""}${words === "" ? "" : `?${words}`}`;
}

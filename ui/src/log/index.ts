/* The log: everything that was heard, one signal a line. */

import type { ViewKind } from "../desk";
import { openView } from "./view";

export const kind: ViewKind = {
	name: "log", title: "Log", icon: "log",
	keys: [
		["/", "filter"], ["Space", "pause or resume"], ["j k ↓ ↑", "next, previous signal"],
		["Home End", "first, last"], ["Enter", "open the signal"], ["h", "show heartbeat and cron"],
		["e", "export what is shown"], ["Esc", "back"],
	],
	open: openView,
};

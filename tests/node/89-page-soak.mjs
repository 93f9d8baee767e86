// long
// busy: 63
/* A minute of five hundred signals a second; tests/soak/page-soak.mjs has ten. */

import { run, test } from "./lib.mjs";
import { soak } from "./soaking.mjs";

test("the page holds after a minute of 500 signals a second what it held after half of it", () =>
	soak({ warmUpMs: 30000, ms: 30000 }));

await run();

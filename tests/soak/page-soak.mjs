/* Ten minutes of five hundred signals a second, with the page open and all its views gone
 * through: its memory, its elements and its listeners stay what they were. */

import { run, test } from "../node/lib.mjs";
import { soak } from "../node/soaking.mjs";

test("the page holds after ten minutes of 500 signals a second what it held after three", () =>
	soak({ warmUpMs: 180000, ms: 420000 }));

await run();

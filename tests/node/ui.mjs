/* Parts of the page for tests that need no browser: a module of ui/src is bundled as the page's
 * build does it, and imported here. */

import { mkdtempSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const UI = fileURLToPath(new URL("../../ui/", import.meta.url));
const { build } = createRequire(join(UI, "package.json"))("esbuild");
const out = mkdtempSync(join(process.env.TEST_TMP || tmpdir(), "ui-"));

/* part("text/signal.ts") is what that module exports. */
export async function part(path) {
	const file = join(out, `${path.replaceAll("/", "-")}-${basename(out)}.mjs`);

	await build({
		entryPoints: [join(UI, "src", path)], outfile: file, bundle: true, format: "esm",
		target: "node22", platform: "neutral", mainFields: ["module", "main"], logLevel: "warning",
	});
	return import(pathToFileURL(file));
}

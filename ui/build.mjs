/* build.mjs OUT - make the page in OUT, which must not be there.
 *
 * esbuild joins src/main.ts with all it needs, cut where a view is imported when it is first
 * gone to, and the style sheets into one. Every file has a hash of its content in its name, so that a
 * browser may keep it for ever, but those that name the others and that browsers ask for by name:
 * index.html, the manifest of an installed page, and its service worker. The same inputs make the same
 * bytes, wherever the tree stands.
 *
 * Standard output is the list of files that it was made from, and of the directories in which a
 * new file counts; the sizes go to standard error when SIZES is set. */

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const BUDGET = 1200000;       /* All of it, as it goes over the wire. */
const PICTURES = ["icons/icon-192.png", "icons/icon-512.png", "icons/icon-mask.png"];
const FIRST_SHEETS = ["theme.css", "shell.css"];

const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2]);

const options = {
	absWorkingDir: here, outdir: out, bundle: true, write: false, metafile: true, minify: true,
	format: "esm", target: ["es2023", "chrome123", "firefox128", "safari17.5"], charset: "utf8",
	legalComments: "none", logLevel: "warning", preserveSymlinks: true,
};

/* A script for a thread of its own, that a browser takes as a file alone: `import url from "worklet:./x"` is the name
 * of the file that x.ts was joined to. */
const workletInputs = new Set();
const worklets = {
	name: "worklets",
	setup({ onResolve, onLoad }) {
		onResolve({ filter: /^worklet:/ }, ({ path, resolveDir }) =>
			({ path: relative(here, join(resolveDir, `${path.slice("worklet:".length)}.js`)), namespace: "worklet" }));
		onLoad({ filter: /./, namespace: "worklet" }, async ({ path }) => {
			const made = await build({ ...options, entryPoints: [join(here, path.replace(/js$/, "ts"))], format: "iife" });

			Object.keys(made.metafile.inputs).forEach((name) => workletInputs.add(name));
			return { contents: made.outputFiles[0].contents, loader: "file" };
		});
	},
};

/* A content's hash as esbuild writes its own: eight characters. */
function hashOf(bytes) {
	const digest = createHash("sha256").update(bytes).digest();

	return Array.from(digest.subarray(0, 8), (byte) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[byte % 32]).join("");
}

function scripts() {
	return build({
		...options, entryPoints: { main: "src/main.ts" }, splitting: true,
		entryNames: "[name]-[hash]", chunkNames: "[name]-[hash]", assetNames: "[name]-[hash]", plugins: [worklets],
	});
}

/* A script of its own, that shares no file with the page. */
function worker() {
	return build({ ...options, entryPoints: { worker: "src/device/service.ts" }, entryNames: "[name]", format: "iife" });
}

/* The tokens come first, then what frames the views, then the views. */
function sheets() {
	const names = readdirSync(join(here, "style")).filter((name) => name.endsWith(".css")).sort();
	const ordered = [...FIRST_SHEETS, ...names.filter((name) => !FIRST_SHEETS.includes(name))];

	return build({
		...options, entryNames: "style-[hash]", loader: { ".css": "css" },
		stdin: {
			contents: ordered.map((name) => `@import "./style/${name}";`).join("\n"),
			resolveDir: here, sourcefile: "style.css", loader: "css",
		},
	});
}

/* What the entry imports at once, so that the browser need not find out file by file. */
function importedBy(entry, outputs) {
	const found = new Set();
	const walk = (name) => {
		for (const { path, kind } of outputs[name].imports) {
			if (kind === "import-statement" && !found.has(path)) {
				found.add(path);
				walk(path);
			}
		}
	};

	walk(entry);
	return [...found].sort().map((path) => basename(path));
}

/* Each place in index.html that names a source is there once. */
function put(html, place, text) {
	if (html.split(place).length !== 2)
		throw new Error(`index.html does not have ${place} exactly once`);
	return html.replace(place, () => text);
}

const [code, style, own] = await Promise.all([scripts(), sheets(), worker()]);
const files = new Map([...code.outputFiles, ...style.outputFiles, ...own.outputFiles]
	.map(({ path, contents }) => [basename(path), Buffer.from(contents)]));

/* Of a file as it is: the name that it gets. */
function keepFile(name) {
	const bytes = readFileSync(join(here, name));
	const hashed = basename(name).replace(/\.(\w+)$/, `-${hashOf(bytes)}.$1`);

	files.set(hashed, bytes);
	return `/${hashed}`;
}

const entry = Object.keys(code.metafile.outputs)
	.find((name) => code.metafile.outputs[name].entryPoint === "src/main.ts");
const icon = keepFile("icon.svg");
const pictures = Object.fromEntries(PICTURES.map((name) => [name, keepFile(name)]));
const preloads = importedBy(entry, code.metafile.outputs)
	.map((name) => `\n\t<link rel="modulepreload" href="/${name}">`).join("");

let html = readFileSync(join(here, "index.html"), "utf8");
html = put(html, '<link rel="icon" href="icon.svg"', `<link rel="icon" href="${icon}"`);
html = put(html, '<img src="icon.svg"', `<img src="${icon}"`);
html = put(html, '<link rel="stylesheet" href="style">',
	`<link rel="stylesheet" href="/${[...files.keys()].find((name) => name.endsWith(".css"))}">`);
html = put(html, '<script type="module" src="src/main.ts"></script>',
	`<script type="module" src="/${basename(entry)}"></script>${preloads}`);
html = put(html, 'href="icons/icon-192.png"', `href="${pictures["icons/icon-192.png"]}"`);
const manifest = JSON.parse(readFileSync(join(here, "manifest.webmanifest"), "utf8"));
for (const one of manifest.icons)
	one.src = pictures[one.src];
files.set("manifest.webmanifest", Buffer.from(JSON.stringify(manifest)));
files.set("index.html", Buffer.from(html));

let sum = 0;
mkdirSync(out, { recursive: true });
for (const [name, bytes] of files) {
	const packed = gzipSync(bytes, { level: 9 }).length;
	sum += packed;
	writeFileSync(join(out, name), bytes);
	if (process.env.SIZES)
		console.error(`${String(bytes.length).padStart(9)} ${String(packed).padStart(8)} ${name}`);
}
if (process.env.SIZES)
	console.error(`${String(sum).padStart(18)} of ${BUDGET}`);
if (sum > BUDGET) {
	console.error(`build.mjs: the page is ${sum} bytes compressed; ${BUDGET} are allowed`);
	process.exit(1);
}

/* What npm installed stands and falls with the lockfile. */
const inputs = [...[code, style, own].flatMap(({ metafile }) => Object.keys(metafile.inputs)), ...workletInputs]
	.filter((name) => !/node_modules\/|^worklet:/.test(name) && name !== "style.css" && name !== "<stdin>");
for (const name of ["build.mjs", "package-lock.json", "index.html", "icon.svg", "manifest.webmanifest", ...PICTURES, "style", ...inputs])
	console.log(join(here, name));

/* The client of this directory, driven by clients/conformance/run.py. */

import { createInterface } from "node:readline";
import { Signalbox } from "./signalbox.js";

const [url, token, options] = process.argv.slice(2);
const box = new Signalbox({ url, token, ...JSON.parse(options) });
const tell = (event, more) => process.stdout.write(`${JSON.stringify({ ...more, event })}\n`);

box.on("signal", ({ envelope }) => tell("signal", envelope));
for (const name of ["state", "gap", "prompt", "stage", "sources", "crew", "matters"])
	box.on(name, (news) => tell(name, news));

async function act({ do: method, with: words, tag }) {
	try {
		const gave = await box[method](...words);

		tell("done", { ...method === "ping" ? { head: gave } : gave, tag });
	} catch (why) {
		tell("refused", { tag, code: why.code });
	}
}

for await (const line of createInterface({ input: process.stdin }))
	void act(JSON.parse(line));
box.close();

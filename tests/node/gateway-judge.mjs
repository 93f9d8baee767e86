/* Is a frame one that a server of the gateway dialect may send?
 *
 *     judge(frame);                               an event
 *     judge(frame, { method: "chat.history" });   the answer to that
 *     judge(frame, { protocol: 3 });              4 where nothing is said
 *
 * throws where it is not. Protocol 4 is as published (schema/gateway-frames.json, made by
 * tools/gateway-slice), 3 as captured (schema/gateway-v3.json). Frames are closed objects, and so are
 * the payloads that have a definition. An event that is in neither file is refused.
 *
 * For tests in other languages it is a program: a {frame, method?, protocol?} a line on standard
 * input; it prints what is wrong, a line each, and fails where there was something.
 */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import Ajv from "ajv";

const FILES = { 3: "gateway-v3.json", 4: "gateway-frames.json" };
const benches = {};

/* A validator of each protocol, made when the first frame of it comes. */
function benchOf(protocol) {
	if (!(protocol in FILES))
		throw new Error(`no protocol ${protocol}`);
	if (!benches[protocol]) {
		const file = new URL(`../../schema/${FILES[protocol]}`, import.meta.url);
		const schema = JSON.parse(readFileSync(file, "utf8"));
		/* A rule may say what a member is without saying what has it. */
		const ajv = new Ajv({ strict: true, strictTypes: false, strictRequired: false, allErrors: true });

		ajv.addVocabulary(["events", "answers"]);
		ajv.addSchema(schema);
		benches[protocol] = { ajv, schema };
	}
	return benches[protocol];
}

function hold(bench, path, value, what) {
	const validate = bench.ajv.getSchema(`${bench.schema.$id}#/${path}`);

	if (!validate(value))
		throw new Error(`${what}: ${JSON.stringify(validate.errors, null, 1)}\n${JSON.stringify(value)}`);
}

function judgeEvent(bench, frame) {
	hold(bench, "$defs/EventFrame", frame, "an event");
	if (!(frame.event in bench.schema.events))
		throw new Error(`there is no event ${frame.event}`);
	hold(bench, `events/${frame.event}`, frame.payload, `the event ${frame.event}`);
}

function judgeAnswer(bench, frame, method) {
	hold(bench, "$defs/ResponseFrame", frame, "an answer");
	if (frame.ok !== ("error" in frame ? false : true))
		throw new Error(`an answer that is ${frame.ok ? "good and" : "bad without"} an error: ${JSON.stringify(frame)}`);
	if (frame.ok && method in bench.schema.answers)
		hold(bench, `answers/${method}`, frame.payload, `the answer to ${method}`);
	if (frame.error?.details?.code === "MISSING_SCOPE")
		hold(bench, "$defs/MissingScopeErrorDetails", frame.error.details, "the details of an error");
}

export function judge(frame, { method, protocol = 4 } = {}) {
	const bench = benchOf(protocol);

	if (frame?.type === "event")
		judgeEvent(bench, frame);
	else if (frame?.type === "res")
		judgeAnswer(bench, frame, method);
	else
		throw new Error(`a server sends no such frame: ${JSON.stringify(frame)}`);
}

/* How many were not good. */
function judgeLines(lines) {
	let bad = 0;

	for (const line of lines.filter((text) => text.trim() !== "")) {
		const { frame, ...options } = JSON.parse(line);

		try {
			judge(frame, options);
		} catch (why) {
			bad++;
			console.log(why.message.replaceAll("\n", " "));
		}
	}
	return bad;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
	process.exitCode = judgeLines(readFileSync(0, "utf8").split("\n")) === 0 ? 0 : 1;

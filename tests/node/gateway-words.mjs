/* gateway-words.mjs OPENCLAW - are faults told in the words of the program in this folder?
 *
 * Both tell the first few faults of many, not the same number of them; and in a list that is too
 * long we look for no duplicates. So one must be the beginning of the other.
 */

import assert from "node:assert/strict";
import { OURS, SCHEMA, changedPairs, ourVerdicts } from "./gateway-samples.mjs";

const SHOWN = 239; /* bytes of our words */
const reference = await import(`${process.argv[2]}/dist/gateway/protocol/index.js`);
const nameOf = (method) => SCHEMA.methods[method].params.$ref?.split("/").at(-1);

function theirVerdict([method, params]) {
	const validate = reference[`validate${nameOf(method)}`];

	if (validate(params))
		return "ok";
	return Buffer.from(reference.formatValidationErrors(validate.errors)).subarray(0, SHOWN).toString();
}

const pairs = changedPairs(OURS.filter(nameOf));
const ours = ourVerdicts(pairs);
let same = 0;

for (const [i, pair] of pairs.entries()) {
	const theirs = theirVerdict(pair);

	assert.ok(ours[i].startsWith(theirs) || theirs.startsWith(ours[i]),
		`${JSON.stringify(pair)}\nours: ${ours[i]}\ntheirs: ${theirs}`);
	assert.equal(ours[i] === "ok", theirs === "ok");
	same += ours[i] === theirs ? 1 : 0;
}
console.log(`${pairs.length} judged alike, ${same} in the same words`);
process.exit(same > pairs.length * 0.95 ? 0 : 1);

/* OpenClaw's Control UI in a browser, as a person uses it. Arguments: its address, and that of the
 * gateway. Commands come as lines, each is answered by a line when it is done:
 *
 *     say WORDS       writes into the chat
 *     press NAME      a button
 *     sees WORDS      waits until they stand on the page
 *     lacks WORDS     until they do not
 *     count WORDS     how often they stand there
 */

import { createInterface } from "node:readline";
import { eventually } from "../node/lib.mjs";
import { close, open } from "../node/browser.mjs";

const [url, gateway] = process.argv.slice(2);
const page = await open(url);
const text = () => page.evaluate(() => document.body.innerText);
const commands = {
	say: async (words) => {
		const field = page.getByPlaceholder(/^Message /).first();

		await field.fill(words);
		await field.press("Enter");
	},
	press: (name) => page.getByRole("button", { name }).first().click(),
	sees: async (words) => {
		await eventually(async () => (await text()).includes(words), `${words} in the Control UI`);
	},
	lacks: async (words) => {
		await eventually(async () => !(await text()).includes(words), `no ${words} in the Control UI`);
	},
	/* What is read out to people who do not see it stands in the page once more. */
	count: (words) => page.evaluate((wanted) => {
		const times = (element) => element.innerText.split(wanted).length - 1;

		return [...document.querySelectorAll('[aria-live]:not([aria-live="off"])')].reduce((n, e) => n - times(e), times(document.body));
	}, words),
};

await page.getByText(`Switch to ${gateway}`).click();
await page.getByPlaceholder(/^Message /).first().waitFor();
console.log("ready");
for await (const line of createInterface({ input: process.stdin })) {
	const [, name, words] = line.match(/^(\w+) (.*)$/);

	try {
		console.log(String(await commands[name](words) ?? "done"));
	} catch (error) {
		console.log(`failed: ${String(error).split("\n")[0]} ${(await text()).slice(-600).replaceAll("\n", " | ")}`);
	}
}
await close();

/* On the audio thread: what the microphone hears, as pieces of 20 ms of 16 kHz. When it is told to end, what is left
 * goes out filled up with silence, then null: that was all. */

import { joined, makeResampler } from "../resample";
import { FRAME, RATE, toPcm } from "../sound";

class Microphone extends AudioWorkletProcessor {
	readonly #resampler = makeResampler(sampleRate, RATE);
	#rest = new Float32Array(0);
	#isOver = false;

	constructor() {
		super();
		this.port.onmessage = () => this.#end();
	}

	/* Without a signal there are no channels. */
	override process([input]: Float32Array[][]): boolean {
		const channel = input?.[0];

		if (channel !== undefined && !this.#isOver)
			this.#send(this.#resampler.push(channel));
		return !this.#isOver;
	}

	#send(samples: Float32Array): void {
		let all = joined(this.#rest, samples);

		for (; all.length >= FRAME; all = all.slice(FRAME)) {
			const pcm = toPcm(all.subarray(0, FRAME));
			this.port.postMessage(pcm, [pcm.buffer]);
		}
		this.#rest = all;
	}

	#end(): void {
		if (this.#isOver)
			return;
		this.#send(this.#resampler.end());
		if (this.#rest.length > 0)
			this.#send(new Float32Array(FRAME - this.#rest.length));
		this.#isOver = true;
		this.port.postMessage(null);
	}
}

registerProcessor("microphone", Microphone);

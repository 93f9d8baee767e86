/* On the audio thread: plays what the page hands it, and tells when sound begins and ends. A message that is null
 * empties it: what is heard then is over within the fade of the ring. */

import { makeRing } from "../ring";

interface Sound { pcm: Int16Array; rate: number }

class Speaker extends AudioWorkletProcessor {
	readonly #ring = makeRing(sampleRate);
	#isPlaying = false;

	constructor() {
		super();
		this.port.onmessage = ({ data }: MessageEvent<Sound | null>) => {
			if (data === null)
				this.#ring.clear();
			else if (!this.#ring.add(data.pcm, data.rate))
				this.port.postMessage("full");
		};
	}

	override process(_: Float32Array[][], [output]: Float32Array[][]): boolean {
		const [first, ...others] = output ?? [];

		if (first === undefined)
			return true;
		this.#tell(this.#ring.pull(first));
		others.forEach((channel) => channel.set(first));
		return true;
	}

	#tell(isPlaying: boolean): void {
		if (isPlaying !== this.#isPlaying)
			this.port.postMessage(isPlaying);
		this.#isPlaying = isPlaying;
	}
}

registerProcessor("speaker", Speaker);

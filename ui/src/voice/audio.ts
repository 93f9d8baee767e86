/* Sound in and out of the page, with one clock for both. The browser lets it run once somebody has pressed
 * something; while nothing is heard or said it sleeps. */

import microphoneFile from "worklet:./worklet/microphone";
import speakerFile from "worklet:./worklet/speaker";

const WISHES = { channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true };
const SLEEP_MS = 2000;       /* after the last sound */
const LAST_MS = 500;         /* that the audio thread has for its last words */

export interface Microphone {
	/* Ends it, and gives when its last sound was told. */
	end(): Promise<void>;
	/* At once; what was heard and not told is not told. */
	drop(): void;
}

export interface Audio {
	/* Opens the microphone, or throws as browsers do: wordsOfMicrophone() says it for people. */
	listen(heard: (pcm: Int16Array) => void, gone: () => void): Promise<Microphone>;
	play(pcm: Int16Array<ArrayBuffer>, rate: number): void;
	clear(): void;
	readonly isPlaying: boolean;
}

export function makeAudio(changed: () => void, full: () => void): Audio {
	let making: Promise<{ context: AudioContext; speaker: AudioWorkletNode }> | null = null;
	let sleep: number | undefined;
	let open = 0;                /* microphones */
	let isPlaying = false;
	let cleared = 0;

	async function make(): Promise<{ context: AudioContext; speaker: AudioWorkletNode }> {
		const context = new AudioContext({ latencyHint: "interactive" });

		await Promise.all([context.audioWorklet.addModule(microphoneFile), context.audioWorklet.addModule(speakerFile)]);
		const speaker = new AudioWorkletNode(context, "speaker", { numberOfInputs: 0, outputChannelCount: [2] });
		speaker.port.onmessage = ({ data }: MessageEvent<boolean | "full">) => {
			if (data === "full")
				return full();
			isPlaying = data;
			restSoon(context);
			changed();
		};
		speaker.connect(context.destination);
		return { context, speaker };
	}

	async function ready(): Promise<{ context: AudioContext; speaker: AudioWorkletNode }> {
		clearTimeout(sleep);
		making ??= make();
		making.catch(() => { making = null; });
		const made = await making;
		/* A browser that waits for a person to press something keeps its promise until then. */
		void made.context.resume();
		return made;
	}

	function restSoon(context: AudioContext): void {
		clearTimeout(sleep);
		sleep = window.setTimeout(() => {
			if (open === 0 && !isPlaying)
				void context.suspend();
		}, SLEEP_MS);
	}

	return {
		get isPlaying() { return isPlaying; },
		async listen(heard, gone) {
			const stream = await devices().getUserMedia({ audio: WISHES });

			try {
				const { context } = await ready();
				open++;
				return followStream(context, stream, heard, () => {
					open--;
					restSoon(context);
				}, gone);
			} catch (why) {
				stream.getTracks().forEach((track) => track.stop());
				throw why;
			}
		},
		play(pcm, rate) {
			const mine = cleared;

			isPlaying = true;
			ready().then(({ speaker }) => {
				if (mine === cleared)
					speaker.port.postMessage({ pcm, rate }, [pcm.buffer]);
			}, full);
		},
		clear() {
			cleared++;
			isPlaying = false;
			void making?.then(({ context, speaker }) => {
				speaker.port.postMessage(null);
				restSoon(context);
			});
		},
	};
}

/* Browsers have none where the page came by a way that others can listen to. */
function devices(): MediaDevices {
	if (!isSecureContext || (navigator.mediaDevices as MediaDevices | undefined) === undefined)
		throw new DOMException("", "InsecureContext");
	return navigator.mediaDevices;
}

function followStream(context: AudioContext, stream: MediaStream, heard: (pcm: Int16Array) => void, ended: () => void,
	gone: () => void): Microphone {
	const source = context.createMediaStreamSource(stream);
	const node = new AudioWorkletNode(context, "microphone", { numberOfOutputs: 0, channelCount: 1, channelCountMode: "explicit" });
	let isOver = false;
	let last: () => void = () => {};

	node.port.onmessage = ({ data }: MessageEvent<Int16Array | null>) => {
		if (data === null)
			last();
		else if (!isOver)
			heard(data);
	};
	stream.getAudioTracks()[0]?.addEventListener("ended", () => { if (!isOver) gone(); });
	source.connect(node);

	function drop(): void {
		if (isOver)
			return;
		isOver = true;
		stream.getTracks().forEach((track) => track.stop());
		source.disconnect();
		node.port.postMessage(null);
		ended();
	}

	return {
		drop,
		async end() {
			if (isOver)
				return;
			await new Promise<void>((done) => {
				last = done;
				setTimeout(done, LAST_MS);
				node.port.postMessage(null);
			});
			drop();
		},
	};
}

/* What tests of the page's sound share: a microphone that plays a file, a recorder of what the loudspeaker plays, and sounds
 * that can be told from each other. */

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { part } from "./ui.mjs";

const { joined, makeResampler } = await part("voice/resample.ts");

export const RATE = 16000;                     /* of what a box hears */
export const WAV_RATE = 48000;                 /* of what a microphone hears */
export const TONES = [400, 700, 1100, 1700];   /* one after the other, each as long as the silence behind it */
const TONE_SECONDS = 0.25;

/* The tones, as a microphone hears them. */
export function spoken() {
	const length = TONE_SECONDS * WAV_RATE;

	return Int16Array.from({ length: 2 * length * TONES.length }, (_, i) => {
		const tone = Math.floor(i / (2 * length)), at = i % (2 * length);

		return at >= length ? 0 : 12000 * Math.sin(2 * Math.PI * TONES[tone] * i / WAV_RATE) * Math.sin(Math.PI * at / length);
	});
}

function wavOf(pcm, rate) {
	const head = Buffer.alloc(44);

	head.write("RIFF", 0);
	head.writeUInt32LE(36 + pcm.byteLength, 4);
	head.write("WAVEfmt ", 8);
	head.writeUInt32LE(16, 16);
	head.writeUInt16LE(1, 20);
	head.writeUInt16LE(1, 22);
	head.writeUInt32LE(rate, 24);
	head.writeUInt32LE(rate * 2, 28);
	head.writeUInt16LE(2, 32);
	head.writeUInt16LE(16, 34);
	head.write("data", 36);
	head.writeUInt32LE(pcm.byteLength, 40);
	return Buffer.concat([head, Buffer.from(pcm.buffer)]);
}

/* A sweep: no part of it is like another, so that a piece that is missing, doubled or late shows. */
export const sweep = (seconds, rate) => Float32Array.from({ length: rate * seconds }, (_, i) => {
	const t = i / rate;

	return 0.4 * Math.sin(2 * Math.PI * (200 * t + 600 * t * t));
});

/* The flags of a Chromium whose microphone plays this once, each time that it is opened: PCM of WAV_RATE. */
export function microphone(pcm) {
	const path = join(mkdtempSync(join(process.env.TEST_TMP || tmpdir(), "sound-")), "spoken.wav");

	writeFileSync(path, wavOf(pcm, WAV_RATE));
	return ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream", `--use-file-for-fake-audio-capture=${path}%noloop`];
}

/* In the page, before it: whatever goes to the loudspeaker is recorded, too, and the newest of it can be looked at by the clock
 * of the audio thread; when that is told to be silent is noted by the same clock. */
export function record() {
	const plain = AudioNode.prototype.connect;
	const post = MessagePort.prototype.postMessage;

	window.recorded = [];
	window.silenced = [];
	async function keep(track) {
		const reader = new MediaStreamTrackProcessor({ track, maxBufferSize: 1000 }).readable.getReader();

		for (;;) {
			const { value } = await reader.read();
			const samples = new Float32Array(value.numberOfFrames);

			value.copyTo(samples, { planeIndex: 0, format: "f32-planar" });
			window.recorded.push(samples);
			window.recordedRate = value.sampleRate;
			value.close();
		}
	}
	AudioNode.prototype.connect = function connect(to, ...rest) {
		if (to instanceof AudioDestinationNode) {
			const stream = this.context.createMediaStreamDestination();

			window.newest = this.context.createAnalyser();
			window.newest.fftSize = 32768;
			plain.call(this, window.newest);
			plain.call(this, stream);
			void keep(stream.stream.getAudioTracks()[0]);
		}
		return plain.call(this, to, ...rest);
	};
	MessagePort.prototype.postMessage = function postMessage(message, ...rest) {
		if (message === null && window.newest !== undefined)
			window.silenced.push(window.newest.context.currentTime);
		return post.call(this, message, ...rest);
	};
	/* How long after that something was heard, in ms; null: longer ago than can be looked at. */
	window.silentAfter = () => {
		const { context, fftSize } = window.newest;
		const samples = new Float32Array(fftSize);

		window.newest.getFloatTimeDomainData(samples);
		const last = samples.findLastIndex((sample) => sample !== 0);
		return last < 0 ? null : 1000 * (context.currentTime - (fftSize - 1 - last) / context.sampleRate - window.silenced[0]);
	};
	window.isHeard = () => {
		const samples = new Float32Array(2048);

		window.newest?.getFloatTimeDomainData(samples);
		return samples.some((sample) => sample !== 0);
	};
	window.loudest = 0;
	addEventListener("DOMContentLoaded", () => new MutationObserver((all) => all.forEach(({ target }) => {
		window.loudest = Math.max(window.loudest, Number(target.style.getPropertyValue("--level")));
	})).observe(document.body, { subtree: true, attributeFilter: ["style"] }));
}

/* All that was played, as one, from the first sound on. */
export async function played(page) {
	const { rate, blocks } = await page.evaluate(() => ({ rate: window.recordedRate,
		blocks: window.recorded.map((samples) => [...samples].map((sample) => Math.round(sample * 32768))) }));
	const all = Float32Array.from(blocks.flat(), (sample) => sample / 32768);
	const from = all.findIndex((sample) => Math.abs(sample) > 0.001);

	return { rate, samples: from < 0 ? new Float32Array(0) : all.slice(from, all.findLastIndex((sample) => Math.abs(sample) > 0.001) + 1) };
}

export function fitting(samples, from, to) {
	const resampler = makeResampler(from, to);

	return joined(resampler.push(samples), resampler.end());
}

/* The least difference of two sounds, of their loudness, over small shifts. */
export function difference(one, other) {
	let least = Infinity;

	for (let shift = -40; shift <= 40; shift++) {
		let sum = 0, power = 0;

		for (let i = 100; i < one.length - 100; i++) {
			sum += (one[i] - (other[i + shift] ?? 0)) ** 2;
			power += one[i] ** 2;
		}
		least = Math.min(least, Math.sqrt(sum / power));
	}
	return least;
}

/* Which of the tones is the loudest in each tenth of a second, in their order, without silence. */
export function tonesIn(pcm) {
	const found = [];
	const step = RATE / 10;

	for (let at = 0; at + step <= pcm.length; at += step) {
		const powers = TONES.map((hertz) => {
			let re = 0, im = 0;

			for (let i = at; i < at + step; i++) {
				re += pcm[i] * Math.cos(2 * Math.PI * hertz * i / RATE);
				im += pcm[i] * Math.sin(2 * Math.PI * hertz * i / RATE);
			}
			return Math.hypot(re, im) / step;
		});
		const loudest = Math.max(...powers);

		if (loudest > 100 && found.at(-1) !== TONES[powers.indexOf(loudest)])
			found.push(TONES[powers.indexOf(loudest)]);
	}
	return found;
}

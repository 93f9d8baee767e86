/* Sound as it goes over the wire: PCM of 16 bits, the low byte first, in base64; pure. */

export const RATE = 16000;
export const FRAME = RATE / 50;      /* samples of one piece: 20 ms */

const LOUDEST = 32767;
const FLOOR_DB = -60;                /* what the level meter shows as nothing */

export function toPcm(samples: Float32Array): Int16Array<ArrayBuffer> {
	return Int16Array.from(samples, (sample) => Math.round(Math.max(-1, Math.min(1, sample)) * LOUDEST));
}

export function toFloats(pcm: Int16Array): Float32Array {
	return Float32Array.from(pcm, (sample) => sample / (LOUDEST + 1));
}

export function toBase64(pcm: Int16Array): string {
	const bytes = new Uint8Array(pcm.length * 2);
	const view = new DataView(bytes.buffer);
	let text = "";

	pcm.forEach((sample, i) => view.setInt16(i * 2, sample, true));
	for (const byte of bytes)
		text += String.fromCharCode(byte);
	return btoa(text);
}

/* null: it is no sound. Of more channels the mean is taken. */
export function fromBase64(chunk: string, channels = 1): Int16Array<ArrayBuffer> | null {
	const text = bytesOf(chunk);

	if (text === null || channels < 1 || text.length % (2 * channels) !== 0)
		return null;
	const view = new DataView(Uint8Array.from(text, (letter) => letter.charCodeAt(0)).buffer);

	return Int16Array.from({ length: text.length / 2 / channels }, (_, i) => {
		let sum = 0;

		for (let channel = 0; channel < channels; channel++)
			sum += view.getInt16((i * channels + channel) * 2, true);
		return sum / channels;
	});
}

function bytesOf(chunk: string): string | null {
	try {
		return atob(chunk);
	} catch {
		return null;
	}
}

/* How loud it is, for the eye: 0 is silence, 1 as loud as can be. */
export function levelOf(pcm: Int16Array): number {
	const power = pcm.reduce((sum, sample) => sum + (sample / LOUDEST) ** 2, 0) / Math.max(1, pcm.length);

	return power === 0 ? 0 : Math.max(0, Math.min(1, 1 - 10 * Math.log10(power) / FLOOR_DB));
}

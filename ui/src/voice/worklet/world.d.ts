/* What a script of the audio thread finds there: its types cannot stand beside those of a page. And
 * what a page imports of one: the name of its file, as ui/build.mjs makes it. */

declare abstract class AudioWorkletProcessor {
	readonly port: MessagePort;
	abstract process(inputs: Float32Array[][], outputs: Float32Array[][]): boolean;
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;
declare const sampleRate: number;

declare module "worklet:*" {
	const file: string;
	export default file;
}

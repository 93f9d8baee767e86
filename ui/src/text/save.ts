/* Gives the reader a file. Its bytes come from here, so that no address with a credential in it
 * is ever made. */

export function saveFile(name: string, type: string, parts: string[]): void {
	const url = URL.createObjectURL(new Blob(parts, { type }));
	const link = document.createElement("a");

	link.href = url;
	link.download = name;
	link.click();
	/* The browser has begun by then, whatever it is busy with. */
	setTimeout(() => URL.revokeObjectURL(url), 60000);
}

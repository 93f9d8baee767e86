/* What the scripts that drive OpenClaw's published client share: a device that signs, texts. */

import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from "node:crypto";

const raw = (pem) => createPublicKey(pem).export({ type: "spki", format: "der" }).subarray(-32);

/* Options of a client that is a screen with a device of its own. */
export function makeDevice() {
	const { publicKey, privateKey } = generateKeyPairSync("ed25519");
	const publicKeyPem = publicKey.export({ type: "spki", format: "pem" });

	return {
		clientName: "openclaw-tui", mode: "ui",
		deviceIdentity: {
			deviceId: createHash("sha256").update(raw(publicKeyPem)).digest("hex"), publicKeyPem,
			privateKeyPem: privateKey.export({ type: "pkcs8", format: "pem" }),
		},
		hostDeps: {
			signDevicePayload: (pem, payload) => sign(null, Buffer.from(payload), createPrivateKey(pem)).toString("base64url"),
			publicKeyRawBase64UrlFromPem: (pem) => raw(pem).toString("base64url"),
		},
	};
}

export const textOf = (message) => message.content.filter((part) => part.type === "text").map((part) => part.text).join("");

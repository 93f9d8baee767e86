/* Push to talk: the button held down with a pointer or a finger, or the space bar. Who cannot hold anything down (Enter, or a
 * program that reads the page out) begins with one press and ends with the next. A hold whose end nobody would see, because the
 * page lost the keyboard or the system took the finger, is broken off. */

export interface Press {
	/* The space bar was pressed where it means nothing else. */
	space(event: KeyboardEvent): void;
	/* Nothing is held any more. */
	forget(): void;
}

interface Hands {
	press(): void;
	release(): void;
	abort(): void;
}

export function makePress(button: HTMLButtonElement, hands: Hands): Press {
	let how: "pointer" | "space" | "toggle" | null = null;

	function press(by: "pointer" | "space" | "toggle"): void {
		if (how !== null || button.disabled)
			return;
		how = by;
		hands.press();
	}
	function release(by: "pointer" | "space" | "toggle"): void {
		if (how !== by)
			return;
		how = null;
		hands.release();
	}
	function abort(): void {
		if (how === null)
			return;
		how = null;
		hands.abort();
	}
	function toggle(): void {
		if (how === "toggle")
			release("toggle");
		else
			press("toggle");
	}

	button.addEventListener("pointerdown", (event) => {
		if (event.button !== 0 || !event.isPrimary)
			return;
		/* A finger that slides off still holds it. */
		button.setPointerCapture(event.pointerId);
		press("pointer");
	});
	button.addEventListener("pointercancel", () => { if (how === "pointer") abort(); });
	button.addEventListener("contextmenu", (event) => event.preventDefault());
	button.addEventListener("keydown", (event) => {
		if (event.key !== " " && event.key !== "Enter" || event.ctrlKey || event.altKey || event.metaKey)
			return;
		event.preventDefault();
		if (event.repeat)
			return;
		if (event.key === " ")
			press("space");
		else
			toggle();
	});
	/* What has a pointer behind it was heard already. */
	button.addEventListener("click", ({ detail }) => { if (detail === 0) toggle(); });
	addEventListener("pointerup", () => release("pointer"));
	addEventListener("keyup", (event) => {
		if (event.key !== " " || how !== "space")
			return;
		event.preventDefault();
		release("space");
	});
	addEventListener("blur", abort);
	document.addEventListener("visibilitychange", () => { if (document.hidden) abort(); });
	addEventListener("pagehide", abort);
	return {
		space(event) {
			if (!event.repeat)
				press("space");
		},
		forget() { how = null; },
	};
}

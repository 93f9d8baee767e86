/* Frame after frame of the stage while it is in sight: what the model says is painted, and all
 * that stands beside the canvas goes along. */

import type { StageFrame } from "./frame";
import { isBusy, lastToAct } from "./glance";
import { switchCrowd } from "./switches";
import { actorOf, isThere, select, type Theatre } from "./theatre";
import { isEmpty } from "./welcome";

const EMPTY_MS = 1500;      /* so long nobody is there before it is said */

function attend(theatre: Theatre, now: StageFrame, localNow: number): void {
	const { card, desk, episodes, eye, crowd, welcome, legend, notes, feed, more } = theatre;
	const actor = actorOf(theatre, theatre.selected);

	if (theatre.selected !== null && !isThere(actor))
		select(theatre, null);
	else if (isThere(actor))
		card.follow(actor, episodes.of(actor), eye.camera, eye.screen);
	if (theatre.follows)
		eye.follow(isThere(actor) ? actor : lastToAct(now));
	if (!isEmpty(now))
		theatre.emptySince = NaN;
	else if (Number.isNaN(theatre.emptySince))
		theatre.emptySince = localNow;
	welcome.hidden = !(localNow - theatre.emptySince > EMPTY_MS) || legend !== null || !notes.isQuiet;
	const members = feed.company.members(), missing = Math.max(feed.model.offstage, feed.company.missing);

	/* With sessions at work it stands beside the stage until somebody puts it away. */
	if (members.length > 0 && !theatre.isCrowdChosen)
		switchCrowd(theatre, true);
	crowd.look({ frame: now, members, missing, now: Date.now() + desk.link.skewMs }, localNow);
	more.look(missing);
}

/* A painter that finds it too early leaves its time as it is. */
function paint({ painter, eye, host, selected, hovered }: Theatre, now: StageFrame): boolean {
	if (!painter)
		return true;
	painter.stats.lastMs = NaN;
	painter.paint(now, eye.camera, { selected, hovered, focused: document.activeElement === host });
	return !Number.isNaN(painter.stats.lastMs);
}

/* True when there is another picture. */
function work(theatre: Theatre, localNow: number, isCalm: boolean): boolean {
	const { feed, notes, eye, host, marks } = theatre;
	const frame = feed.frame(localNow, isCalm);

	theatre.frame = frame;
	notes.look(feed, frame !== null, localNow);
	if (!frame)
		return false;
	eye.see(frame, { width: host.clientWidth, height: host.clientHeight });
	eye.glide(localNow - theatre.lastAt, isCalm);
	const isPainted = paint(theatre, frame);
	marks.follow(eye.camera);
	attend(theatre, frame, localNow);
	return isPainted;
}

/* Goes on for as long as the view is shown. */
export function draw(theatre: Theatre, localNow: number): void {
	const { desk, host, frame, pace, meter, feed } = theatre;
	const isCalm = desk.wantsLessMotion;

	if (!theatre.isShown)
		return;
	requestAnimationFrame((next) => draw(theatre, next));
	if (isCalm !== theatre.wasCalm)
		theatre.painter?.calm(theatre.wasCalm = isCalm);
	const isLively = frame === null || isBusy(frame) || theatre.follows || host.matches(":active");

	if (!pace.isDue(localNow, isCalm ? "calm" : isLively ? "lively" : "idle"))
		return;
	const began = performance.now();
	if (work(theatre, localNow, isCalm))
		meter.count(performance.now() - began, localNow);
	theatre.lastAt = localNow;
	if (theatre.frame && theatre.painter)
		meter.show(theatre.frame, theatre.painter.stats, feed.model.version, localNow);
}

/* Joins the parts of the page: the link hears the server, the shell shows the views, and what is
 * there in every view is opened at once. */

import { makeCard } from "./device/card";
import { startWorker } from "./device/worker";
import { makeLink } from "./link/link";
import { openTray } from "./prompts/index";
import { openAttention } from "./shell/attention";
import { openShell } from "./shell/shell";
import { views } from "./views";

const desk = openShell(views, makeLink());
desk.toQuestion = openTray(document.getElementById("prompts") as HTMLElement, desk).focus;
openAttention(desk, makeCard(desk, document.getElementById("device") as HTMLElement,
	document.getElementById("device-card") as HTMLDialogElement, startWorker()));

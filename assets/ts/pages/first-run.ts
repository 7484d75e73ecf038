import { announce } from "../lib/announce";
import { make, makeIcon, one } from "../lib/dom";
import { listen } from "../lib/socket";
import { word } from "../lib/words";

interface RunMessage {
  type: "run";
  url: string;
  state: string;
}

/** Time to see that something happened before the page turns into the run, milliseconds. */
const PAUSE_MS = 1500;

const line = one<HTMLElement>("[data-live-socket]");
let arrived = false;

function arrive(url: string): void {
  if (arrived) return;
  arrived = true;
  const link = make("a", "", word("runArrived"));
  link.href = url;
  link.append(" ", makeIcon("arrow-right"));
  line.replaceChildren(makeIcon("circle-check"), link);
  announce(word("runArrived"));
  setTimeout(() => location.assign(url), PAUSE_MS);
}

/** A run may have come while the line was down: then this page is another one by now. */
async function lookAgain(): Promise<void> {
  const reply = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (reply.ok && !(await reply.text()).includes("data-first-run")) location.reload();
}

listen<RunMessage>(line.dataset.liveSocket ?? "", {
  message: ({ type, url }) => {
    if (type === "run") arrive(url);
  },
  connected: (again) => {
    if (again) void lookAgain();
  },
});

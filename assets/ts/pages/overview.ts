import { ansiToNodes } from "../logs/ansi";
import { enableNotes } from "../run/notes";
import { enableTrees } from "../run/trees";

enableTrees();
enableNotes();

/** Colour the last lines of a run that ended badly; they come as plain text. */
document.addEventListener("htmx:afterSwap", (event) => {
  for (const line of (event.target as Element).querySelectorAll<HTMLElement>("[data-ansi-lines] > div"))
    line.replaceChildren(...ansiToNodes(line.textContent ?? ""));
  const log = (event.target as Element).querySelector<HTMLElement>("[data-ansi-lines]");
  if (log) log.scrollTop = log.scrollHeight;
});

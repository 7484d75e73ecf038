import { formatAgo, formatDuration, formatExact } from "./format";
import { word } from "./words";

/** Write every `<time data-relative>` as "3 minutes ago", exact time on hover, and every `<time data-exact>` in full. */
export function refreshTimes(root: ParentNode = document): void {
  for (const element of root.querySelectorAll<HTMLTimeElement>("time[data-exact]")) {
    const moment = new Date(element.dateTime);
    if (!Number.isNaN(moment.getTime())) element.textContent = formatExact(moment);
  }
  const now = new Date();
  for (const element of root.querySelectorAll<HTMLTimeElement>("time[data-relative]")) {
    const moment = new Date(element.dateTime);
    if (Number.isNaN(moment.getTime())) continue;
    element.title = formatExact(moment);
    const text = formatAgo(moment, now, word("justNow"));
    if (element.textContent !== text) element.textContent = text;
  }
}

/** Count up every `[data-running-since]` (ISO time), each second. */
export function tickRuntimes(): void {
  for (const element of document.querySelectorAll<HTMLElement>("[data-running-since]")) {
    const since = new Date(element.dataset.runningSince ?? "");
    if (!Number.isNaN(since.getTime()))
      element.textContent = formatDuration((Date.now() - since.getTime()) / 1000);
  }
}

/** Keep all times of the page fresh for as long as it is open. */
export function keepTimesFresh(): void {
  refreshTimes();
  setInterval(refreshTimes, 20_000);
  setInterval(tickRuntimes, 1000);
  document.addEventListener("htmx:afterSettle", () => refreshTimes());
}

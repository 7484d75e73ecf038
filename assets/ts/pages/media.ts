import type { RunMessage } from "../charts/wire";
import { isTyping, make, makeIcon, one, showPart, throttle } from "../lib/dom";
import { formatCount } from "../lib/format";
import { getJson } from "../lib/http";
import { word } from "../lib/words";
import { lastAtMost } from "../logs/rows";
import { Card } from "../media/card";
import { MediaFeed } from "../media/feed";
import { forgetHeat } from "../media/histogram";
import type { KeysReply } from "../media/wire";

/** A live run's keys are read again at most this often, milliseconds. */
const PAUSE_MS = 3000;
/** Steps between two frames of the player, milliseconds. */
const FRAME_MS = 400;

const root = one<HTMLElement>("[data-media]");
const grid = one<HTMLElement>("[data-media-cards]");
const slider = one<HTMLInputElement>("[data-media-slider]");
const stepText = one<HTMLOutputElement>("[data-media-step]");
const search = one<HTMLInputElement>("[data-page-search]");
const play = one<HTMLButtonElement>("[data-media-play]");
const data = root.dataset;
const urls = {
  heat: data.heatUrl ?? "",
  table: data.tableUrl ?? "",
  frame: data.frameUrl ?? "",
  viewers: data.viewersUrl ?? "",
};
const cards = new Map<string, Card>();
const inView = new Set<Card>();
let steps: number[] = [];
let labels: KeysReply["class_labels"] = {};
let playing: number | undefined;

const feed = new MediaFeed(
  data.valuesUrl ?? "",
  (key) => update(cards.get(key)),
  (key) => cards.get(key)?.fail(() => update(cards.get(key))),
);
const watcher = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) {
      const card = cards.get((entry.target as HTMLElement).dataset.key ?? "");
      if (!card) continue;
      if (entry.isIntersecting) inView.add(card);
      else inView.delete(card);
      if (entry.isIntersecting) update(card);
    }
  },
  { rootMargin: "300px" },
);

const stepNow = () => steps[Number(slider.value)] ?? 0;

function update(card: Card | undefined): void {
  if (!card || !inView.has(card)) return;
  const held = feed.get(card.info, stepNow());
  if (held) card.show(held, { labels, urls, goTo });
}

function moved(): void {
  stepText.textContent = word("stepNumber", { n: formatCount(stepNow()) });
  slider.setAttribute("aria-valuetext", stepText.textContent);
  for (const card of inView) update(card);
}

function goTo(step: number): void {
  slider.value = String(lastAtMost(steps, step));
  moved();
}

function move(by: number): void {
  slider.value = String(Number(slider.value) + by);
  moved();
}

/** Put one card per key into sections by the prefix of their names. */
function layOut(): void {
  const wanted = search.value.toLowerCase();
  const sections = new Map<string, Card[]>();
  for (const card of cards.values()) {
    if (!card.info.key.toLowerCase().includes(wanted)) continue;
    const at = Math.max(card.info.key.lastIndexOf("/"), card.info.key.lastIndexOf("."));
    const name = at > 0 ? card.info.key.slice(0, at) : "";
    sections.set(name, [...(sections.get(name) ?? []), card]);
  }
  const parts = [...sections].map(([name, some]) => {
    const details = make("details", "media-section");
    details.open = true;
    const summary = make("summary");
    summary.append(
      makeIcon("chevron-right"),
      make("h2", "", name || word("noSection")),
      make("span", "count", String(some.length)),
    );
    const inner = make("div", "media-cards");
    inner.append(...some.map(({ element }) => element));
    details.append(summary, inner);
    return details;
  });
  grid.replaceChildren(...(sections.size ? parts : [make("p", "no-match", word("nothingMatches"))]));
}

async function read(): Promise<void> {
  const reply = await getJson<KeysReply>(data.keysUrl ?? "");
  const wasLast = Number(slider.value) >= steps.length - 1;
  const step = stepNow();
  labels = reply.class_labels;
  steps = [...new Set(reply.keys.flatMap((key) => key.steps))].sort((one, other) => one - other);
  let isNew = false;
  for (const key of reply.keys) {
    const known = cards.get(key.key);
    if (known) known.info = key;
    else {
      const card = new Card(key);
      cards.set(key.key, card);
      watcher.observe(card.element);
      isNew = true;
    }
  }
  slider.max = String(Math.max(0, steps.length - 1));
  one<HTMLElement>("[data-media-tools]").hidden = steps.length === 0;
  showPart(root, reply.keys.length ? "full" : "empty");
  if (isNew) layOut();
  forgetHeat();
  if (wasLast) slider.value = slider.max;
  else goTo(step);
  moved();
}

function start(): void {
  showPart(root, "loading");
  read().then(showNamed, () => showPart(root, "error"));
}

/** Go to the card that the address names by its key, or by a part of its value. */
function showNamed(): void {
  const named = new URLSearchParams(`key=${location.hash.slice(1)}`).get("key") ?? "";
  const found = cards.get(named) ?? cards.get(named.replace(/\.\d+$/, ""));
  if (!found) return;
  found.element.closest("details")?.setAttribute("open", "");
  found.element.scrollIntoView({ block: "center" });
  found.element.classList.add("is-named");
}

function stopPlaying(): void {
  clearInterval(playing);
  playing = undefined;
  play.setAttribute("aria-pressed", "false");
}

addEventListener("hashchange", showNamed);
slider.addEventListener("input", moved);
search.addEventListener("input", layOut);
one("[data-media-back]").addEventListener("click", () => move(-1));
one("[data-media-forward]").addEventListener("click", () => move(1));
one("[data-retry]").addEventListener("click", start);
play.addEventListener("click", () => {
  if (playing !== undefined) {
    stopPlaying();
    return;
  }
  if (Number(slider.value) >= steps.length - 1) slider.value = "0";
  play.setAttribute("aria-pressed", "true");
  playing = window.setInterval(() => {
    move(1);
    if (Number(slider.value) >= steps.length - 1) stopPlaying();
  }, FRAME_MS);
});
document.addEventListener("keydown", (event) => {
  if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
  if (document.querySelector("dialog[open]") || (event.target as Element).closest?.("audio, video")) return;
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (by === undefined) return;
  event.preventDefault();
  move(event.shiftKey ? 10 * by : by);
});
const refresh = throttle(() => void read().catch(() => undefined), PAUSE_MS);
document.addEventListener("run-message", (event) => {
  const message = (event as CustomEvent<RunMessage>).detail;
  if (message.type !== "rows" || message.history !== undefined) refresh();
});
document.addEventListener("run-connected", refresh);
start();

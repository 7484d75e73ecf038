import type { RunMessage } from "../charts/wire";
import { isTyping, make, makeIcon, one, showPart, throttle } from "../lib/dom";
import { getJson } from "../lib/http";
import { word } from "../lib/words";
import { Card } from "../media/card";
import { MediaFeed } from "../media/feed";
import { forgetHeat } from "../media/histogram";
import { sectionOf } from "../media/sections";
import { Stepper } from "../media/stepper";
import type { KeysReply } from "../media/wire";

/** A live run's keys are read again at most this often, milliseconds. */
const PAUSE_MS = 3000;

const root = one<HTMLElement>("[data-media]");
const grid = one<HTMLElement>("[data-media-cards]");
const search = one<HTMLInputElement>("[data-page-search]");
const data = root.dataset;
const urls = {
  heat: data.heatUrl ?? "",
  table: data.tableUrl ?? "",
  frame: data.frameUrl ?? "",
  viewers: data.viewersUrl ?? "",
};
const cards = new Map<string, Card>();
const inView = new Set<Card>();
const stepper = new Stepper(() => updateAll());
let labels: KeysReply["class_labels"] = {};

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

function update(card: Card | undefined): void {
  if (!card || !inView.has(card)) return;
  const held = feed.get(card.info, stepper.step ?? 0);
  if (held) card.show(held, { labels, urls, goTo: (step) => stepper.goTo(step) });
}

function updateAll(): void {
  for (const card of inView) update(card);
}

/** Put one card per key into sections by the prefix of their names. */
function layOut(): void {
  const wanted = search.value.toLowerCase();
  const sections = new Map<string, Card[]>();
  for (const card of cards.values()) {
    if (!card.info.key.toLowerCase().includes(wanted)) continue;
    const name = sectionOf(card.info.key);
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
  labels = reply.class_labels;
  const steps = [...new Set(reply.keys.flatMap((key) => key.steps))].sort((one, other) => one - other);
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
  one<HTMLElement>("[data-media-tools]").hidden = steps.length === 0;
  showPart(root, reply.keys.length ? "full" : "empty");
  if (isNew) layOut();
  forgetHeat();
  stepper.offer(steps);
  updateAll();
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

addEventListener("hashchange", showNamed);
one("[data-media-tools]").append(stepper.element);
search.addEventListener("input", layOut);
one("[data-retry]").addEventListener("click", start);
document.addEventListener("keydown", (event) => {
  if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
  if (document.querySelector("dialog[open]") || (event.target as Element).closest?.("audio, video")) return;
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (by === undefined) return;
  event.preventDefault();
  stepper.by(event.shiftKey ? 10 * by : by);
});
const refresh = throttle(() => void read().catch(() => undefined), PAUSE_MS);
document.addEventListener("run-message", (event) => {
  const message = (event as CustomEvent<RunMessage>).detail;
  if (message.type !== "rows" || message.history !== undefined) refresh();
});
document.addEventListener("run-connected", refresh);
start();

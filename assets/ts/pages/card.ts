/**
 * Adding a card: the form with `data-card` holds Stripe's own field for it, so that the number goes to Stripe alone. What
 * is sent to our server is what Stripe calls the setup, which the server then asks Stripe about.
 */
import { word } from "../lib/words";

/** How long the script of Stripe may take to arrive, milliseconds. */
const PATIENCE_MS = 15_000;

interface CardElement {
  mount(place: HTMLElement): void;
  on(event: "change", heard: (state?: { error?: { message?: string } }) => void): void;
}

interface SetupResult {
  error?: { message?: string } | null;
  setupIntent?: { id: string };
}

interface Stripe {
  elements(): { create(kind: "card", options: object): CardElement };
  confirmCardSetup(secret: string, data: { payment_method: { card: CardElement } }): Promise<SetupResult>;
}

declare global {
  interface Window {
    Stripe?: (key: string) => Stripe;
  }
}

const form = document.querySelector<HTMLFormElement>("form[data-card]");
if (form) void begin(form);

async function begin(form: HTMLFormElement): Promise<void> {
  const make = await arrived();
  const place = form.querySelector<HTMLElement>("#card-element");
  const button = form.querySelector<HTMLButtonElement>("button[type=submit]");
  if (!place || !button) return;
  place.replaceChildren();
  if (!make) {
    tell(form, word("cardForm"));
    return;
  }
  const stripe = make(form.dataset.key ?? "");
  const card = stripe.elements().create("card", { style: { base: colours() } });
  card.mount(place);
  card.on("change", (state) => tell(form, state?.error?.message ?? ""));
  button.disabled = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (button.disabled) return;
    button.disabled = true;
    tell(form, "");
    void add(form, stripe, card).then((problem) => {
      if (!problem) return;
      tell(form, problem);
      button.disabled = false;
    });
  });
}

/** Wait for Stripe's script; undefined when it does not come. */
function arrived(): Promise<Window["Stripe"]> {
  if (window.Stripe) return Promise.resolve(window.Stripe);
  return new Promise((resolve) => {
    const script = document.querySelector<HTMLScriptElement>("script[data-stripe]");
    script?.addEventListener("load", () => resolve(window.Stripe));
    script?.addEventListener("error", () => resolve(undefined));
    setTimeout(() => resolve(window.Stripe), PATIENCE_MS);
  });
}

/** Hand the card to Stripe and send the form; returns what went wrong, "" when the form is on its way. */
async function add(form: HTMLFormElement, stripe: Stripe, card: CardElement): Promise<string> {
  try {
    const secret = await beginSetup(form);
    const { error, setupIntent } = await stripe.confirmCardSetup(secret, { payment_method: { card } });
    if (error || !setupIntent) return error?.message ?? word("cardFailed");
    (form.elements.namedItem("setup") as HTMLInputElement).value = setupIntent.id;
    form.submit(); // without the event, so only once
    return "";
  } catch (error) {
    return error instanceof Error && error.message ? error.message : word("cardFailed");
  }
}

/** Return the secret of a new setup. Rejects with words for the person. */
async function beginSetup(form: HTMLFormElement): Promise<string> {
  const token = (form.elements.namedItem("csrfmiddlewaretoken") as HTMLInputElement).value;
  const headers = { Accept: "application/json", "X-CSRFToken": token };
  const reply = await fetch(form.dataset.setup ?? "", { method: "POST", headers }).catch(() => undefined);
  if (!reply) throw new Error(word("cardFailed"));
  if (reply.redirected) throw new Error(word("cardAgain"));
  const told = (await reply.json().catch(() => ({}))) as { client_secret?: string; message?: string };
  if (!reply.ok || !told.client_secret) throw new Error(told.message ?? word("cardFailed"));
  return told.client_secret;
}

/** Stripe's field is in a frame of its own, which knows nothing of our colours. */
function colours(): {
  color: string;
  iconColor: string;
  fontSize: string;
  "::placeholder": { color: string };
} {
  const style = getComputedStyle(document.documentElement);
  const muted = style.getPropertyValue("--text-3").trim();
  const color = style.getPropertyValue("--text").trim();
  return { color, iconColor: muted, fontSize: "14px", "::placeholder": { color: muted } };
}

function tell(form: HTMLFormElement, problem: string): void {
  const place = form.querySelector<HTMLElement>("[data-problem]");
  if (!place) return;
  place.textContent = problem;
  place.hidden = !problem;
}

import { toast } from "./announce";
import { word } from "./words";

/** A closed select changes with every press of an arrow key; what it stops at is sent, after this many milliseconds. */
const SETTLES_MS = 400;
/** How long the place beside a form says that it is saved, milliseconds. */
const SAID_MS = 3000;
const timers = new WeakMap<HTMLFormElement, number>();
const underWay = new WeakMap<HTMLFormElement, Promise<void>>();

type Control = HTMLSelectElement | HTMLInputElement;

/** Save a `[data-sends]` form whenever a select or a box of it changes; what is refused goes back to what it was. */
export function enableSentForms(): void {
  document.addEventListener("change", (event) => {
    const control = event.target;
    const isSelect = control instanceof HTMLSelectElement;
    if (!isSelect && !(control instanceof HTMLInputElement && control.type === "checkbox")) return;
    const form = control.closest<HTMLFormElement>("form[data-sends]");
    if (!form) return;
    clearTimeout(timers.get(form));
    timers.set(
      form,
      window.setTimeout(() => queue(form), isSelect ? SETTLES_MS : 0),
    );
  });
}

/** Send the form as it is once what was sent before is answered, so that the last choice is the one that stays. */
function queue(form: HTMLFormElement): void {
  const before = underWay.get(form) ?? Promise.resolve();
  underWay.set(
    form,
    before.then(() => send(form)),
  );
}

async function send(form: HTMLFormElement): Promise<void> {
  form.setAttribute("aria-busy", "true");
  const sent = controlsOf(form).map((control): [Control, string] => [control, stateOf(control)]);
  const { ok, message } = await post(form);
  form.removeAttribute("aria-busy");
  if (ok) for (const [control, state] of sent) keep(control, state);
  else for (const [control] of sent) goBack(control);
  say(form, message, ok);
}

/** Tell it in the place beside the form, where it has one; errors always in the corner, where they stay. */
function say(form: HTMLFormElement, message: string, ok: boolean): void {
  const place = form.closest("section")?.querySelector<HTMLElement>("[data-said]");
  if (!ok || !place) {
    toast(message, ok ? "success" : "error");
    return;
  }
  place.textContent = message;
  clearTimeout(Number(place.dataset.timer));
  place.dataset.timer = String(window.setTimeout(() => place.replaceChildren(), SAID_MS));
}

async function post(form: HTMLFormElement): Promise<{ ok: boolean; message: string }> {
  try {
    const body = new FormData(form);
    const reply = await fetch(form.action, { method: "POST", body, headers: { Accept: "application/json" } });
    const told = (await reply.json()) as { message?: string; error?: { message: string } };
    return { ok: reply.ok, message: told.message ?? told.error?.message ?? word("requestFailed") };
  } catch {
    return { ok: false, message: word("requestFailed") };
  }
}

function controlsOf(form: HTMLFormElement): Control[] {
  return [...form.querySelectorAll<Control>("select, input[type=checkbox]")];
}

function stateOf(control: Control): string {
  return control instanceof HTMLSelectElement ? control.value : String(control.checked);
}

/** Let the choice that was saved be the one to go back to. */
function keep(control: Control, state: string): void {
  if (control instanceof HTMLInputElement) control.defaultChecked = state === "true";
  else for (const option of control.options) option.defaultSelected = option.value === state;
}

function goBack(control: Control): void {
  if (control instanceof HTMLInputElement) control.checked = control.defaultChecked;
  else control.value = [...control.options].find((option) => option.defaultSelected)?.value ?? "";
}

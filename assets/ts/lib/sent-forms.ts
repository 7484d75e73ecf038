import { toast } from "./announce";
import { word } from "./words";

/** A closed select changes with every press of an arrow key; what it stops at is sent, after this many milliseconds. */
const SETTLES_MS = 400;
const timers = new WeakMap<HTMLFormElement, number>();

/** Save a `[data-sends]` form whenever one of its selects changes; what is refused goes back to what it was. */
export function enableSentForms(): void {
  document.addEventListener("change", (event) => {
    const select = event.target;
    if (!(select instanceof HTMLSelectElement)) return;
    const form = select.closest<HTMLFormElement>("form[data-sends]");
    if (!form) return;
    clearTimeout(timers.get(form));
    timers.set(
      form,
      window.setTimeout(() => void send(form, select), SETTLES_MS),
    );
  });
}

async function send(form: HTMLFormElement, select: HTMLSelectElement): Promise<void> {
  form.setAttribute("aria-busy", "true");
  const { ok, message } = await post(form);
  form.removeAttribute("aria-busy");
  toast(message, ok ? "success" : "error");
  if (ok) keep(select);
  else select.value = [...select.options].find((option) => option.defaultSelected)?.value ?? "";
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

/** Let the choice be the one to go back to. */
function keep(select: HTMLSelectElement): void {
  for (const option of select.options) option.defaultSelected = option.selected;
}

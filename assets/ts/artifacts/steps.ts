import { one } from "../lib/dom";

/** What the server says after a step. */
interface Step {
  /** How many versions are left; 0 ends it. */
  left: number;
  /** Marks what belongs together: further steps send it. */
  at: string;
  /** The page that comes afterwards. */
  page: string;
}

/** Send each `form[data-steps]` again until nothing is left, showing how far it has come. */
export function enableSteps(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-steps]"))
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void send(form, event.submitter);
    });
}

async function send(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  const body = new FormData(form, submitter);
  for (const button of form.querySelectorAll("button")) button.disabled = true;
  try {
    location.assign(await finish(form, body));
  } catch {
    location.reload(); // shows what is done and what is not
  }
}

/** Send steps until the last; returns the page that comes afterwards. Rejects when one fails. */
async function finish(form: HTMLFormElement, body: FormData): Promise<string> {
  const bar = one<HTMLProgressElement>("[data-progress]", form);
  return sendSteps(form.action, body, (done, most) => {
    bar.hidden = false;
    bar.max = most;
    bar.value = done;
  });
}

/** Send a form until nothing is left; returns the page that comes afterwards. Rejects when a step fails. */
export async function sendSteps(
  address: string,
  body: FormData,
  progressed: (done: number, most: number) => void,
): Promise<string> {
  let most = 0;
  for (;;) {
    const { left, at, page } = await step(address, body);
    if (!left) return page;
    most ||= left;
    progressed(most - left, most);
    body.set("at", at);
  }
}

async function step(address: string, body: FormData): Promise<Step> {
  const reply = await fetch(address, { method: "POST", body, headers: { Accept: "application/json" } });
  if (!reply.ok) throw new Error(`${address}: status ${reply.status}`);
  return (await reply.json()) as Step;
}

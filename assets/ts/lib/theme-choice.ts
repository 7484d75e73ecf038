const KEY = "runyard-theme";
const UNSENT = "runyard-theme-unsent";

/** Wire System / Light / Dark of the user menu and of the settings; assets/ts/theme.ts applies the choice. */
export function enableThemeChoice(): void {
  show();
  const unsent = recall(UNSENT);
  if (unsent) void send(unsent);
  document.addEventListener("theme-changed", show);
  document.addEventListener("click", (event) => {
    const target = event.target as Element;
    const button = target.closest<HTMLElement>("[data-theme-choice]");
    if (!button) return;
    event.preventDefault(); // without a script it sends a form
    void choose(button.dataset.themeChoice ?? "system");
  });
}

function chosen(): string {
  return document.documentElement.dataset.theme ?? "system";
}

function show(): void {
  for (const button of document.querySelectorAll<HTMLElement>("[data-theme-choice]"))
    button.setAttribute("aria-pressed", String(button.dataset.themeChoice === chosen()));
}

async function choose(theme: string): Promise<void> {
  document.documentElement.dataset.theme = theme;
  keep(KEY, theme); // other tabs hear of it
  document.dispatchEvent(new Event("theme-chosen"));
  await send(theme);
}

/**
 * Tell the server. A page that is left before the answer leaves this to the next one, which the server may have
 * rendered before it heard of the choice.
 */
async function send(theme: string): Promise<void> {
  const url = document.querySelector<HTMLElement>("[data-theme-url]")?.dataset.themeUrl;
  if (!url) return;
  keep(UNSENT, theme);
  let left = false;
  const leave = () => {
    left = true;
  };
  addEventListener("beforeunload", leave);
  try {
    await fetch(url, {
      method: "POST",
      body: new URLSearchParams({ theme }),
      headers: { "X-CSRFToken": document.body.dataset.csrf ?? "" },
      keepalive: true,
    });
    if (!left && recall(UNSENT) === theme) keep(UNSENT, null);
  } catch {
    return; // it stays unsent
  } finally {
    removeEventListener("beforeunload", leave);
  }
}

function recall(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function keep(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Storage may be forbidden: the choice then reaches other tabs with their next page.
  }
}

/**
 * Runs before the first paint: sets the chosen theme, or follows the system.
 *
 * `data-theme` of <html> says what was chosen. For whoever has signed in the server writes it; for others, and for a
 * choice that the server has still to hear of, this browser remembers it.
 */
const KEY = "runyard-theme";
const UNSENT = "runyard-theme-unsent";
const html = document.documentElement;
const system = matchMedia("(prefers-color-scheme: dark)");

function apply(): void {
  const { theme } = html.dataset;
  html.dataset.bsTheme = theme === "dark" || (theme !== "light" && system.matches) ? "dark" : "light";
  document.dispatchEvent(new Event("theme-changed"));
}

function recall(): void {
  try {
    const kept = localStorage.getItem(KEY);
    if (!html.dataset.theme || localStorage.getItem(UNSENT)) html.dataset.theme = kept ?? "system";
    else if (kept !== html.dataset.theme) localStorage.setItem(KEY, html.dataset.theme);
  } catch {
    // Storage may be forbidden; the system's theme is a fine answer.
  }
}

recall();
apply();
system.addEventListener("change", apply);
document.addEventListener("theme-chosen", apply);
addEventListener("storage", (event) => {
  if (event.key !== KEY) return;
  html.dataset.theme = event.newValue ?? "system";
  apply();
});

/** Runs before the first paint: sets the chosen theme, or follows the system. */
const KEY = "runyard-theme";
const system = matchMedia("(prefers-color-scheme: dark)");

function apply(): void {
  let choice: string | null = null;
  try {
    choice = localStorage.getItem(KEY);
  } catch {
    // Storage may be forbidden; the system's theme is a fine answer.
  }
  const dark = choice === "dark" || (choice !== "light" && system.matches);
  document.documentElement.dataset.bsTheme = dark ? "dark" : "light";
}

apply();
system.addEventListener("change", apply);
addEventListener("storage", apply);

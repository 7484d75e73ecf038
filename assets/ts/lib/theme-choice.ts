const KEY = "runyard-theme";

/** Wire the System / Light / Dark buttons of the user menu; assets/ts/theme.ts applies the choice on every page. */
export function enableThemeChoice(): void {
  const buttons = [...document.querySelectorAll<HTMLButtonElement>("[data-theme-choice]")];
  const show = (choice: string) => {
    for (const button of buttons)
      button.setAttribute("aria-pressed", String(button.dataset.themeChoice === choice));
  };
  show(localStorage.getItem(KEY) ?? "system");
  for (const button of buttons) {
    button.addEventListener("click", () => {
      const choice = button.dataset.themeChoice ?? "system";
      if (choice === "system") localStorage.removeItem(KEY);
      else localStorage.setItem(KEY, choice);
      show(choice);
      dispatchEvent(new Event("storage"));
    });
  }
}

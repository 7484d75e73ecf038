/** Let buttons open and close the list of runs; narrow pages lay it over the panels. */
export function enableSelectorToggle(root: HTMLElement, toggled: () => void): void {
  const toggle = () => {
    const isNarrow = matchMedia("(width < 60rem)").matches;
    root.classList.toggle(isNarrow ? "is-selector-open" : "is-selector-closed");
    toggled();
  };
  for (const button of root.querySelectorAll("[data-toggle-selector]"))
    button.addEventListener("click", toggle);
}

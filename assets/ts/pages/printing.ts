/** A button that prints the page; without JavaScript it is not there, and the browser's own menu prints. */

for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => window.print());
}

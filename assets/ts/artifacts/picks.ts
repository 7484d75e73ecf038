import { one } from "../lib/dom";
import { between } from "../lib/lists";
import { word } from "../lib/words";

/** Choosing rows of `form[data-picks]`: all at once, ranges by Shift, and what shows once some are chosen. */
export function enablePicks(): void {
  const form = document.querySelector<HTMLFormElement>("form[data-picks]");
  if (form?.querySelector("[data-pick-all]")) enable(form);
}

function enable(form: HTMLFormElement): void {
  const boxes = [...form.querySelectorAll<HTMLInputElement>("tbody input[name=version]:not(:disabled)")];
  const all = one<HTMLInputElement>("[data-pick-all]", form);
  const compare = one<HTMLAnchorElement>("[data-pick-compare]", form);
  const everything = form.querySelector<HTMLElement>("[data-pick-everything]");
  const allPages = everything?.querySelector("input");
  let last: number | undefined;

  const draw = () => {
    const chosen = boxes.filter((box) => box.checked);
    all.checked = chosen.length > 0 && chosen.length === boxes.length;
    all.indeterminate = chosen.length > 0 && chosen.length < boxes.length;
    if (everything && allPages) {
      everything.hidden = !all.checked;
      allPages.checked &&= all.checked;
    }
    const count = allPages?.checked ? Number(allPages.dataset.count) : chosen.length;
    one("[data-pick-count]", form).textContent = word("chosen", { n: count });
    compare.hidden = chosen.length !== 2 || !!allPages?.checked;
    const [newer, older] = chosen.map((box) => box.value); // newest first, as the rows are
    compare.href = `${form.dataset.picks}/v${newer}/compare?with=v${older}`;
  };
  const clear = () => {
    for (const box of boxes) box.checked = false;
    draw();
  };
  for (const [index, box] of boxes.entries()) {
    box.addEventListener("click", (event) => {
      if (event.shiftKey && last !== undefined)
        for (const inside of between(boxes, last, index)) inside.checked = box.checked;
      last = index;
      draw();
    });
  }
  all.addEventListener("click", () => {
    for (const box of boxes) box.checked = all.checked;
    draw();
  });
  allPages?.addEventListener("click", draw);
  one("[data-pick-clear]", form).addEventListener("click", clear);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !document.querySelector("dialog[open]")) clear();
  });
  draw();
}

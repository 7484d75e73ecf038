import { isRunningFirst, withRunningFirst } from "./state";

/** Let the choice *Running first* inside of `root` put running runs above all others. */
export function enableRunningFirst(
  root: ParentNode,
  chosen: () => string,
  choose: (order: string) => void,
): () => void {
  const box = root.querySelector<HTMLInputElement>("[data-running-first]");
  const show = () => {
    if (box) box.checked = isRunningFirst(chosen());
  };
  box?.addEventListener("change", () => choose(withRunningFirst(chosen(), box.checked)));
  show();
  return show;
}

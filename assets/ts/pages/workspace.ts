import { liftFrom } from "../workspace/lift";
import { showBroken, Workspace } from "../workspace/workspace";

try {
  new Workspace().begin();
} catch (error) {
  showBroken(document, error);
}
const rows = document.querySelector<HTMLElement>("[data-run-lists]");
if (rows) liftFrom(rows);

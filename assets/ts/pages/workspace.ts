import { liftFrom } from "../workspace/lift";
import { Workspace } from "../workspace/workspace";

new Workspace().begin();
const rows = document.querySelector<HTMLElement>("[data-run-lists]");
if (rows) liftFrom(rows);

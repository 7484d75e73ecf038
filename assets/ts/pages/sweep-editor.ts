import { SweepEditor } from "../sweeps/editor";

const form = document.querySelector<HTMLFormElement>("[data-sweep-editor]");
if (form) new SweepEditor(form).start();

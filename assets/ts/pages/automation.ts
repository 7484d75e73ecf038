import { enableAutomationEditor } from "../automations/editor";

const form = document.querySelector<HTMLFormElement>("[data-automation-editor]");
if (form) enableAutomationEditor(form);

import { make } from "../lib/dom";
import { word } from "../lib/words";
import { choice, type Field, several } from "./fields";

/** Fields of runs that are offered before keys of config and summary. */
const FIELDS = ["group", "job_type", "tags", "user", "host", "state"];

/** What a panel groups runs by: as the workspace, nothing, or columns of its own in their order. */
export function groupField(
  columns: readonly string[],
  value: readonly string[] | "inherit" = "inherit",
): Field<string[] | "inherit"> {
  const start = value === "inherit" ? [] : value;
  const options = [
    ["inherit", word("asWorkspace")],
    ["none", word("noGroups")],
    ["columns", word("groupColumns")],
  ] as const;
  const how = choice(
    word("groupBy"),
    options,
    value === "inherit" ? value : value.length ? "columns" : "none",
  );
  const own = several(word("groupColumns"), [...FIELDS, ...columns], start);
  const element = make("div", "panel-field-pair");
  element.append(how.element, own.element);
  const show = () => {
    own.element.hidden = how.read() !== "columns";
  };
  how.element.addEventListener("change", show);
  show();
  return {
    element,
    read: () => {
      const chosen = how.read();
      return chosen === "inherit" ? "inherit" : chosen === "none" ? [] : own.read();
    },
  };
}

import { make } from "../../lib/dom";
import { word } from "../../lib/words";
import { type Field, ownChoice } from "./fields";
import { several } from "./picker";

/** Fields of runs that are offered before keys of config and summary. */
const FIELDS = ["group", "job_type", "tags", "user", "host", "state"];

/** What a panel groups runs by: as the workspace, nothing, or columns of its own in their order. */
export function groupField(
  columns: readonly string[],
  value: readonly string[] | undefined,
  common: readonly string[],
): Field<string[] | undefined> {
  const options = [
    ["none", word("noGroups")],
    ["columns", word("groupColumns")],
  ] as const;
  const start = value === undefined ? undefined : value.length ? "columns" : "none";
  const how = ownChoice(word("groupBy"), options, start, common.length ? common.join(", ") : "none");
  const own = several(word("groupColumns"), [...new Set([...FIELDS, ...columns])], value ?? []);
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
      return chosen === undefined ? undefined : chosen === "none" ? [] : own.read();
    },
  };
}

import { toast } from "../lib/announce";
import { make, one } from "../lib/dom";
import { refreshTimes } from "../lib/times";
import { word } from "../lib/words";
import { askJson } from "../table/server";
import { NO_PARTS, type Spec, urlOf, type ViewState } from "./state";

interface Version {
  number: number;
  saved_by: string | null;
  saved_at: string;
}

/** List the versions of a view; an older one can be looked at, as a change not saved, or be the last again. */
export async function openHistory(state: ViewState, done: () => void): Promise<void> {
  const dialog = one<HTMLDialogElement>("#view-history");
  const versions = await askJson<Version[]>(urlOf(state, state.id, "/versions"));
  const latest = versions[0]?.number ?? 0;
  const use =
    (act: (spec: Spec) => Promise<unknown>, { number }: Version) =>
    async () => {
      if (state.edited) {
        toast(word("editedFirst"), "error");
        return;
      }
      try {
        const { spec } = await askJson<{ spec: Spec }>(urlOf(state, state.id, `/versions/${number}`));
        await act(spec);
        done();
      } catch (error) {
        toast(error instanceof Error ? error.message : word("requestFailed"), "error");
      }
    };
  const open = (spec: Spec) => askJson(state.urls.working, "PATCH", { ...NO_PARTS, ...spec });
  const restore = (spec: Spec) => askJson(urlOf(state, state.id), "PATCH", { spec, base: latest });
  const rows = versions.map((version) => {
    const row = rowOf(version);
    if (version.number === latest) row.append(make("span", "tag", word("currentVersion")));
    else {
      row.append(buttonOf("openVersion", use(open, version)));
      if (state.mayChange) row.append(buttonOf("restoreVersion", use(restore, version)));
    }
    return row;
  });
  one("[data-versions]", dialog).replaceChildren(...rows);
  refreshTimes(dialog);
  dialog.showModal();
}

function rowOf({ number, saved_by, saved_at }: Version): HTMLElement {
  const row = make("li", "view-version");
  const about = make("span", "view-version-about");
  const time = make("time", "muted");
  time.dateTime = saved_at;
  time.dataset.relative = "";
  about.append(make("strong", "", word("versionNumber", { number })), make("span", "", saved_by ?? ""), time);
  row.append(about);
  return row;
}

function buttonOf(label: string, act: () => Promise<void>): HTMLButtonElement {
  const button = make("button", "btn btn-sm", word(label));
  button.type = "button";
  button.addEventListener("click", () => void act());
  return button;
}

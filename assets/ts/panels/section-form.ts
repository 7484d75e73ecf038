import type { SmoothingKind } from "../charts/smooth";
import { one } from "../lib/dom";
import { word } from "../lib/words";
import { amount, choice, type Field, ownSwitch, text } from "./editor/fields";
import { type Chosen, settingsOf } from "./section-settings";
import { LARGEST_HEIGHT, OWN_AXIS, type SectionSettings, SMALLEST_HEIGHT } from "./spec";

const INHERIT = "inherit";
const SMOOTHINGS: readonly SmoothingKind[] = ["none", "ema", "time", "gaussian", "average"];
const MOST_COLUMNS = 6;

type Saved = (title: string, settings: SectionSettings | null) => void;

/** Ask how a section is called and, unless `settings` is null, how its panels are drawn. */
export function openSectionForm(
  title: string,
  settings: SectionSettings | null,
  axes: readonly string[],
  saved: Saved,
): void {
  const dialog = one<HTMLDialogElement>("#section-dialog");
  const name = text(word("sectionName"), title);
  one<HTMLInputElement>("input", name.element).required = true;
  const fields = settings ? fieldsOf(settings, axes) : null;
  one("h2", dialog).textContent = word(settings ? "sectionSettings" : "renameSection");
  one(".panel-fields", dialog).replaceChildren(
    name.element,
    ...Object.values(fields ?? {}).map(({ element }) => element),
  );
  one<HTMLFormElement>("form", dialog).onsubmit = () =>
    saved(name.read() || title, fields ? settingsOf(chosenIn(fields)) : null);
  dialog.showModal();
  one<HTMLInputElement>("input", name.element).select();
}

type Fields = ReturnType<typeof fieldsOf>;

function fieldsOf(settings: SectionSettings, axes: readonly string[]) {
  const inherited = [INHERIT, word("asWorkspace")] as const;
  const columns = Array.from({ length: MOST_COLUMNS }, (_, i) => [String(i + 1), String(i + 1)] as const);
  return {
    x: choice(
      word("axisX"),
      [
        inherited,
        [OWN_AXIS, word("ownAxis")],
        ["_step", word("step")],
        ["_runtime", word("relativeTime")],
        ["_timestamp", word("wallTime")],
        ...axes.map((key) => [key, key] as const),
      ],
      settings.x ?? INHERIT,
    ),
    columns: choice(word("gridColumns"), [inherited, ...columns], String(settings.columns ?? INHERIT)),
    kind: choice(
      word("smoothing"),
      [inherited, ...SMOOTHINGS.map((kind) => [kind, word(`smoothing_${kind}`)] as const)],
      settings.smoothing?.kind ?? INHERIT,
    ),
    amount: amount(word("smoothingAmount"), settings.smoothing?.amount),
    logX: ownSwitch(word("logX"), settings.logX),
    logY: ownSwitch(word("logY"), settings.logY),
    yMin: amount(word("yMin"), settings.yMin),
    yMax: amount(word("yMax"), settings.yMax),
    height: heightField(settings.height),
  };
}

function heightField(height: number | undefined): Field<number | null> {
  const field = amount(word("panelHeight"), height);
  const input = one<HTMLInputElement>("input", field.element);
  Object.assign(input, { min: String(SMALLEST_HEIGHT), max: String(LARGEST_HEIGHT), step: "1" });
  return field;
}

function chosenIn(fields: Fields): Chosen {
  const chosen = (field: Field<string>) => (field.read() === INHERIT ? undefined : field.read());
  return {
    x: chosen(fields.x),
    columns: chosen(fields.columns),
    kind: chosen(fields.kind) as SmoothingKind | undefined,
    amount: fields.amount.read(),
    logX: fields.logX.read(),
    logY: fields.logY.read(),
    yMin: fields.yMin.read(),
    yMax: fields.yMax.read(),
    height: fields.height.read(),
  };
}

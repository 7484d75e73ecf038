import { entryOf } from "../lib/record";
import { textOf } from "./parts";
import type { Item } from "./wire";

type Value = Record<string, unknown>;

/** Lists of the SDK that hold whole values: under which name, and of which kind they are. */
const WHOLE: Record<string, [name: string, kind: string]> = {
  audio: ["audio", "audio-file"],
  videos: ["videos", "video-file"],
  html: ["html", "html-file"],
};
/** Lists that hold file names only: where the names begin, and the kind. */
const NAMES: Record<string, [folder: string, kind: string]> = {
  "images/separated": ["", "image-file"],
  images: ["", "image-file"],
  molecule: ["", "molecule-file"],
  object3D: ["media/object3D/", "object3D-file"], // the SDK writes these relative to their folder
};

/** Take a logged value apart into single ones: each of the SDK's lists has a form of its own. */
export function itemsOf(kind: string, value: unknown): Item[] {
  if (Array.isArray(value) && value.length && value.every(isMedia))
    return value.flatMap((one: Value) => itemsOf(textOf(one._type), one));
  if (!isRecord(value)) return [{ kind, value: { text: value }, caption: "" }];
  const captions = Array.isArray(value.captions) ? (value.captions as unknown[]) : [];
  const whole = entryOf(WHOLE, kind);
  const several = whole && value[whole[0]];
  if (whole && Array.isArray(several)) {
    return several.filter(isRecord).map((one, i) => ({
      kind: whole[1],
      value: one,
      caption: textOf(one.caption) || textOf(captions[i]),
    }));
  }
  const named = entryOf(NAMES, kind);
  if (named && Array.isArray(value.filenames))
    return value.filenames.map((_, i) => namedItem(named, value, captions, i));
  return [{ kind, value, caption: textOf(value.caption) }];
}

function namedItem([folder, kind]: [string, string], value: Value, captions: unknown[], i: number): Item {
  const of = (name: string) => (Array.isArray(value[name]) ? (value[name][i] as unknown) : undefined);
  const name = textOf(of("filenames"));
  const path = name.startsWith(folder) ? name : `${folder}${name}`;
  const { width, height } = value;
  const item = { path, width, height, masks: of("all_masks"), boxes: of("all_boxes") };
  return { kind, value: item, caption: textOf(captions[i]) };
}

function isRecord(value: unknown): value is Value {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isMedia(value: unknown): boolean {
  return isRecord(value) && typeof value._type === "string";
}

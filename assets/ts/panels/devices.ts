import type { DrawnLine } from "../charts/frame";
import { COLORS } from "../charts/palette";
import type { KeyAbout } from "../charts/wire";
import { collate } from "../lib/format";
import { word } from "../lib/words";
import type { Member } from "./groups";
import type { RunInfo } from "./runs";
import { averaged } from "./statistics";

/** How many devices are drawn: a line or a row of a heat map for each, per node their mean and range, or one of all. */
export const DEVICES = ["auto", "each", "heat", "node", "all"] as const;
export type Devices = (typeof DEVICES)[number];

/** As many lines of one run can be told apart. */
const FEW_LINES = 8;

/** What the keys of a panel are: system metrics, as the server describes them. */
export class Hardware {
  /** The nodes' labels, as they are sorted. */
  readonly nodes: readonly string[];
  private readonly all: readonly KeyAbout[];
  private readonly devices: readonly string[];
  private readonly hasTitles: boolean;

  constructor(private readonly abouts: ReadonlyMap<string, KeyAbout>) {
    this.all = [...abouts.values()];
    this.nodes = sorted(this.all.map(({ node }) => node));
    this.devices = sorted(this.all.map(deviceOf));
    this.hasTitles = new Set(this.all.map(({ id }) => id)).size > 1;
  }

  about(key: string): KeyAbout | undefined {
    return this.abouts.get(key);
  }

  /** Whether all keys are counters, which are drawn as rates. */
  get isCounter(): boolean {
    return this.all.length > 0 && this.all.every(({ rate_unit }) => rate_unit !== "");
  }

  /** The unit that all keys share, "" where they differ. */
  unit(asRate: boolean): string {
    const units = new Set(this.all.map((one) => (asRate ? one.rate_unit : one.unit)));
    return units.size === 1 ? ([...units][0] as string) : "";
  }

  /** Whether there is more than one line to a run. */
  get hasMany(): boolean {
    return new Set(this.all.map(lineOf)).size > 1;
  }

  /** Say what `auto` is for so many lines. */
  chosen(devices: Devices, members: readonly Member[]): Exclude<Devices, "auto"> {
    if (devices !== "auto") return devices;
    const ofRun = new Map<string, number>();
    for (const { uid } of members) ofRun.set(uid, (ofRun.get(uid) ?? 0) + 1);
    if (Math.max(0, ...ofRun.values()) <= FEW_LINES) return "each";
    if (ofRun.size === 1) return "heat";
    return this.nodes.length > 1 ? "node" : "all";
  }

  /** What tells a key's line apart from the others of its run: `node-2 · GPU 3`. */
  label(key: string): string {
    const about = this.abouts.get(key);
    if (!about) return key;
    const title = this.hasTitles ? about.title : "";
    const device = about.device || (title || about.node ? "" : word("wholeMachine"));
    const parts = [about.node, title, device];
    return parts.filter(Boolean).join(" · ");
  }

  /** Which colour and dash a key's line has on a run's own page: devices differ by colour, nodes by dash. */
  style(key: string): { color: number; dash: number } {
    const about = this.abouts.get(key);
    const node = Math.max(0, this.nodes.indexOf(about?.node ?? ""));
    if (!about || this.devices.length < 2) return { color: node, dash: 0 };
    return { color: this.devices.indexOf(deviceOf(about)), dash: node };
  }

  /** Make one line of the devices of each node, or of all: the mean, between the least and the greatest. */
  together(members: readonly Member[], by: "node" | "all", isRunPage: boolean): Member[] {
    const groups = new Map<string, Member[]>();
    for (const member of members) {
      const about = this.abouts.get(member.key);
      const name = `${member.uid}\n${about?.id ?? ""}\n${by === "node" ? (about?.node ?? "") : ""}`;
      groups.set(name, [...(groups.get(name) ?? []), member]);
    }
    return [...groups.entries()].map(([id, inside]) => {
      const first = inside[0] as Member;
      const about = this.abouts.get(first.key);
      const node = by === "node" ? (about?.node ?? "") : "";
      const place = Math.max(0, this.nodes.indexOf(node));
      const mean = word("meanOfDevices", { n: inside.length });
      const names = [isRunPage ? "" : first.run, node, mean].filter(Boolean);
      return {
        ...first,
        ...averaged(inside, "mean", "range"),
        id,
        key: about?.id ?? first.key,
        label: names.join(" · "),
        color: isRunPage ? place % COLORS : first.color,
        dash: isRunPage ? 0 : place,
        smooth: null,
      };
    });
  }
}

/** The rows of a heat map of devices, those of a node together, each in its run's color. */
export function heatRows(
  members: readonly Member[],
  runs: readonly RunInfo[],
): (DrawnLine & { key: string })[] {
  const colors = new Map(runs.map(({ uid, color }) => [uid, color]));
  const sorted = [...members].sort((a, b) => collate(a.label, b.label));
  return sorted.map(({ id, key, uid, label, color, x, y }) => ({
    ...{ id, key, label, x, y, owner: uid, color: colors.get(uid) ?? color, dash: 0 },
    ...{ raw: null, low: null, high: null },
  }));
}

function sorted(names: readonly string[]): string[] {
  return [...new Set(names)].sort((a, b) => a.localeCompare(b, undefined, { numeric: true }));
}

/** Names a line: other spellings of a tag are the same one. */
export function lineOf({ line, node }: KeyAbout): string {
  return `${node}\n${line}`;
}

function deviceOf({ id, device }: KeyAbout): string {
  return `${id}\n${device}`;
}

/** What a counter grew by in each second since the point before; where it began again there is no point. */
export function rated(x: Float64Array, y: Float64Array): { x: Float64Array; y: Float64Array } {
  const places = new Float64Array(x.length);
  const values = new Float64Array(x.length);
  let length = 0;
  for (let at = 1; at < x.length; at += 1) {
    const lasted = (x[at] as number) - (x[at - 1] as number);
    const grown = (y[at] as number) - (y[at - 1] as number);
    if (!(lasted > 0) || !(grown >= 0)) continue;
    places[length] = x[at] as number;
    values[length] = grown / lasted;
    length += 1;
  }
  return { x: places.subarray(0, length), y: values.subarray(0, length) };
}

import { paint } from "../../charts/palette";
import { make } from "../../lib/dom";
import { formatCount } from "../../lib/format";
import { getJson } from "../../lib/http";
import { runUrl } from "../../lib/runs";
import { word } from "../../lib/words";
import { failure, noneDrawn, note, skeleton } from "../notes";
import type { Head, Panel, Stage } from "../panel";
import type { RunInfo } from "../runs";
import type { PanelSpec } from "../spec";
import type { Block } from "./lines";
import { Pair, type Text } from "./pair";

/** A file over several runs: which runs have the same text, two of the texts, and how these differ. */
interface Reply {
  /** "" where no run saved code. */
  file: string;
  files: string[];
  /** Ids of the runs of each version. */
  versions: string[][];
  /** Ids of runs without such a file. */
  missing: string[];
  most_runs: number;
  most_lines: number;
  pair: Text[];
  /** null where there is nothing to compare, or too much. */
  blocks: Block[] | null;
}

/** Of all runs drawn the server reads the first few anyway, and says how many. */
const MOST_ASKED = 50;
/** Swatches that stand before a version's name. */
const MOST_SWATCHES = 8;

/** A file of the code that the runs drawn have saved, two versions of it side by side (RUN-26). */
export class CodeComparer implements Panel {
  private readonly tools = make("div", "panel-code-tools");
  private readonly content = make("div", "panel-code-pair");
  private readonly remarks = make("div", "panel-code-remarks");
  /** Runs whose versions somebody chose. */
  private readonly chosen: Record<"left" | "right", string> = { left: "", right: "" };
  private fileName: string;
  private shownFor = "";
  private turn = 0;

  constructor(
    private readonly body: HTMLElement,
    spec: PanelSpec,
    private readonly stage: Stage,
    private readonly head: Head,
  ) {
    this.fileName = spec.file ?? "";
    this.content.tabIndex = 0; // it scrolls
    this.content.setAttribute("role", "region");
    skeleton(body);
  }

  refresh(): void {
    const wanted = this.runs.map(({ uid, name, color }) => `${uid}:${name}:${color}`).join(" ");
    if (wanted !== this.shownFor) void this.read(wanted);
  }

  grew(): void {
    // code is saved as a run begins
  }

  destroy(): void {
    this.turn += 1;
    this.body.replaceChildren();
  }

  /** The baseline first, as the page lists it. */
  private get runs(): RunInfo[] {
    return this.stage.runs.drawn();
  }

  private async read(wanted = this.shownFor): Promise<void> {
    this.shownFor = wanted;
    const { runs } = this;
    this.turn += 1;
    const { turn } = this;
    if (!runs.length) {
      note(this.body, noneDrawn(this.stage.runs));
      return;
    }
    const query = new URLSearchParams({ file: this.fileName, ...this.chosen });
    for (const { uid } of runs.slice(0, MOST_ASKED)) query.append("run", uid);
    try {
      const reply = await getJson<Reply>(`${this.stage.urls.code}?${query}`);
      if (turn === this.turn) this.show(reply, runs);
    } catch {
      if (turn === this.turn) failure(this.body, () => void this.read());
    }
  }

  private show(reply: Reply, runs: readonly RunInfo[]): void {
    if (!reply.files.length) {
      note(this.body, word("noCodeSaved"));
      return;
    }
    this.showTools(reply, runs);
    const texts = reply.pair;
    this.content.setAttribute("aria-label", reply.file);
    if (texts.length) this.content.replaceChildren(new Pair(texts, reply.blocks, reply.most_lines).element);
    else this.content.replaceChildren();
    this.remarks.replaceChildren(...this.remarksOn(reply, runs).map((text) => make("p", "", text)));
    this.body.replaceChildren(this.tools, this.content, this.remarks);
  }

  private showTools(reply: Reply, runs: readonly RunInfo[]): void {
    const names = reply.files.includes(reply.file) ? reply.files : [reply.file, ...reply.files];
    const files = select(word("codeFile"), names, names.indexOf(reply.file), (at) => {
      this.fileName = names[at] ?? "";
      this.head.keep({ file: this.fileName });
      void this.read();
    });
    files.classList.add("mono");
    const sides = reply.pair.map(({ version }, side) => this.sideOf(reply, runs, version, side));
    this.tools.replaceChildren(files, ...sides);
  }

  /** Which version is shown on a side; another may be chosen where there are others. */
  private sideOf(reply: Reply, runs: readonly RunInfo[], version: number, side: number): HTMLElement {
    const box = make("div", "panel-code-side");
    const of = reply.versions.map((uids) => runs.filter(({ uid }) => uids.includes(uid)));
    const mine = of[version] ?? [];
    box.append(...mine.slice(0, MOST_SWATCHES).map(swatchOf));
    if (reply.versions.length < 2) {
      box.append(
        ...(mine.length > 1 ? [make("span", "", nameOf(mine))] : mine.map((run) => this.linkTo(run))),
      );
      return box;
    }
    const way = side ? "right" : "left";
    const label = word(side ? "codeRight" : "codeLeft");
    box.append(
      select(label, of.map(nameOf), version, (at) => {
        this.chosen[way] = reply.versions[at]?.[0] ?? "";
        void this.read();
      }),
    );
    return box;
  }

  private linkTo({ uid, name }: RunInfo): HTMLElement {
    const link = make("a", "", name);
    link.href = `${runUrl(this.stage.urls.run, uid)}/code`;
    return link;
  }

  private remarksOn(reply: Reply, runs: readonly RunInfo[]): string[] {
    const said: string[] = [];
    const isCompared = reply.pair.length > 1;
    if (isCompared && !reply.blocks) said.push(word("codeTooLong", { n: formatCount(reply.most_lines) }));
    if (reply.pair.some(({ is_cut }) => is_cut)) said.push(word("codeCut"));
    const without = runs.filter(({ uid }) => reply.missing.includes(uid));
    if (without.length) said.push(word("codeMissing", { file: reply.file, runs: nameOf(without) }));
    if (runs.length > reply.most_runs) {
      said.push(word("codeFirstRuns", { n: reply.most_runs, all: formatCount(runs.length) }));
    }
    return said;
  }
}

function swatchOf({ color }: RunInfo): HTMLElement {
  const swatch = make("i", "run-swatch");
  paint(swatch, color);
  return swatch;
}

/** A version is called by its first run, and how many more have it. */
function nameOf(runs: readonly RunInfo[]): string {
  const name = runs[0]?.name ?? "";
  return runs.length > 1 ? word("codeRuns", { name, n: runs.length - 1 }) : name;
}

function select(
  label: string,
  names: readonly string[],
  chosen: number,
  act: (at: number) => void,
): HTMLSelectElement {
  const element = make("select", "form-select form-select-sm");
  element.setAttribute("aria-label", label);
  element.append(...names.map((name, at) => new Option(name, String(at))));
  element.value = String(chosen);
  element.addEventListener("change", () => act(Number(element.value)));
  return element;
}

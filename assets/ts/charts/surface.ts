/** What our plots use of a canvas: the same code draws on the screen, into a PNG and into an SVG. */
export type Surface = Pick<
  CanvasRenderingContext2D,
  | "beginPath"
  | "moveTo"
  | "lineTo"
  | "closePath"
  | "arc"
  | "rect"
  | "stroke"
  | "fill"
  | "clip"
  | "save"
  | "restore"
  | "fillText"
  | "setLineDash"
  | "fillStyle"
  | "strokeStyle"
  | "lineWidth"
  | "globalAlpha"
  | "font"
  | "textAlign"
  | "textBaseline"
>;

interface State {
  fillStyle: string;
  strokeStyle: string;
  lineWidth: number;
  globalAlpha: number;
  font: string;
  textAlign: CanvasTextAlign;
  textBaseline: CanvasTextBaseline;
  dash: number[];
  clip: string;
}

/** Writes an SVG where a canvas would paint. */
export class SvgSurface {
  fillStyle = "#000";
  strokeStyle = "#000";
  lineWidth = 1;
  globalAlpha = 1;
  font = "";
  textAlign: CanvasTextAlign = "start";
  textBaseline: CanvasTextBaseline = "alphabetic";
  private dash: number[] = [];
  private clipName = "";
  private path = "";
  private clips = 0;
  private readonly parts: string[] = [];
  private readonly states: State[] = [];

  constructor(
    private readonly width: number,
    private readonly height: number,
  ) {}

  beginPath(): void {
    this.path = "";
  }

  moveTo(x: number, y: number): void {
    this.path += `M${short(x)} ${short(y)}`;
  }

  lineTo(x: number, y: number): void {
    this.path += `${this.path ? "L" : "M"}${short(x)} ${short(y)}`;
  }

  closePath(): void {
    this.path += "Z";
  }

  /** Only whole circles are drawn. */
  arc(x: number, y: number, r: number): void {
    this.path += `M${short(x - r)} ${short(y)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.path += `M${short(x)} ${short(y)}h${short(width)}v${short(height)}h${short(-width)}Z`;
  }

  stroke(): void {
    const dash = this.dash.length ? ` stroke-dasharray="${this.dash.join(" ")}"` : "";
    this.put(`fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}"${dash}`);
  }

  fill(): void {
    this.put(`fill="${this.fillStyle}"`);
  }

  clip(): void {
    this.clips += 1;
    this.clipName = ` clip-path="url(#clip${this.clips})"`;
    this.parts.push(`<clipPath id="clip${this.clips}"><path d="${this.path}"/></clipPath>`);
  }

  save(): void {
    const { fillStyle, strokeStyle, lineWidth, globalAlpha, font, textAlign, textBaseline, dash } = this;
    this.states.push({
      ...{ fillStyle, strokeStyle, lineWidth, globalAlpha, font, textAlign, textBaseline, dash },
      clip: this.clipName,
    });
  }

  restore(): void {
    const state = this.states.pop();
    if (!state) return;
    const { clip, ...rest } = state;
    Object.assign(this, rest);
    this.clipName = clip;
  }

  setLineDash(dash: number[]): void {
    this.dash = dash;
  }

  fillText(text: string, x: number, y: number): void {
    const anchor = { center: "middle", right: "end", end: "end" }[this.textAlign as string] ?? "start";
    const shift = { middle: "0.35em", top: "0.8em", hanging: "0.8em" }[this.textBaseline as string] ?? "0";
    const size = /(\d+(?:\.\d+)?)px/.exec(this.font)?.[1] ?? "11";
    const weight = /^(\d{3}) /.exec(this.font)?.[1] ?? "400";
    this.parts.push(
      `<text x="${short(x)}" y="${short(y)}" dy="${shift}" text-anchor="${anchor}" font-size="${size}" ` +
        `font-weight="${weight}" fill="${this.fillStyle}"${this.clipName}>${escaped(text)}</text>`,
    );
  }

  /** The whole picture. */
  text(): string {
    const font = "Inter, system-ui, sans-serif";
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" width="${this.width}" height="${this.height}" ` +
      `viewBox="0 0 ${this.width} ${this.height}" font-family="${font}">${this.parts.join("")}</svg>\n`
    );
  }

  private put(look: string): void {
    const alpha = this.globalAlpha < 1 ? ` opacity="${this.globalAlpha}"` : "";
    if (this.path) this.parts.push(`<path d="${this.path}" ${look}${alpha}${this.clipName}/>`);
  }
}

function short(value: number): string {
  return String(Math.round(value * 100) / 100);
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** What each kind of value is called: its icon, and the word of a template. */
const NAMES: [pattern: RegExp, icon: string, name: string][] = [
  [/^image/, "images", "kindImage"],
  [/table/, "rows-3", "kindTable"],
  [/^histogram$/, "chart-column", "kindHistogram"],
  [/^html/, "file-code", "kindHtml"],
  [/^audio/, "file-audio", "kindAudio"],
  [/^video/, "file-video", "kindVideo"],
  [/^(plotly|bokeh)/, "chart-spline", "kindPlot"],
  [/^molecule/, "atom", "kindMolecule"],
  [/^object3D/, "box", "kindModel"],
  [/^graph-file$/, "workflow", "kindGraph"],
  [/^(string|list|boolean)$/, "file-text", "kindText"],
];
/** What is seen or heard, as opposed to tables and texts. */
const MEDIA =
  /^(image-file|images(\/separated)?|histogram|html(-file)?|audio(-file)?|video-file|videos|plotly(-file)?|bokeh-file|molecule(-file)?|object3D(-file)?|graph-file|media)$/;

/** Viewers by what the SDK calls the kind of a file. */
const VIEWERS: Record<string, string> = {
  plotly: "plotly",
  bokeh: "bokeh",
  molecule: "molecule",
  object3D: "model",
};

/** The frame that draws files of a kind, `plotly-file` or `plotly` (frames/NAME-frame.ts); undefined where none does. */
export function viewerNameOf(kind: string): string | undefined {
  const name = kind.replace(/-file$/, "");
  return Object.hasOwn(VIEWERS, name) ? VIEWERS[name] : undefined;
}

/** The icon and the word (of a template) for a kind of value. */
export function kindOf(kind: string): [icon: string, name: string] {
  const found = NAMES.find(([pattern]) => pattern.test(kind));
  return found ? [found[1], found[2]] : ["file", "kindOther"];
}

export function isMedia(kind: string): boolean {
  return MEDIA.test(kind);
}

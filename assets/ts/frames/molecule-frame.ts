import { createViewer, type GLViewer } from "3dmol/build/3Dmol.es6-min.js";
import { serve, textOf } from "./host";
import type { ShownFile } from "./messages";
import { formatOf } from "./molecule-formats";

/** Runs in a sandboxed frame of no origin (metrics/views/frames.py). */
serve((box, file, theme) => {
  const { ending, format, isBinary } = formatOf(file.name);
  if (!format) throw new Error((document.body.dataset.noFormat ?? "").replace("{ending}", `.${ending}`));
  const viewer = createViewer(box, { backgroundColor: theme.surface, antialias: true });
  if (!viewer) throw new Error(document.body.dataset.noWebgl);
  const model = viewer.addModel(contentOf(file, isBinary), format, { keepH: true });
  if (!model.selectedAtoms({}).length) throw new Error(document.body.dataset.noFigure);
  style(viewer);
  viewer.zoomTo();
  viewer.render();
  new ResizeObserver(() => viewer.resize()).observe(box);
});

function contentOf(file: ShownFile, isBinary: boolean): string {
  return isBinary ? (new Uint8Array(file.content) as unknown as string) : textOf(file);
}

/** A protein as a ribbon coloured along its chain, or as beads where it has one atom a residue; all else as balls and sticks. */
function style(viewer: GLViewer): void {
  viewer.setStyle({}, { stick: { radius: 0.15 }, sphere: { scale: 0.25 } });
  const residues = viewer.selectedAtoms({ hetflag: false, atom: "CA" });
  if (residues.length <= 4) return;
  const backbone = viewer.selectedAtoms({ hetflag: false, atom: "C" }); // without it no ribbon is drawn at all
  if (backbone.length >= residues.length / 2)
    viewer.setStyle({ hetflag: false }, { cartoon: { color: "spectrum" } });
  else viewer.setStyle({ hetflag: false }, { stick: { radius: 0.15 }, sphere: { scale: 0.8 } });
}

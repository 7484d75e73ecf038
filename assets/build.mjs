// Builds assets/dist: scripts, styles, fonts, pictures and the icon sprite. `--watch` keeps building.
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { build, context } from "esbuild";

const OUT = "assets/dist";
const ENTRIES = await entryPoints("assets/ts/pages");
/** Gzipped kilobytes a page may start with, htmx included; spec UI-8. */
const BUDGETS_KB = { shell: 80, workspace: 200 };
const HTMX_KB = 17;

const common = {
  bundle: true,
  minify: true,
  target: ["es2022", "chrome111", "firefox113", "safari16.4"],
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
};
const modules = {
  ...common,
  entryPoints: ENTRIES,
  outdir: `${OUT}/js`,
  format: "esm",
  splitting: true,
  chunkNames: "chunks/[name]-[hash]",
  loader: { ".svg": "text" },
};
/** Plain scripts: one that runs before the first paint, a worker, and those of frames without an origin, which cannot load modules. */
const plain = {
  ...common,
  entryPoints: [
    "assets/ts/theme.ts",
    "assets/ts/workers/pattern.ts",
    ...["vega", "plotly", "molecule", "model"].map((name) => `assets/ts/frames/${name}-frame.ts`),
  ],
  outbase: "assets/ts",
  outdir: `${OUT}/js`,
  format: "iife",
};
/** Bokeh finds its models by the names of their classes, which minifying drops. */
const named = {
  ...plain,
  entryPoints: ["assets/ts/frames/bokeh-frame.ts"],
  minify: false,
  minifyWhitespace: true,
};
const styles = {
  ...common,
  entryPoints: ["assets/css/app.css", "assets/css/admin.css", "assets/css/editor.css"],
  outdir: `${OUT}/css`,
  loader: { ".woff2": "file" },
  assetNames: "../fonts/[name]-[hash]",
};

async function entryPoints(folder) {
  const names = await readdir(folder);
  return names.filter((name) => name.endsWith(".ts")).map((name) => `${folder}/${name}`);
}

/** Gather the icons named in assets/icons.txt into one sprite, so that a page loads only what is used. */
async function buildSprite() {
  const names = (await readFile("assets/icons.txt", "utf8")).split("\n").filter(Boolean);
  const symbols = await Promise.all(names.map(symbolOf));
  const sprite = `<svg xmlns="http://www.w3.org/2000/svg">${symbols.join("")}</svg>\n`;
  await writeFile(`${OUT}/icons.svg`, sprite);
}

async function symbolOf(name) {
  const svg = await readFile(`node_modules/lucide-static/icons/${name}.svg`, "utf8");
  const inner = svg.match(/<svg[^>]*>([\s\S]*)<\/svg>/)[1].replace(/\s*\n\s*/g, "");
  return `<symbol id="${name}" viewBox="0 0 24 24">${inner}</symbol>`;
}

async function gzippedKb(path) {
  return gzipSync(await readFile(path)).length / 1024;
}

/** The entry's own size and that of every chunk it imports at once, gzipped kilobytes. */
async function initialKb(output, outputs, seen = new Set()) {
  if (seen.has(output)) return 0;
  seen.add(output);
  let size = await gzippedKb(output);
  for (const imported of outputs[output].imports) {
    if (imported.kind === "import-statement") size += await initialKb(imported.path, outputs, seen);
  }
  return size;
}

async function reportSizes(result) {
  const { outputs } = result.metafile;
  const sizes = {};
  for (const [output, { entryPoint }] of Object.entries(outputs)) {
    if (entryPoint) sizes[output.split("/").pop().replace(".js", "")] = await initialKb(output, outputs);
  }
  for (const [name, kb] of Object.entries(sizes)) console.log(`js/${name}.js  ${kb.toFixed(1)} kB gzip`);
  console.log(`css/app.css  ${(await gzippedKb(`${OUT}/css/app.css`)).toFixed(1)} kB gzip`);
  for (const [name, budget] of Object.entries(BUDGETS_KB)) {
    const total = (name === "shell" ? 0 : sizes.shell) + sizes[name] + HTMX_KB;
    console.log(`${name} page: ${total.toFixed(1)} of ${budget} kB gzip, htmx included`);
    if (total > budget) throw new Error(`${name}: ${total.toFixed(1)} kB is over its budget of ${budget} kB`);
  }
}

/** What is being watched is not minified, so `make` must not take it for what it builds. */
const unstamp = {
  name: "unstamp",
  setup: (building) =>
    building.onEnd(async () => {
      const stamps = (await readdir(OUT)).filter((name) => name.startsWith(".built-"));
      await Promise.all(stamps.map((name) => rm(`${OUT}/${name}`, { force: true })));
    }),
};

await rm(OUT, { recursive: true, force: true });
await mkdir(OUT, { recursive: true });
await cp("assets/img", `${OUT}/img`, { recursive: true });
await buildSprite();
for (const name of ["DejaVuSans", "DejaVuSans-Bold"]) {
  await cp(`node_modules/dejavu-fonts-ttf/ttf/${name}.ttf`, `${OUT}/fonts/${name}.ttf`); // for invoices as PDF
}
if (process.argv.includes("--watch")) {
  for (const options of [modules, plain, named, styles]) {
    await (await context({ ...options, minify: false, logLevel: "info", plugins: [unstamp] })).watch();
  }
} else {
  const [result] = await Promise.all([modules, plain, named, styles].map((options) => build(options)));
  await reportSizes(result);
}

// Runs the unit tests, assets/ts/**/*.test.ts. Arguments choose files by a part of their path: `npm test -- charts/scale`.
// RUNYARD_TEST_JUNIT names a file for the results, which `make test` counts with those of pytest.
import { spawn } from "node:child_process";
import { glob, mkdir, mkdtemp, rm } from "node:fs/promises";
import { build } from "esbuild";

await mkdir(".cache", { recursive: true });
const OUT = await mkdtemp(".cache/typescript-tests-"); // two may run at the same time
const parts = process.argv.slice(2);
const files = await Array.fromAsync(glob("assets/ts/**/*.test.ts"));
const entryPoints = files.filter((file) => parts.length === 0 || parts.some((part) => file.includes(part)));

const { metafile } = await build({
  entryPoints,
  bundle: true,
  splitting: true,
  metafile: true,
  format: "esm",
  platform: "node",
  sourcemap: "inline",
  loader: { ".svg": "text" },
  outdir: OUT,
  outbase: "assets/ts",
  outExtension: { ".js": ".mjs" },
  logLevel: "warning",
});
const bundles = Object.keys(metafile.outputs).filter((name) => metafile.outputs[name].entryPoint);
const results = process.env.RUNYARD_TEST_JUNIT;
const reporters = results
  ? ["--test-reporter=junit", `--test-reporter-destination=${results}`]
  : [`--test-reporter=${parts.length > 0 ? "spec" : "dot"}`];
// One process for all: each of its own would take as long to start as its tests take.
const node = ["--enable-source-maps", "--test", "--test-isolation=none", ...reporters, ...bundles];
spawn(process.execPath, node, { stdio: "inherit" }).on("exit", async (status) => {
  await rm(OUT, { recursive: true });
  process.exit(status ?? 1);
});

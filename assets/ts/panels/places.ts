import type { Kind } from "../charts/wire";
import { word } from "../lib/words";
import { CLOSED_RANK } from "./layout";

/** Where a key's chart goes and what it is called. */
export interface Place {
  section: string;
  title: string;
  /** Sections with a lower rank come first; equal ranks go by name. */
  rank: number;
}

/** Find the section of a key: history by what stands before the first slash, system by device. */
export function placeOf(kind: Kind, key: string, isRunPage: boolean): Place {
  if (kind === "history") return historyPlace(key);
  const place = systemPlace(key);
  if (isRunPage) return place;
  return { ...place, section: `${word("sectionSystem")} · ${place.section}`, rank: place.rank + CLOSED_RANK };
}

function historyPlace(key: string): Place {
  const slash = key.indexOf("/");
  if (slash <= 0) return { section: word("sectionCharts"), title: key, rank: 0 };
  return { section: key.slice(0, slash), title: key, rank: 1 };
}

/** The metric without the label of the machine that measured it (`/l:node-3`, RUN-41). */
export function metricOf(key: string): string {
  return key.replace(/\/l:.+$/, "");
}

/** The SDK's names (`gpu.0.memoryAllocated`, `disk./.usagePercent`), with or without `system.` before them. */
function systemPlace(key: string): Place {
  const name = metricOf(key).replace(/^system[./]/, "");
  const title = systemTitle(name);
  const gpu = /^gpu\.(process\.)?(\d+)\./.exec(name);
  if (gpu) {
    const index = Number(gpu[2]);
    if (gpu[1]) return { section: word("sectionGpuProcess", { of: index }), title, rank: 500 + index };
    return { section: `GPU ${index}`, title, rank: 10 + index };
  }
  if (/^(cpu|proc\.cpu)/.test(name)) return { section: word("sectionCpu"), title, rank: 1 };
  if (/^(memory|proc\.memory|swap)/.test(name)) return { section: word("sectionMemory"), title, rank: 2 };
  if (/^disk/.test(name)) return { section: word("sectionDisk"), title, rank: 3 };
  if (/^network/.test(name)) return { section: word("sectionNetwork"), title, rank: 4 };
  const device = /^(tpu|trn|ipu|xpu|npu|hpu|tt|rbln)\b/.exec(name);
  if (device) return { section: (device[1] ?? "").toUpperCase(), title, rank: 400 };
  return { section: word("sectionOther"), title, rank: 900 };
}

const SYSTEM_TITLES: [RegExp, string][] = [
  [/^cpu$/, "cpuProcess"],
  [/^cpu\.(\d+)\.cpu_percent$/, "cpuCore"],
  [/^proc\.cpu\.threads$/, "cpuThreads"],
  [/^memory(_percent)?$/, "memoryPercent"],
  [/^proc\.memory\.availableMB$/, "memoryAvailable"],
  [/^proc\.memory\.rssMB$/, "memoryRss"],
  [/^proc\.memory\.percent$/, "memoryProcess"],
  [/^disk\.(.+)\.usagePercent$/, "diskPercent"],
  [/^disk\.(.+)\.usageGB$/, "diskUsed"],
  [/^disk\.(.+)\.in$/, "diskRead"],
  [/^disk\.(.+)\.out$/, "diskWritten"],
  [/^network\.sent$/, "networkSent"],
  [/^network\.recv$/, "networkReceived"],
  [/^gpu\.(?:process\.)?(\d+)\.gpu$/, "gpuUse"],
  [/^gpu\.(?:process\.)?(\d+)\.memory$/, "gpuMemoryAccess"],
  [/^gpu\.(?:process\.)?(\d+)\.memoryAllocated$/, "gpuMemoryPercent"],
  [/^gpu\.(?:process\.)?(\d+)\.memoryAllocatedBytes$/, "gpuMemoryBytes"],
  [/^gpu\.(?:process\.)?(\d+)\.temp$/, "gpuTemperature"],
  [/^gpu\.(?:process\.)?(\d+)\.powerWatts$/, "gpuPower"],
  [/^gpu\.(?:process\.)?(\d+)\.powerPercent$/, "gpuPowerPercent"],
  [/^gpu\.(?:process\.)?(\d+)\.smClock$/, "gpuClock"],
  [/^gpu\.(?:process\.)?(\d+)\.memoryClock$/, "gpuMemoryClock"],
];

function systemTitle(name: string): string {
  for (const [pattern, key] of SYSTEM_TITLES) {
    const match = pattern.exec(name);
    if (match) return word(key, { of: match[1] ?? "" });
  }
  return name;
}

import { word } from "../lib/words";
import type { Kind } from "./wire";

/** Where a key's chart goes and what it is called. */
export interface Place {
  section: string;
  title: string;
  /** Sections with a lower rank come first; equal ranks go by name. */
  rank: number;
}

/** Find the section of a key: history by what stands before the first slash, system by device. */
export function placeOf(kind: Kind, key: string): Place {
  return kind === "system" ? systemPlace(key) : historyPlace(key);
}

function historyPlace(key: string): Place {
  const slash = key.indexOf("/");
  if (slash <= 0) return { section: word("sectionCharts"), title: key, rank: 0 };
  return { section: key.slice(0, slash), title: key, rank: 1 };
}

/** The SDK's names (`gpu.0.memoryAllocated`, `disk./.usagePercent`), with or without `system.` before them. */
function systemPlace(key: string): Place {
  const name = key.replace(/^system[./]/, "");
  const title = systemTitle(name);
  const gpu = /^gpu\.(?:process\.)?(\d+)\./.exec(name);
  if (gpu) return { section: `GPU ${gpu[1]}`, title, rank: 10 + Number(gpu[1]) };
  if (/^(cpu|proc\.cpu)/.test(name)) return { section: word("sectionCpu"), title, rank: 1 };
  if (/^(memory|proc\.memory|swap)/.test(name)) return { section: word("sectionMemory"), title, rank: 2 };
  if (/^disk/.test(name)) return { section: word("sectionDisk"), title, rank: 3 };
  if (/^network/.test(name)) return { section: word("sectionNetwork"), title, rank: 4 };
  return { section: word("sectionOther"), title, rank: 9999 };
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
  [/^gpu\.(\d+)\.gpu$/, "gpuUse"],
  [/^gpu\.(\d+)\.memory$/, "gpuMemoryAccess"],
  [/^gpu\.(\d+)\.memoryAllocated$/, "gpuMemoryPercent"],
  [/^gpu\.(\d+)\.memoryAllocatedBytes$/, "gpuMemoryBytes"],
  [/^gpu\.(\d+)\.temp$/, "gpuTemperature"],
  [/^gpu\.(\d+)\.powerWatts$/, "gpuPower"],
  [/^gpu\.(\d+)\.powerPercent$/, "gpuPowerPercent"],
  [/^gpu\.(\d+)\.smClock$/, "gpuClock"],
  [/^gpu\.(\d+)\.memoryClock$/, "gpuMemoryClock"],
];

function systemTitle(name: string): string {
  for (const [pattern, key] of SYSTEM_TITLES) {
    const match = pattern.exec(name);
    if (match) return word(key, { of: match[1] ?? "" });
  }
  return name;
}

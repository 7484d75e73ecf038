import { hitsOf, type Job } from "../lib/hits";
import { Matcher } from "../lib/matcher";
import { Patterns } from "../lib/patterns";

/** Answers as the worker of a page does, but never for `^(a+)+$`, with which a real one would be busy. */
export class FakeWorker {
  onmessage: Worker["onmessage"] = null;
  onerror: Worker["onerror"] = null;
  isEnded = false;
  readonly jobs: Job[] = [];

  constructor() {
    this.answer("ready");
  }

  postMessage(job: Job): void {
    this.jobs.push(job);
    if (job.source !== "^(a+)+$") this.answer(hitsOf(job));
  }

  terminate(): void {
    this.isEnded = true;
  }

  private answer(data: unknown): void {
    setImmediate(() => this.onmessage?.call(this as never, { data } as MessageEvent));
  }
}

/** Patterns without a page, and the workers that they began; `changed` waits until more is known of a pattern. */
export function makePatterns(): { patterns: Patterns; workers: FakeWorker[]; changed: () => Promise<void> } {
  const workers: FakeWorker[] = [];
  const waiting: (() => void)[] = [];
  const start = () => {
    const worker = new FakeWorker();
    workers.push(worker);
    return worker;
  };
  const patterns = new Patterns(() => {
    for (const tell of waiting.splice(0)) tell();
  }, new Matcher(start));
  return { patterns, workers, changed: () => new Promise((resolve) => waiting.push(resolve)) };
}

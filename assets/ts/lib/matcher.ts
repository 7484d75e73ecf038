import type { Hit, Job } from "./hits";

/** How long a pattern may take: so many ticks, which come later while the page itself is busy. */
const TICK_MS = 100;
const MOST_TICKS = 10;

/** Why there are no hits: a word for it. */
export class NoMatch extends Error {}

type MatchWorker = Pick<Worker, "postMessage" | "terminate" | "onmessage" | "onerror">;

/** Matches patterns in a worker, one at a time, and ends the worker when one takes too long. */
export class Matcher {
  private worker: MatchWorker | undefined;
  private timer: ReturnType<typeof setInterval> | undefined;
  private reject: (reason: NoMatch) => void = () => undefined;

  constructor(private readonly start: () => MatchWorker = startWorker) {}

  /** The hits in each text. Rejects with the word for what is wrong with the pattern. */
  async match(job: Job): Promise<Hit[][]> {
    if (!this.worker) {
      this.worker = this.start();
      await this.answerOf(this.worker); // it has loaded, which takes a network its time
    }
    const answer = this.answerOf(this.worker);
    this.worker.postMessage(job);
    let ticks = 0;
    this.timer = setInterval(() => {
      ticks += 1;
      if (ticks > MOST_TICKS) this.stop("patternSlow");
    }, TICK_MS);
    const hits = (await answer) as Hit[][] | null;
    clearInterval(this.timer);
    if (!hits) throw new NoMatch("patternInvalid");
    return hits;
  }

  /** End the worker; what is being matched is rejected with the word. */
  stop(word: string): void {
    clearInterval(this.timer);
    this.worker?.terminate();
    this.worker = undefined;
    this.reject(new NoMatch(word));
  }

  private answerOf(worker: MatchWorker): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.reject = reject;
      worker.onmessage = ({ data }: MessageEvent) => resolve(data);
      worker.onerror = () => this.stop("loadFailed");
    });
  }
}

function startWorker(): MatchWorker {
  return new Worker(document.body.dataset.patternWorker ?? "");
}

import type { ProjectMessage } from "../charts/wire";
import { listen } from "../lib/socket";

/** Pauses between questions after new rows, milliseconds: longer where many runs bring some all the time. */
const SHORTEST_PAUSE_MS = 60;
const LONGEST_PAUSE_MS = 500;
const PAUSE_A_RUN_MS = 20;

export interface LiveOptions {
  /** Rows of a run have come. */
  rows(uid: string, heads: { history?: number; system?: number }): void;
  /** Ask now for all that was told since. */
  catchUp(): void;
  state(uid: string, state: string): void;
  /** The line was down: what was missed is not known. */
  again(): void;
}

/** One subscription for all runs drawn: messages carry cursors, and one question follows for all of them. */
export class Live {
  private socket: { send(message: unknown): void } | undefined;
  private followed: string[] = [];
  private readonly heard = new Map<string, number>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asked = 0;

  constructor(private readonly options: LiveOptions) {}

  /** Listen to a project's runs. */
  open(path: string): void {
    this.socket = listen<ProjectMessage>(path, {
      message: (message) => this.take(message),
      connected: (again) => {
        this.socket?.send({ follow: this.followed });
        if (again) this.options.again();
      },
    });
  }

  /** Hear of the rows of these runs. */
  follow(uids: string[]): void {
    if (uids.join(" ") === this.followed.join(" ")) return;
    this.followed = uids;
    this.socket?.send({ follow: uids });
  }

  take(message: ProjectMessage, uid = ""): void {
    if (message.type === "run") this.options.state(message.uid, message.state);
    if (message.type !== "rows") return;
    const name = message.uid ?? uid;
    this.options.rows(name, message);
    this.heard.set(name, performance.now());
    this.askSoon();
  }

  private askSoon(): void {
    if (this.timer !== undefined) return;
    const now = performance.now();
    let busy = 0;
    for (const [uid, at] of this.heard) {
      if (now - at < 5000) busy += 1;
      else this.heard.delete(uid);
    }
    const pause = Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, busy * PAUSE_A_RUN_MS));
    this.timer = setTimeout(
      () => {
        this.timer = undefined;
        this.asked = performance.now();
        this.options.catchUp();
      },
      Math.max(20, this.asked + pause - now),
    );
  }
}

import { showOffline } from "./connection";

/** Pauses between attempts grow to this, milliseconds. */
const LONGEST_PAUSE_MS = 15_000;

export interface Listener<M> {
  /** A message came. */
  message(message: M): void;
  /** The line is up, the first time or again: ask for what was missed. */
  connected?(again: boolean): void;
}

/**
 * Listen to a WebSocket at `path` for as long as the page is open.
 * It comes back with growing pauses, and at once when the page is looked at again.
 *
 * @returns a way to send; what is sent while the line is down is lost, so `connected` sends it again.
 */
export function listen<M>(path: string, listener: Listener<M>): { send(message: unknown): void } {
  const url = new URL(path, location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  let attempts = 0;
  let opened = false;
  let timer: number | undefined;
  let socket: WebSocket | undefined;

  const connect = () => {
    timer = undefined;
    socket = new WebSocket(url);
    socket.onopen = () => {
      attempts = 0;
      showOffline(false);
      listener.connected?.(opened);
      opened = true;
    };
    socket.onmessage = (event) => listener.message(JSON.parse(String(event.data)) as M);
    socket.onclose = (event) => {
      socket = undefined;
      if (isRefused(event.code)) return;
      attempts += 1;
      if (attempts >= 3) showOffline(true);
      timer = window.setTimeout(connect, pauseAfter(attempts, Math.random()));
    };
  };
  const hurry = () => {
    if (document.visibilityState !== "visible") return;
    if (timer !== undefined) {
      clearTimeout(timer);
      connect();
    } else if (socket?.readyState === WebSocket.OPEN) {
      listener.connected?.(true); // a sleeping laptop may have missed messages without noticing
    }
  };
  document.addEventListener("visibilitychange", hurry);
  addEventListener("online", hurry);
  connect();
  return {
    send: (message) => {
      if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
    },
  };
}

/** Whether the server closed the line for good: what it is about is gone, or not ours. */
export function isRefused(code: number): boolean {
  return code >= 4400 && code < 4500;
}

/**
 * How long to wait after a number of failed attempts in a row, milliseconds.
 *
 * @param chance - From 0 to 1: pages that lost the server together do not all come back at once.
 */
export function pauseAfter(attempts: number, chance: number): number {
  const pause = Math.min(LONGEST_PAUSE_MS, 500 * 2 ** Math.min(attempts, 6));
  return pause * (0.7 + chance * 0.6);
}

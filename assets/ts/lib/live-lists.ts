import { throttle } from "./dom";
import { listen } from "./socket";

/** Lists are fetched again at most this often, milliseconds. */
const PAUSE_MS = 1000;

/** On every message of the socket at `path`, let htmx fetch the lists that wait for `run-changed from:body`. */
export function refreshListsOn(path: string): void {
  const refresh = throttle(() => document.body.dispatchEvent(new Event("run-changed")), PAUSE_MS);
  listen(path, {
    message: refresh,
    connected: (again) => {
      if (again) refresh();
    },
  });
}

import { hitsOf, type Job } from "../lib/hits";

/** Matches patterns away from the page, which ends this worker when one takes too long (lib/matcher.ts). */
self.onmessage = ({ data }: MessageEvent<Job>) => {
  try {
    self.postMessage(hitsOf(data));
  } catch {
    self.postMessage(null); // too large for an engine, say
  }
};
self.postMessage("ready");

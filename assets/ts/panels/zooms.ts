import { Zooms } from "./zoomed-parts";

const NAME = "zoom";

/** Of this page, in its address. */
export const zooms = new Zooms(new URLSearchParams(location.search).get(NAME), (text) => {
  const address = new URL(location.href);
  if (text === null) address.searchParams.delete(NAME);
  else address.searchParams.set(NAME, text);
  history.replaceState(history.state, "", address);
});

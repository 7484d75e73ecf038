import { enableDialogs } from "../lib/dialogs";
import { keepTimesFresh } from "../lib/times";

/** What a page in a frame of another site shares with all pages; it has no shell. */
keepTimesFresh();
enableDialogs();

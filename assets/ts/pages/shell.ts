import { followNotices } from "../lib/above";
import { letMessagesGo, toast } from "../lib/announce";
import { followRequests } from "../lib/connection";
import { enableCopying } from "../lib/copy";
import { enableDialogs } from "../lib/dialogs";
import { enableSearch } from "../lib/search";
import { enableShortcuts } from "../lib/shortcuts";
import { enableThemeChoice } from "../lib/theme-choice";
import { keepTimesFresh } from "../lib/times";
import { word } from "../lib/words";

const { address } = document.body.dataset;
if (address) history.replaceState(history.state, "", address);

keepTimesFresh();
followNotices();
followRequests();
enableCopying();
enableDialogs();
enableSearch();
enableShortcuts();
enableThemeChoice();
letMessagesGo();

document.addEventListener("htmx:configRequest", (event) => {
  const { headers } = (event as CustomEvent<{ headers: Record<string, string> }>).detail;
  headers["X-CSRFToken"] = document.body.dataset.csrf ?? "";
});
document.addEventListener("htmx:responseError", () => toast(word("requestFailed"), "error"));

// on a narrow screen the rail is a row that scrolls: begin where the page is
const rail = document.querySelector<HTMLElement>(".rail");
const here = rail?.querySelector<HTMLElement>("[aria-current]");
if (rail && here) rail.scrollLeft = here.offsetLeft - (rail.clientWidth - here.offsetWidth) / 2;

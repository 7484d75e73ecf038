import { one } from "../lib/dom";
import { refreshListsOn } from "../lib/live-lists";

const list = one<HTMLElement>("[data-live-socket]");
refreshListsOn(list.dataset.liveSocket ?? "");

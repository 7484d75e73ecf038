import { enableCode, prepareCode } from "../run/code";

enableCode();
prepareCode(document);
document.addEventListener("htmx:afterSwap", (event) => prepareCode(event.target as Element));

import { enableSentForms } from "../lib/sent-forms";

enableSentForms();

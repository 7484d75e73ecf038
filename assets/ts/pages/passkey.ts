/** Passkeys: a form with `data-passkey` makes one ("create"), signs in ("login"), or confirms who one is ("use"). */
import { toast } from "../lib/announce";
import { word } from "../lib/words";

interface Options {
  creation_options?: { publicKey: PublicKeyCredentialCreationOptionsJSON };
  request_options?: { publicKey: PublicKeyCredentialRequestOptionsJSON };
}

for (const form of document.querySelectorAll<HTMLFormElement>("form[data-passkey]")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void answer(form);
  });
}

for (const button of document.querySelectorAll<HTMLElement>("[data-prints]")) {
  button.hidden = false;
  button.addEventListener("click", () => window.print());
}

async function answer(form: HTMLFormElement): Promise<void> {
  const field = form.elements.namedItem("credential") as HTMLInputElement;
  if (!window.PublicKeyCredential || !("parseRequestOptionsFromJSON" in PublicKeyCredential)) {
    toast(word("passkeyUnknown"), "error");
    return;
  }
  try {
    const credential = await ceremony(form.dataset.passkey ?? "", form.action);
    if (!credential) return;
    field.value = JSON.stringify(credential.toJSON());
    form.submit(); // without the event, so only once
  } catch (error) {
    const known = error instanceof DOMException && error.name === "InvalidStateError";
    toast(word(known ? "passkeyKnown" : "passkeyFailed"), "error");
  }
}

async function ceremony(kind: string, url: string): Promise<PublicKeyCredential | null> {
  const options = kind === "login" ? await fetched(url) : given();
  const asked = options.creation_options?.publicKey;
  if (asked) {
    // what signs in alone must be found by the device itself, and ask for a finger, a face or a PIN
    asked.authenticatorSelection = {
      ...asked.authenticatorSelection,
      residentKey: "required",
      requireResidentKey: true,
      userVerification: "required",
    };
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(asked);
    return (await navigator.credentials.create({ publicKey })) as PublicKeyCredential | null;
  }
  const wanted = options.request_options?.publicKey;
  if (!wanted) return null;
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(wanted);
  return (await navigator.credentials.get({ publicKey })) as PublicKeyCredential | null;
}

function given(): Options {
  return JSON.parse(document.getElementById("passkey-options")?.textContent ?? "{}") as Options;
}

async function fetched(url: string): Promise<Options> {
  const reply = await fetch(url, { headers: { Accept: "application/json" } });
  if (!reply.ok) throw new Error(`passkey options: status ${reply.status}`);
  return (await reply.json()) as Options;
}

/** The language of the page, for numbers and dates; English where there is no page, as in unit tests. */
export const language = globalThis.document?.documentElement.lang || "en";

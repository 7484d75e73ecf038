import { imageSchema } from "@milkdown/kit/preset/commonmark";
import { $remark } from "@milkdown/kit/utils";
import { SIZES, shownAt, tagOf } from "./picture-tag";

/** A node of the Markdown tree, as far as it is read here. */
interface Node {
  type: string;
  children?: Node[];
  value?: string;
  data?: Record<string, unknown>;
  [key: string]: unknown;
}

/** Read `<img>` as a picture, so that it is shown, and keeps its width and height. */
export const sizedPictures = $remark(
  "sizedPictures",
  () => () => (tree: unknown) => readPictures(tree as Node),
);

function readPictures(node: Node): void {
  if (!node.children) return;
  node.children = node.children.map((child) => (child.type === "html" ? readPicture(child) : child));
  for (const child of node.children) readPictures(child);
}

function readPicture(node: Node): Node {
  const { body } = new DOMParser().parseFromString(node.value ?? "", "text/html");
  const image = body.firstElementChild;
  const isOnly = image instanceof HTMLImageElement && body.childNodes.length === 1;
  const isBare = isOnly && [...image.attributes].every(({ name }) => KNOWN.has(name));
  if (!isOnly || !isBare) return node;
  const given = (name: string) => image.getAttribute(name) ?? "";
  const sizes = { width: given("width"), height: given("height") };
  return { type: "image", url: given("src"), alt: given("alt"), title: given("title"), data: sizes };
}

const KNOWN = new Set(["src", "alt", "title", ...SIZES]);

/** Milkdown's picture with width and height. It is shown through this server: no other host is asked from here. */
export const sizedPictureSchema = imageSchema.extendSchema((before) => (ctx) => {
  const plain = before(ctx);
  return {
    ...plain,
    attrs: { ...plain.attrs, width: { default: "" }, height: { default: "" } },
    parseDOM: [{ tag: "img", getAttrs: attributesOf }],
    toDOM: (node) => {
      const { src, alt, title, width, height } = node.attrs as Record<string, string>;
      const sizes = { ...(width ? { width } : {}), ...(height ? { height } : {}) };
      return [
        "img",
        { src: shownAt(src ?? ""), "data-src": src ?? "", alt: alt ?? "", title: title ?? "", ...sizes },
      ];
    },
    parseMarkdown: {
      match: ({ type }) => type === "image",
      runner: (state, node, type) => {
        const { width = "", height = "" } = (node as unknown as Node).data ?? {};
        const text = (value: unknown) => String(value ?? "");
        const { url, alt, title } = node as unknown as Node;
        state.addNode(type, { src: text(url), alt: text(alt), title: text(title), width, height });
      },
    },
    toMarkdown: {
      match: (node) => node.type.name === "image",
      runner: (state, node) => {
        const { src = "", alt = "", title, width, height } = node.attrs as Record<string, string>;
        if (width || height) state.addNode("html", undefined, tagOf(node.attrs));
        else state.addNode("image", undefined, undefined, { title: title || null, url: src, alt });
      },
    },
  };
});

function attributesOf(element: HTMLElement): Record<string, string> {
  const given = (name: string) => element.getAttribute(name) ?? "";
  const shown = new URL(given("src"), location.href);
  const src = element.dataset.src ?? shown.searchParams.get("url") ?? given("src");
  return { src, alt: given("alt"), title: given("title"), width: given("width"), height: given("height") };
}

import { CrepeBuilder } from "@milkdown/crepe/builder";
import { blockEdit } from "@milkdown/crepe/feature/block-edit";
import { cursor } from "@milkdown/crepe/feature/cursor";
import { linkTooltip } from "@milkdown/crepe/feature/link-tooltip";
import { placeholder } from "@milkdown/crepe/feature/placeholder";
import { table } from "@milkdown/crepe/feature/table";
import { toolbar } from "@milkdown/crepe/feature/toolbar";
import { editorViewCtx, editorViewOptionsCtx, remarkStringifyOptionsCtx } from "@milkdown/kit/core";
import { uploadConfig } from "@milkdown/kit/plugin/upload";
import { word } from "../lib/words";
import { blockKeys, enableBlockMenu } from "./block-menu";
import { pictureIcon, tableIcons } from "./icons";
import { addPicture } from "./picture-dialog";
import { sizedPictureSchema, sizedPictures } from "./pictures";

/** A WYSIWYG editor of Markdown that is open. */
export interface BlockEditor {
  markdown(): string;
  focus(): void;
}

/** Open the editor inside `root`. Rejects when the text cannot be read. */
export async function openBlockEditor(root: HTMLElement, markdown: string): Promise<BlockEditor> {
  const builder = new CrepeBuilder({ root, defaultValue: markdown });
  addFeatures(builder);
  builder.editor
    .config((ctx) => {
      ctx.update(remarkStringifyOptionsCtx, (options) => ({ ...options, bullet: "-" as const }));
      ctx.update(uploadConfig.key, (options) => ({ ...options, uploader: async () => [] }));
      ctx.update(editorViewOptionsCtx, (options) => ({
        ...options,
        attributes: { "aria-label": word("editorLabel"), class: "prose" },
      }));
    })
    .use(sizedPictures)
    .use(sizedPictureSchema)
    .use(blockKeys);
  await builder.create();
  const view = builder.editor.ctx.get(editorViewCtx);
  enableBlockMenu(root, view);
  return { markdown: () => builder.getMarkdown().trim(), focus: () => view.focus() };
}

function addFeatures(builder: CrepeBuilder): void {
  builder
    .addFeature(cursor, {})
    .addFeature(table, tableIcons())
    .addFeature(placeholder, { text: word("editorPlaceholder"), mode: "doc" })
    .addFeature(linkTooltip, { inputPlaceholder: word("linkPlaceholder") })
    .addFeature(toolbar, {
      boldLabel: word("markBold"),
      italicLabel: word("markItalic"),
      strikethroughLabel: word("markStrike"),
      codeLabel: word("markCode"),
      linkLabel: word("markLink"),
    })
    .addFeature(blockEdit, {
      textGroup: {
        label: word("groupText"),
        text: { label: word("blockText") },
        h1: { label: word("blockH1") },
        h2: { label: word("blockH2") },
        h3: { label: word("blockH3") },
        h4: null,
        h5: null,
        h6: null,
        quote: { label: word("blockQuote") },
        divider: { label: word("blockDivider") },
      },
      listGroup: {
        label: word("groupList"),
        bulletList: { label: word("blockBullets") },
        orderedList: { label: word("blockNumbers") },
        taskList: null,
      },
      advancedGroup: {
        label: word("groupMore"),
        codeBlock: { label: word("blockCode") },
        table: { label: word("blockTable") },
        image: null,
        math: null,
      },
      buildMenu: (menu) => {
        const item = { label: word("blockPicture"), icon: pictureIcon, onRun: addPicture };
        menu.getGroup("advanced").addItem("picture", item);
      },
    });
}

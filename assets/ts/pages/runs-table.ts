import { enableBulk } from "../table/bulk";
import { Catalogue } from "../table/catalogue";
import { enableColors } from "../table/colors";
import { enableColumnsPanel } from "../table/columns-panel";
import { enableCopyingRuns } from "../table/copy";
import { enableCropping } from "../table/crop";
import { enableEditing } from "../table/edit";
import { enableExtents } from "../table/extents";
import { enableBuilder } from "../table/filter/builder";
import { enableChips } from "../table/filter/chips";
import { enableExpression } from "../table/filter/expression";
import { enableGroups } from "../table/groups";
import { enableHeader } from "../table/header";
import { enableKeys } from "../table/keys";
import { followProject } from "../table/live";
import { Pages } from "../table/pages";
import { enableReordering } from "../table/reorder";
import { enableRunningFirst } from "../table/running-first";
import { Selection } from "../table/selection";
import { RunsTable } from "../table/table";
import { enableToolbar } from "../table/toolbar";
import { enableWidths } from "../table/widths";
import { enableSavedViews } from "../views/page";

const table = new RunsTable();
const catalogue = new Catalogue(table);
const pages = new Pages(table);
const selection = new Selection(table);
const showCropping = enableCropping(
  table.root,
  () => table.state.crop,
  (crop) => {
    table.state = { ...table.state, crop };
    table.keep();
  },
);
table.addEventListener("drawn", showCropping);
const showOrder = enableRunningFirst(
  table.root,
  () => table.state.order,
  (order) => void table.change({ order }),
);
table.addEventListener("state", showOrder);
enableWidths(table);
enableExtents(table);
enableColors(table);
enableHeader(table);
enableReordering(table);
enableToolbar(table);
enableExpression(table, catalogue);
enableBuilder(table, catalogue);
enableChips(table);
enableGroups(table, pages, catalogue);
enableColumnsPanel(table, catalogue);
enableBulk(table, selection, catalogue);
enableCopyingRuns(table, selection);
enableEditing(table);
enableKeys(table, selection);
enableSavedViews(table);
followProject(table, pages);

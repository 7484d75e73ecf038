import { type Command, type EditorState, NodeSelection } from "@milkdown/kit/prose/state";

/** The state with the outermost block around the cursor selected, unless a block is. */
export function withBlock(state: EditorState): EditorState {
  const { $from } = state.selection;
  if (state.selection instanceof NodeSelection && $from.depth === 0) return state;
  const at = $from.depth ? $from.before(1) : $from.pos;
  return state.apply(state.tr.setSelection(NodeSelection.create(state.doc, at)));
}

export const deleted: Command = (state, dispatch) => {
  const { from, to } = state.selection;
  dispatch?.(state.tr.deleteRange(from, to).scrollIntoView());
  return true;
};

export const duplicated: Command = (state, dispatch) => {
  if (!(state.selection instanceof NodeSelection)) return false;
  dispatch?.(state.tr.insert(state.selection.to, state.selection.node).scrollIntoView());
  return true;
};

/** Exchange the selected block with its neighbour; at the end there is none, and nothing happens. */
export function moved(by: -1 | 1): Command {
  return (state, dispatch) => {
    const { selection } = state;
    if (!(selection instanceof NodeSelection)) return false;
    const { from, to, node, $from } = selection;
    const neighbour = $from.parent.maybeChild($from.index() + by);
    if (!neighbour) return true;
    const transaction = state.tr.delete(from, to);
    const at = from + by * neighbour.nodeSize;
    transaction.insert(at, node).setSelection(NodeSelection.create(transaction.doc, at));
    dispatch?.(transaction.scrollIntoView());
    return true;
  };
}

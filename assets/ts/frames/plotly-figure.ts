import type { Theme } from "./messages";

type Layout = Record<string, unknown>;

interface Template {
  layout?: Layout;
}

export interface Figure {
  data?: unknown[];
  layout?: Layout & { template?: Template };
  frames?: unknown[];
}

const WHITE = /^(white|#fff|#ffffff|rgb\(255, ?255, ?255\))$/i;
/** Drawn on tiles or outlines of countries, which come from other hosts. */
const MAPS = /^(choropleth|scattergeo|scattermap|densitymap)/;

/** Whether one of the traces is a map. */
export function hasMap(traces: readonly unknown[]): boolean {
  return traces.some((trace) => MAPS.test(String((trace as { type?: unknown } | null)?.type)));
}

/** The layout of a figure as it fills its frame, in the colours of a dark theme. */
export function fittedLayout(figure: Figure, theme: Theme): NonNullable<Figure["layout"]> {
  const layout: NonNullable<Figure["layout"]> = {
    ...figure.layout,
    autosize: true,
    width: undefined,
    height: undefined,
  };
  layout.margin ??= { l: 48, r: 24, t: layout.title ? 48 : 24, b: 40 }; // the library's own leave little in a small frame
  if (theme.scheme === "dark") layout.template = darkened(figure, theme);
  return layout;
}

/** Dark paper in place of white; what the figure itself asks for stays, and so does a template of another colour. */
function darkened({ layout = {} }: Figure, theme: Theme): Template {
  const template = layout.template ?? {};
  const given = template.layout ?? {};
  if (given.paper_bgcolor !== undefined && !WHITE.test(String(given.paper_bgcolor))) return template;
  const line = { gridcolor: theme.grid, linecolor: theme.axis, zerolinecolor: theme.axis };
  const axis = (name: string) => ({ [name]: { ...(given[name] as object), ...line } });
  const walls = { ...line, backgroundcolor: theme.surface };
  const wall = (name: string) => ({
    [name]: { ...((given.scene as Layout | undefined)?.[name] as object), ...walls },
  });
  return {
    ...template,
    layout: {
      ...given,
      paper_bgcolor: theme.surface,
      plot_bgcolor: theme.surface,
      font: { ...(given.font as object), color: theme.text },
      ...axis("xaxis"),
      ...axis("yaxis"),
      scene: { ...(given.scene as object), ...wall("xaxis"), ...wall("yaxis"), ...wall("zaxis") },
      polar: { ...(given.polar as object), bgcolor: theme.surface, angularaxis: line, radialaxis: line },
    },
  };
}

declare module "plotly.js-basic-dist-min" {
  /** What is used of the library's own, untyped bundle. */
  const Plotly: {
    newPlot(
      box: HTMLElement,
      data: unknown[],
      layout: Record<string, unknown>,
      config: Record<string, unknown>,
    ): Promise<HTMLElement>;
  };
  export default Plotly;
}

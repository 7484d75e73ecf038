/** What is used of bundles that come without types at their own paths. */

declare module "3dmol/build/3Dmol.es6-min.js" {
  export * from "3dmol";
}

declare module "@bokeh/bokehjs/build/js/bokeh.esm.min.js" {
  const Bokeh: {
    require(name: "document"): { Document: { from_json(json: unknown): object } };
    require(name: "embed"): {
      add_document_standalone(shown: object, element: HTMLElement): Promise<unknown>;
    };
  };
  export default Bokeh;
}

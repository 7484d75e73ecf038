declare module "*.svg" {
  /** The file's text. */
  const text: string;
  export default text;
}

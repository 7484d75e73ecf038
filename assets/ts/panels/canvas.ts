/** Give `body` one canvas of its size, emptied; in CSS pixels. */
export function canvasIn(body: HTMLElement): CanvasRenderingContext2D | null {
  let canvas = body.querySelector("canvas");
  if (!canvas) {
    canvas = document.createElement("canvas");
    body.replaceChildren(canvas);
  }
  const ratio = devicePixelRatio || 1;
  const { clientWidth: width, clientHeight: height } = body;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const ctx = canvas.getContext("2d");
  ctx?.setTransform(ratio, 0, 0, ratio, 0, 0);
  return ctx;
}

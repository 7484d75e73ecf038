/**
 * Keep how much of the window notices take above the top bar in `--above`, pixels: what fills the window below the bar
 * is that much lower. The bar stays in view, so its own place says it.
 */
export function followNotices(): void {
  const bar = document.querySelector<HTMLElement>(".topbar");
  if (!bar || !document.querySelector(".notice-bar")) return;
  const measure = () => {
    const above = Math.max(0, Math.round(bar.getBoundingClientRect().top));
    document.documentElement.style.setProperty("--above", `${above}px`);
  };
  addEventListener("scroll", measure, { passive: true });
  new ResizeObserver(measure).observe(document.body);
  measure();
}

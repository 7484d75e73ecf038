import {
  AmbientLight,
  Box3,
  DirectionalLight,
  type Group,
  type Object3D,
  PerspectiveCamera,
  Scene,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { serve } from "./host";
import type { Theme } from "./messages";
import { loaded } from "./model-files";

/** Far more than anything is looked at from; the near plane follows from it. */
const FAR = 100;

/** Runs in a sandboxed frame of no origin (metrics/views/frames.py). */
serve(async (box, file, theme) => {
  const { object, up } = await loaded(file, theme);
  show(box, object, up, theme);
});

/** Put an object before a camera that sees all of it and turns around it. */
function show(box: HTMLElement, object: Object3D | Group, up: Vector3, theme: Theme): void {
  const bounds = new Box3().setFromObject(object);
  if (bounds.isEmpty()) throw new Error(document.body.dataset.noFigure);
  const middle = bounds.getCenter(new Vector3());
  const radius = Math.max(bounds.getSize(new Vector3()).length() / 2, 1e-6);
  object.position.sub(middle);
  const holder = new Scene();
  holder.scale.setScalar(1 / radius); // to the size of one, or planes of the camera cut what is huge or tiny
  holder.add(object);
  const scene = new Scene();
  const sun = new DirectionalLight(0xffffff, 2);
  sun.position.set(1, 2, 3);
  scene.add(holder, new AmbientLight(0xffffff, 1.5), sun);
  const camera = new PerspectiveCamera(45, 1, 1 / FAR, FAR);
  camera.up.copy(up);
  camera.position.set(1.6, 1.2, 2);
  if (up.z) camera.position.set(1.6, -2, 1.2);
  const renderer = rendererOf(theme);
  box.append(renderer.domElement);
  const controls = new OrbitControls(camera, renderer.domElement);
  const render = () => renderer.render(scene, camera);
  const fit = () => {
    const { clientWidth, clientHeight } = box;
    if (!clientWidth || !clientHeight) return;
    renderer.setSize(clientWidth, clientHeight);
    camera.aspect = clientWidth / clientHeight;
    camera.updateProjectionMatrix();
    render();
  };
  controls.addEventListener("change", render);
  controls.update();
  new ResizeObserver(fit).observe(box);
  fit();
}

function rendererOf(theme: Theme): WebGLRenderer {
  try {
    const renderer = new WebGLRenderer({ antialias: true });
    renderer.setPixelRatio(devicePixelRatio);
    renderer.setClearColor(theme.surface);
    return renderer;
  } catch {
    throw new Error(document.body.dataset.noWebgl);
  }
}

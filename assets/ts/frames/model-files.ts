import {
  Box3,
  BufferGeometry,
  Color,
  Float32BufferAttribute,
  Group,
  type Line,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshStandardMaterial,
  type Object3D,
  Points,
  PointsMaterial,
  Vector3,
} from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";
import { OBJLoader } from "three/examples/jsm/loaders/OBJLoader.js";
import { STLLoader } from "three/examples/jsm/loaders/STLLoader.js";
import { jsonOf, textOf } from "./host";
import type { ShownFile, Theme } from "./messages";

export interface Loaded {
  object: Object3D;
  /** The axis that points up: z in point clouds, y in models. */
  up: Vector3;
}

type Point = number[];

interface Cloud {
  points?: Point[];
  boxes?: { corners?: Point[]; color?: Point; label?: string }[];
  vectors?: { start?: Point; end?: Point }[];
}

/** Categories 1 to 14 of a point's fourth number go round the hues. */
const CATEGORIES = 14;
/** Corners of a box are in the order of (-1, 1)³, so two that differ in one of three bits share an edge. */
const EDGES = [1, 2, 4].flatMap((bit) =>
  [0, 1, 2, 3, 4, 5, 6, 7].filter((n) => !(n & bit)).map((n) => [n, n | bit]),
);
const POINTS_ACROSS = 160;

/** Read an object of any format that the SDK takes. Rejects with a sentence for another, or a broken file. */
export async function loaded(file: ShownFile, theme: Theme): Promise<Loaded> {
  const name = file.name.toLowerCase();
  const y = new Vector3(0, 1, 0);
  if (name.endsWith(".pts.json")) return { object: cloudOf(jsonOf(file), theme), up: new Vector3(0, 0, 1) };
  if (/\.(glb|gltf)$/.test(name)) {
    const { scene } = await new GLTFLoader().parseAsync(file.content, "");
    return { object: scene, up: y };
  }
  if (name.endsWith(".obj")) return { object: painted(new OBJLoader().parse(textOf(file)), theme), up: y };
  if (name.endsWith(".stl")) {
    const mesh = new Mesh(new STLLoader().parse(file.content), material(theme));
    return { object: mesh, up: new Vector3(0, 0, 1) };
  }
  const ending = `.${name.split(".").pop()}`;
  throw new Error((document.body.dataset.noFormat ?? "").replace("{ending}", ending));
}

function material(theme: Theme): MeshStandardMaterial {
  return new MeshStandardMaterial({ color: theme.accent, roughness: 0.7, side: 2 });
}

/** An OBJ comes without its materials, whose files the SDK does not upload. */
function painted(object: Group, theme: Theme): Group {
  object.traverse((part) => {
    if (part instanceof Mesh) part.material = material(theme);
  });
  return object;
}

/** Points of `wandb.Object3D`: a list of x y z, x y z category, or x y z r g b; or a scene with boxes and vectors. */
function cloudOf(json: unknown, theme: Theme): Group {
  const {
    points = [],
    boxes = [],
    vectors = [],
  } = Array.isArray(json) ? ({ points: json } as Cloud) : ((json ?? {}) as Cloud);
  const group = new Group();
  if (points.length) group.add(pointsOf(points, theme));
  for (const { corners, color } of boxes) {
    if (corners?.length === 8)
      group.add(
        linesOf(
          EDGES.flat().map((n) => corners[n] ?? []),
          color,
          theme,
        ),
      );
  }
  const arrows = vectors.flatMap(({ start, end }) => (start && end ? [start, end] : []));
  if (arrows.length) group.add(linesOf(arrows, undefined, theme));
  return group;
}

function place(point: Point): number[] {
  return [0, 1, 2].map((n) => Number(point[n]) || 0);
}

function pointsOf(points: Point[], theme: Theme): Points {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(points.flatMap(place), 3));
  geometry.setAttribute(
    "color",
    new Float32BufferAttribute(
      points.flatMap((one) => colorOf(one, theme)),
      3,
    ),
  );
  const across = new Box3().setFromBufferAttribute(
    geometry.getAttribute("position") as Float32BufferAttribute,
  );
  const size = across.getSize(new Vector3()).length() / POINTS_ACROSS || 1;
  return new Points(geometry, new PointsMaterial({ size, vertexColors: true }));
}

function colorOf(point: Point, theme: Theme): number[] {
  const color = new Color(theme.accent);
  if (point.length >= 6) color.setRGB(share(point[3]), share(point[4]), share(point[5]), "srgb");
  else if (point.length === 4) color.setHSL((Number(point[3]) - 1) / CATEGORIES, 0.75, 0.5);
  return color.toArray();
}

function share(level: number | undefined): number {
  return Math.min(255, Math.max(0, Number(level) || 0)) / 255;
}

/** Segments between each two points. A colour's parts go to 255, or to 1 where none is more. */
function linesOf(points: Point[], color: Point | undefined, theme: Theme): Line {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(points.flatMap(place), 3));
  const shown = new Color(theme.text);
  if (color?.length === 3) {
    const most = Math.max(...color) > 1 ? 255 : 1;
    const [red = 0, green = 0, blue = 0] = color.map((part) => Number(part) / most);
    shown.setRGB(red, green, blue, "srgb");
  }
  return new LineSegments(geometry, new LineBasicMaterial({ color: shown }));
}

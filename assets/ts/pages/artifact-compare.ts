import { enableImageCompare } from "../artifacts/image-compare";

enableImageCompare();

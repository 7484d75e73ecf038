import { enableCropping } from "../editor/crop";
import { enableIntro } from "../editor/intro";

enableCropping();
enableIntro();

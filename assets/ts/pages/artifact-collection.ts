import { enablePicks } from "../artifacts/picks";
import { enableSteps } from "../artifacts/steps";

enablePicks();
enableSteps();

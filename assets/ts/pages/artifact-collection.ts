import { enablePicks } from "../artifacts/picks";

enablePicks();

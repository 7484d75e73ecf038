import { enableLineage } from "../artifacts/lineage";

enableLineage();

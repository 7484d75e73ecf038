import { Workspace } from "../workspace/workspace";

new Workspace().begin();

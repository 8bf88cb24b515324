import { createContext } from "react";

/** Whether a form lacks something yet, or has something wrong: the command that it shows would be refused. */
export const Incomplete = createContext(false);

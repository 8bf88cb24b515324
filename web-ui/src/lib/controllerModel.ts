/** Bootstrap's own model, in which the controller keeps itself; the name is taken as long as it is there. */
export const CONTROLLER_MODEL = "controller";

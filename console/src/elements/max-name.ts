/** Where a name is a label, longer ones are cut, because they would fill the screen; in characters. The page of a resource shows all of its name. */
export const MAX_NAME = 300;

/** The level from which people administer their customer. */
export const ADMINISTRATOR = 9;

/** The level from which people of the operator administer every customer. */
export const OPERATOR = 100;

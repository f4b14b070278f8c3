/** The largest number of a PostgreSQL integer column, ids among them; PostgreSQL refuses to compare with more. */
export const MAX_ID = 2_147_483_647;

/** Whether a value is a number that a column of ids can hold. */
export const isId = (value: unknown): value is number => Number.isInteger(value) && Number(value) > 0 && Number(value) <= MAX_ID;

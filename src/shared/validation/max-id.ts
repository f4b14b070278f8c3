/** The largest number that a column of ids holds; PostgreSQL refuses to compare with more. */
export const MAX_ID = 2_147_483_647;

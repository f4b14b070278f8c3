/** One line without control characters: what a person can type into the sign-in page. */
export const PASSWORD = /^[^\p{Cc}]+$/u;

/** The sign-in page reads no more. */
export const MAX_PASSWORD_LENGTH = 4_096;

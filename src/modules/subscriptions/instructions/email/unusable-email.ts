/** A mail that cannot be written of what was given; the message (a code, a colon and a sentence) is for the log of the subscription. */
export class UnusableEmail extends Error {}

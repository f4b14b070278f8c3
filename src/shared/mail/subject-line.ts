/** A subject as one line: line breaks and control characters become spaces, so that it cannot begin a header of its own. */
export const subjectLine = (subject: string): string => subject.replaceAll(/[\p{Cc}\u2028\u2029\s]+/gu, ' ').trim();

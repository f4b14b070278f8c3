/** Options of Node.js with which every thread starts. The tests add the one that loads TypeScript, because their threads run from src. */
export const threadOptions: string[] = [];

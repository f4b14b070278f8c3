import { apiInstruction } from './api/api-instruction.js';
import { emailInstruction } from './email/email-instruction.js';
import { httpsInstruction } from './https/https-instruction.js';

/** Every kind of instruction; one line each. Validation, OpenAPI, masks, lanes, the log and the module follow from this list. */
export const INSTRUCTION_DESCRIPTORS = [apiInstruction, emailInstruction, httpsInstruction] as const;

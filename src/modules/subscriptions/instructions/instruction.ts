/** A call to this service with the present rights of the user who last wrote the subscription (contract section 9). */
export interface ApiInstruction {
  readonly type: 'api';
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `v5/…`, without the host; placeholders are percent-encoded. */
  readonly path: string;
  readonly payload?: Readonly<Record<string, unknown>>;
  /** What the JSON answer has to say; `path` in dots, a number is an index of an array. Otherwise the try failed with 417. */
  readonly expected?: readonly { readonly path: string; readonly value: unknown }[];
  /** Name under which later instructions of the run find the JSON answer (`:name.property`). */
  readonly as?: string;
}

/** A message by SMTP, one to each recipient. Either a template with its parameters, or subject and text. */
export interface EmailInstruction {
  readonly type: 'email';
  readonly template?: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly subject?: string;
  readonly text?: string;
  readonly to: readonly { readonly recipient: string; readonly language?: string }[];
}

/** A request to another service, signed as Standard Webhooks ask. Without a payload its body is the event. */
export interface HttpsInstruction {
  readonly type: 'https';
  readonly url: string;
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly payload?: unknown;
}

export type Instruction = ApiInstruction | EmailInstruction | HttpsInstruction;
export type InstructionType = Instruction['type'];
export const INSTRUCTION_TYPES = ['api', 'email', 'https'] as const satisfies readonly InstructionType[];

/** What the address of one player configuration says: the medium that its preview shows. */
export interface ConfigurationSearch {
  readonly medium?: number;
}

export const readConfigurationSearch = ({ medium }: Record<string, unknown>): ConfigurationSearch =>
  Number.isInteger(medium) ? { medium: medium as number } : {};

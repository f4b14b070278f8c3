import { type DomainError, defineErrors, generalErrors } from '../../shared/errors.js';

export const playerConfigurationErrors = defineErrors({
  player_configuration_has_embed_links: {
    kind: 'conflict',
    meaning:
      'Embed links still use the player configuration (`countEmbeds` of them). Send `move`: -1 to delete them, or the id of another configuration to move them there.',
  },
});

/** The error for unknown configurations, and for those of other customers. */
export const unknownConfiguration = (id: number): DomainError => generalErrors.not_found(`There is no player configuration ${id}.`);

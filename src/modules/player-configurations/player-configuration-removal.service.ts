import { Injectable } from '@nestjs/common';
import { AuditService } from '../../shared/audit/audit.service.js';
import { type Caller, editorOf } from '../../shared/auth/index.js';
import { Clock } from '../../shared/clock.js';
import { Database } from '../../shared/database/index.js';
import type { FieldProblem } from '../../shared/errors.js';
import { requireMatch } from '../../shared/http/index.js';
import { invalidInput } from '../../shared/validation/index.js';
import { EmbedLinksRepository } from './embed-links/embed-links.repository.js';
import type { DeliveredConfiguration } from './player-configuration.entity.js';
import type { FreshConfiguration } from './player-configuration-cache.service.js';
import { playerConfigurationErrors, unknownConfiguration } from './player-configurations.errors.js';
import { PlayerConfigurationsRepository } from './player-configurations.repository.js';

/** `move`: -1 deletes the embed links, the id of another configuration moves them there; null: the configuration must have none. */
interface Destruction {
  readonly id: number;
  readonly move: number | null;
  /** Whether the other configuration takes over `autoGenerate`. */
  readonly autoGenerate: boolean;
  readonly ifMatch?: string;
}

/** A destroyed configuration, as it was. */
interface Destroyed extends FreshConfiguration {
  /** Whether it was the last one that generated embed links of new containers of its type. */
  readonly endsAutoGenerate: boolean;
}

const DELETE_LINKS = -1;

/** Destroys player configurations, and deletes or moves their embed links, in one transaction that prevents the creation of links meanwhile. */
@Injectable()
export class PlayerConfigurationRemovalService {
  constructor(
    private readonly configurations: PlayerConfigurationsRepository,
    private readonly links: EmbedLinksRepository,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly audit: AuditService,
  ) {}

  /**
   * Destroys a configuration and returns it. Throws `not_found`, `precondition_failed`, `validation_failed` for an unsuitable `move`, and
   * `player_configuration_has_embed_links`.
   */
  async destroy(caller: Caller, destruction: Destruction): Promise<Destroyed> {
    const { id, move } = destruction;
    const ids = move === null || move === DELETE_LINKS ? [id] : [id, move];
    return await this.database.transaction(async () => await this.destroyLocked(caller, destruction, ids));
  }

  private async destroyLocked(caller: Caller, destruction: Destruction, ids: readonly number[]): Promise<Destroyed> {
    const readAt = this.clock.now();
    const locked = await this.configurations.lockForDestruction(caller.customerId, ids);
    const value = locked.get(destruction.id);
    if (!value) throw unknownConfiguration(destruction.id);
    requireMatch(destruction.ifMatch, value, `player configuration ${value.id}`);
    if (ids.length > 1) await this.moveLinks(caller, value, { target: locked.get(Number(destruction.move)), destruction });
    else await this.deleteLinks(caller, destruction);
    await this.configurations.delete(value.id);
    await this.audit.note(caller, { action: 'player_configuration.delete', subject: `player_configuration:${value.id}` });
    const { customerId } = caller;
    const endsAutoGenerate = value.autoGenerate && (await this.configurations.listAutoGenerating(customerId, value.type)).length === 0;
    return { value, readAt, endsAutoGenerate };
  }

  private async moveLinks(
    caller: Caller,
    from: DeliveredConfiguration,
    { target, destruction }: { readonly target: DeliveredConfiguration | undefined; readonly destruction: Destruction },
  ): Promise<void> {
    if (!target) throw refusedMove('not_found', `there is no player configuration ${destruction.move}`);
    if (target.id === from.id)
      throw refusedMove('same_configuration', 'the embed links cannot move to the configuration that is destroyed');
    if (target.type !== from.type)
      throw refusedMove('type_mismatch', `the player configuration ${target.id} is not for media of type ${from.type}`);
    const ids = await this.links.moveAll(from.id, target.id);
    if (ids.length > 0) await this.audit.note(caller, { action: 'embed_link.update', subject: `player_configuration:${from.id}`, ids });
    const takesOver = destruction.autoGenerate && from.autoGenerate && !target.autoGenerate;
    if (!takesOver) return;
    await this.configurations.enableAutoGenerate(target.id, editorOf(caller));
    await this.audit.note(caller, { action: 'player_configuration.update', subject: `player_configuration:${target.id}` });
  }

  private async deleteLinks(caller: Caller, { id, move }: Destruction): Promise<void> {
    const countEmbeds = (await this.links.countByPlayerConfiguration([id])).get(id) ?? 0;
    if (countEmbeds > 0 && move !== DELETE_LINKS) {
      const detail = `${countEmbeds} embed links use the player configuration ${id}. Send move: -1 to delete them, or the id of another configuration to move them there.`;
      throw playerConfigurationErrors.player_configuration_has_embed_links(detail, { countEmbeds });
    }
    const ids = await this.links.deleteAll(id, { endedAt: this.clock.now(), endedBy: caller.userId });
    if (ids.length > 0) await this.audit.note(caller, { action: 'embed_link.delete', subject: `player_configuration:${id}`, ids });
  }
}

const refusedMove = (code: string, message: string) => invalidInput({ path: 'move', code, message } satisfies FieldProblem);

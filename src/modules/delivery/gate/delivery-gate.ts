import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { generalErrors } from '../../../shared/errors/index.js';
import { Clock } from '../../../shared/time/index.js';
import type { Format, VisibleFormats } from '../../formats/index.js';
import { type DeliverableContainer, type DeliverableItem, MediaReader } from '../../media/index.js';
import { type DeliveredConfiguration, type EmbedLink, RulesInForce } from '../../player-configurations/index.js';
import type { CompiledPolicy } from '../decision/compile-policy.js';
import { decideDelivery } from '../decision/decide-delivery.js';
import { refererPage } from '../decision/host-names.js';
import type { Viewer } from '../decision/viewer.js';
import { FileAdmission } from '../pages/file-admission.js';
import { availabilityOf } from './availability.js';
import { deliveryErrors } from './delivery.errors.js';
import { DeliveryPolicies } from './delivery-policies.js';
import { denialError } from './denial-error.js';
import { Viewers } from './viewers.js';

/** What is wanted of a link. */
export interface Wish {
  readonly formatId?: number | undefined;
  readonly download?: boolean | undefined;
  /** An admission that the player page carries (`?admission=`, FileAdmission) counts: for what belongs to a page that was opened, files and leases. */
  readonly fromPlayer?: boolean;
  /** The request is made on behalf of a page that is to show the link: the page and the host count as those that the rules name. */
  readonly forEmbedding?: boolean;
}

/** A format of the configuration of which there is a file. */
export interface OpenedFormat {
  readonly format: Format;
  readonly item: DeliverableItem;
  readonly downloadable: boolean;
}

/** A link whose rules let the viewer in. */
export interface OpenedLink {
  readonly link: EmbedLink;
  readonly configuration: DeliveredConfiguration;
  readonly policy: CompiledPolicy;
  readonly container: DeliverableContainer;
  /** All files that are there, subtitles and others too. */
  readonly items: readonly DeliverableItem[];
  /** In the order of the configuration. */
  readonly formats: readonly OpenedFormat[];
  /** Those of the configuration of which there is no file yet. */
  readonly outstanding: readonly Format[];
  readonly viewer: Viewer;
}

/**
 * The one way to what a link shows. Its routes are @Public() and @IgnoresCredentials(): the gate looks for credentials itself, because bad
 * ones count as none here.
 */
@Injectable()
export class DeliveryGate {
  constructor(
    private readonly rules: RulesInForce,
    private readonly policies: DeliveryPolicies,
    private readonly viewers: Viewers,
    private readonly media: MediaReader,
    private readonly clock: Clock,
    private readonly admissions: FileAdmission,
  ) {}

  /** @throws DomainError 404 `not_found`, 410 `link_ended`, 403 with the code of the rule and its name as the member `rule` */
  async open(address: string, request: Request, wish: Wish = {}): Promise<OpenedLink> {
    const { link, configuration, container, items } = await this.find(address);
    const { policy, formats } = await this.policies.of(configuration);
    const read = await this.viewers.read(request, link, policy);
    const { formatId, download, fromPlayer = false, forEmbedding = false } = wish;
    const admitted = forEmbedding || (fromPlayer && read.fromPlayer === true);
    const host = (forEmbedding && policy.cname) || read.host;
    const viewer: Viewer = { ...read, fromPlayer: admitted, host, formatId, download };
    const decision = decideDelivery(policy, viewer);
    if (!decision.allowed) throw denialError(decision);
    return { link, configuration, policy, container, items, ...sortFormats(policy, formats, items), viewer };
  }

  /**
   * For a viewer who only has to sign in: the admission of a page that `matchReferer` names, because after the sign-in the frame asks by itself
   * and no longer because of the page around it. Null: the rule is not set, or does not name the page.
   */
  async admissionOf(address: string, request: Request): Promise<string | null> {
    const { link, configuration } = await this.find(address);
    const { policy } = await this.policies.of(configuration);
    const page = refererPage(request.headers.referer ?? null);
    return page && policy.matchReferer?.match(page) ? this.admissions.issue(link.link, request.context.clientAddress) : null;
  }

  /** A link that works, before the rules are applied. */
  private async find(address: string) {
    const remembered = await this.rules.findLink(address);
    if (!remembered) throw unknownLink();
    const [inForce, media] = await Promise.all([this.rules.of(remembered), this.media.findForDelivery(remembered.mediaContainerId)]);
    if (!inForce || !media) throw unknownLink();
    const { link, configuration } = inForce;
    const availability = availabilityOf(link, media.container, this.clock.now());
    if (availability === 'not_started') throw unknownLink();
    if (availability === 'ended' || !configuration) throw deliveryErrors.link_ended('This link does not show anything any more.');
    return { link, configuration, ...media };
  }
}

/** A container may have several files of a format; the newest counts. */
function sortFormats(policy: CompiledPolicy, { byId }: VisibleFormats, items: readonly DeliverableItem[]) {
  const newest = new Map(items.map((item) => [item.formatId, item]));
  const formats: OpenedFormat[] = [];
  const outstanding: Format[] = [];
  for (const [formatId, downloadable] of policy.formats) {
    const [format, item] = [byId.get(formatId), newest.get(formatId)];
    if (format && item) formats.push({ format, item, downloadable });
    else if (format) outstanding.push(format);
  }
  return { formats, outstanding };
}

const unknownLink = () => generalErrors.not_found('There is no such link.');

import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Clock } from '../../../shared/clock.js';
import { LinkUsesService } from '../../../shared/counting/index.js';
import { generalErrors } from '../../../shared/errors.js';
import { type Series, SeriesCounter } from '../../../shared/series-counter.js';
import { toEnd } from '../../../shared/validation/index.js';
import type { Format, VisibleFormats } from '../../formats/index.js';
import { type DeliverableContainer, type DeliverableItem, IN_TRASH } from '../../media/index.js';
import { type DeliveredConfiguration, type DeliveredLink, LINK_DELETED } from '../../player-configurations/index.js';
import { DeliveryCountsService } from '../../statistics/index.js';
import { type CompiledPolicy, decideDelivery } from '../decision/decide-delivery.js';
import type { Viewer } from '../decision/rules/delivery-rule.js';
import { type DenialCode, deliveryRules } from '../decision/rules/index.js';
import { deliveryErrors, denialError } from '../delivery.errors.js';
import { isOfPage } from '../plays/play-parameter.js';
import { DeliveryPoliciesService } from './delivery-policies.service.js';
import { DeliveryStatesService } from './delivery-states.service.js';
import { ViewersService } from './viewers.service.js';
import { visitOf } from './visit-of.js';

/** What a request wants from a link. */
export interface DeliveryRequest {
  readonly formatId?: number | undefined;
  readonly download?: boolean | undefined;
  /** The requested file, instead of a format. */
  readonly mediaId?: number;
  /** Whether the admission of a player page counts (`?admission=`): for requests that belong to an opened page, such as files and leases. */
  readonly fromPlayer?: boolean;
  /** Whether it uses the link, which is counted unless a player page sends it as a part of its own use. */
  readonly isUse?: boolean;
  /** Whether the request describes or prepares an embedding, so that the page and the host count as allowed. */
  readonly forEmbedding?: boolean;
}

/** A format of the configuration that has a file. */
export interface OpenedFormat {
  readonly format: Format;
  readonly item: DeliverableItem;
  readonly downloadable: boolean;
}

/** A link whose rules admit the viewer. */
export interface OpenedLink {
  readonly link: DeliveredLink;
  readonly configuration: DeliveredConfiguration;
  readonly policy: CompiledPolicy;
  readonly container: DeliverableContainer;
  /** The original of the container and all renditions, including those of formats that are not in the configuration. */
  readonly items: readonly DeliverableItem[];
  /** The files with a role; `listTracks` returns those that players show. */
  readonly tracks: readonly DeliverableItem[];
  /** The uploaded file of an image that `automaticFormats` shows in other sizes; null: only the formats are shown. */
  readonly shownOriginal: DeliverableItem | null;
  /** The formats with files, in the order of the configuration; automatic ones of another type, such as the sound of a film, come last. */
  readonly formats: readonly OpenedFormat[];
  /** The formats of the configuration without a file. */
  readonly outstanding: readonly Format[];
  readonly viewer: Viewer;
  /** Whether a user of the customer looks at it in a browser that is signed in: counted neither as play nor as use. */
  readonly isOwners: boolean;
}

const decisions = new SeriesCounter({
  name: 'delivery_decisions_total',
  help: 'Requests for embed links and their files, by outcome (the code of the error, or allowed) and the rule that denied access.',
  labels: ['outcome', 'rule'],
});
const admitted = decisions.series({ outcome: 'allowed', rule: '' });
const unknown = decisions.series({ outcome: 'not_found', rule: '' });
const ended = decisions.series({ outcome: 'link_ended', rule: '' });
const denied = Object.fromEntries(
  deliveryRules.flatMap(({ name: rule, denials }) => Object.keys(denials).map((outcome) => [outcome, decisions.series({ outcome, rule })])),
) as Readonly<Record<DenialCode, Series>>;

/**
 * Every request for the content of a link passes this gate. Its routes are @Public() and @IgnoresCredentials(): the gate reads credentials itself,
 * because invalid ones count as missing here.
 */
@Injectable()
export class DeliveryGateService {
  constructor(
    private readonly policies: DeliveryPoliciesService,
    private readonly viewers: ViewersService,
    private readonly states: DeliveryStatesService,
    private readonly clock: Clock,
    private readonly uses: LinkUsesService,
    private readonly counts: DeliveryCountsService,
  ) {}

  /** Opens a link for a viewer. Throws 404 `not_found`, 410 `link_ended`, and 403 with the code of the rule and its name as the member `rule`. */
  async open(address: string, request: Request, wanted: DeliveryRequest = {}): Promise<OpenedLink> {
    const { link, configuration, container, items, tracks, visible } = await this.find(address);
    const policy = this.policies.compile(configuration, visible);
    const [read, isOwners] = await Promise.all([this.viewers.read(request, link, policy), this.viewers.isOwner(request, link)]);
    const { mediaId, download, fromPlayer = false, isUse = false, forEmbedding = false } = wanted;
    const file = items.find(({ id }) => id === mediaId);
    // One of several sounds belongs to the pictures of its film, whose formats the configuration names.
    const formatId = wanted.formatId ?? (file?.streaming?.sound === undefined ? file?.formatId : null) ?? undefined;
    const host = (forEmbedding && policy.settings['url.cname']) || read.host;
    const viewer: Viewer = { ...read, admittedPage: fromPlayer ? read.admittedPage : null, forEmbedding, host, formatId, download };
    const decision = decideDelivery(policy, viewer);
    if (!decision.allowed) {
      denied[decision.code].count += 1;
      if (!forEmbedding) this.counts.refused(visitOf({ link, configuration, isOwners }, request), decision.rule);
      throw denialError(decision);
    }
    admitted.count += 1;
    if (isUse && !isOfPage(request) && !isOwners) this.uses.count('embedLink', link.id);
    return {
      link,
      configuration,
      policy,
      container,
      items,
      tracks,
      ...pairFormats(configuration, policy, { visible, items }),
      viewer,
      isOwners,
    };
  }

  /**
   * An admission for a viewer who only has to sign in, if `matchReferer` allows the page around the frame: after the sign-in the frame reloads
   * itself, so that its referer is no longer that page. Null: the rule is not set, or does not allow the page.
   */
  async findAdmission(address: string, request: Request): Promise<string | null> {
    const { link, configuration, visible } = await this.find(address);
    const policy = this.policies.compile(configuration, visible);
    const viewer = { referer: request.headers.referer ?? null };
    return this.viewers.issueAdmission({ link, policy, viewer }, request.context.clientAddress);
  }

  /** Finds an available link, before its rules are applied. */
  private async find(address: string) {
    const state = await this.states.find(address);
    if (!state) throw unknownLink();
    const { link, container, configuration } = state;
    const availability = availabilityOf(link, container, this.clock.now());
    if (availability === 'not_started') throw unknownLink();
    if (availability === 'ended' || !configuration) throw endedLink();
    return { ...state, configuration };
  }
}

/** Pairs the formats of a configuration with their files; if a format has several files, the newest one counts. */
export function pairFormats(
  configuration: Pick<DeliveredConfiguration, 'type' | 'formats' | 'automaticFormats'>,
  policy: CompiledPolicy,
  { visible: { byId }, items }: { readonly visible: VisibleFormats; readonly items: readonly DeliverableItem[] },
): Pick<OpenedLink, 'formats' | 'outstanding' | 'shownOriginal'> {
  const newest = new Map(items.map((item) => [item.formatId, item]));
  const formats: OpenedFormat[] = [];
  const outstanding: Format[] = [];
  for (const [formatId, downloadable] of policy.settings.formats ?? []) {
    const [format, item] = [byId.get(formatId), newest.get(formatId)];
    if (format && item) formats.push({ format, item, downloadable });
    else if (format) outstanding.push(format);
  }
  if (!configuration.automaticFormats) return { formats, outstanding, shownOriginal: null };
  const named = new Set(configuration.formats.map(({ formatId }) => formatId));
  const isOther = ({ format, item }: OpenedFormat) => Number(!named.has(format.id) && item.type !== configuration.type);
  const isOriginal = ({ formatId }: DeliverableItem) => formatId !== null && byId.get(formatId)?.converter === 'original';
  const shownOriginal = configuration.type === 'image' ? (items.find(isOriginal) ?? null) : null;
  return { formats: formats.toSorted((one, other) => isOther(one) - isOther(other)), outstanding, shownOriginal };
}

function unknownLink() {
  unknown.count += 1;
  return generalErrors.not_found('This link does not exist.');
}

function endedLink() {
  ended.count += 1;
  return deliveryErrors.link_ended('This link is no longer available.');
}

interface Period {
  readonly start?: Date | string | null;
  readonly end?: Date | string | null;
}

/** Whether a link is available: link, container and license have all started (otherwise 404), and none of them has ended (otherwise 410). */
export function availabilityOf(
  link: Pick<DeliveredLink, 'flag' | 'start' | 'end'>,
  container: Pick<DeliverableContainer, 'flag' | 'start' | 'end' | 'license'>,
  now: Date,
): 'available' | 'ended' | 'not_started' {
  const periods: Period[] = [link, container, container.license ?? {}];
  if (link.flag === LINK_DELETED || container.flag === IN_TRASH) return 'ended';
  if (periods.some(({ end }) => timeOf(typeof end === 'string' ? toEnd(end) : end) <= now.getTime())) return 'ended';
  return periods.some(({ start }) => timeOf(start) > now.getTime()) ? 'not_started' : 'available';
}

/** The last change of the availability of containers before `now`, and the next one after it; null: there is none. */
export function stablePeriod(
  containers: readonly Pick<DeliverableContainer, 'start' | 'end' | 'license'>[],
  now: Date,
): { readonly from: Date | null; readonly until: Date | null } {
  const times = containers.flatMap(({ start, end, license }) => [
    ...[start, end, license?.start].map(timeOf),
    timeOf(license?.end ? toEnd(license.end) : null),
  ]);
  const latest = times.filter((time) => time <= now.getTime()).reduce((one, other) => Math.max(one, other), Number.NEGATIVE_INFINITY);
  const next = times.filter((time) => time > now.getTime()).reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
  return { from: Number.isFinite(latest) ? new Date(latest) : null, until: Number.isFinite(next) ? new Date(next) : null };
}

/** NaN, which is neither before nor after any moment, if no time is set. */
const timeOf = (time: Date | string | null | undefined): number => (time ? new Date(time).getTime() : Number.NaN);
